# RUN: %tilewise emit --stage=opt %s:k --signature "*i32, i32" --debug --target=reference | FileCheck %s
# RUN: %tilewise emit --stage=opt %s:k --signature "*i32, i32" --debug --target=cpu | FileCheck %s
# RUN: %tilewise emit --stage=opt %s:k --signature "*i32, i32" --debug --target=cuda:90 | FileCheck %s
import triton
import triton.language as tl

# Every engine checks assertions.
# CHECK-COUNT-3: tile.assert
@triton.jit
def k(p, n):
    assert n > 0, "some"
    tl.store(p, n * 2 + 1)
