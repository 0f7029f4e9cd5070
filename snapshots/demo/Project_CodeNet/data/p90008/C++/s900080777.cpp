#include <cstdio>
#include <set>
#include <vector>
using namespace std;

int main() {
    int n;
    scanf("%d", &n);
    multiset<long long> roll;
    vector<int> ans;
    for (int j = 0; j < n; j++) {
        long long s;
        scanf("%lld", &s);
        auto it = roll.upper_bound(s + j);
        int k = 0;
        for (auto p = roll.begin(); p != it; ++p) k++;
        roll.erase(roll.begin(), it);
        ans.push_back(k);
        roll.insert(s + j);
    }
    printf("%d\n", (int)roll.size());
    for (int j = 0; j < n; j++) printf("%d%c", ans[j], j + 1 < n ? ' ' : '\n');
}
