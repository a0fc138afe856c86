# Seed 310315 on cpu: a crash
#   signal Segmentation fault
# Run it again: tilewise-random --engine cpu --run ./random-310315.py
#random seed 310315 grid 2 1 fusion 1 checked 0 machine host
#random buffer X0 fp8e5 id 0 fill wild limit 2 count 19 aligned 0 written 0 exact 1 raw 0 ulps 0 within 0
#random buffer X1 i32 id 1 fill index limit 19 count 32 aligned 1 written 0 exact 1 raw 0 ulps 0 within 0
#random buffer X2 i32 id 2 fill near-index limit 2 count 24 aligned 1 written 0 exact 1 raw 0 ulps 0 within 0
#random buffer X3 fp8e4b8 id 3 fill wild limit 2 count 8 aligned 1 written 0 exact 1 raw 0 ulps 0 within 0
#random buffer X4 i32 id 4 fill moderate limit 8 count 19 aligned 1 written 0 exact 1 raw 0 ulps 0 within 0
#random buffer X5 u16 id 5 fill moderate limit 8 count 9 aligned 1 written 0 exact 1 raw 0 ulps 0 within 0
#random buffer X6 i8 id 6 fill wild limit 8 count 7 aligned 1 written 0 exact 1 raw 0 ulps 0 within 0
#random buffer O7 i32 id 7 fill poison limit 0 count 91 aligned 0 written 1 exact 1 raw 1 ulps 0 within 0
#random buffer O8 i32 id 8 fill poison limit 0 count 35 aligned 0 written 1 exact 1 raw 1 ulps 0 within 0
#random buffer O9 fp8e5 id 9 fill poison limit 0 count 35 aligned 1 written 1 exact 1 raw 0 ulps 0 within 0
#random buffer O10 fp8e4b8 id 10 fill poison limit 0 count 16 aligned 1 written 1 exact 1 raw 1 ulps 0 within 0
#random buffer X11 i32 id 11 fill permutation limit 8 count 16 aligned 1 written 0 exact 1 raw 0 ulps 0 within 0
#random buffer O12 i32 id 12 fill poison limit 0 count 35 aligned 0 written 1 exact 1 raw 1 ulps 0 within 0
#random buffer O13 i32 id 13 fill poison limit 0 count 5 aligned 1 written 1 exact 1 raw 1 ulps 0 within 0
#random buffer O14 i8 id 14 fill poison limit 0 count 7 aligned 1 written 1 exact 1 raw 1 ulps 0 within 0
#random scalar C0 11 constant 1
#random scalar C1 1 constant 1
#random scalar C2 8 constant 1
#random scalar C3 7 constant 1
#random scalar C4 5 constant 1
#random scalar n5 19 constant 0
#random scalar n6 8 constant 0
#random scalar n7 1 constant 0
#random scalar n8 4 constant 0
#random scalar n9 5 constant 0
import triton
import triton.language as tl


@triton.jit
def random_kernel(X0, X1, X2, X3, X4, X5, X6, O7, O8, O9, O10, X11, O12, O13, O14, C0: tl.constexpr, C1: tl.constexpr, C2: tl.constexpr, C3: tl.constexpr, C4: tl.constexpr, n5, n6, n7, n8, n9):
    pid = tl.program_id(0)
    v0 = tl.load(X1 + pid * 16 + tl.arange(0, 2)[:, None] * 8 + tl.arange(0, 8)[None, :])
    v1 = tl.load(X0 + v0).to(tl.float8e5, bitcast=True)
    v2 = tl.load(X2 + pid * 8 + tl.arange(0, 2)[:, None] * 8 + tl.arange(0, 8)[None, :])
    v3 = tl.gather(v1, v2, 0)
    v4 = tl.load(tl.make_block_ptr(X3, [1, 8], [8, 1], [0, 0], [1, 8], [1, 0])).to(tl.float8e4b8, bitcast=True)
    v5 = tl.where(v4 > v4, v4, v4)
    v6 = tl.load(X4 + pid * C0 + (tl.arange(0, 1)[:, None] % C1) * C2 + (tl.arange(0, 8)[None, :] % C3))
    v7 = v2 // v6
    v8 = tl.load(X5 + pid * 6 + (tl.arange(0, 2) % 1) * 2)
    v9 = tl.argmax(v8, 0)
    v10 = tl.load(X6 + pid * C4 + tl.arange(0, 2))
    v11 = tl.cdiv(v10, v10)
    tl.static_assert(v0.dtype == tl.int32)
    tl.store(O7 + pid * 47 + tl.arange(0, 2)[:, None] + tl.arange(0, 8)[None, :] * 6, v0)
    tl.static_assert(v2.dtype == tl.int32)
    tl.store(O8 + pid * n5 + tl.arange(0, 2)[:, None] * n6 + tl.arange(0, 8)[None, :], v2)
    tl.static_assert(v3.dtype == tl.float8e5)
    tl.store(O9 + pid * n5 + tl.arange(0, 2)[:, None] * n6 + tl.arange(0, 8)[None, :], v3.to(tl.uint8, bitcast=True), mask=(tl.arange(0, 2)[:, None] < n7) & (tl.arange(0, 8)[None, :] < n6))
    v12 = tl.load(X11 + pid * 8 + tl.arange(0, 1)[:, None] * 8 + tl.arange(0, 8)[None, :])
    tl.static_assert(v5.dtype == tl.float8e4b8)
    tl.store(O10 + v12, v5.to(tl.uint8, bitcast=True), mask=(pid.to(tl.int64) * 8 + tl.arange(0, 1)[:, None] * 8 + tl.arange(0, 8)[None, :]) < 15)
    tl.static_assert(v7.dtype == tl.int32)
    tl.store(O12 + pid.to(tl.int64) * n5 + tl.arange(0, 2)[:, None] * n6 + tl.arange(0, 8)[None, :], v7)
    tl.static_assert(v9.dtype == tl.int32)
    tl.store(O13 + pid * n8, v9)
    tl.static_assert(v11.dtype == tl.int8)
    tl.store(tl.make_block_ptr(O14 + pid * n9, [n7], [n7], [0], [2], [0]), v11, boundary_check=(0, ))
