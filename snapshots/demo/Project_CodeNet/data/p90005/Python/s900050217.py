import sys
input = sys.stdin.readline

def main():
    N, T = map(int, input().split())
    A = list(map(int, input().split()))
    C = list(map(int, input().split()))
    # state i: calm at slot i, state N+i: cross at slot i
    nxt = []
    for i in range(N):
        j = i + A[i]
        nxt.append(j if j < N else j - N + N)
    for i in range(N):
        j = i - A[i]
        nxt.append(j + N)
    val = C + C
    ans = 0
    cur = 0
    for b in range(T.bit_length()):
        if T >> b & 1:
            ans += val[cur]
            cur = nxt[cur]
        val = [val[i] + val[nxt[i]] for i in range(2 * N)]
        nxt = [nxt[nxt[i]] for i in range(2 * N)]
    print(ans)

main()
