import sys
from itertools import accumulate

_, *a = map(int, sys.stdin.read().split())
top, cnt = 0, 0
for x in accumulate(a, lambda left, x: x + 2 if x < left else x - 1):
    if x > top:
        top, cnt = x, 0
    cnt += x == top
print(top, cnt)
