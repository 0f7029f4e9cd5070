from itertools import accumulate

def read():
    return list(map(int, input().split()))

r, c, k = read()
while r or c or k:
    grid = [read() for _ in range(r)]
    size = r + c + 1
    big = 10 ** 8
    # one row at a time; lists are indexed by the number of turns
    top = list(accumulate(grid[0]))
    right = [[x] + [big] * (size - 1) for x in top]
    down = [[big] * size for _ in range(c)]
    down[0][0] = grid[0][0]
    for i in range(1, r):
        pr, pd = right, down
        right, down = [], []
        for j in range(c):
            g = grid[i][j]
            d = [pd[j][0] + g] + [g + min(pd[j][n], pr[j][n - 1] + n * k) for n in range(1, size)]
            if i == 1 and j == 0:
                d = [pd[0][0] + g] + [big] * (size - 1)
            if j == 0:
                e = [big] * size
            else:
                e = [right[-1][0] + g] + [g + min(right[-1][n], down[-1][n - 1] + n * k) for n in range(1, size)]
            right.append(e)
            down.append(d)
    print(min(right[-1] + down[-1]))
    r, c, k = read()
