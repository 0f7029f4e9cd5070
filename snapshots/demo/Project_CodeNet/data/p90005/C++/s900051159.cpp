#include <iostream>
#include <vector>
using namespace std;
int main(){
    int n,t;
    cin>>n>>t;
    vector<int> a(n),c(n);
    for(auto&x:a)cin>>x;
    for(auto&x:c)cin>>x;
    vector<int> seen(2*n,-1);
    vector<long long> acc(1,0);
    int p=0,m=0,k=0;
    while(k<t&&seen[2*p+m]<0){
        seen[2*p+m]=k++;
        acc.push_back(acc.back()+c[p]);
        p+= m? -a[p] : a[p];
        if(p>=n||p<0){ m^=1; p=(p+n)%n; }
    }
    int ans=acc[k];
    if(k<t){
        int b=seen[2*p+m],l=k-b;
        ans+=(t-k)/l*(acc[k]-acc[b])+acc[b+(t-k)%l]-acc[b];
    }
    cout<<ans<<endl;
}
