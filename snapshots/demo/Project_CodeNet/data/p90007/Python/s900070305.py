# recursive version: water(i, rate, time) fills the answer from bowl i on
import sys


def water(bowls, i, rate, time, ans):
    if i == len(bowls) or time <= 0:
        return
    c, h, q = bowls[i]
    first = h / rate
    if time < first:
        ans[i] = rate * time
        return
    ans[i] = h
    net = rate - q
    if net <= 0:
        return
    second = (c - h) / net
    if time < first + second:
        ans[i] = h + net * (time - first)
        return
    ans[i] = c
    water(bowls, i + 1, net, time - first - second, ans)


lines = sys.stdin.read().splitlines()
p = 0
while True:
    n, r, t = map(int, lines[p].split())
    if n == 0:
        break
    bowls = [tuple(map(int, lines[p + j].split())) for j in range(1, n + 1)]
    p += n + 1
    ans = [0] * n
    water(bowls, 0, r, t, ans)
    print(" ".join(format(a, ".8f") for a in ans))
