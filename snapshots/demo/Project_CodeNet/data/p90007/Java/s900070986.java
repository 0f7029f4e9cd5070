import java.io.*;
import java.util.*;

class Main {
    public static void main(String[] args) throws IOException {
        BufferedReader br = new BufferedReader(new InputStreamReader(System.in));
        while (true) {
            StringTokenizer st = new StringTokenizer(br.readLine());
            int n = Integer.parseInt(st.nextToken());
            double r = Double.parseDouble(st.nextToken());
            double t = Double.parseDouble(st.nextToken());
            if (n == 0) break;
            StringBuilder sb = new StringBuilder();
            boolean dry = false;
            for (int i = 0; i < n; i++) {
                st = new StringTokenizer(br.readLine());
                double c = Double.parseDouble(st.nextToken());
                double h = Double.parseDouble(st.nextToken());
                double q = Double.parseDouble(st.nextToken());
                double x = 0;
                if (!dry) {
                    double a = h / r;
                    if (a >= t) {
                        x = r * t;
                        dry = true;
                    } else {
                        t -= a;
                        r -= q;
                        x = h;
                        if (r <= 0) {
                            dry = true;
                        } else {
                            double b = (c - h) / r;
                            x = b >= t ? h + r * t : c;
                            dry = b >= t;
                            t -= b;
                        }
                    }
                }
                sb.append(String.format("%s%.8f", i == 0 ? "" : " ", x));
            }
            System.out.println(sb);
        }
    }
}
