# count by length first, then below the prefix of N: no leading zeros are used
def put(h, d):
    if h % 2 == 0:
        return h + d
    return h - min(h, d)

memo = {}

def tails(m, h, k):
    key = (m, h)
    if key in memo:
        return memo[key]
    if m == 0:
        v = 1 if h == k else 0
    else:
        v = 0
        for d in range(10):
            v += tails(m - 1, put(h, d), k)
    memo[key] = v
    return v

def main():
    n, k = input().split()
    k = int(k)
    s = list(map(int, n))
    res = 0
    for length in range(1, len(s)):
        for first in range(1, 10):
            res += tails(length - 1, put(0, first), k)
    h = 0
    for i in range(len(s)):
        for d in range(1 if i == 0 else 0, s[i]):
            res += tails(len(s) - i - 1, put(h, d), k)
        h = put(h, s[i])
    if h == k:
        res += 1
    print(res)

main()
