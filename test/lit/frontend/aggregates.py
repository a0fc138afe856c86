# Aggregates: fields, defaults, __init__, jit and plain methods, operators, inheritance; flattened across loops, ifs and calls.
# RUN: %tilewise emit --stage=tile %s:k --signature "*fp32, i32, fp32" | FileCheck %s
import triton
import triton.language as tl


@triton.aggregate
class Pair:
    first: tl.tensor
    second: tl.tensor
    tag: tl.constexpr = 3

    @triton.jit
    def swapped(self):
        return Pair(self.second, self.first, self.tag)

    @triton.jit
    def __add__(self, other):
        return Pair(self.first + other.first, self.second + other.second, self.tag)

    def __getitem__(self, index, _semantic=None):
        return self.first if index == 0 else self.second

    @triton.constexpr_function
    def twice(self):
        return self.tag * 2

    @staticmethod
    @triton.jit
    def make(x):
        return Pair(x, x)


@triton.aggregate
class Scaled(Pair):
    factor: tl.constexpr

    @triton.jit
    def value(self):
        return self.first * self.factor


@triton.aggregate
class Built:
    size: tl.constexpr
    squared: tl.constexpr
    offsets: tl.tensor

    def __init__(self, size, _semantic=None):
        self.size = tl.constexpr(size)
        self.squared = tl.constexpr(self.square())
        self.offsets = tl.arange(0, size, _semantic=_semantic)

    @triton.constexpr_function
    def square(self):
        return self.size * self.size

    @triton.jit
    def __enter__(self):
        return self.offsets

    @triton.jit
    def __exit__(self, a, b, c):
        tl.debug_barrier()


@triton.jit
def forward(pair):
    return pair


# CHECK-LABEL: func.func @k
# CHECK-SAME: %[[P:.*]]: !tile.ptr<f32> {{.*}}, %[[N:.*]]: i32 {{.*}}, %[[F:.*]]: f32
@triton.jit
def k(p, n, f):
    pair = forward(Pair.make(f))
    tl.static_assert(pair.tag == 3)
    tl.static_assert(pair.twice() == 6)
    tl.static_assert(isinstance(pair, Pair))
    # CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[F]], %{{.*}} = %[[F]]) -> (f32, f32)
    for i in range(n):
        # CHECK: arith.addf
        # CHECK: arith.addf
        pair = pair + pair.swapped()
    # CHECK: scf.if {{.*}} -> (f32, f32)
    if n > 0:
        pair = tl.aggregate_replace(pair, first=pair.second + 1.0)
    scaled = Scaled(pair[0], pair[1], factor=2.0)
    tl.static_assert(isinstance(scaled, Pair))
    tl.static_assert(hasattr(scaled, "factor"))
    tl.static_assert(not hasattr(scaled, "missing"))
    tl.static_assert(getattr(scaled, "missing", 5) == 5)
    built = Built(8)
    tl.static_assert(built.squared == 64)
    with built as offsets:
        # CHECK: tile.store
        tl.store(p + offsets, scaled.value())
    # CHECK: tile.barrier
    tl.store(p, scaled.swapped().first)
