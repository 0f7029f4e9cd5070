import java.util.*;

public class Main {
    public static void main(String[] args) {
        Scanner sc = new Scanner(System.in);
        int n = sc.nextInt();
        int[] d = new int[401];
        for (int i = 1; i <= 400; i++) d[i] = 1 + (i % 3 == 0 ? d[i / 3] : d[i - 1]);
        long sum = 0;
        int left = 0;
        for (int i = 0; i < n; i++) {
            int e = d[sc.nextInt()];
            sum += e == left ? 1 : e;
            left = e;
        }
        System.out.println(sum);
    }
}
