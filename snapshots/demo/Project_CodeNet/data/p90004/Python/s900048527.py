# turn by turn: after n turns, keep the best cost per bed and direction
INF = 1 << 30
while True:
    R, C, K = map(int, input().split())
    if R + C + K == 0:
        break
    a = [list(map(int, input().split())) for _ in range(R)]
    hor = {(0, 0): a[0][0]}
    ver = {(0, 0): a[0][0]}
    for j in range(1, C):
        hor[0, j] = hor[0, j - 1] + a[0][j]
    for i in range(1, R):
        ver[i, 0] = ver[i - 1, 0] + a[i][0]
    goal = (R - 1, C - 1)
    ans = min(hor.get(goal, INF), ver.get(goal, INF))
    n = 0
    while hor or ver:
        n += 1
        nh, nv = {}, {}
        for (i, j), v in ver.items():
            v += n * K
            for q in range(j + 1, C):
                v += a[i][q]
                if v >= nh.get((i, q), INF):
                    break
                nh[i, q] = v
        for (i, j), v in hor.items():
            v += n * K
            for p in range(i + 1, R):
                v += a[p][j]
                if v >= nv.get((p, j), INF):
                    break
                nv[p, j] = v
        hor, ver = nh, nv
        ans = min(ans, hor.get(goal, INF), ver.get(goal, INF))
        if n > R + C:
            break
    print(ans)
