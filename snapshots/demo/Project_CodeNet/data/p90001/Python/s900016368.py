import sys
from itertools import groupby
sys.setrecursionlimit(10000)

def f(w):
    return 0 if w == 0 else 1 + f(w // 3 if w % 3 == 0 else w - 1)

_, *ws = map(int, sys.stdin.read().split())
print(sum(k + len(list(g)) - 1 for k, g in groupby(map(f, ws))))
