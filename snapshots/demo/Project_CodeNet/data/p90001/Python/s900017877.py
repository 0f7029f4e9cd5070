from functools import lru_cache

@lru_cache(None)
def endurance(w):
    if w == 0:
        return 0
    q, r = divmod(w, 3)
    return r + (1 + endurance(q) if q else 0)

input()
last, total = None, 0
for x in input().split():
    e = endurance(int(x))
    total += e if e != last else 1
    last = e
print(total)
