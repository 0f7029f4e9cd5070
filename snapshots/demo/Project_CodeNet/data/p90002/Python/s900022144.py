n, m, t = map(int, input().split())
a = list(map(int, input().split()))
total = sum(a)
full = (m - 1) // total
need = m - full * total
d = []
r = 0
cur = 0
for l in range(n):
    while cur < need:
        cur += a[r % n]
        r += 1
    d.append(full * n + r - l)
    cur -= a[l]
# doubling
LIM = 1 << 41
up = [[(i + d[i] + 1) % n for i in range(n)]]
ln = [[d[i] + 1 for i in range(n)]]
while 2 ** len(up) <= t:
    u, w = up[-1], ln[-1]
    up.append([u[x] for x in u])
    ln.append([min(LIM, w[i] + w[u[i]]) for i in range(n)])
ans = 0
pos = 0
left = t
for k in reversed(range(len(up))):
    if ln[k][pos] <= left:
        left -= ln[k][pos]
        ans += 2 ** k
        pos = up[k][pos]
if left >= d[pos]:
    print(ans + 1, 0)
else:
    water = left // n * total
    for i in range(left % n):
        water += a[(pos + i) % n]
    print(ans, water)
