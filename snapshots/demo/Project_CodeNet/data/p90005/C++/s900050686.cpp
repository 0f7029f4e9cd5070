#include <iostream>
#include <vector>
using namespace std;
typedef long long ll;
int main(){
    int n; ll t;
    cin>>n>>t;
    vector<ll> a(n),c(n);
    for(auto&x:a)cin>>x;
    for(auto&x:c)cin>>x;
    const int B=30;
    vector<vector<int>> to(B,vector<int>(2*n));
    vector<vector<ll>> s(B,vector<ll>(2*n));
    for(int i=0;i<n;i++){
        ll j=i+a[i];
        to[0][2*i]= j>=n ? 2*(j-n)+1 : 2*j;
        j=i-a[i];
        to[0][2*i+1]= j<0 ? 2*(j+n) : 2*j+1;
        s[0][2*i]=s[0][2*i+1]=c[i];
    }
    for(int k=1;k<B;k++)for(int v=0;v<2*n;v++){
        to[k][v]=to[k-1][to[k-1][v]];
        s[k][v]=s[k-1][v]+s[k-1][to[k-1][v]];
    }
    ll ans=0; int v=0;
    for(int k=0;k<B;k++)if(t>>k&1){ ans+=s[k][v]; v=to[k][v]; }
    cout<<ans<<endl;
}
