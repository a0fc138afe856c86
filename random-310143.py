# Seed 310143 on cpu: a crash
#   signal Segmentation fault
# Run it again: tilewise-random --engine cpu --run ./random-310143.py
#random seed 310143 grid 5 2 fusion 1 checked 0 machine host
#random buffer X0 i64 id 0 fill moderate limit 8 count 11 aligned 1 written 0 exact 1 raw 0 ulps 0 within 0
#random buffer X1 fp8e5 id 1 fill wild limit 2 count 67 aligned 1 written 0 exact 1 raw 0 ulps 0 within 0
#random buffer X2 fp32 id 2 fill wild limit 8 count 47 aligned 0 written 0 exact 1 raw 0 ulps 0 within 0
#random buffer O3 u64 id 3 fill wild limit 4 count 97 aligned 1 written 1 exact 1 raw 1 ulps 0 within 0
#random buffer O4 fp8e5 id 4 fill poison limit 0 count 127 aligned 1 written 1 exact 1 raw 1 ulps 0 within 0
#random buffer O5 fp32 id 5 fill poison limit 0 count 47 aligned 1 written 1 exact 1 raw 1 ulps 0 within 0
#random buffer O6 u64 id 6 fill poison limit 0 count 67 aligned 0 written 1 exact 1 raw 1 ulps 0 within 0
#random buffer O7 i32 id 7 fill poison limit 0 count 57 aligned 1 written 1 exact 1 raw 1 ulps 0 within 0
#random buffer O8 i64 id 8 fill poison limit 0 count 47 aligned 1 written 1 exact 1 raw 1 ulps 0 within 0
#random scalar n0 1 constant 0
#random scalar n1 2 constant 0
#random scalar n2 5 constant 0
#random scalar n3 10 constant 0
#random scalar n4 4 constant 0
#random scalar n5 6 constant 0
#random scalar C6 5 constant 1
#random scalar C7 1 constant 1
import triton
import triton.language as tl


@triton.jit
def random_kernel(X0, X1, X2, O3, O4, O5, O6, O7, O8, n0, n1, n2, n3, n4, n5, C6: tl.constexpr, C7: tl.constexpr):
    pid = tl.program_id(0) + tl.program_id(1) * tl.num_programs(0)
    v0 = tl.load(tl.make_block_ptr(X0 + pid * n0, [n1], [n0], [0], [2], [0]))
    v1 = v0.to(tl.uint64, bitcast=True)
    v2 = tl.load(X1 + pid * 7 + 2 + tl.arange(0, 2)[:, None] - tl.arange(0, 2)[None, :] * 2).to(tl.float8e5, bitcast=True)
    v3 = tl.ravel(v2)
    v4 = tl.load(X2 + pid.to(tl.int64) * n2 + tl.arange(0, 2)[:, None] + tl.arange(0, 1)[None, :])
    v5 = v2.to(tl.uint64)
    tl.atomic_xchg(O3 + pid * n3 + 2 + tl.arange(0, 2)[:, None] * n4 - tl.arange(0, 2)[None, :] * n1, v5, sem="relaxed")
    v6 = v2.to(tl.int8)
    v7 = tl.min(v6, 0)
    v8 = v1.to(tl.uint16)
    v9 = tl.cast(v8, tl.int64)
    tl.static_assert(v3.dtype == tl.float8e5)
    tl.store(O4 + pid.to(tl.int64) * 13 + tl.arange(0, 4) * 3, v3.to(tl.uint8, bitcast=True))
    tl.static_assert(v4.dtype == tl.float32)
    tl.store(O5 + pid * n2 + tl.arange(0, 2)[:, None] + tl.arange(0, 1)[None, :], v4)
    tl.static_assert(v5.dtype == tl.uint64)
    tl.store(O6 + pid * 7 + tl.arange(0, 2)[:, None] * 2 + tl.arange(0, 2)[None, :], v5, mask=(tl.arange(0, 2)[:, None] < 1) & (tl.arange(0, 2)[None, :] < 2))
    tl.static_assert(v7.dtype == tl.int32)
    tl.store(O7 + pid.to(tl.int64) * n5 + tl.arange(0, 2) * n1, v7)
    tl.static_assert(v9.dtype == tl.int64)
    tl.store(tl.make_block_ptr(O8 + pid * C6, [C7], [C7], [0], [2], [0]), v9, boundary_check=(0, ))
