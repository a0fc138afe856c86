# Seed 310270 on cpu: a crash
#   signal Segmentation fault
# Run it again: tilewise-random --engine cpu --run ./random-310270.py
#random seed 310270 grid 1 2 fusion 1 checked 0 machine haswell
#random buffer X0 i8 id 0 fill moderate limit 8 count 8193 aligned 1 written 0 exact 1 raw 0 ulps 0 within 0
#random buffer X1 i16 id 1 fill moderate limit 8 count 1027 aligned 1 written 0 exact 1 raw 0 ulps 0 within 0
#random buffer X2 fp32 id 2 fill moderate limit 8 count 11 aligned 1 written 0 exact 1 raw 0 ulps 0 within 0
#random buffer X3 fp16 id 3 fill wild limit 8 count 7 aligned 1 written 0 exact 1 raw 0 ulps 0 within 0
#random buffer X4 i32 id 4 fill index limit 7 count 8 aligned 1 written 0 exact 1 raw 0 ulps 0 within 0
#random buffer X5 fp64 id 5 fill wild limit 8 count 10243 aligned 0 written 0 exact 1 raw 0 ulps 0 within 0
#random buffer X6 fp32 id 6 fill small limit 8 count 12287 aligned 1 written 0 exact 1 raw 0 ulps 0 within 0
#random buffer O7 i8 id 7 fill poison limit 0 count 4099 aligned 1 written 1 exact 1 raw 1 ulps 0 within 0
#random buffer O8 i16 id 8 fill poison limit 0 count 2051 aligned 1 written 1 exact 1 raw 1 ulps 0 within 0
#random buffer O9 fp32 id 9 fill poison limit 0 count 5 aligned 1 written 1 exact 1 raw 0 ulps 0 within 0
#random buffer O10 i32 id 10 fill poison limit 0 count 5 aligned 1 written 1 exact 1 raw 1 ulps 0 within 0
#random buffer O11 fp16 id 11 fill poison limit 0 count 11 aligned 1 written 1 exact 1 raw 1 ulps 0 within 0
#random buffer O12 fp32 id 12 fill poison limit 0 count 4099 aligned 1 written 1 exact 1 raw 0 ulps 0 within 0
#random buffer O13 fp32 id 13 fill poison limit 0 count 23 aligned 1 written 1 exact 1 raw 0 ulps 0 within 0
#random buffer O14 u32 id 14 fill poison limit 0 count 11 aligned 1 written 1 exact 1 raw 1 ulps 0 within 0
#random scalar n0 515 constant 0
#random scalar n1 7 constant 0
#random scalar n2 4 constant 0
#random scalar n3 5123 constant 0
#random scalar n4 1536 constant 0
#random scalar n5 6145 constant 0
#random scalar n6 3 constant 0
#random scalar n7 12 constant 0
#random scalar n8 4095 constant 0
#random scalar n9 2051 constant 0
#random scalar C10 4 constant 1
#random scalar C11 2 constant 1
#random scalar n12 13 constant 0
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def random_kernel(X0, X1, X2, X3, X4, X5, X6, O7, O8, O9, O10, O11, O12, O13, O14, n0, n1, n2, n3, n4, n5, n6, n7, n8, n9, C10: tl.constexpr, C11: tl.constexpr, n12):
    pid = tl.program_id(0) + tl.program_id(1) * tl.num_programs(0)
    v0 = tl.load(X0 + pid * 4098 + tl.arange(0, 512)[:, None] * 2 + tl.arange(0, 4)[None, :] * 1024, mask=(tl.arange(0, 512)[:, None] < 509) & (tl.arange(0, 4)[None, :] < 3), other=1)
    v1 = v0 % v0
    v2 = tl.load(X1 + pid * n0 + tl.arange(0, 512))
    v3 = tl.interleave(v2, v2)
    v4 = tl.load(X2 + pid.to(tl.int64) * n1 + tl.arange(0, 4), mask=(pid.to(tl.int64) * 4 + tl.arange(0, 4)) < n2)
    v5, v6 = tl.min(v4, 0, return_indices=True)
    v7 = tl.load(X4 + pid * 4 + tl.arange(0, 4))
    v8 = tl.load(X3 + v7)
    v9 = tl.load(X5 + pid * n3 + tl.arange(0, 512)[:, None] + tl.arange(0, 4)[None, :] * n4)
    v10 = libdevice.double2float_rz(v9)
    v11 = tl.load(X6 + pid * n5 + 9 - tl.arange(0, 4)[:, None] * n6 + tl.arange(0, 512)[None, :] * n7, mask=(pid * 2048 + tl.arange(0, 4)[:, None] * 512 + tl.arange(0, 512)[None, :]) < n8, other=0.0)
    v12 = tl.sum(v11, 1) + 0.0
    v13 = v9.to(tl.uint8)
    v14 = tl.sum(v13, 0)
    tl.static_assert(v1.dtype == tl.int8)
    tl.store(O7 + pid * n9 + tl.arange(0, 512)[:, None] * n2 + tl.arange(0, 4)[None, :], v1)
    tl.static_assert(v3.dtype == tl.int16)
    tl.store(O8 + pid * 1027 + tl.arange(0, 1024), v3)
    tl.static_assert(v5.dtype == tl.float32)
    tl.store(O9 + pid * C10, v5, mask=(pid * 1) < C11)
    tl.static_assert(v6.dtype == tl.int32)
    tl.store(O10 + pid * C10, v6)
    tl.static_assert(v8.dtype == tl.float16)
    tl.store(O11 + pid * n1 + tl.arange(0, 4), v8)
    tl.static_assert(v10.dtype == tl.float32)
    tl.store(O12 + pid * 2051 + tl.arange(0, 512)[:, None] * 4 + tl.arange(0, 4)[None, :], v10)
    tl.static_assert(v12.dtype == tl.float32)
    tl.store(O13 + pid * n12 + tl.arange(0, 4) * n6, v12)
    tl.static_assert(v14.dtype == tl.uint32)
    tl.store(O14 + pid * 7 + tl.arange(0, 4), v14, mask=(tl.arange(0, 4) < 4))
