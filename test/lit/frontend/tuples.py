# Tuples and named tuples: as arguments and results, indexed, sliced, joined, carried through loops and branches.
# RUN: %tilewise emit --stage=tile %s:k --signature "*fp32, i32, fp32" | FileCheck %s
from collections import namedtuple
from typing import NamedTuple

import triton
import triton.language as tl

Point = namedtuple("Point", "x y")
Named = namedtuple("Named", ["a", "b"], defaults=(7,))


class View(NamedTuple):
    ptr: tl.tensor
    shape: tuple
    scale: tl.constexpr = 2.0


@triton.jit
def shifted(point, by: tl.constexpr):
    return Point(x=point.x + by, y=point.y)


@triton.jit
def total(*values, start: tl.constexpr = 0):
    result = start
    for i in tl.static_range(len(values)):
        result += values[i]
    return result


@triton.jit
def store(view, value):
    tl.static_assert(view.scale == 2.0)
    tl.static_assert(len(view.shape) == 2)
    tl.store(view.ptr, value * view.scale)


# CHECK-LABEL: func.func @k
# CHECK-SAME: %[[P:.*]]: !tile.ptr<f32> {{.*}}, %[[N:.*]]: i32 {{.*}}, %[[F:.*]]: f32
@triton.jit
def k(p, n, f):
    tl.static_assert((1, 2) + (3,) == (1, 2, 3))
    tl.static_assert((1, 2, 3)[1:] == (2, 3))
    tl.static_assert((1, 2) * 2 == [1, 2, 1, 2])
    tl.static_assert(((3, 4) or (5, 6)) == (3, 4))
    tl.static_assert(((3, 4) and ()) == ())
    tl.static_assert(True, f"{n} is not evaluated")
    tl.static_assert(Named(1) == (1, 7))
    tl.static_assert(isinstance(Named(1), Named))
    tl.static_assert(Named(b=1, a=2).a == 2)
    point = shifted(Point(n, f), by=1)
    # CHECK: %[[LOOP:.*]]:2 = scf.for {{.*}} iter_args(%[[X:.*]] = %{{.*}}, %[[Y:.*]] = %[[F]]) -> (i32, f32)
    for i in range(n):
        point = Point(point.x + i, point.y * 2.0)
    # CHECK: %[[IF:.*]]:2 = scf.if
    if n > 3:
        point = Point(point.y.to(tl.int32), point.y)
    a, (b, c) = point.x, (point.y, None)
    tl.static_assert(c is None)
    args = (a, b)
    # CHECK: arith.addf
    sums = total(*args, 1.5)
    store(View(p, (n, 4)), sums)
    doubled = [v + v for v in (a, n)]
    # CHECK: tile.store
    tl.store(p + 1, (doubled[0] + doubled[1]).to(tl.float32))
