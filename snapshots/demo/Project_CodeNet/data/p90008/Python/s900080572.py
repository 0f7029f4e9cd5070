import heapq
n = int(input())
s = list(map(int, input().split()))
# rolling rumbles in a heap ordered by the arrival strength (shifted by the position)
rolling = []
res = []
for pos, size in enumerate(s):
    k = 0
    while rolling and rolling[0] - pos <= size:
        heapq.heappop(rolling)
        k += 1
    res.append(str(k))
    heapq.heappush(rolling, size + pos)
print(len(rolling))
print(' '.join(res))
