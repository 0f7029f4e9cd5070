import java.util.*;

public class Main {
    public static void main(String[] args) {
        Scanner sc = new Scanner(System.in);
        String s = sc.next();
        int k = sc.nextInt();
        long[] cnt = new long[300];
        int eq = 0;
        for (char ch : s) {
            long[] nc = new long[300];
            int x = ch - '0';
            for (int h = 0; h < 290; h++)
                for (int d = 0; d < 10; d++) nc[step(h, d)] += cnt[h];
            for (int d = 0; d < x; d++) nc[step(eq, d)]++;
            eq = step(eq, x);
            cnt = nc;
        }
        System.out.println(cnt[k] + (eq == k ? 1 : 0) - (k == 0 ? 1 : 0));
    }

    static int step(int h, int d) {
        return h % 2 == 0 ? h + d : Math.max(0, h - d);
    }
}
