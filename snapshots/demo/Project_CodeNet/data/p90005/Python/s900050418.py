def solve(n, t, a, c):
    # walk 2n turns first: after them we surely are inside the loop
    pos, sgn, paid, k = 0, 1, 0, 0

    def move(pos, sgn):
        z = pos + sgn * a[pos]
        if 0 <= z < n:
            return z, sgn
        return z % n, -sgn

    while k < t and k < 2 * n:
        paid += c[pos]
        pos, sgn = move(pos, sgn)
        k += 1
    if k == t:
        return paid
    anchor = (pos, sgn)
    ring = []
    while True:
        ring.append(c[pos])
        pos, sgn = move(pos, sgn)
        if (pos, sgn) == anchor:
            break
    whole, part = divmod(t - k, len(ring))
    return paid + whole * sum(ring) + sum(ring[:part])


n, t = map(int, input().split())
print(solve(n, t, list(map(int, input().split())), list(map(int, input().split()))))
