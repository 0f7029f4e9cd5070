import java.util.*;

public class Main {
    public static void main(String[] args) {
        Scanner sc = new Scanner(System.in);
        int n = sc.nextInt();
        int[] peg = new int[n];
        int size = 0;
        for (int i = 0; i < n; i++) {
            int h = sc.nextInt();
            while (size > 0 && peg[size - 1] <= h) {
                h = peg[size - 1] == h ? h + 1 : h - 1;
                size--;
            }
            peg[size++] = h;
        }
        StringBuilder sb = new StringBuilder().append(size).append("\n").append(peg[0]);
        for (int i = 1; i < size; i++) sb.append(" ").append(peg[i]);
        System.out.println(sb);
    }
}
