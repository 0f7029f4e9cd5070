#include <cstdio>
#include <map>
#include <vector>
using ll = long long;

static int put(int h, int d) { return h % 2 == 0 ? h + d : (h > d ? h - d : 0); }

// grips of 0..x
static std::map<int, ll> dist(ll x) {
    std::map<int, ll> r;
    if (x < 0) return r;
    if (x < 10) {
        for (int d = 0; d <= x; d++) r[d] = 1;
        return r;
    }
    ll head = x / 10;
    for (auto &p : dist(head - 1))
        for (int d = 0; d < 10; d++) r[put(p.first, d)] += p.second;
    std::vector<int> dig;
    for (ll y = head; y; y /= 10) dig.push_back(y % 10);
    int h = 0;
    for (int i = (int)dig.size() - 1; i >= 0; i--) h = put(h, dig[i]);
    for (int d = 0; d <= x % 10; d++) r[put(h, d)]++;
    return r;
}

int main() {
    ll n;
    int k;
    scanf("%lld %d", &n, &k);
    ll ans = dist(n)[k];
    if (k == 0) ans--;
    printf("%lld\n", ans);
}
