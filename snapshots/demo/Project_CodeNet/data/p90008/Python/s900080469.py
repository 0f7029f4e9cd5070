import sys
input = sys.stdin.readline
N = int(input())
S = [0] + list(map(int, input().split()))
nxt = [0] * (N + 2)
cnt = [0] * (N + 2)
for i in range(N, 0, -1):
    j = i + 1
    while j <= N and S[i] - (j - i) > S[j]:
        j = nxt[j]
    nxt[i] = j
    cnt[j] += 1
print(cnt[N + 1])
print(' '.join(map(str, cnt[1:N + 1])))
