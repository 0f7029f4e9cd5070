n, w = int(input()), list(map(int, input().split()))
t = {}
for x in set(w):
    y, k = x, 0
    while y:
        k += 1
        if y % 3:
            y -= 1
        else:
            y //= 3
    t[x] = k
full = sum(t[x] for x in w)
saved = sum(t[b] - 1 for a, b in zip(w, w[1:]) if t[a] == t[b])
print(full - saved)
