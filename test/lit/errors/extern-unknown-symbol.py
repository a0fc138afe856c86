# RUN: not %tilewise emit --stage=tile %s:k --signature "*fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

TABLE = tl.constexpr({(tl.float32, ): ("my_function", tl.float32)})

@triton.jit
def k(p):
    x = tl.extern_elementwise("mine", "mine.bc", [tl.load(p)], TABLE, True)
# CHECK: extern-unknown-symbol.py:[[#@LINE-1]]:9: error: tl.extern_elementwise knows the symbols of libdevice, as '__nv_asinf', got 'my_function'
