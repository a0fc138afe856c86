# Seed 310186 on cpu: a crash
#   signal Segmentation fault
# Run it again: tilewise-random --engine cpu --run ./random-310186.py
#random seed 310186 grid 1 1 fusion 1 checked 0 machine host
#random buffer X0 fp64 id 0 fill wild limit 8 count 1 aligned 0 written 0 exact 1 raw 0 ulps 0 within 0
#random buffer X1 i8 id 1 fill wild limit 8 count 128 aligned 1 written 0 exact 1 raw 0 ulps 0 within 0
#random buffer X2 i1 id 2 fill wild limit 1 count 128 aligned 1 written 0 exact 1 raw 0 ulps 0 within 0
#random buffer X3 u16 id 3 fill moderate limit 8 count 382 aligned 0 written 0 exact 1 raw 0 ulps 0 within 0
#random buffer O4 i64 id 4 fill poison limit 0 count 1 aligned 1 written 1 exact 1 raw 1 ulps 0 within 0
#random buffer O5 i8 id 5 fill poison limit 0 count 1138 aligned 1 written 1 exact 1 raw 1 ulps 0 within 0
#random buffer O6 i1 id 6 fill poison limit 0 count 128 aligned 1 written 1 exact 1 raw 1 ulps 0 within 0
#random buffer O7 i1 id 7 fill poison limit 0 count 192 aligned 0 written 1 exact 1 raw 1 ulps 0 within 0
#random buffer O8 i1 id 8 fill poison limit 0 count 128 aligned 1 written 1 exact 1 raw 1 ulps 0 within 0
#random scalar C0 1 constant 1
#random scalar C1 64 constant 1
#random scalar C2 63 constant 1
#random scalar C3 131 constant 1
#random scalar C4 385 constant 1
#random scalar C5 192 constant 1
#random scalar C6 3 constant 1
#random scalar C7 127 constant 1
#random scalar C8 4 constant 1
#random scalar C9 1141 constant 1
#random scalar C10 18 constant 1
#random scalar n11 131 constant 0
#random scalar n12 64 constant 0
#random scalar C13 195 constant 1
#random scalar C14 128 constant 1
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def fn_affine(a, b, c, d):
    return a * c, b * c + d


@triton.jit
def random_kernel(X0, X1, X2, X3, O4, O5, O6, O7, O8, C0: tl.constexpr, C1: tl.constexpr, C2: tl.constexpr, C3: tl.constexpr, C4: tl.constexpr, C5: tl.constexpr, C6: tl.constexpr, C7: tl.constexpr, C8: tl.constexpr, C9: tl.constexpr, C10: tl.constexpr, n11, n12, C13: tl.constexpr, C14: tl.constexpr):
    pid = tl.program_id(0)
    v0 = tl.load(X0)
    v1 = libdevice.double2ll_rd(v0)
    v2 = tl.load(tl.make_block_ptr(X1, [C0, C2], [C1, C0], [0, 0], [2, 64], [1, 0]), boundary_check=(0, 1, ), padding_option="zero")
    v3 = tl.load(X2 + pid * C3 + tl.arange(0, 2)[:, None] * C1 + tl.arange(0, 64)[None, :], mask=(pid * 128 + tl.arange(0, 2)[:, None] * 64 + tl.arange(0, 64)[None, :]) < C1, other=1)
    v4, v5 = tl.associative_scan((v3, v3), 0, fn_affine)
    v6 = tl.load(X3 + pid * C4 + tl.arange(0, 2)[:, None] * C5 + tl.arange(0, 64)[None, :] * C6, mask=(pid * 128 + tl.arange(0, 2)[:, None] * 64 + tl.arange(0, 64)[None, :]) < C7)
    v7 = v6 != v6
    tl.static_assert(v1.dtype == tl.int64)
    tl.store(O4 + pid * C8, v1)
    tl.static_assert(v2.dtype == tl.int8)
    tl.store(O5 + pid * C9 + tl.arange(0, 2)[:, None] * C6 + tl.arange(0, 64)[None, :] * C10, v2)
    tl.static_assert(v4.dtype == tl.int1)
    tl.store(O6 + pid.to(tl.int64) * n11 + tl.arange(0, 2)[:, None] * n12 + tl.arange(0, 64)[None, :], v4)
    tl.static_assert(v5.dtype == tl.int1)
    tl.store(O7 + pid * C13 + tl.arange(0, 2)[:, None] * C14 + tl.arange(0, 64)[None, :], v5)
    tl.static_assert(v7.dtype == tl.int1)
    tl.store(O8 + pid * C3 + tl.arange(0, 2)[:, None] * C1 + tl.arange(0, 64)[None, :], v7)
