# Seed 310278 on cpu: a crash
#   signal Segmentation fault
# Run it again: tilewise-random --engine cpu --run ./random-310278.py
#random seed 310278 grid 3 2 fusion 1 checked 0 machine host
#random buffer X0 fp64 id 0 fill moderate limit 8 count 448 aligned 1 written 0 exact 1 raw 0 ulps 0 within 0
#random buffer X1 fp16 id 1 fill small limit 1 count 105 aligned 1 written 0 exact 1 raw 0 ulps 0 within 0
#random buffer X2 fp8e5 id 2 fill moderate limit 2 count 783 aligned 1 written 0 exact 1 raw 0 ulps 0 within 0
#random buffer X3 fp64 id 3 fill wild limit 8 count 51 aligned 1 written 0 exact 1 raw 0 ulps 0 within 0
#random buffer X4 i64 id 4 fill index limit 51 count 96 aligned 1 written 0 exact 1 raw 0 ulps 0 within 0
#random buffer O5 fp64 id 5 fill poison limit 0 count 1545 aligned 1 written 1 exact 0 raw 0 ulps 3 within 0
#random buffer O6 i32 id 6 fill poison limit 0 count 96 aligned 1 written 1 exact 1 raw 1 ulps 0 within 0
#random buffer X7 i32 id 7 fill permutation limit 16 count 96 aligned 1 written 0 exact 1 raw 0 ulps 0 within 0
#random buffer O8 i64 id 8 fill poison limit 0 count 111 aligned 0 written 1 exact 1 raw 1 ulps 0 within 0
#random buffer O9 i64 id 9 fill poison limit 0 count 111 aligned 1 written 1 exact 1 raw 1 ulps 0 within 0
#random buffer O10 i32 id 10 fill poison limit 0 count 1455 aligned 0 written 1 exact 1 raw 1 ulps 0 within 0
#random buffer O11 u32 id 11 fill poison limit 0 count 111 aligned 0 written 1 exact 1 raw 1 ulps 0 within 0
#random scalar n0 18 constant 0
#random scalar n1 2 constant 0
#random scalar n2 19 constant 0
#random scalar n3 243 constant 0
#random scalar n4 512 constant 0
#random scalar n5 32 constant 0
#random scalar n6 0 constant 0
#random scalar n7 8 constant 0
#random scalar n8 7 constant 0
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def fn_mul(a, b):
    return a * b


@triton.jit
def random_kernel(X0, X1, X2, X3, X4, O5, O6, X7, O8, O9, O10, O11, n0, n1, n2, n3, n4, n5, n6, n7, n8):
    pid = tl.program_id(0) + tl.program_id(1) * tl.num_programs(0)
    v0 = tl.load(X0 + pid * 64 + tl.arange(0, 16)[:, None] * 8 + tl.arange(0, 8)[None, :], mask=(tl.arange(0, 16)[:, None] < 15) & (tl.arange(0, 8)[None, :] < 7))
    v1 = tl.exp2(v0)
    v2 = tl.load(X1 + pid * n0 + tl.arange(0, 8) * n1)
    v3 = tl.reduce(v2, 0, fn_mul)
    v4 = tl.load(X2 + pid * 131 + (tl.arange(0, 16)[:, None] % 15) * 8 + (tl.arange(0, 8)[None, :] % 7)).to(tl.float8e5, bitcast=True)
    v5 = tl.argmin(v4, 1)
    v6 = tl.load(X4 + pid * 16 + tl.arange(0, 16)[:, None] + tl.arange(0, 1)[None, :])
    v7 = tl.load(X3 + v6, mask=(tl.arange(0, 16)[:, None] < 13) & (tl.arange(0, 1)[None, :] < 1), other=1.0)
    v8 = libdevice.double2ull_rz(v7)
    v9 = tl.full([1, 16, 8], v3, tl.int32)
    v10 = tl.permute(v9, (0, 1, 2))
    v11 = tl.full([16], v3, tl.int16)
    v12 = v11.to(tl.uint32)
    tl.static_assert(v1.dtype == tl.float64)
    tl.store(O5 + pid * 258 + tl.arange(0, 16)[:, None] * 16 + tl.arange(0, 8)[None, :] * 2, v1)
    v13 = tl.load(X7 + pid * 16 + tl.arange(0, 16))
    tl.static_assert(v5.dtype == tl.int32)
    tl.store(O6 + v13, v5)
    tl.static_assert(v6.dtype == tl.int64)
    tl.store(O8 + pid * 19 + tl.arange(0, 16)[:, None] + tl.arange(0, 1)[None, :], v6, mask=(pid * 16 + tl.arange(0, 16)[:, None] + tl.arange(0, 1)[None, :]) < 96)
    tl.static_assert(v8.dtype == tl.int64)
    tl.store(O9 + pid * n2 + tl.arange(0, 16)[:, None] + tl.arange(0, 1)[None, :], v8)
    tl.static_assert(v10.dtype == tl.int32)
    tl.store(O10 + pid * n3 + tl.arange(0, 1)[:, None, None] * n4 + tl.arange(0, 16)[None, :, None] + tl.arange(0, 8)[None, None, :] * n5, v10, mask=(tl.arange(0, 1)[:, None, None] < n6) & (tl.arange(0, 16)[None, :, None] < n7) & (tl.arange(0, 8)[None, None, :] < n8))
    tl.static_assert(v12.dtype == tl.uint32)
    tl.store(O11 + pid.to(tl.int64) * n2 + tl.arange(0, 16), v12, mask=(tl.arange(0, 16) < n7))
