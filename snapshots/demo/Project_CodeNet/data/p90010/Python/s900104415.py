n = int(input())
print(sum(i for i in range(1, n + 1) if str(i) == str(i)[::-1]))
