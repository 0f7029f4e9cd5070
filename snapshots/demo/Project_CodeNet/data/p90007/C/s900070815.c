#include <stdio.h>

int main(void)
{
    int n, i;
    double r, t, c, h, q, x;
    while (scanf("%d %lf %lf", &n, &r, &t) == 3 && n) {
        for (i = 0; i < n; i++) {
            scanf("%lf %lf %lf", &c, &h, &q);
            x = 0.0;
            if (r > 0 && t > 0) {
                if (r * t <= h) {
                    x = r * t;
                    t = 0;
                } else {
                    t -= h / r;
                    r -= q;
                    x = h;
                    if (r > 0) {
                        if (h + r * t < c) {
                            x = h + r * t;
                            t = 0;
                        } else {
                            x = c;
                            t -= (c - h) / r;
                        }
                    }
                }
            }
            printf("%s%.8f", i ? " " : "", x);
        }
        printf("\n");
    }
    return 0;
}
