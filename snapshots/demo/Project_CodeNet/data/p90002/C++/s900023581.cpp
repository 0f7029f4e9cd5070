#include <bits/stdc++.h>
using namespace std;
typedef long long ll;
int main() {
    ll n, m, t;
    cin >> n >> m >> t;
    vector<ll> s(2 * n + 1);
    vector<ll> a(n);
    for (auto &x : a) cin >> x;
    for (int i = 0; i < 2 * n; i++) s[i + 1] = s[i] + a[i % n];
    ll q = (m - 1) / s[n], r = m - q * s[n];
    vector<ll> d(n);
    for (int i = 0; i < n; i++) d[i] = q * n + (lower_bound(s.begin(), s.end(), s[i] + r) - s.begin()) - i;
    map<int, pair<ll, ll>> mp;
    ll pos = 0, cnt = 0;
    bool done = false;
    while (t >= d[pos]) {
        if (!done && mp.count(pos)) {
            auto [t0, c0] = mp[pos];
            ll per = t0 - t, x = t / per;
            cnt += x * (cnt - c0);
            t -= x * per;
            done = true;
            continue;
        }
        mp[pos] = {t, cnt};
        cnt++;
        ll k = d[pos] + 1;
        t -= k;
        pos = (pos + k) % n;
    }
    if (t < 0) t = 0;
    cout << cnt << " " << t / n * s[n] + s[pos + t % n] - s[pos] << endl;
}
