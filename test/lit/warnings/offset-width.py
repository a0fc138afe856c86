# A row's number times its stride overflows 32 bits in large tensors; with 64 bits, or without the warning asked for, nothing is said.
# RUN: %tilewise emit --stage=opt -Woffset-width %s:narrow --signature "*fp32, *fp32, i32, 64" 2>&1 >%t | FileCheck %s
# RUN: %tilewise emit --stage=opt -Woffset-width %s:wide --signature "*fp32, *fp32, i32, 64" 2>&1 >%t | count 0
# RUN: %tilewise emit --stage=opt %s:narrow --signature "*fp32, *fp32, i32, 64" 2>&1 >%t | count 0
import triton
import triton.language as tl


@triton.jit
def narrow(x_ptr, y_ptr, stride, BLOCK: tl.constexpr):
    at = tl.program_id(0) * stride + tl.arange(0, BLOCK)
    tl.store(y_ptr + at, tl.load(x_ptr + at, mask=at < stride), mask=at < stride)
# CHECK: offset-width.py:[[#@LINE-2]]:10: warning: this product has 32 bits and reaches an address: it overflows in tensors of more than 2^31 elements [-Woffset-width]
# CHECK: note: make one factor 64 bits wide, as in tl.program_id(0).to(tl.int64)
# CHECK-NOT: : warning:


@triton.jit
def wide(x_ptr, y_ptr, stride, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * stride + tl.arange(0, BLOCK)
    tl.store(y_ptr + at, tl.load(x_ptr + at, mask=at < stride), mask=at < stride)
