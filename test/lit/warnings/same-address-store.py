# The workshop's buggy add: the program id is forgotten in the offsets.
# RUN: %tilewise emit --stage=opt %s:k --signature "*fp32, *fp32, *fp32, i32, 4" 2>&1 >%t | FileCheck %s
# RUN: %tilewise emit --stage=opt -Wno-same-address-store %s:k --signature "*fp32, *fp32, *fp32, i32, 4" 2>&1 >%t | count 0
import triton
import triton.language as tl

@triton.jit
def k(x_ptr, y_ptr, out_ptr, n_elements, BLOCK_SIZE: tl.constexpr):
    pid = tl.program_id(axis=0)
    offsets = tl.arange(0, BLOCK_SIZE)
    mask = offsets < n_elements
    x = tl.load(x_ptr + offsets, mask=mask, other=0.0)
    y = tl.load(y_ptr + offsets, mask=mask, other=0.0)
    tl.store(out_ptr + offsets, x + y, mask=mask)
# CHECK: same-address-store.py:[[#@LINE-1]]:5: warning: every program stores to the same addresses: they do not depend on the program id [-Wsame-address-store]
# CHECK-NEXT: tl.store(out_ptr + offsets, x + y, mask=mask)
# CHECK-NEXT: | ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~{{$}}
# CHECK: note: the program id is read here; add tl.program_id(0) * BLOCK to the offsets, or let one program store: {{.*}}same-address-store.py:9:11
# CHECK-NOT: : warning:
