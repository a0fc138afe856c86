# Seed 310020 on cpu: a crash
#   signal Segmentation fault
# Run it again: tilewise-random --engine cpu --run ./random-310020.py
#random seed 310020 grid 1 1 fusion 1 checked 0 machine host
#random buffer X0 i32 id 0 fill moderate limit 8 count 64 aligned 0 written 0 exact 1 raw 0 ulps 0 within 0
#random buffer X1 fp32 id 1 fill wild limit 8 count 190 aligned 1 written 0 exact 1 raw 0 ulps 0 within 0
#random buffer X2 fp8e5b16 id 2 fill wild limit 2 count 1 aligned 1 written 0 exact 1 raw 0 ulps 0 within 0
#random buffer X3 u64 id 3 fill small limit 8 count 4 aligned 1 written 0 exact 1 raw 0 ulps 0 within 0
#random buffer X4 i64 id 4 fill index limit 4 count 2 aligned 0 written 0 exact 1 raw 0 ulps 0 within 0
#random buffer O5 i32 id 5 fill poison limit 0 count 64 aligned 0 written 1 exact 1 raw 1 ulps 0 within 0
#random buffer O6 i32 id 6 fill poison limit 0 count 32 aligned 1 written 1 exact 1 raw 1 ulps 0 within 0
#random buffer X7 i32 id 7 fill permutation limit 32 count 32 aligned 1 written 0 exact 1 raw 0 ulps 0 within 0
#random buffer O8 fp8e5b16 id 8 fill poison limit 0 count 64 aligned 1 written 1 exact 1 raw 1 ulps 0 within 0
#random buffer O9 fp32 id 9 fill poison limit 0 count 64 aligned 1 written 1 exact 1 raw 0 ulps 0 within 0
#random buffer O10 u8 id 10 fill poison limit 0 count 2 aligned 0 written 1 exact 1 raw 1 ulps 0 within 0
#random buffer O11 i1 id 11 fill poison limit 0 count 3 aligned 1 written 1 exact 1 raw 1 ulps 0 within 0
#random scalar C0 67 constant 1
#random scalar C1 32 constant 1
#random scalar C2 1 constant 1
#random scalar C3 29 constant 1
#random scalar n4 193 constant 0
#random scalar n5 96 constant 0
#random scalar n6 3 constant 0
#random scalar n7 1 constant 0
#random scalar n8 16 constant 0
#random scalar n9 2 constant 0
#random scalar n10 67 constant 0
#random scalar n11 32 constant 0
#random scalar C12 5 constant 1
import triton
import triton.language as tl


@triton.jit
def function8(p0):
    v5 = tl.div_rn(p0, p0)
    v6 = tl.clamp(v5, v5 - v5, v5 - v5 + 1)
    v7 = p0 + v6
    return v7


@triton.jit
def random_kernel(X0, X1, X2, X3, X4, O5, O6, X7, O8, O9, O10, O11, C0: tl.constexpr, C1: tl.constexpr, C2: tl.constexpr, C3: tl.constexpr, n4, n5, n6, n7, n8, n9, n10, n11, C12: tl.constexpr):
    pid = tl.program_id(0)
    v0 = tl.load(X0 + pid * C0 + tl.arange(0, 2)[:, None] * C1 + tl.arange(0, 32)[None, :], mask=(tl.arange(0, 2)[:, None] < C2) & (tl.arange(0, 32)[None, :] < C3))
    v1 = tl.argmin(v0, 0)
    v2 = tl.zeros([2, 32], tl.float8e5b16)
    v3 = tl.load(X1 + pid * n4 + 96 - tl.arange(0, 2)[:, None] * n5 + tl.arange(0, 32)[None, :] * n6, mask=(tl.arange(0, 2)[:, None] < n7) & (tl.arange(0, 32)[None, :] < n8))
    v8 = function8(v3)
    v9 = tl.load(X2).to(tl.float8e5b16, bitcast=True)
    v10 = tl.abs(v9)
    v11 = tl.full([2], v10, tl.uint8)
    v12 = tl.load(X4 + pid * 2 + tl.arange(0, 2))
    v13 = tl.load(X3 + v12, mask=(pid * 2 + tl.arange(0, 2)) < n9, other=1)
    v14 = v11 != v13
    tl.static_assert(v0.dtype == tl.int32)
    tl.store(tl.make_block_ptr(O5 + pid.to(tl.int64) * 67, [2, 32], [32, 1], [0, 0], [2, 32], [1, 0]), v0)
    v15 = tl.load(X7 + pid * 32 + tl.arange(0, 32))
    tl.static_assert(v1.dtype == tl.int32)
    tl.store(O6 + v15, v1)
    tl.static_assert(v2.dtype == tl.float8e5b16)
    tl.store(O8 + pid * n10 + tl.arange(0, 2)[:, None] * n11 + tl.arange(0, 32)[None, :], v2.to(tl.uint8, bitcast=True))
    tl.static_assert(v8.dtype == tl.float32)
    tl.store(O9 + pid * C0 + tl.arange(0, 2)[:, None] * C1 + tl.arange(0, 32)[None, :], v8)
    tl.static_assert(v11.dtype == tl.uint8)
    tl.store(O10 + pid.to(tl.int64) * C12 + tl.arange(0, 2), v11)
    tl.static_assert(v14.dtype == tl.int1)
    tl.store(O11 + pid.to(tl.int64) * 6 + tl.arange(0, 2) * 2, v14)
