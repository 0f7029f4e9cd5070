from collections import deque

N = int(input())
falling = deque(int(x) for x in input().split())
peg = deque()
while falling:
    f = falling.popleft()
    if not peg or peg[-1] > f:
        peg.append(f)
        continue
    top = peg.pop()
    # the changed disc is put back and dropped again
    falling.appendleft(f + 1 if top == f else f - 1)
print(len(peg))
print(' '.join(str(x) for x in peg))
