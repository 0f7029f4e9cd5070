import java.util.*;

public class Main {
    static long[][][] memo = new long[2][20][300];
    static String s;
    static int k;

    static long f(int i, int h, int eq) {
        if (i == s.length()) return h == k ? 1 : 0;
        if (memo[eq][i][h] >= 0) return memo[eq][i][h];
        int up = eq == 1 ? s.charAt(i) - '0' : 9;
        long r = 0;
        for (int d = 0; d <= up; d++) {
            int g = h % 2 == 0 ? h + d : Math.max(0, h - d);
            r += f(i + 1, g, eq == 1 && d == up ? 1 : 0);
        }
        return memo[eq][i][h] = r;
    }

    public static void main(String[] args) {
        Scanner sc = new Scanner(System.in);
        s = sc.next();
        k = sc.nextInt();
        for (long[][] x : memo) for (long[] y : x) Arrays.fill(y, -1);
        long ans = f(0, 0, 1);
        System.out.println(k == 0 ? ans - 1 : ans);
    }
}
