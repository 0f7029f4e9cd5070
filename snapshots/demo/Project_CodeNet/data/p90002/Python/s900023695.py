import bisect
n, m, t = map(int, input().split())
a = list(map(int, input().split()))
c = [0]
for x in a:
    c.append(c[-1] + x)
s = c[n]
pos = k = now = 0
seen = {}
jump = False
while True:
    goal = c[pos] + m
    p = goal // s * n + bisect.bisect_left(c, goal % s) - pos
    if now + p > t:
        break
    if pos in seen and not jump:
        t0, k0 = seen[pos]
        x = (t - now) // (now - t0)
        k += x * (k - k0)
        now += x * (now - t0)
        jump = True
        continue
    seen[pos] = (now, k)
    now += p + 1
    k += 1
    pos = (pos + p + 1) % n
rest = max(0, t - now)
print(k, rest // n * s + c[pos + rest % n] - c[pos])
