# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32, 16" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit(do_not_specialize=["N"])
def k(p, N: tl.constexpr):
# CHECK: constexpr-not-specialized.py:[[#@LINE-1]]:10: error: N marked as constexpr and listed in do_not_specialize/do_not_specialize_on_alignment; remove one of the two
    tl.store(p, 1.0)
