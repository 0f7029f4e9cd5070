#include <cstdio>
#include <vector>

int endurance(int w) {
    int digits = 0, sum = 0;
    for (; w > 0; w /= 3) {
        sum += w % 3;
        ++digits;
    }
    return sum + digits - 1;
}

int main() {
    int n;
    if (scanf("%d", &n) != 1) return 0;
    std::vector<int> e(n + 1, 0);
    long long total = 0;
    for (int i = 1; i <= n; ++i) {
        int w;
        if (scanf("%d", &w) != 1) return 0;
        e[i] = endurance(w);
        total += (e[i] == e[i - 1]) ? 1 : e[i];
    }
    printf("%lld\n", total);
    return 0;
}
