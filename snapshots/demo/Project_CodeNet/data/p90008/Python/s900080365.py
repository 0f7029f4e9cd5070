# segment tree over S[j] + j, search the first position to the right with a large enough value
n = int(input())
s = list(map(int, input().split()))
size = 1
while size < n:
    size *= 2
tree = [0] * (2 * size)
for i in range(n):
    tree[size + i] = s[i] + i
for v in range(size - 1, 0, -1):
    tree[v] = max(tree[2 * v], tree[2 * v + 1])


def first(l, x):
    if l >= n:
        return n
    v = l + size
    while tree[v] < x:
        while v & 1:
            v >>= 1
            if v == 0:
                return n
        v += 1
    while v < size:
        v *= 2
        if tree[v] < x:
            v += 1
    return v - size


ans = [0] * (n + 1)
for i in range(n):
    ans[first(i + 1, s[i] + i)] += 1
print(ans[n])
print(*ans[:n])
