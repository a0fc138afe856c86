# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    x = tl.arange(0, 16).to(tl.int8)
    y = tl.inline_asm_elementwise("shl.b32 $0, $1, 3;", "=r,r,r", [x], dtype=tl.int8, is_pure=True, pack=4)
# CHECK: inline-asm-registers.py:[[#@LINE-1]]:9: error: tl.inline_asm_elementwise: the args take 1 registers, the constraints name 2
