"""Accepts every valid assignment of the clips (crates) to 1 and 2."""
import json
import sys


def valid(case):
    numbers = [int(t) for t in case["input"].split()]
    n, weights = numbers[0], numbers[1:]
    tokens = case["output"].split()
    if len(tokens) != n or any(t not in ("1", "2") for t in tokens):
        return False
    if abs(tokens.count("1") - tokens.count("2")) > 1:
        return False
    if any(tokens[i] == tokens[i + 1] == tokens[i + 2] for i in range(n - 2)):
        return False
    gap = sum(w if t == "1" else -w for w, t in zip(weights, tokens))
    return abs(gap) <= max(weights)


sys.exit(0 if valid(json.load(sys.stdin)) else 1)
