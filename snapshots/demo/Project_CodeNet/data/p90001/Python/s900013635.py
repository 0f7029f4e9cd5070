def to_base3(x):
    ds = []
    while x:
        ds.append(x % 3)
        x //= 3
    return ds

def burn(x):
    # digit sum in base 3 plus one evening per shift
    ds = to_base3(x)
    return sum(ds) + len(ds) - 1

def main():
    n = int(input())
    es = [burn(int(t)) for t in input().split()]
    res = 0
    for cur, left in zip(es, [0] + es):
        res += 1 if cur == left else cur
    print(res)

if __name__ == "__main__":
    main()
