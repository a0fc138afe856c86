# Seed 310059 on cpu: a crash
#   signal Segmentation fault
# Run it again: tilewise-random --engine cpu --run ./random-310059.py
#random seed 310059 grid 3 1 fusion 1 checked 0 machine x86-64
#random buffer X0 bf16 id 0 fill wild limit 8 count 8 aligned 1 written 0 exact 1 raw 0 ulps 0 within 0
#random buffer X1 u16 id 1 fill wild limit 8 count 102 aligned 1 written 0 exact 1 raw 0 ulps 0 within 0
#random buffer X2 u16 id 2 fill wild limit 8 count 1 aligned 0 written 0 exact 1 raw 0 ulps 0 within 0
#random buffer X3 fp64 id 3 fill small limit 8 count 1152 aligned 1 written 0 exact 1 raw 0 ulps 0 within 0
#random buffer O4 bf16 id 4 fill poison limit 0 count 12 aligned 0 written 1 exact 1 raw 1 ulps 0 within 0
#random buffer X5 i32 id 5 fill permutation limit 4 count 12 aligned 0 written 0 exact 1 raw 0 ulps 0 within 0
#random buffer O6 fp32 id 6 fill poison limit 0 count 9 aligned 1 written 1 exact 1 raw 0 ulps 0 within 0
#random buffer O7 u16 id 7 fill poison limit 0 count 102 aligned 1 written 1 exact 1 raw 1 ulps 0 within 0
#random buffer O8 u16 id 8 fill poison limit 0 count 9 aligned 1 written 1 exact 1 raw 1 ulps 0 within 0
#random buffer O9 fp64 id 9 fill poison limit 0 count 390 aligned 1 written 1 exact 0 raw 0 ulps 6 within 0
#random scalar n0 35 constant 0
#random scalar n1 31 constant 0
#random scalar C2 2 constant 1
#random scalar n3 385 constant 0
#random scalar n4 96 constant 0
#random scalar n5 3 constant 0
#random scalar n6 4 constant 0
#random scalar n7 131 constant 0
#random scalar n8 32 constant 0
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def random_kernel(X0, X1, X2, X3, O4, X5, O6, O7, O8, O9, n0, n1, C2: tl.constexpr, n3, n4, n5, n6, n7, n8):
    pid = tl.program_id(0)
    v0 = tl.load(X0 + pid * 2 + tl.arange(0, 4), mask=(pid * 4 + tl.arange(0, 4)) < 9, other=-float('inf'))
    v1 = tl.min(v0, None)
    v2 = tl.load(X1 + pid * n0 + tl.arange(0, 32), mask=(tl.arange(0, 32) < n1))
    v3 = ~v2
    v4 = tl.load(X2, mask=(pid * 1) < C2, other=1)
    v5 = tl.abs(v4)
    v6 = tl.load(X3 + pid * n3 + tl.arange(0, 4)[:, None] * n4 + tl.arange(0, 32)[None, :] * n5)
    v7 = libdevice.tgamma(v6)
    v8 = tl.load(X5 + pid * 4 + tl.arange(0, 4))
    tl.static_assert(v0.dtype == tl.bfloat16)
    tl.store(O4 + v8, v0, mask=(tl.arange(0, 4) < n6))
    tl.static_assert(v1.dtype == tl.float32)
    tl.store(O6 + pid * n6, v1)
    tl.static_assert(v3.dtype == tl.uint16)
    tl.store(O7 + pid.to(tl.int64) * 35 + tl.arange(0, 32), v3)
    tl.static_assert(v5.dtype == tl.uint16)
    tl.store(O8 + pid * n6, v5)
    tl.static_assert(v7.dtype == tl.float64)
    tl.store(O9 + pid.to(tl.int64) * n7 + tl.arange(0, 4)[:, None] * n8 + tl.arange(0, 32)[None, :], v7)
