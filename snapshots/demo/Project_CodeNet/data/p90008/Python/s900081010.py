n = int(input())
s = list(map(int, input().split()))
st = []
ans = [0] * n
for j in range(n):
    while st and st[-1] - 1 <= s[j]:
        st.pop()
        ans[j] += 1
    st.append(s[j])
print(len(st))
print(*ans)
