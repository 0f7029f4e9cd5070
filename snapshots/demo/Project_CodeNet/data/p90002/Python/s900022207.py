import sys
input = sys.stdin.readline

N, M, T = map(int, input().split())
A = list(map(int, input().split()))
S = [0] * (2 * N + 1)
for i in range(2 * N):
    S[i + 1] = S[i] + A[i % N]

def pours(i):
    full, rem = divmod(M, S[N])
    lo, hi = i - 1, i + N
    while hi - lo > 1:
        mid = (lo + hi) // 2
        if S[mid] - S[i] >= rem:
            hi = mid
        else:
            lo = mid
    return full * N + hi - i

seen_t = [-1] * N
seen_k = [0] * N
time = 0
knock = 0
pos = 0
used = False
while True:
    p = pours(pos)
    if time + p > T:
        break
    if seen_t[pos] >= 0 and not used:
        used = True
        per = time - seen_t[pos]
        kn = knock - seen_k[pos]
        x = (T - time) // per
        time += x * per
        knock += x * kn
        continue
    seen_t[pos] = time
    seen_k[pos] = knock
    time += p + 1
    knock += 1
    pos = (pos + p + 1) % N
rest = max(0, T - time)
print(knock, rest // N * S[N] + S[pos + rest % N] - S[pos])
