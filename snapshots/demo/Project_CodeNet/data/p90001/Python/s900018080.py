import sys

def gen(ws):
    prev = None
    for w in ws:
        k = 0
        while w:
            w, r = divmod(w, 3)
            k += r
            if w:
                k += 1
        yield 1 if k == prev else k
        prev = k

tokens = sys.stdin.read().split()
print(sum(gen(map(int, tokens[1:]))))
