n, t = map(int, input().split())
a = list(map(int, input().split()))
c = list(map(int, input().split()))
p = 0
d = 1
ans = 0
for _ in range(t):
    ans += c[p]
    p += d * a[p]
    if p >= n:
        p -= n
        d = -d
    elif p < 0:
        p += n
        d = -d
print(ans)
