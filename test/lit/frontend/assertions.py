# RUN: %tilewise emit --stage=opt %s:k --signature "*i32, i32" --debug --target=reference | FileCheck %s --check-prefix=KEPT
# RUN: %tilewise emit --stage=opt %s:k --signature "*i32, i32" --debug --target=cpu | FileCheck %s --check-prefix=KEPT
# RUN: %tilewise emit --stage=opt %s:k --signature "*i32, i32" --debug --target=cuda:90 2>&1 | FileCheck %s --check-prefix=DROPPED
import triton
import triton.language as tl

# The engines of every machine check assertions; the other leaves them out, and what only they needed goes with them.
# KEPT-COUNT-3: tile.assert
@triton.jit
def k(p, n):
    assert n > 0, "some"
# DROPPED: assertions.py:[[#@LINE-1]]:5: warning: the nvidia engine leaves assertions out; the reference engine checks them
    tl.store(p, n * 2 + 1)
# DROPPED-NOT: warning
# DROPPED: module {
# DROPPED-NOT: tile.assert
# DROPPED-NOT: i64
