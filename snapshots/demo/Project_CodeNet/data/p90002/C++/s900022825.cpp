#include <iostream>
#include <vector>
using namespace std;

int main() {
    long long n, m, t;
    cin >> n >> m >> t;
    vector<long long> a(n), d(n);
    long long sum = 0;
    for (auto& x : a) { cin >> x; sum += x; }
    long long full = (m - 1) / sum, rem = m - full * sum;
    long long cur = 0, r = 0;
    for (int l = 0; l < n; ++l) {
        while (cur < rem) cur += a[r++ % n];
        d[l] = full * n + r - l;
        cur -= a[l];
    }
    vector<vector<int>> to(41, vector<int>(n));
    vector<vector<long long>> len(41, vector<long long>(n));
    for (int l = 0; l < n; ++l) {
        len[0][l] = d[l] + 1;
        to[0][l] = (l + d[l] + 1) % n;
    }
    for (int k = 1; k <= 40; ++k)
        for (int l = 0; l < n; ++l) {
            int mid = to[k - 1][l];
            to[k][l] = to[k - 1][mid];
            len[k][l] = min(len[k - 1][l] + len[k - 1][mid], 2000000000000LL);
        }
    long long knocks = 0;
    int pos = 0;
    for (int k = 40; k >= 0; --k)
        if (len[k][pos] <= t) {
            t -= len[k][pos];
            knocks += 1LL << k;
            pos = to[k][pos];
        }
    if (t >= d[pos]) {
        cout << knocks + 1 << " 0\n";
        return 0;
    }
    long long water = t / n * sum;
    for (int i = 0; i < t % n; ++i) water += a[(pos + i) % n];
    cout << knocks << " " << water << "\n";
}
