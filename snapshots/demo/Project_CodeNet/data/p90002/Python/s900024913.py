from bisect import bisect_left
n, m, t = map(int, input().split())
a = list(map(int, input().split()))
c = [0]
for x in a + a:
    c.append(c[-1] + x)
q = (m - 1) // c[n]
r = m - q * c[n]
pos = k = 0
seen = {}
while t > 0:
    if pos in seen:
        t0, k0 = seen[pos]
        k += t // (t0 - t) * (k - k0)
        t %= t0 - t
        seen = {}
        if t == 0:
            break
    seen[pos] = (t, k)
    s = q * n + bisect_left(c, c[pos] + r) - pos
    if s > t:
        break
    k += 1
    t -= s
    pos = (pos + s) % n
print(k, t // n * c[n] + c[pos + t % n] - c[pos])
