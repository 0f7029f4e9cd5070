from collections import Counter
n, k = map(int, input().split())


def nxt(h, d):
    return h + d if h & 1 == 0 else max(0, h - d)


def spread(cnt, digits):
    out = Counter()
    for h, c in cnt.items():
        for d in digits:
            out[nxt(h, d)] += c
    return out


def grip(x):
    h = 0
    for ch in str(x):
        h = nxt(h, int(ch))
    return h


def dist(x):
    # distribution of the grips of 0..x
    if x < 10:
        return Counter(range(x + 1))
    head, last = divmod(x, 10)
    res = spread(dist(head - 1), range(10))
    res.update(spread({grip(head): 1}, range(last + 1)))
    return res


ans = dist(n)[k]
if k == 0:
    ans -= 1
print(ans)
