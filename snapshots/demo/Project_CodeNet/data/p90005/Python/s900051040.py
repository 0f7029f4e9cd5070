n,t=map(int,input().split())
a=list(map(int,input().split()))
c=list(map(int,input().split()))
seen=[-1]*n
acc=[0]
p=0
m=1
k=0
while k<t and seen[p]<0:
    seen[p]=k
    acc.append(acc[-1]+c[p])
    p+=m*a[p]
    if p>=n or p<0:
        m=-m
        p%=n
    k+=1
if k==t:
    print(acc[t])
else:
    b=seen[p]
    l=k-b
    q,r=divmod(t-k,l)
    print(acc[k]+q*(acc[k]-acc[b])+acc[b+r]-acc[b])
