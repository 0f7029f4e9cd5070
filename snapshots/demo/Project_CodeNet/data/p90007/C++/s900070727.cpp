#include <cstdio>
#include <vector>
using namespace std;

int main() {
    int n, r, t;
    while (scanf("%d%d%d", &n, &r, &t) == 3) {
        if (n == 0) break;
        vector<int> c(n), h(n), q(n);
        for (int i = 0; i < n; i++) scanf("%d%d%d", &c[i], &h[i], &q[i]);
        vector<double> a(n, 0.0);
        double now = 0;
        int f = r;
        for (int i = 0; i < n; i++) {
            double reach = now + (double)h[i] / f;
            if (reach >= t) {
                a[i] = f * (t - now);
                break;
            }
            f -= q[i];
            if (f <= 0) {
                a[i] = h[i];
                break;
            }
            double full = reach + (double)(c[i] - h[i]) / f;
            if (full >= t) {
                a[i] = h[i] + f * (t - reach);
                break;
            }
            a[i] = c[i];
            now = full;
        }
        for (int i = 0; i < n; i++) printf(i == n - 1 ? "%.8f\n" : "%.8f ", a[i]);
    }
    return 0;
}
