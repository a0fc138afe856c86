# RUN: not %tilewise emit --stage=tile %s:k --signature "*f32:16, i32" 2>&1 | FileCheck %s --check-prefix=F32
# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32, int" 2>&1 | FileCheck %s --check-prefix=INT
# RUN: not %tilewise emit --stage=tile %s:k --signature "*quux, i32" 2>&1 | FileCheck %s --check-prefix=QUUX
# F32: unknown type '*f32:16' in the signature; did you mean '*fp32:16'?
# INT: unknown type 'int' in the signature; did you mean 'i32'?
# QUUX: unknown type '*quux' in the signature, expected a form like '*fp32', '*ki8:16' or 'i32'
import triton
import triton.language as tl

@triton.jit
def k(p, n):
    tl.store(p, n)
