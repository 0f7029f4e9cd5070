n = int(input())
a = list(map(int, input().split()))
ans = 0
prev = 0
for w in a:
    c = 0
    x = w
    while x > 0:
        x = x // 3 if x % 3 == 0 else x - 1
        c += 1
    if w == prev:
        ans += 1
    else:
        ans += c
    prev = w
print(ans)
