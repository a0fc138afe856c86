# Every way to reach libdevice: its modules and their aliases, types that choose the function, broadcasting, symbols by hand.
# RUN: %tilewise emit --stage=tile %s:k --signature "*fp32, *fp64, *i32, fp32" | FileCheck %s
import triton
import triton.language as tl
import triton.language.extra.cuda.libdevice as cuda_libdevice
from triton.language import core
from triton.language.extra import libdevice
from triton.language.extra.cuda import libdevice as ld
from triton.language.extra.libdevice import fast_dividef as divide
from triton.language.math import tanh

ERFCX = tl.constexpr({
    (core.dtype("fp32"), ): ("__nv_erfcxf", core.dtype("fp32")),
    (core.dtype("fp64"), ): ("__nv_erfcx", core.dtype("fp64")),
})


@triton.jit
def k(p, q, r, scalar):
    at = tl.arange(0, 32)
    x = tl.load(p + at)
    d = tl.load(q + at)
    n = tl.load(r + at)
    # CHECK: tile.extern_call "asinf"(%{{.*}}) : (tensor<32xf32>) -> tensor<32xf32>
    y = libdevice.asin(x)
    # CHECK: tile.extern_call "asin"(%{{.*}}) : (tensor<32xf64>) -> tensor<32xf64>
    z = tl.extra.libdevice.asin(d)
    # CHECK: tile.extern_call "atanf"
    y += tl.extra.cuda.libdevice.atan(x)
    # CHECK: tile.extern_call "acosf"
    y += cuda_libdevice.acos(x)
    # CHECK: tile.extern_call "sinhf"
    y += ld.sinh(x)
    # CHECK: tile.extern_call "fast_fdividef"(%{{.*}}, %{{.*}}) : (tensor<32xf32>, tensor<32xf32>) -> tensor<32xf32>
    y += divide(x, scalar)
    # CHECK: tile.extern_call "tanhf"
    y += tanh(x)
    # CHECK: tile.extern_call "expm1f"
    y += tl.math.expm1(x)
    # CHECK: tile.extern_call "cbrtf"
    y += tl.libdevice.cbrt(x)
    # `tl.math.exp` is the language's own.
    # CHECK: math.exp
    y += tl.math.exp(x)
    # Of two operands it is not the reduction.
    # CHECK: tile.extern_call "fmaxf"
    y += tl.math.max(x, y)
    # An int exponent has a function of its own; a Python int is an int32.
    # CHECK: tile.extern_call "powif"(%{{.*}}, %{{.*}}) : (tensor<32xf32>, tensor<32xi32>) -> tensor<32xf32>
    y += libdevice.pow(x, 3)
    # CHECK: tile.extern_call "powf"
    y += libdevice.pow(x, 0.5)
    # Types that no function takes as they are meet in one, as those of `+` do.
    # CHECK: %[[WIDE:.*]] = arith.extf %{{.*}} : tensor<32xf32> to tensor<32xf64>
    # CHECK: tile.extern_call "atan2"(%{{.*}}, %[[WIDE]]) : (tensor<32xf64>, tensor<32xf64>) -> tensor<32xf64>
    z += libdevice.atan2(d, x)
    # Signedness chooses too.
    # CHECK: tile.extern_call "mulhi"
    n += libdevice.mulhi(n, 7)
    # CHECK: tile.extern_call "umulhi"
    u = libdevice.mulhi(n.to(tl.uint32), n.to(tl.uint32))
    # CHECK: tile.extern_call "isnanf"(%{{.*}}) : (tensor<32xf32>) -> tensor<32xi1>
    y = tl.where(libdevice.isnan(x), 0.0, y)
    # Scalars stay scalars.
    # CHECK: tile.extern_call "log1pf"(%{{.*}}) : (f32) -> f32
    y += libdevice.log1p(scalar)
    # CHECK: tile.extern_call "fdiv_rn"
    y += tl.div_rn(x, scalar)
    # CHECK: tile.extern_call "fsqrt_rn"
    y += tl.sqrt_rn(x)
    # CHECK: tile.extern_call "fdiv_rn"
    y += tl.fdiv(x, y, ieee_rounding=True)
    # CHECK: arith.divf
    y += tl.fdiv(x, y)
    # CHECK: tile.extern_call "erfcxf"
    y += core.extern_elementwise("", "", [x], ERFCX, is_pure=True)
    tl.store(p + at, y)
    tl.store(q + at, z)
    tl.store(r + at, n + u.to(tl.int32))
