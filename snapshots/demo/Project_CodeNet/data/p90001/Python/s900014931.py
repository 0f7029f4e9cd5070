n = int(input())
ws = [int(x) for x in input().split()]
# breadth first from 0: level[w] = evenings
level = {0: 0}
front = [0]
d = 0
while front:
    d += 1
    nxt = []
    for v in front:
        if v and 3 * v <= 400 and 3 * v not in level:
            level[3 * v] = d
            nxt.append(3 * v)
        if (v + 1) % 3 and v + 1 <= 400 and v + 1 not in level:
            level[v + 1] = d
            nxt.append(v + 1)
    front = nxt
total = level[ws[0]]
i = 1
while i < n:
    if level[ws[i]] == level[ws[i - 1]]:
        total += 1
    else:
        total += level[ws[i]]
    i += 1
print(total)
