n = int(input())
a = list(map(int, input().split()))
top = -1          # the prefix a[0..top] is the peg
for i in range(n):
    v = a[i]
    while top >= 0 and a[top] <= v:
        v += (a[top] == v) * 2 - 1
        top -= 1
    top += 1
    a[top] = v
print(top + 1)
print(*a[:top + 1])
