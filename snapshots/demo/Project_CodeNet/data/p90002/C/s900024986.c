#include <stdio.h>

int a[100000];

int main(void) {
    int n, i, p = 0, miss = 0;
    long long m, t, j, w = 0, k = 0;
    if (scanf("%d %lld %lld", &n, &m, &t) != 3) return 1;
    for (i = 0; i < n; i++)
        if (scanf("%d", &a[i]) != 1) return 1;
    for (j = 0; j < t; j++) {
        if (miss) {
            miss = 0;
        } else {
            w += a[p];
            if (w >= m) {
                k++;
                w = 0;
                miss = 1;
            }
        }
        if (++p == n) p = 0;
    }
    printf("%lld %lld\n", k, w);
    return 0;
}
