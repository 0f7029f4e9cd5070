import sys
import bisect

def main():
    n, *s = map(int, sys.stdin.read().split())
    key = [s[i] + i for i in range(n)]
    # from right to left, keep a stack of drums with keys decreasing from bottom to top
    neg = []
    idx = []
    ans = [0] * (n + 1)
    for i in range(n - 1, -1, -1):
        # neg increases from bottom to top; the topmost entry <= -key[i] is the nearest drum strong enough
        p = bisect.bisect_right(neg, -key[i])
        ans[idx[p - 1] if p else n] += 1
        while neg and -neg[-1] <= key[i]:
            neg.pop()
            idx.pop()
        neg.append(-key[i])
        idx.append(i)
    print(ans[n])
    print(" ".join(map(str, ans[:n])))

main()
