class Peg:
    def __init__(self):
        self.discs = [float("inf")]

    def fall(self, h):
        d = self.discs
        while d[-1] <= h:
            t = d.pop()
            h += 1 if t == h else -1
        d.append(h)

    def show(self):
        rest = self.discs[1:]
        print(len(rest))
        print(" ".join(map(str, rest)))

peg = Peg()
n = int(input())
for s in input().split():
    peg.fall(int(s))
peg.show()
