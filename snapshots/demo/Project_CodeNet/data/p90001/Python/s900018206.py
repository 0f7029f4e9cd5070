import sys
input = sys.stdin.readline

class Block:
    cache = {0: 0}

    def __init__(self, w):
        self.w = w

    def evenings(self):
        path = []
        x = self.w
        while x not in Block.cache:
            path.append(x)
            x = x // 3 if x % 3 == 0 else x - 1
        base = Block.cache[x]
        for y in reversed(path):
            base += 1
            Block.cache[y] = base
        return base

n = int(input())
row = [Block(int(w)) for w in input().split()]
s = 0
left = 0
for b in row:
    e = b.evenings()
    s += e
    if e == left:
        s -= e - 1
    left = e
print(s)
