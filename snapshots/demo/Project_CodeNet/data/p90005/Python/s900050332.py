# tortoise and hare on (slot, mood)
N, T = map(int, input().split())
A = [int(x) for x in input().split()]
C = [int(x) for x in input().split()]


def step(st):
    p, cross = st
    q = p - A[p] if cross else p + A[p]
    if q >= N:
        return q - N, True
    if q < 0:
        return q + N, False
    return q, cross


start = (0, False)
slow, fast = step(start), step(step(start))
while slow != fast:
    slow = step(slow)
    fast = step(step(fast))
mu = 0
slow = start
while slow != fast:
    slow = step(slow)
    fast = step(fast)
    mu += 1
entry = slow
lam = 1
fast = step(entry)
loop = C[entry[0]]
while fast != entry:
    loop += C[fast[0]]
    fast = step(fast)
    lam += 1

ans = 0
cur = start
walk = T
if T > mu:
    full = (T - mu) // lam
    ans += full * loop
    walk = mu + (T - mu) % lam
for _ in range(walk):
    ans += C[cur[0]]
    cur = step(cur)
print(ans)
