while True:
    n, r, t = map(int, input().split())
    if n == 0:
        break
    ans = []
    for i in range(n):
        c, h, q = map(int, input().split())
        if r <= 0 or t <= 0:
            ans.append(0)
            continue
        if r * t <= h:
            ans.append(r * t)
            t = 0
            continue
        t -= h / r
        r -= q
        if r <= 0:
            ans.append(h)
            continue
        ans.append(min(c, h + r * t))
        t -= (c - h) / r
    print(" ".join("%.8f" % x for x in ans))
