#include <cstdio>
static int peg[100001];
int main() {
    int n, len = 0;
    scanf("%d", &n);
    while (n--) {
        int h;
        scanf("%d", &h);
        for (; len && peg[len - 1] <= h; --len)
            h += peg[len - 1] == h ? 1 : -1;
        peg[len++] = h;
    }
    printf("%d\n%d", len, peg[0]);
    for (int i = 1; i < len; ++i) printf(" %d", peg[i]);
    puts("");
    return 0;
}
