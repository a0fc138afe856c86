# RUN: not %tilewise emit --stage=tile %s:k --signature "*i8, *fp32" 2>&1 | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(desc_ptr, p):
    x = tl._experimental_descriptor_load(desc_ptr, [0, 0], [16, 16], tl.float32)
# CHECK: descriptor-of-old-release.py:[[#@LINE-1]]:12: error: tl._experimental_descriptor_load is gone from the language, and a descriptor of the host cannot be read through a plain pointer; write d = tl.make_tensor_descriptor(base, shape, strides, block_shape) and d.load(offsets) or d.store(offsets, value), or pass a TensorDescriptor
