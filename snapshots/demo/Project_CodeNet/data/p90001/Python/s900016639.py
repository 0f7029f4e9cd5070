n = int(input())
a = list(map(int, input().split()))
dp = [0] * 400
for i in range(1, 400):
    dp[i] = (dp[i // 3] if i % 3 == 0 else dp[i - 1]) + 1
ans = dp[a[0]]
for i in range(1, n):
    ans += 1 if dp[a[i]] == dp[a[i - 1]] else dp[a[i]]
print(ans)
