# Seed 310345 on cpu: a crash
#   signal Segmentation fault
# Run it again: tilewise-random --engine cpu --run ./random-310345.py
#random seed 310345 grid 2 1 fusion 1 checked 0 machine host
#random buffer X0 i64 id 0 fill wild limit 8 count 32 aligned 1 written 0 exact 1 raw 0 ulps 0 within 0
#random buffer X1 fp64 id 1 fill moderate limit 8 count 33 aligned 1 written 0 exact 1 raw 0 ulps 0 within 0
#random buffer X2 u64 id 2 fill moderate limit 8 count 7 aligned 1 written 0 exact 1 raw 0 ulps 0 within 0
#random buffer X3 u64 id 3 fill wild limit 8 count 129 aligned 1 written 0 exact 1 raw 0 ulps 0 within 0
#random buffer O4 u64 id 4 fill wild limit 4 count 191 aligned 1 written 1 exact 1 raw 1 ulps 0 within 0
#random buffer X5 fp64 id 5 fill wild limit 8 count 7 aligned 0 written 0 exact 1 raw 0 ulps 0 within 0
#random buffer O6 i64 id 6 fill poison limit 0 count 35 aligned 1 written 1 exact 1 raw 1 ulps 0 within 0
#random buffer O7 fp8e4nv id 7 fill poison limit 0 count 67 aligned 1 written 1 exact 1 raw 0 ulps 0 within 0
#random buffer O8 fp64 id 8 fill poison limit 0 count 19 aligned 0 written 1 exact 1 raw 0 ulps 0 within 0
#random buffer O9 i1 id 9 fill poison limit 0 count 7 aligned 0 written 1 exact 1 raw 1 ulps 0 within 0
#random buffer O10 u64 id 10 fill poison limit 0 count 67 aligned 1 written 1 exact 1 raw 1 ulps 0 within 0
#random buffer O11 i64 id 11 fill poison limit 0 count 7 aligned 1 written 1 exact 1 raw 1 ulps 0 within 0
#random scalar n0 2 constant 0
#random scalar C1 18 constant 1
#random scalar C2 8 constant 1
#random scalar C3 2 constant 1
#random scalar C4 5 constant 1
#random scalar C5 1 constant 1
#random scalar C6 3 constant 1
#random scalar n7 19 constant 0
#random scalar n8 11 constant 0
#random scalar n9 13 constant 0
#random scalar n10 35 constant 0
#random scalar n11 16 constant 0
import triton
import triton.language as tl


@triton.jit
def random_kernel(X0, X1, X2, X3, O4, X5, O6, O7, O8, O9, O10, O11, n0, C1: tl.constexpr, C2: tl.constexpr, C3: tl.constexpr, C4: tl.constexpr, C5: tl.constexpr, C6: tl.constexpr, n7, n8, n9, n10, n11):
    pid = tl.program_id(0)
    v0 = tl.load(X0 + tl.arange(0, 16)[:, None] * n0 + tl.arange(0, 2)[None, :])
    v1 = tl.max(v0, 1)
    v2 = v0.to(tl.float8e4nv)
    v3 = tl.trans(v2)
    v4 = tl.load(tl.make_block_ptr(X1 + pid * C1, [C2], [C3], [0], [8], [0]))
    v5 = tl.sort(v4, descending=True)
    v6 = tl.load(X2 + pid * C4 + (tl.arange(0, 2) % C5), mask=(pid * 2 + tl.arange(0, 2)) < C6, other=1)
    v7 = v6 != v6
    v8 = tl.load(X3 + pid * 66 + tl.arange(0, 2)[:, None] * 32 + tl.arange(0, 16)[None, :] * 2)
    v9 = tl.atomic_cas(O4 + pid * 97 + tl.arange(0, 2)[:, None] * 48 + tl.arange(0, 16)[None, :] * 3, v8, v8)
    v10 = tl.load(X5 + pid * C4 + tl.arange(0, 2))
    v11 = v10.to(tl.int64)
    tl.static_assert(v1.dtype == tl.int64)
    tl.store(O6 + pid.to(tl.int64) * n7 + tl.arange(0, 16), v1)
    tl.static_assert(v3.dtype == tl.float8e4nv)
    tl.store(O7 + pid * 35 + tl.arange(0, 2)[:, None] * 16 + tl.arange(0, 16)[None, :], v3.to(tl.uint8, bitcast=True))
    tl.static_assert(v5.dtype == tl.float64)
    tl.store(O8 + pid * n8 + tl.arange(0, 8), v5, mask=(pid * 8 + tl.arange(0, 8)) < n9)
    tl.static_assert(v7.dtype == tl.int1)
    tl.store(O9 + pid * C4 + tl.arange(0, 2), v7, mask=(tl.arange(0, 2) < C5))
    tl.static_assert(v9.dtype == tl.uint64)
    tl.store(O10 + pid.to(tl.int64) * n10 + tl.arange(0, 2)[:, None] * n11 + tl.arange(0, 16)[None, :], v9)
    tl.static_assert(v11.dtype == tl.int64)
    tl.store(O11 + pid * C4 + tl.arange(0, 2), v11, mask=(tl.arange(0, 2) < C3))
