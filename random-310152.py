# Seed 310152 on cpu: a crash
#   signal Segmentation fault
# Run it again: tilewise-random --engine cpu --run ./random-310152.py
#random seed 310152 grid 1 1 fusion 1 checked 0 machine host
#random buffer X0 fp32 id 0 fill wild limit 8 count 35 aligned 1 written 0 exact 1 raw 0 ulps 0 within 0
#random buffer X1 i32 id 1 fill index limit 35 count 64 aligned 1 written 0 exact 1 raw 0 ulps 0 within 0
#random buffer X2 i8 id 2 fill moderate limit 8 count 15 aligned 1 written 0 exact 1 raw 0 ulps 0 within 0
#random buffer X3 fp8e4nv id 3 fill wild limit 8 count 16 aligned 0 written 0 exact 1 raw 0 ulps 0 within 0
#random buffer X4 i32 id 4 fill small limit 8 count 184 aligned 1 written 0 exact 1 raw 0 ulps 0 within 0
#random buffer O5 u64 id 5 fill poison limit 0 count 190 aligned 1 written 1 exact 1 raw 1 ulps 0 within 0
#random buffer O6 i8 id 6 fill poison limit 0 count 2 aligned 0 written 1 exact 1 raw 1 ulps 0 within 0
#random buffer O7 fp8e4nv id 7 fill poison limit 0 count 16 aligned 1 written 1 exact 1 raw 1 ulps 0 within 0
#random buffer O8 fp32 id 8 fill poison limit 0 count 64 aligned 0 written 1 exact 1 raw 0 ulps 0 within 0
#random scalar n0 15 constant 0
#random scalar n1 3 constant 0
#random scalar n2 18 constant 0
#random scalar n3 8 constant 0
#random scalar n4 2 constant 0
#random scalar C5 19 constant 1
#random scalar C6 16 constant 1
#random scalar C7 0 constant 1
#random scalar n8 187 constant 0
#random scalar n9 12 constant 0
#random scalar n10 193 constant 0
#random scalar n11 63 constant 0
#random scalar n12 19 constant 0
#random scalar n13 16 constant 0
#random scalar n14 1 constant 0
#random scalar n15 67 constant 0
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def random_kernel(X0, X1, X2, X3, X4, O5, O6, O7, O8, n0, n1, n2, n3, n4, C5: tl.constexpr, C6: tl.constexpr, C7: tl.constexpr, n8, n9, n10, n11, n12, n13, n14, n15):
    pid = tl.program_id(0)
    v0 = tl.load(X1 + pid * 64 + tl.arange(0, 16)[:, None] * 4 + tl.arange(0, 4)[None, :])
    v1 = tl.load(X0 + v0, mask=(tl.arange(0, 16)[:, None] < n0) & (tl.arange(0, 4)[None, :] < n1), other=1.0)
    v2 = v1.to(tl.uint64)
    v3 = tl.load(X2 + pid * n2 + 6 + tl.arange(0, 2)[:, None] * n3 - tl.arange(0, 4)[None, :] * n4)
    v4 = tl.topk(v3, 1)
    v5 = tl.load(X3 + pid * C5 + 15 - tl.arange(0, 16)[:, None] + tl.arange(0, 1)[None, :] * C6, mask=(tl.arange(0, 16)[:, None] < C6) & (tl.arange(0, 1)[None, :] < C7)).to(tl.float8e4nv, bitcast=True)
    v6 = tl.load(X4 + pid.to(tl.int64) * n8 + 3 - tl.arange(0, 4)[:, None] + tl.arange(0, 16)[None, :] * n9)
    v7 = libdevice.int_as_float(v6)
    tl.static_assert(v2.dtype == tl.uint64)
    tl.store(O5 + pid.to(tl.int64) * n10 + 9 + tl.arange(0, 16)[:, None] * n9 - tl.arange(0, 4)[None, :] * n1, v2, mask=(pid.to(tl.int64) * 64 + tl.arange(0, 16)[:, None] * 4 + tl.arange(0, 4)[None, :]) < n11)
    tl.static_assert(v4.dtype == tl.int8)
    tl.store(O6 + pid * 5 + tl.arange(0, 2)[:, None] + tl.arange(0, 1)[None, :], v4)
    tl.static_assert(v5.dtype == tl.float8e4nv)
    tl.store(tl.make_block_ptr(O7 + pid * n12, [n13, n14], [n14, n14], [0, 0], [16, 1], [1, 0]), v5.to(tl.uint8, bitcast=True))
    tl.static_assert(v7.dtype == tl.float32)
    tl.store(O8 + pid.to(tl.int64) * n15 + tl.arange(0, 4)[:, None] * n13 + tl.arange(0, 16)[None, :], v7)
