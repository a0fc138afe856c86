# What an engine cannot run is the kernel's or the launch's error, at the user's line: exit code 1, never 70.
# RUN: sh -c '%tilewise emit --stage=ptx %s:k --signature "*fp32"; echo exit $?' 2>&1 | FileCheck %s
# RUN: sh -c '%tilewise emit --stage=ptx --num-warps=64 %s:simple --signature "*fp32"; echo exit $?' 2>&1 | FileCheck %s --check-prefix=WARPS
# RUN: sh -c '%tilewise emit --stage=ptx --num-warps=3 %s:simple --signature "*fp32"; echo exit $?' 2>&1 | FileCheck %s --check-prefix=THREE
# THREE: kernel 'simple': num_warps must be a power of 2, got 3
import triton
import triton.language as tl

@triton.jit
def assembled(x):
    return tl.inline_asm_elementwise("mov.f32 $0, $1;", "=q,f", [x], dtype=tl.float32, is_pure=True, pack=1)
# CHECK-NOT: internal error
# CHECK: refusals.py:[[#@LINE-2]]:12: error: inline assembly: constraint '=q' is not known; PTX has b, h, r, l, f, d, with = for results
# CHECK: note: called from here: {{.*}}refusals.py:19:22

@triton.jit
def k(p):
    at = tl.arange(0, 16)
    tl.store(p + at, assembled(tl.load(p + at)))
# CHECK: exit 1

@triton.jit
def simple(p):
# WARPS: refusals.py:[[#@LINE-1]]:5: error: num_warps must be a power of two up to 32, got 64
# WARPS: exit 1
    tl.store(p, 1.0)
