import sys
from itertools import accumulate
from bisect import bisect_left

def main():
    n, m, t, *a = map(int, sys.stdin.read().split())
    acc = list(accumulate([0] + a + a))
    whole = acc[n]
    base = (m - 1) // whole
    rem = m - base * whole
    nxt = [base * n + bisect_left(acc, acc[i] + rem) - i for i in range(n)]
    # Brent cycle search on the positions after a knock
    f = lambda x: (x + nxt[x] + 1) % n
    power = lam = 1
    slow, fast = 0, f(0)
    while slow != fast:
        if power == lam:
            slow = fast
            power *= 2
            lam = 0
        fast = f(fast)
        lam += 1
    x, cost = slow, 0
    for _ in range(lam):
        cost += nxt[x] + 1
        x = f(x)
    # walk until slow is reached, then skip laps
    pos = knocks = 0
    rest = t
    skipped = False
    while rest >= nxt[pos]:
        if pos == slow and not skipped:
            skipped = True
            laps = rest // cost
            rest -= laps * cost
            knocks += laps * lam
            continue
        rest -= nxt[pos] + 1
        knocks += 1
        pos = f(pos)
    if rest < 0:
        rest = 0
    print(knocks, rest // n * whole + acc[pos + rest % n] - acc[pos])

main()
