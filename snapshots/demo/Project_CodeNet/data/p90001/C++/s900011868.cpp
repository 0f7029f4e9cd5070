#include <iostream>
using namespace std;
int main() {
    int n, prev = 0;
    cin >> n;
    long long ans = 0
    for (int i = 0; i < n; i++) {
        int w, e = 0;
        cin >> w;
        for (; w; e++) w = w % 3 ? w - 1 : w / 3;
        ans += e == prev ? 1 : e;
        prev = e;
    }
    cout << ans << endl;
}
