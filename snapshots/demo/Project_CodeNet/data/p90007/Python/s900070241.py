import sys
from fractions import Fraction

def main():
    it = iter(map(int, sys.stdin.read().split()))
    while True:
        n, r, t = next(it), next(it), next(it)
        if not n:
            return
        bowls = [(next(it), next(it), next(it)) for _ in range(n)]
        start = Fraction(0)
        rate = r
        out = [0.0] * n
        for i, (c, h, q) in enumerate(bowls):
            dt = t - start
            if dt <= 0:
                break
            if dt * rate <= h:
                out[i] = float(dt * rate)
                break
            mark = start + Fraction(h, rate)
            rate -= q
            if rate <= 0:
                out[i] = float(h)
                break
            out[i] = float(min(c, h + (t - mark) * rate))
            start = mark + Fraction(c - h, rate)
        print(*("{:.8f}".format(x) for x in out))

main()
