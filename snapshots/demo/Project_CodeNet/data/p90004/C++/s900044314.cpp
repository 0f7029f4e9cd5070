#include <algorithm>
#include <cstdio>
#include <cstring>
int R, C, K, a[30][30], memo[30][30][3][60];

int go(int i, int j, int d, int n) {
    if (i == R - 1 && j == C - 1) return 0;
    int &res = memo[i][j][d][n];
    if (res >= 0) return res;
    res = 1 << 30;
    if (i + 1 < R) {
        int t = (d == 1);
        res = std::min(res, a[i + 1][j] + t * (n + 1) * K + go(i + 1, j, 2, n + t));
    }
    if (j + 1 < C) {
        int t = (d == 2);
        res = std::min(res, a[i][j + 1] + t * (n + 1) * K + go(i, j + 1, 1, n + t));
    }
    return res;
}

int main() {
    while (scanf("%d%d%d", &R, &C, &K) == 3 && R) {
        for (int i = 0; i < R; i++)
            for (int j = 0; j < C; j++) scanf("%d", &a[i][j]);
        memset(memo, -1, sizeof memo);
        printf("%d\n", a[0][0] + go(0, 0, 0, 0));
    }
    return 0;
}
