while True:
    r, c, k = map(int, input().split())
    if r == 0:
        break
    a = [list(map(int, input().split())) for _ in range(r)]
    inf = 10 ** 9
    h = [[inf] * c for _ in range(r)]
    v = [[inf] * c for _ in range(r)]
    h[0][0] = v[0][0] = a[0][0]
    for i in range(r):
        for j in range(c):
            if j:
                h[i][j] = min(h[i][j - 1], v[i][j - 1] + k) + a[i][j]
            if i:
                v[i][j] = min(v[i - 1][j], h[i - 1][j] + k) + a[i][j]
    print(min(h[-1][-1], v[-1][-1]))
