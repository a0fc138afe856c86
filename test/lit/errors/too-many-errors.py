# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" > %t 2>&1
# RUN: grep -c "error:" %t | FileCheck %s
# CHECK: 20
# RUN: FileCheck %s --check-prefix=STOP < %t
# STOP: note: stopping after 20 errors
import triton
import triton.language as tl

@triton.jit
def k(p):
    a01; a02; a03; a04; a05; a06; a07; a08; a09; a10; a11; a12; a13; a14; a15
    a16; a17; a18; a19; a20; a21; a22; a23; a24; a25; a26; a27; a28; a29; a30
