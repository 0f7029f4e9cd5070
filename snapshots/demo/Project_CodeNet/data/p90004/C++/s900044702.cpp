#include <bits/stdc++.h>
using namespace std;
int dp[32][32][2][64];
int main() {
    int r, c, k;
    while (cin >> r >> c >> k, r | c | k) {
        memset(dp, 0x3f, sizeof dp);
        for (int i = 0; i < r; i++)
            for (int j = 0; j < c; j++) {
                int a;
                cin >> a;
                if (!i && !j) {
                    dp[0][0][0][0] = dp[0][0][1][0] = a;
                    continue;
                }
                for (int n = 0; n < r + c; n++) {
                    if (j) {
                        dp[i][j][0][n] = dp[i][j - 1][0][n] + a;
                        if (n) dp[i][j][0][n] = min(dp[i][j][0][n], dp[i][j - 1][1][n - 1] + n * k + a);
                    }
                    if (i) {
                        dp[i][j][1][n] = dp[i - 1][j][1][n] + a;
                        if (n) dp[i][j][1][n] = min(dp[i][j][1][n], dp[i - 1][j][0][n - 1] + n * k + a);
                    }
                    dp[i][j][0][n] = min(dp[i][j][0][n], 0x3f3f3f3f);
                    dp[i][j][1][n] = min(dp[i][j][1][n], 0x3f3f3f3f);
                }
            }
        cout << min(*min_element(dp[r - 1][c - 1][0], dp[r - 1][c - 1][0] + 64),
                    *min_element(dp[r - 1][c - 1][1], dp[r - 1][c - 1][1] + 64)) << endl;
    }
}
