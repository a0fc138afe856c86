# Functions with @triton.constexpr_function run while compiling, as Python has it: each result is checked by tl.static_assert.
# RUN: %tilewise emit --stage=tile %s:k --signature "*fp32" | FileCheck %s
import math

import triton
import triton.language as tl

SIZES = [64, 16, 32]
TABLE = {"relu": 1, "gelu": 2}


@triton.constexpr_function
def loops(n):
    total = 0
    for i in range(n):
        if i == 3:
            continue
        if i > 6:
            break
        total += i
    else:
        total = -1
    while total > 10:
        total -= 3
    return total


@triton.constexpr_function
def lists(n):
    values = [i * i for i in range(n) if i % 2 == 0]
    values.append(7)
    values[0] = 5
    alias = values
    alias.extend((1, 2))
    first, *middle, last = values
    return first, len(middle), last, sorted(values, reverse=True), sum(values)


@triton.constexpr_function
def dicts(name):
    table = {**TABLE, "tanh": 3}
    table["silu"] = len(table) + 1
    return [k for k, v in table.items() if v > 1], table.get(name, 0), "gelu" in table, {k: v * 2 for k, v in table.items()}["silu"]


@triton.constexpr_function
def strings(name):
    parts = name.upper().split("_")
    return "-".join(parts), name.startswith("a"), f"{len(parts):03d}|{name!r}|{3.14159:.2f}|{255:#x}"


@triton.constexpr_function
def numbers(x, y):
    a, b = divmod(x, y)
    return a, b, math.ceil(x / y), math.log2(64), round(2.5), x ** 100 % 7, 1 < y < x, abs(-x), max([x, y], key=lambda v: -v)


@triton.constexpr_function
def pairs(names, values):
    return [(i, n, v) for i, (n, v) in enumerate(zip(names, values))], all(v > 0 for v in values), any(v > 50 for v in values)


@triton.constexpr_function
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


@triton.constexpr_function
def nested(n):
    def scaled(x, by=2):
        return x * by + n

    return list(map(lambda x: scaled(x), range(3)))


@triton.constexpr_function
def checked(block):
    assert block % 16 == 0, "block must be a multiple of 16"
    try:
        return SIZES.index(block)
    except ValueError:
        return None


def plain(x):
    return x + 1


DERIVED = tl.constexpr(plain(41))
SMALLEST = tl.constexpr(min(SIZES))


# CHECK-LABEL: func.func @k
@triton.jit
def k(p):
    tl.static_assert(loops(10) == 9)
    tl.static_assert(lists(6) == (5, 4, 2, [16, 7, 5, 4, 2, 1], 35))
    tl.static_assert(dicts("gelu") == (["gelu", "tanh", "silu"], 2, True, 8))
    tl.static_assert(strings("ab_cd") == ("AB-CD", True, "002|'ab_cd'|3.14|0xff"))
    tl.static_assert(numbers(17, 5) == (3, 2, 4, 6.0, 2, 4, True, 17, 5))
    tl.static_assert(pairs(["a", "b"], [1, 60]) == ([(0, "a", 1), (1, "b", 60)], True, True))
    tl.static_assert(fib(15) == 610)
    tl.static_assert(nested(10) == [10, 12, 14])
    tl.static_assert(checked(32) == 2)
    tl.static_assert(checked(48) is None)
    tl.static_assert(DERIVED == 42)
    size: tl.constexpr = SMALLEST * 2
    # CHECK: tile.range 0 to 32
    offs = tl.arange(0, size)
    tl.store(p + offs, 1.0)
