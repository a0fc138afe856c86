# RUN: not %tilewise emit --stage=tile %s:k --signature "i32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(n):
    return n
# CHECK: kernel-returns-value.py:[[#@LINE-1]]:5: error: the kernel 'k' returns a value; a kernel gives its results through tl.store
