import heapq

def solve(R, C, K):
    A = [list(map(int, input().split())) for _ in range(R)]
    pq = [(A[0][0], 0, 0, 0, 0), (A[0][0], 0, 0, 1, 0)]
    done = set()
    while pq:
        cost, i, j, d, n = heapq.heappop(pq)
        if i == R - 1 and j == C - 1:
            return cost
        if (i, j, d, n) in done:
            continue
        done.add((i, j, d, n))
        if i + 1 < R:
            m = n + 1 - d
            heapq.heappush(pq, (cost + A[i + 1][j] + (m * K if d == 0 else 0), i + 1, j, 1, m))
        if j + 1 < C:
            m = n + d
            heapq.heappush(pq, (cost + A[i][j + 1] + (m * K if d == 1 else 0), i, j + 1, 0, m))

while True:
    R, C, K = map(int, input().split())
    if R == 0:
        break
    print(solve(R, C, K))
