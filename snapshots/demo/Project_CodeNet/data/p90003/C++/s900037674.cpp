#include <iostream>
#include <stack>
#include <vector>
#include <algorithm>
using namespace std;

int main(){
    int n;
    cin >> n;
    stack<long long> s;
    for(int i=0;i<n;i++){
        long long h;
        cin >> h;
        while(!s.empty() && s.top() <= h){
            if(s.top() == h) h++;
            else h--;
            s.pop();
        }
        s.push(h);
    }
    vector<long long> v;
    while(!s.empty()){ v.push_back(s.top()); s.pop(); }
    reverse(v.begin(), v.end());
    cout << v.size() << endl;
    for(int i=0;i<(int)v.size();i++) cout << (i?" ":"") << v[i];
    cout << endl;
    return 0;
}
