#include <iostream>
#include <iomanip>
#include <algorithm>
using namespace std;
int main(){
    int n; double r,t;
    cout<<fixed<<setprecision(8);
    while(cin>>n>>r>>t, n){
        for(int i=0;i<n;i++){
            double c,h,q,x=0;
            cin>>c>>h>>q;
            if(r>0&&t>0){
                x=min(h,r*t);
                t-=h/r;
                if(t>0&&r>q){
                    x=min(c,h+(r-q)*t);
                    t-=(c-h)/(r-q);
                }
                else r=0;
            }
            if(i)cout<<" ";
            cout<<x;
        }
        cout<<endl;
    }
}
