# Seed 310241 on cpu: a crash
#   signal Segmentation fault
# Run it again: tilewise-random --engine cpu --run ./random-310241.py
#random seed 310241 grid 1 1 fusion 1 checked 0 machine host
#random buffer X0 i32 id 0 fill moderate limit 8 count 1024 aligned 0 written 0 exact 1 raw 0 ulps 0 within 0
#random buffer X1 fp64 id 1 fill wild limit 8 count 515 aligned 1 written 0 exact 1 raw 0 ulps 0 within 0
#random buffer X2 i32 id 2 fill index limit 515 count 1024 aligned 1 written 0 exact 1 raw 0 ulps 0 within 0
#random buffer X3 u32 id 3 fill wild limit 8 count 1 aligned 0 written 0 exact 1 raw 0 ulps 0 within 0
#random buffer O4 i32 id 4 fill poison limit 0 count 64 aligned 0 written 1 exact 1 raw 1 ulps 0 within 0
#random buffer O5 fp64 id 5 fill poison limit 0 count 1024 aligned 1 written 1 exact 0 raw 0 ulps 6 within 0
#random buffer O6 u64 id 6 fill poison limit 0 count 1024 aligned 0 written 1 exact 1 raw 1 ulps 0 within 0
#random buffer O7 fp32 id 7 fill poison limit 0 count 1024 aligned 1 written 1 exact 1 raw 0 ulps 0 within 0
#random buffer O8 u32 id 8 fill poison limit 0 count 1 aligned 1 written 1 exact 1 raw 1 ulps 0 within 0
#random scalar n0 1027 constant 0
#random scalar n1 15 constant 0
#random scalar n2 64 constant 0
#random scalar n3 63 constant 0
#random scalar n4 1 constant 0
#random scalar n5 4 constant 0
#random scalar n6 0 constant 0
#random scalar n7 1023 constant 0
#random scalar C8 4 constant 1
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def random_kernel(X0, X1, X2, X3, O4, O5, O6, O7, O8, n0, n1, n2, n3, n4, n5, n6, n7, C8: tl.constexpr):
    pid = tl.program_id(0)
    v0 = tl.load(tl.make_block_ptr(X0 + pid * n0, [n1, n3], [n2, n4], [0, 0], [16, 64], [1, 0]), boundary_check=(0, 1, ), padding_option="zero")
    v1 = tl.argmax(v0, 0)
    v2 = tl.load(X2 + pid * 1024 + tl.arange(0, 16)[:, None] * 64 + tl.arange(0, 64)[None, :])
    v3 = tl.load(X1 + v2, mask=(tl.arange(0, 16)[:, None] < 8) & (tl.arange(0, 64)[None, :] < 63), other=2.0)
    v4 = libdevice.log(v3)
    v5 = v0.to(tl.uint64)
    v6 = libdevice.ull2float_rn(v5)
    v7 = tl.load(X3 + pid.to(tl.int64) * n5, mask=(pid.to(tl.int64) * 1) < n6, other=1)
    v8 = -v7
    tl.static_assert(v1.dtype == tl.int32)
    tl.store(O4 + pid * 67 + tl.arange(0, 64), v1)
    tl.static_assert(v4.dtype == tl.float64)
    tl.store(O5 + pid * 1027 + tl.arange(0, 16)[:, None] * 64 + tl.arange(0, 64)[None, :], v4)
    tl.static_assert(v5.dtype == tl.uint64)
    tl.store(O6 + pid.to(tl.int64) * n0 + tl.arange(0, 16)[:, None] * n2 + tl.arange(0, 64)[None, :], v5)
    tl.static_assert(v6.dtype == tl.float32)
    tl.store(O7 + pid * n0 + tl.arange(0, 16)[:, None] * n2 + tl.arange(0, 64)[None, :], v6, mask=(pid * 1024 + tl.arange(0, 16)[:, None] * 64 + tl.arange(0, 64)[None, :]) < n7)
    tl.static_assert(v8.dtype == tl.uint32)
    tl.store(O8 + pid.to(tl.int64) * C8, v8)
