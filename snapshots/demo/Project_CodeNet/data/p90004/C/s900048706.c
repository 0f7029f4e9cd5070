#include <stdio.h>

int main(void) {
    int r, c, k, i, j, n, a[30][30];
    while (scanf("%d %d %d", &r, &c, &k) == 3 && r) {
        for (i = 0; i < r; i++)
            for (j = 0; j < c; j++)
                scanf("%d", &a[i][j]);
        int best = INT_MAX;
        int dp[2][30][30][60];
        for (n = 0; n < 60; n++)
            for (i = 0; i < r; i++)
                for (j = 0; j < c; j++)
                    dp[0][i][j][n] = dp[1][i][j][n] = INT_MAX / 2;
        dp[0][0][0][0] = dp[1][0][0][0] = a[0][0];
        printf("%d\n", best);
    }
    return 0;
}
