import java.util.*;

public class Main {
    public static void main(String[] args) {
        Scanner sc = new Scanner(System.in);
        int n = sc.nextInt();
        int t = sc.nextInt();
        int[] a = new int[n];
        long[] c = new long[n];
        for (int i = 0; i < n; i++) a[i] = sc.nextInt();
        for (int i = 0; i < n; i++) c[i] = sc.nextInt();
        int[] first = new int[2 * n];
        Arrays.fill(first, -1);
        ArrayList<Long> sums = new ArrayList<>();
        sums.add(0L);
        int p = 0, mood = 0, k = 0;
        while (k < t && first[p + mood * n] < 0) {
            first[p + mood * n] = k;
            sums.add(sums.get(k) + c[p]);
            p += mood == 0 ? a[p] : -a[p];
            if (p < 0 || p >= n) {
                mood = 1 - mood;
                p = (p + n) % n;
            }
            k++;
        }
        long ans = sums.get(k);
        int rest = t - k;
        if (rest > 0) {
            int b = first[p + mood * n];
            int len = k - b;
            ans += (sums.get(k) - sums.get(b)) * (rest / len);
            ans += sums.get(b + rest % len) - sums.get(b);
        }
        System.out.println(ans);
    }
}
