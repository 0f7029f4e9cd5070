from functools import reduce

def e(w, c=0):
    while w:
        c += 1
        w = (w - 1, w // 3)[w % 3 == 0]
    return c

input()
print(reduce(lambda st, t: (st[0] + (1 if t == st[1] else t), t), map(e, map(int, input().split())), (0, 0))[0])
