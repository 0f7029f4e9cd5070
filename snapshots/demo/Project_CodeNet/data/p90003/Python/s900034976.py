import functools

def put(peg, disc):
    if not peg or peg[-1] > disc:
        peg.append(disc)
        return peg
    while peg:
        t = peg[-1]
        if t > disc:
            break
        del peg[-1]
        if t == disc:
            disc += 1
        else:
            disc -= 1
    peg += [disc]
    return peg

input()
res = functools.reduce(put, map(int, input().split()), [])
print(len(res))
print(*res, sep=" ")
