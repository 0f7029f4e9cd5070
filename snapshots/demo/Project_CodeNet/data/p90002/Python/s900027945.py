import bisect
n, m, t = map(int, input().split())
a = list(map(int, input().split()))
cs = [0]
for v in a * 2:
    cs.append(cs[-1] + v)
s = cs[n]
q = (m - 1) // s
r = m - q * s

def step(i):
    return q * n + bisect.bisect_left(cs, cs[i] + r) - i

first = {}
hist = []
pos = []
i = 0
now = 0
while i not in first:
    first[i] = len(hist)
    hist.append(now)
    pos.append(i)
    k = step(i) + 1
    now += k
    i = (i + k) % n
st = first[i]
extra = 0
if t >= now:
    per = now - hist[st]
    c = (t - hist[st]) // per
    extra = c * (len(hist) - st)
    t -= c * per
j = bisect.bisect_right(hist, t) - 1
left = t - hist[j]
b = pos[j]
if left >= step(b):
    print(extra + j + 1, 0)
else:
    print(extra + j, left // n * s + cs[b + left % n] - cs[b])
