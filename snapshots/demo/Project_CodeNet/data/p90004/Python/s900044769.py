import sys
def main():
    it = iter(map(int, sys.stdin.read().split()))
    INF = 10 ** 9
    while True:
        r, c, k = next(it), next(it), next(it)
        if (r, c, k) == (0, 0, 0):
            break
        a = [[next(it) for _ in range(c)] for _ in range(r)]
        t = r + c
        dp = [[[[INF] * t for _ in range(2)] for _ in range(c)] for _ in range(r)]
        dp[0][0][0][0] = dp[0][0][1][0] = a[0][0]
        for i in range(r):
            for j in range(c):
                for d in range(2):
                    for n in range(t):
                        cur = dp[i][j][d][n]
                        if cur >= INF:
                            continue
                        if j + 1 < c:
                            m = n + (d == 1)
                            v = cur + a[i][j + 1] + (k * m if d == 1 else 0)
                            dp[i][j + 1][0][m] = min(dp[i][j + 1][0][m], v)
                        if i + 1 < r:
                            m = n + (d == 0)
                            v = cur + a[i + 1][j] + (k * m if d == 0 else 0)
                            dp[i + 1][j][1][m] = min(dp[i + 1][j][1][m], v)
        print(min(map(min, dp[r - 1][c - 1])))
main()
