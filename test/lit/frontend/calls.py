# Calls: keywords, defaults, recursion through constants, functions as values, several returns, compile-time results.
# RUN: %tilewise emit --stage=tile %s:k --signature "*fp32, i32" | FileCheck %s
import triton
import triton.language as tl

DEFAULT = 4


@triton.jit
def power(x, n: tl.constexpr):
    if n == 0:
        return 1.0
    else:
        return x * power(x, n - 1)


@triton.jit
def add(a, b):
    return a + b


@triton.jit
def mul(a, b=2.0):
    return a * b


@triton.jit
def apply(fns: tl.constexpr, x):
    for i in tl.static_range(len(fns)):
        x = fns[i](x, 2.0)
    return x


@triton.jit
def block(size: tl.constexpr = DEFAULT * 2):
    return size * 2


@triton.jit
def clamped(x, low):
    if x < low:
        return low
    if x > 100:
        return 100
    return x


@triton.jit
def nothing(p):
    tl.store(p, 0.0)
    return
    tl.store(p, "never reached")


# CHECK-LABEL: func.func @k
@triton.jit
def k(p, n):
    x = tl.load(p)
    # CHECK-COUNT-3: arith.mulf
    y = power(n=3, x=x)
    # CHECK: arith.addf
    # CHECK: arith.mulf
    y = apply((add, mul), y)
    # CHECK: arith.mulf
    y = mul(b=y, a=x)
    size: tl.constexpr = block()
    # CHECK: tile.range 0 to 16
    offs = tl.arange(0, size)
    # CHECK: scf.if
    # CHECK: scf.if
    m = clamped(n, low=3)
    nothing(p)
    if (half := m // 2) > 1:
        tl.store(p + half, y)
    tl.static_print(f"size={size:4d}")
    tl.store(p + offs, y if n > 2 else x)
    for i in range(0, n, 3):
        pass
    # The variable keeps its last value.
    # CHECK: tile.div_s
    # CHECK: arith.select
    tl.store(p + i, y)
