n = int(input())
s = list(map(int, input().split()))
ans = [0] * n
esc = 0
for i in range(n):
    x = s[i] - 1
    j = i + 1
    while s[j] < x:
        j += 1
        x -= 1
    if j < n:
        ans[j] += 1
    else:
        esc += 1
print(esc)
print(*ans)
