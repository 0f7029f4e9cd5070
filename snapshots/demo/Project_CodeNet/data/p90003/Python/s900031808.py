import sys

def drop(peg, h):
    # peg is a linked list (hardness, below)
    while peg is not None and peg[0] <= h:
        h = h + 1 if peg[0] == h else h - 1
        peg = peg[1]
    return (h, peg)

tokens = sys.stdin.read().split()
peg = None
for tok in tokens[1:]:
    peg = drop(peg, int(tok))
out = []
while peg is not None:
    out.append(str(peg[0]))
    peg = peg[1]
out.reverse()
print(len(out))
print(" ".join(out))
