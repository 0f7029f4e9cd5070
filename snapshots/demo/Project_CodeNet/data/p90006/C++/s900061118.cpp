#include <iostream>
#include <string>
#include <cstdlib>
using namespace std;
long long dp[20][2][300];
int main(){
    string s; int k;
    cin>>s>>k;
    int n=s.size();
    dp[0][1][0]=1;
    for(int i=0;i<n;i++)for(int t=0;t<2;t++)for(int h=0;h<280;h++){
        long long v=dp[i][t][h];
        if(!v)continue;
        int up=t?s[i]-'0':9;
        for(int d=0;d<=up;d++){
            int g=h%2?abs(h-d):h+d;
            dp[i+1][t&&d==up][g]+=v;
        }
    }
    long long ans=dp[n][0][k]+dp[n][1][k];
    if(k==0)ans--;
    cout<<ans<<endl;
}
