import java.util.*;

public class Main {
    public static void main(String[] args) {
        Scanner sc = new Scanner(System.in);
        int n = sc.nextInt();
        long[] s = new long[n];
        for (int i = 0; i < n; i++) s[i] = sc.nextLong();
        int[] a = new int[n];
        int out = 0;
        for (int i = 0; i < n; i++) {
            int j = i + 1;
            while (j < n && s[j] <= s[i] - (j - i)) j++;
            if (j < n) a[j]++;
            else out++;
        }
        System.out.println(out);
        for (int i = 0; i < n; i++) System.out.print((i > 0 ? " " : "") + a[i]);
        System.out.println();
    }
}
