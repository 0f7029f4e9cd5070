#include <iostream>
#include <algorithm>
using namespace std;

int r, c, k, a[30][30];

int go(int i, int j, int d, int n) {
    if (i == r - 1 && j == c - 1) return a[i][j];
    int res = 1000000000;
    if (j + 1 < c) res = min(res, go(i, j + 1, 1, n + (d == 2)) + (d == 2 ? (n + 1) * k : 0));
    if (i + 1 < r) res = min(res, go(i + 1, j, 2, n + (d == 1)) + (d == 1 ? (n + 1) * k : 0));
    return res + a[i][j];
}

int main() {
    while (cin >> r >> c >> k && r) {
        for (int i = 0; i < r; i++)
            for (int j = 0; j < c; j++) cin >> a[i][j];
        cout << go(0, 0, 0, 0) << endl;
    }
    return 0;
}
