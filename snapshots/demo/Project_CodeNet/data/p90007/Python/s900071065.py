while True:
    n, r, t = map(int, input().split())
    if n == 0:
        break
    ans = []
    for i in range(n):
        c, h, q = map(int, input().split())
        a = min(h, r * t)
        t = max(0, t - h / r)
        r = max(0, r - q)
        if t > 0:
            a = min(c, h + r * t)
            t = max(0, t - (c - h) / r)
        ans.append(a)
    print(" ".join("%.8f" % x for x in ans))
