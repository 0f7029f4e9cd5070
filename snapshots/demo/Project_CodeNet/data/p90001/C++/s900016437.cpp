#include <bits/stdc++.h>
using namespace std;
int main() {
    int n;
    cin >> n;
    long long ans = 0;
    int prev = 0;
    for (int i = 0; i < n; i++) {
        int w, e = 0;
        cin >> w;
        while (w) {
            w = w % 3 ? w - 1 : w / 3;
            e++;
        }
        ans += e == prev ? 1 : e;
        prev = e;
    }
    cout << ans << "\n";
}
