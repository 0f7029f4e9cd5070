import sys
from functools import lru_cache
sys.setrecursionlimit(100000)

def walk(a, k):
    r, c = len(a), len(a[0])

    @lru_cache(maxsize=None)
    def go(i, j, d, n):
        # cheapest way from here on, (i, j) already paid
        if i == r - 1 and j == c - 1:
            return 0
        res = float("inf")
        if i < r - 1:
            m = n + (d == "R")
            res = a[i + 1][j] + (m - n) * m * k + go(i + 1, j, "D", m)
        if j < c - 1:
            m = n + (d == "D")
            res = min(res, a[i][j + 1] + (m - n) * m * k + go(i, j + 1, "R", m))
        return res

    return a[0][0] + go(0, 0, "", 0)

for line in sys.stdin:
    r, c, k = map(int, line.split())
    if r == c == k == 0:
        break
    print(walk([list(map(int, sys.stdin.readline().split())) for _ in range(r)], k))
