n, k = map(int, input().split())
ans = 0
for x in range(1, n + 1):
    h = 0
    for ch in str(x):
        d = ord(ch) - 48
        if h % 2 == 0:
            h += d
        else:
            h = max(0, h - d)
    if h == k:
        ans += 1
print(ans)
