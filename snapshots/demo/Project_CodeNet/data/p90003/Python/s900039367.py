n = int(input())
h = list(map(int, input().split()))
st = []
for x in h:
    while len(st) > 0:
        if st[-1] > x:
            break
        elif st[-1] < x:
            st.pop()
            x -= 1
        else:
            st.pop()
            x += 1
    st.append(x)
print(len(st))
print(*st)
