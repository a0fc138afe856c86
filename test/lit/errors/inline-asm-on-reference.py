# RUN: not %tilewise run %s:k --device=reference --grid=1 out:%t.npy:i32[16] 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p):
    o = tl.arange(0, 16)
    x = tl.inline_asm_elementwise("mov.u32 $0, %smid;", "=r,r", [o], dtype=tl.int32, is_pure=True, pack=1)
# CHECK: inline-asm-on-reference.py:[[#@LINE-1]]:9: {{.*}}the reference engine cannot run this inline assembly
    tl.store(p + o, x)
