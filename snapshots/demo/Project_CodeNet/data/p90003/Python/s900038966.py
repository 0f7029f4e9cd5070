n = int(input())
h = list(map(int, input().split()))
st = []
for x in h:
    while st and st[-1] <= x:
        y = st.pop()
        if y == x:
            x += 1
    st.append(x)
print(len(st))
print(*st)
