# Each mistake is told once, in one run; what follows from one says nothing.
# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32, i32" > %t 2>&1
# RUN: FileCheck %s < %t
# RUN: grep -c "error:" %t | FileCheck %s --check-prefix=COUNT
# COUNT: 6
import triton
import triton.language as tl

@triton.jit
def helper(x):
    return x + undefined_global

@triton.jit
def k(p, n):
    a = tl.load(p, msk=None)
# CHECK: several-errors.py:[[#@LINE-1]]:24: error: tl.load has no parameter 'msk'; did you mean 'mask'?
    b = a + 1
    if n > 3:
        c = missing + 1
# CHECK: several-errors.py:[[#@LINE-1]]:13: error: 'missing' is not defined
        d = missing + 2
    else:
        c = b
    for i in range(n):
        e = tl.arange(0, n)
# CHECK: several-errors.py:[[#@LINE-1]]:26: error: tl.arange's arguments must be of type tl.constexpr: compile-time ints, got a runtime int32
        f = e + c
    g = helper(n)
    h = helper(n)
# CHECK: several-errors.py:11:16: error: 'undefined_global' is not defined
# CHECK: note: 'helper' was called from here: {{.*}}several-errors.py:[[#@LINE-3]]:9
    e = n + "text"
# CHECK: several-errors.py:[[#@LINE-1]]:13: error: operator '+' cannot take int32 and str
    tl.store(p, g + h + e)
    break
# CHECK: several-errors.py:[[#@LINE-1]]:5: error: 'break' is not part of the kernel language; write a while loop with the condition in its test
