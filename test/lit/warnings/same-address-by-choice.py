# One program stores, or all store one number, or memory says where: no warning.
# RUN: %tilewise emit --stage=opt %s:k --signature "*fp32, *i32, *i32" 2>&1 >%t | count 0
import triton
import triton.language as tl

@triton.jit
def k(p, ready, where):
    pid = tl.program_id(0)
    x = tl.load(p + pid)
    tl.store(ready, 1)
    if pid == 0:
        tl.store(p, x)
    tl.store(p, x, mask=pid == 1)
    last = tl.atomic_add(where, 1)
    tl.store(p + last, x)
