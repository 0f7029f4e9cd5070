N, K = input().split()
K = int(K)
SIZE = 220
less = [0] * SIZE
eq = 0
for ch in N:
    x = int(ch)
    new = [0] * SIZE
    for h in range(SIZE - 9):
        v = less[h]
        if v == 0:
            continue
        if h % 2:
            for d in range(10):
                new[h - d if h > d else 0] += v
        else:
            for d in range(10):
                new[h + d] += v
    for d in range(x):
        if eq % 2:
            new[eq - d if eq > d else 0] += 1
        else:
            new[eq + d] += 1
    if eq % 2:
        eq = max(0, eq - x)
    else:
        eq += x
    less = new
less[eq] += 1
less[0] -= 1
print(less[K])
