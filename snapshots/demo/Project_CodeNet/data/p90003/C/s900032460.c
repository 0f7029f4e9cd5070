#include <stdio.h>

int main(void)
{
    static int a[100000];
    int n, i, h, k = 0;

    if (scanf("%d", &n) != 1) return 1;
    for (i = 0; i < n; i++) {
        if (scanf("%d", &h) != 1) return 1;
        while (k > 0 && a[k - 1] <= h) {
            if (a[k - 1] == h) h++;
            else h--;
            k--;
        }
        a[k++] = h;
    }
    printf("%d\n", k);
    for (i = 0; i < k; i++) printf("%d%c", a[i], i == k - 1 ? '\n' : ' ');
    return 0;
}
