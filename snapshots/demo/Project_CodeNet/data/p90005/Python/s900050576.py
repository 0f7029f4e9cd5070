import sys
d = list(map(int, sys.stdin.read().split()))
n, t = d[0], d[1]
a = d[2:n + 2]
c = d[n + 2:]
nx = [0] * (2 * n)
for i in range(n):
    for m in (0, 1):
        j = i + (a[i] if m == 0 else -a[i])
        f = m ^ (1 if j < 0 or j >= n else 0)
        nx[i * 2 + m] = (j % n) * 2 + f
# count how often each state is left
cnt = [0] * (2 * n)
order = []
when = [None] * (2 * n)
s = 0
while when[s] is None:
    when[s] = len(order)
    order.append(s)
    s = nx[s]
b = when[s]
L = len(order) - b
for i, x in enumerate(order):
    if i >= t:
        break
    if i < b:
        cnt[x] = 1
    else:
        cnt[x] = (t - i + L - 1) // L
print(sum(cnt[x] * c[x // 2] for x in range(2 * n)))
