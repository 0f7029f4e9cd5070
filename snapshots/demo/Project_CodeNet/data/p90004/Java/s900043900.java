import java.util.*;

class Main {
    public static void main(String[] args) {
        Scanner sc = new Scanner(System.in);
        while (true) {
            int r = sc.nextInt(), c = sc.nextInt(), k = sc.nextInt();
            if (r == 0 && c == 0 && k == 0) break;
            int t = r + c, inf = 100000000;
            int[][][][] dp = new int[r][c][2][t];
            for (int i = 0; i < r; i++) {
                for (int j = 0; j < c; j++) {
                    int a = sc.nextInt();
                    for (int n = 0; n < t; n++) {
                        int h = inf, v = inf;
                        if (i == 0 && j == 0 && n == 0) {
                            h = v = 0;
                        }
                        if (j > 0) {
                            h = dp[i][j - 1][0][n];
                            if (n > 0) h = Math.min(h, dp[i][j - 1][1][n - 1] + n * k);
                        }
                        if (i > 0) {
                            v = dp[i - 1][j][1][n];
                            if (n > 0) v = Math.min(v, dp[i - 1][j][0][n - 1] + n * k);
                        }
                        dp[i][j][0][n] = h + a;
                        dp[i][j][1][n] = v + a;
                    }
                }
            }
            int ans = inf;
            for (int[] x : dp[r - 1][c - 1]) for (int y : x) ans = Math.min(ans, y);
            System.out.println(ans);
        }
    }
}
