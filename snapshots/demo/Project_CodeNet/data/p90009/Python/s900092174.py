n = int(input())
a = list(map(int, input().split()))
for i in range(1, n):
    if a[i] < a[i - 1]:
        a[i] += 2
    else:
        a[i] -= 1
m = max(a)
print(m, a.count(m))
