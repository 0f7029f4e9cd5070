from functools import lru_cache
N, K = input().split()
K = int(K)
L = len(N)

@lru_cache(None)
def f(i, h, eq):
    if i == L:
        return int(h == K)
    r = 0
    for d in range(10):
        if eq and d > int(N[i]):
            break
        r += f(i + 1, h + d if h % 2 == 0 else max(h - d, 0), eq and d == int(N[i]))
    return r

print(f(0, 0, True) - (K == 0))
