#include <cstdio>
#include <map>
#include <utility>
#include <vector>
using namespace std;

int main() {
    long long n, t;
    scanf("%lld%lld", &n, &t);
    vector<long long> a(n), c(n);
    for (int i = 0; i < n; i++) scanf("%lld", &a[i]);
    for (int i = 0; i < n; i++) scanf("%lld", &c[i]);
    map<pair<long long, int>, int> id;
    vector<long long> acc{0};
    long long p = 0;
    int dir = 1;
    while (!id.count({p, dir})) {
        id[{p, dir}] = (int)acc.size() - 1;
        acc.push_back(acc.back() + c[p]);
        p += dir * a[p];
        if (p >= n) { p -= n; dir = -1; }
        if (p < 0) { p += n; dir = 1; }
    }
    long long k = acc.size() - 1, b = id[{p, dir}];
    if (t <= k) {
        printf("%lld\n", acc[t]);
    } else {
        long long len = k - b, q = (t - b) / len, r = (t - b) % len;
        printf("%lld\n", q * (acc[k] - acc[b]) + acc[b + r]);
    }
}
