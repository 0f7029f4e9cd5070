#include <stdio.h>

static long long key[100001];
static int next_drum[100001], cnt[100002];

int main(void)
{
    int n, i, j;
    long long s;
    scanf("%d", &n);
    for (i = 0; i < n; i++) {
        scanf("%lld", &s);
        key[i] = s + i;
    }
    for (i = n - 1; i >= 0; i--) {
        for (j = i + 1; j < n && key[j] < key[i]; j = next_drum[j])
            ;
        next_drum[i] = j;
        cnt[j]++;
    }
    printf("%d\n", cnt[n]);
    for (i = 0; i < n; i++)
        printf("%d%s", cnt[i], i == n - 1 ? "\n" : " ");
    return 0;
}
