"""Calls the method that a functional problem asks for: one JSON value a line in, one JSON value out.

The program is executed as it is, in a namespace with the names that the problem's own platform
offers without an import. What it prints goes to standard error; the result alone is the output.
"""

import json
import marshal
import os
import sys

# Offered under their own names, imported only for programs that use them.
MODULES = ["bisect", "collections", "copy", "datetime", "fractions", "functools", "heapq", "itertools", "json",
           "math", "operator", "random", "re", "statistics", "string", "sys", "typing"]
# Offered without their module's name, earlier modules first.
STARRED = ["typing", "collections", "heapq", "bisect", "itertools", "functools", "math", "string", "operator",
           "random", "copy", "datetime", "statistics", "re", "fractions"]
# As deep as such platforms allow; the stack has room for it.
RECURSION_LIMIT = 50_000


def names_of(code):
    """Every name that a piece of compiled code looks up, nested functions included."""
    names = set(code.co_names)
    for constant in code.co_consts:
        if hasattr(constant, "co_names"):
            names |= names_of(constant)
    return names


def offer(wanted, namespace):
    import builtins
    import importlib

    wanted = {name for name in wanted if not hasattr(builtins, name)}
    for name in wanted.intersection(MODULES):
        namespace[name] = importlib.import_module(name)
    wanted -= set(namespace)
    for name in STARRED:
        if not wanted:
            break
        module = importlib.import_module(name)
        public = getattr(module, "__all__", None) or [key for key in vars(module) if not key.startswith("_")]
        for key in wanted.intersection(public):
            namespace[key] = getattr(module, key)
        wanted -= set(public)


def method_of(namespace, name):
    """The method by its name, or the only public one; a plain function where there is no class."""
    if "Solution" not in namespace:
        return namespace[name]
    solution = namespace["Solution"]()
    if hasattr(solution, name):
        return getattr(solution, name)
    public = [key for key in vars(type(solution)) if not key.startswith("_") and callable(getattr(solution, key))]
    if len(public) != 1:
        raise AttributeError(f"class Solution has no method {name}")
    return getattr(solution, public[0])


def plain(value):
    """Sequences as JSON has them."""
    if isinstance(value, (list, tuple, set, frozenset)) or type(value).__name__ in ("deque", "dict_keys", "dict_values"):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return value


def main():
    directory = os.path.dirname(__file__)
    path = os.path.join(directory, "main.py")
    with open(os.path.join(directory, "method"), encoding="utf-8") as file:
        name = file.read()
    with open(path + ".code", "rb") as file:
        code = marshal.load(file)
    arguments = [json.loads(line) for line in sys.stdin.read().split("\n") if line.strip()]
    stdout, sys.stdout = sys.stdout, sys.stderr
    # A module that is registered: data classes look themselves up by its name.
    module = sys.modules["solution"] = type(sys)("solution")
    namespace = vars(module)
    namespace["__file__"] = path
    offer(names_of(code), namespace)
    sys.setrecursionlimit(RECURSION_LIMIT)
    exec(code, namespace)
    result = method_of(namespace, name)(*arguments)
    stdout.write(json.dumps(plain(result)) + "\n")
    stdout.flush()


main()
