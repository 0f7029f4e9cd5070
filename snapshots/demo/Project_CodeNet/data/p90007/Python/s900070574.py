import sys
from itertools import accumulate

tok = sys.stdin.read().split()
k = 0
while tok[k] != "0":
    n, r, t = int(tok[k]), int(tok[k + 1]), int(tok[k + 2])
    k += 3
    C = list(map(int, tok[k:k + 3 * n:3]))
    H = list(map(int, tok[k + 1:k + 3 * n:3]))
    Q = list(map(int, tok[k + 2:k + 3 * n:3]))
    k += 3 * n
    # rate in front of each bowl
    rate = [r - x for x in accumulate([0] + Q)]
    res = []
    begin = 0.0
    for i in range(n):
        if rate[i] <= 0 or begin >= t:
            res.append(0.0)
            begin = t
            continue
        at_mark = begin + H[i] / rate[i]
        if at_mark >= t:
            res.append((t - begin) * rate[i])
            begin = t
        elif rate[i + 1] <= 0:
            res.append(float(H[i]))
            begin = t
        else:
            full = at_mark + (C[i] - H[i]) / rate[i + 1]
            if full > t:
                res.append(H[i] + (t - at_mark) * rate[i + 1])
            else:
                res.append(float(C[i]))
            begin = full
    print(" ".join(["%.8f" % x for x in res]))
