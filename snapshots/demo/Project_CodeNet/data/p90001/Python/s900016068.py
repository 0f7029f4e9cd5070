import collections

n = int(input())
q = collections.deque(map(int, input().split()))
ev = 0
pe = -1
while q:
    w = q.popleft()
    e = 0
    for _ in range(1000):
        if w == 0:
            break
        w = w // 3 if w % 3 == 0 else w - 1
        e += 1
    ev += e if e != pe else 1
    pe = e
print(ev)
