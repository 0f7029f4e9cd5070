n = int(input())
h = list(map(int, input().split()))
st = [h[0]]
for x in h[1:]:
    while st[-1] <= x:
        if st[-1] == x:
            x += 1
        else:
            x -= 1
        st.pop()
    st.append(x)
print(len(st))
print(*st)
