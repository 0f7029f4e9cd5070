# list of phases (bowl, rate, amount), consumed one after another
def phases(r, rows):
    for i, (c, h, q) in enumerate(rows):
        yield i, r, h
        r -= q
        if r <= 0:
            return
        yield i, r, c - h


while 1:
    n, r, t = [int(x) for x in input().split()]
    if n == r == t == 0:
        break
    rows = [[int(x) for x in input().split()] for _ in range(n)]
    got = [0.0] * n
    left = float(t)
    for i, rate, amount in phases(r, rows):
        use = min(left, amount / rate)
        got[i] += use * rate
        left -= use
        if left <= 0:
            break
    print(*["%.8f" % g for g in got])
