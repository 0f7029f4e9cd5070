n = int(input())
a = list(map(int, input().split()))
prev = -1
ans = 0
for w in a:
    cnt = 0
    while w > 0:
        if w % 3 == 0:
            w //= 3
        else:
            w -= 1
        cnt += 1
    if cnt == prev:
        ans += 1
    else:
        ans += cnt
    prev = cnt
print(ans)
