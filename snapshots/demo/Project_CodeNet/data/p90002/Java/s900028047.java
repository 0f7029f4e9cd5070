import java.util.*;

public class Main {
    public static void main(String[] args) {
        Scanner sc = new Scanner(System.in);
        int n = sc.nextInt();
        long m = sc.nextLong(), t = sc.nextLong();
        long[] a = new long[n];
        long sum = 0;
        for (int i = 0; i < n; i++) { a[i] = sc.nextLong(); sum += a[i]; }
        long full = (m - 1) / sum, rem = m - full * sum, cur = 0;
        long[] d = new long[n];
        int r = 0;
        for (int l = 0; l < n; l++) {
            while (cur < rem) cur += a[r++ % n];
            d[l] = full * n + r - l;
            cur -= a[l];
        }
        long[] st = new long[n], sk = new long[n];
        Arrays.fill(st, -1);
        long knocks = 0;
        int pos = 0;
        boolean jumped = false;
        while (t >= d[pos]) {
            if (!jumped && st[pos] >= 0) {
                long per = st[pos] - t;
                long g = knocks - sk[pos];
                knocks += t / per * g;
                t %= per;
                jumped = true;
                continue;
            }
            st[pos] = t;
            sk[pos] = knocks++;
            long c = d[pos] + 1;
            t -= c;
            pos = (int) ((pos + c) % n);
        }
        long w = 0;
        if (t > 0) {
            w = t / n * sum;
            for (int i = 0; i < t % n; i++) w += a[(pos + i) % n];
        }
        System.out.println(knocks + " " + w);
    }
}
