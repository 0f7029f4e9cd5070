n = int(input())
s = list(map(int, input().split()))
st = []
ans = [0] * n
for j in range(n):
    while st and s[st[-1]] - (j - st[-1]) <= s[j]:
        st.pop()
        ans[j] += 1
    st.append(j)
print(len(st))
print(*ans)
