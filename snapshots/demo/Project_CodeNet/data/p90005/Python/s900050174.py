n,t=map(int,input().split())
a=list(map(int,input().split()))
c=list(map(int,input().split()))
seen={}
log=[]
p,m=0,1
while (p,m) not in seen:
    seen[(p,m)]=len(log)
    log.append(c[p])
    r=p+m*a[p]
    if r>=n or r<0:
        m=-m
    p=r%n
s=seen[(p,m)]
head,loop=log[:s],log[s:]
if t<=s:
    print(sum(head[:t]))
else:
    t-=s
    k,r=divmod(t,len(loop))
    print(sum(head)+k*sum(loop)+sum(loop[:r]))
