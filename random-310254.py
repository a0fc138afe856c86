# Seed 310254 on cpu: a crash
#   signal Segmentation fault
# Run it again: tilewise-random --engine cpu --run ./random-310254.py
#random seed 310254 grid 1 1 fusion 1 checked 0 machine host
#random buffer X0 i8 id 0 fill moderate limit 8 count 128 aligned 1 written 0 exact 1 raw 0 ulps 0 within 0
#random buffer X1 i64 id 1 fill small limit 8 count 31 aligned 1 written 0 exact 1 raw 0 ulps 0 within 0
#random buffer X2 u8 id 2 fill small limit 8 count 8 aligned 1 written 0 exact 1 raw 0 ulps 0 within 0
#random buffer X3 fp8e4b8 id 3 fill moderate limit 2 count 67 aligned 0 written 0 exact 1 raw 0 ulps 0 within 0
#random buffer X4 i32 id 4 fill index limit 67 count 128 aligned 1 written 0 exact 1 raw 0 ulps 0 within 0
#random buffer X5 fp8e4nv id 5 fill moderate limit 2 count 11 aligned 1 written 0 exact 1 raw 0 ulps 0 within 0
#random buffer X6 i64 id 6 fill index limit 11 count 16 aligned 1 written 0 exact 1 raw 0 ulps 0 within 0
#random buffer O7 i32 id 7 fill poison limit 0 count 16 aligned 1 written 1 exact 1 raw 1 ulps 0 within 0
#random buffer O8 fp64 id 8 fill poison limit 0 count 46 aligned 1 written 1 exact 1 raw 0 ulps 0 within 0
#random buffer O9 u8 id 9 fill poison limit 0 count 8 aligned 1 written 1 exact 1 raw 1 ulps 0 within 0
#random buffer O10 fp8e4b8 id 10 fill poison limit 0 count 255 aligned 1 written 1 exact 1 raw 0 ulps 0 within 0
#random buffer O11 fp8e4b8 id 11 fill poison limit 0 count 128 aligned 1 written 1 exact 1 raw 0 ulps 0 within 0
#random buffer O12 u8 id 12 fill poison limit 0 count 16 aligned 1 written 1 exact 1 raw 1 ulps 0 within 0
#random scalar C0 64 constant 1
#random scalar C1 8 constant 1
#random scalar C2 7 constant 1
#random scalar C3 34 constant 1
#random scalar C4 2 constant 1
#random scalar C5 16 constant 1
#random scalar C6 0 constant 1
#random scalar n7 16 constant 0
#random scalar n8 7 constant 0
#random scalar n9 19 constant 0
#random scalar n10 49 constant 0
#random scalar n11 3 constant 0
#random scalar n12 11 constant 0
#random scalar n13 24 constant 0
#random scalar n14 258 constant 0
#random scalar n15 2 constant 0
#random scalar n16 131 constant 0
#random scalar n17 8 constant 0
#random scalar n18 0 constant 0
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def function14(p0, p1):
    v10 = p1.to(tl.float8e4b8)
    v11 = tl.minimum(v10, v10, propagate_nan=tl.PropagateNan.ALL)
    v12 = p0.to(tl.float8e4b8)
    v13 = p0 + v12
    return v13, v13


@triton.jit
def random_kernel(X0, X1, X2, X3, X4, X5, X6, O7, O8, O9, O10, O11, O12, C0: tl.constexpr, C1: tl.constexpr, C2: tl.constexpr, C3: tl.constexpr, C4: tl.constexpr, C5: tl.constexpr, C6: tl.constexpr, n7, n8, n9, n10, n11, n12, n13, n14, n15, n16, n17, n18):
    pid = tl.program_id(0)
    v0 = tl.load(X0 + pid * C0 + tl.arange(0, 16)[:, None] * C1 + tl.arange(0, 8)[None, :], mask=(tl.arange(0, 16)[:, None] < C1) & (tl.arange(0, 8)[None, :] < C2))
    v1 = tl.argmax(v0, 1)
    v2 = tl.load(X1 + pid.to(tl.int64) * C3 + 30 - tl.arange(0, 16)[:, None] * C4 - tl.arange(0, 1)[None, :] * C4, mask=(tl.arange(0, 16)[:, None] < C5) & (tl.arange(0, 1)[None, :] < C6))
    v3 = libdevice.ll2double_rn(v2)
    v4 = tl.load(X2 + pid * 11 + 7 + tl.arange(0, 1)[:, None] * 8 - tl.arange(0, 8)[None, :])
    v5 = -v4
    v6 = tl.load(X4 + pid * 128 + tl.arange(0, 16)[:, None] * 8 + tl.arange(0, 8)[None, :])
    v7 = tl.load(X3 + v6, mask=(tl.arange(0, 16)[:, None] < n7) & (tl.arange(0, 8)[None, :] < n8)).to(tl.float8e4b8, bitcast=True)
    v14, v15 = function14(v7, v7)
    v16 = tl.load(X6 + pid * 16 + tl.arange(0, 1)[:, None, None] * 16 + tl.arange(0, 8)[None, :, None] * 2 + tl.arange(0, 2)[None, None, :])
    v17 = tl.load(X5 + v16).to(tl.float8e4nv, bitcast=True)
    v18 = v17.to(tl.uint8)
    tl.static_assert(v1.dtype == tl.int32)
    tl.store(O7 + pid * n9 + tl.arange(0, 16), v1, mask=(tl.arange(0, 16) < n7))
    tl.static_assert(v3.dtype == tl.float64)
    tl.store(O8 + pid * n10 + tl.arange(0, 16)[:, None] * n11 + tl.arange(0, 1)[None, :], v3)
    tl.static_assert(v5.dtype == tl.uint8)
    tl.store(O9 + pid * n12 + tl.arange(0, 1)[:, None] * n13 + tl.arange(0, 8)[None, :], v5)
    tl.static_assert(v14.dtype == tl.float8e4b8)
    tl.store(O10 + pid * n14 + tl.arange(0, 16)[:, None] * n7 + tl.arange(0, 8)[None, :] * n15, v14.to(tl.uint8, bitcast=True))
    tl.static_assert(v15.dtype == tl.float8e4b8)
    tl.store(O11 + pid.to(tl.int64) * n16 + tl.arange(0, 16)[:, None] * n17 + tl.arange(0, 8)[None, :], v15.to(tl.uint8, bitcast=True), mask=(tl.arange(0, 16)[:, None] < n7) & (tl.arange(0, 8)[None, :] < n17))
    tl.static_assert(v18.dtype == tl.uint8)
    tl.store(O12 + pid * n9 + tl.arange(0, 1)[:, None, None] * n7 + tl.arange(0, 8)[None, :, None] + tl.arange(0, 2)[None, None, :] * n17, v18, mask=(tl.arange(0, 1)[:, None, None] < n18) & (tl.arange(0, 8)[None, :, None] < n8) & (tl.arange(0, 2)[None, None, :] < n15))
