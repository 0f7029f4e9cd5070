import sys
n, k = sys.stdin.read().split()
k = int(k)
M = 180
# dp[len][h] = number of suffixes from h to k
dp = [[0] * M for _ in range(len(n) + 1)]
if k < M:
    dp[0][k] = 1
for l in range(1, len(n) + 1):
    for h in range(M - 10):
        if h % 2 == 0:
            dp[l][h] = sum(dp[l - 1][h:h + 10])
        else:
            for d in range(10):
                dp[l][h] += dp[l - 1][max(0, h - d)]
ans = 0
h = 0
for i, ch in enumerate(n):
    for d in range(int(ch)):
        ans += dp[len(n) - 1 - i][h + d if h % 2 == 0 else max(0, h - d)]
    h = h + int(ch) if h % 2 == 0 else max(0, h - int(ch))
if h == k:
    ans += 1
if k == 0:
    ans -= 1
print(ans)
