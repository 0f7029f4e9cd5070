N = int(input())
W = list(map(int, input().split()))
dp = [0] * 401
for i in range(1, 401):
    dp[i] = dp[i // 3] + 1 if i % 3 == 0 else dp[i - 1] + 1
E = [dp[w] for w in W]
print(E[0] + sum(1 if E[i] == E[i - 1] else E[i] for i in range(1, N)))
