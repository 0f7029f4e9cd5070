#include <iostream>
#include <vector>
#include <stack>
using namespace std;
int main(){
    int n;
    cin>>n;
    vector<int> s(n),a(n,0);
    stack<int> st;
    for(int j=0;j<n;j++){
        cin>>s[j];
        while(!st.empty()&&s[st.top()]+st.top()<=s[j]+j){ a[j]++; st.pop(); }
        st.push(j);
    }
    cout<<st.size()<<endl;
    for(int j=0;j<n;j++)cout<<(j?" ":"")<<a[j];
    cout<<endl;
}
