from bisect import bisect_left

class Wheel:
    def __init__(self, scoops):
        self.n = len(scoops)
        self.pre = [0]
        for _ in range(2):
            for x in scoops:
                self.pre.append(self.pre[-1] + x)
        self.turn = self.pre[self.n]

    def water(self, start, k):
        q, r = divmod(k, self.n)
        return q * self.turn + self.pre[start + r] - self.pre[start]

    def until(self, start, m):
        q = (m - 1) // self.turn
        goal = self.pre[start] + m - q * self.turn
        return q * self.n + bisect_left(self.pre, goal, start) - start

n, m, t = map(int, input().split())
wheel = Wheel(list(map(int, input().split())))
order = []
index = {}
pos = 0
while pos not in index:
    index[pos] = len(order)
    k = wheel.until(pos, m)
    order.append((pos, k + 1))
    pos = (pos + k + 1) % n
tail = order[:index[pos]]
loop = order[index[pos]:]
knocks = 0
ended = False
loop_len = sum(c for _, c in loop)
tail_len = sum(c for _, c in tail)
if t >= tail_len:
    laps = (t - tail_len) // loop_len
    knocks = len(tail) + laps * len(loop)
    t -= tail_len + laps * loop_len
    todo = loop
else:
    todo = tail
for p, c in todo:
    if t < c - 1:
        print(knocks, wheel.water(p, t))
        ended = True
        break
    knocks += 1
    t -= c
    if t <= 0:
        break
if not ended:
    print(knocks, 0)
