E = [0]
for w in range(1, 401):
    E.append(E[[w // 3, w - 1, w - 1][w % 3]] + 1)
n = int(input())
stack = []
runs = 0
ans = 0
for e in (E[int(s)] for s in input().split()):
    if stack and stack[-1] == e:
        runs += 1
        continue
    stack.append(e)
print(sum(stack) + runs)
