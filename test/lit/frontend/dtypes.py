# What dtypes tell of themselves while a kernel is compiled.
# RUN: %tilewise emit --stage=tile %s:k --signature "*fp16, *ki32, 32" | FileCheck %s
# CHECK: func.func @k
import triton
import triton.language as tl


@triton.jit
def k(p, q, N: tl.constexpr):
    x = tl.load(p + tl.arange(0, N))
    T: tl.constexpr = p.dtype.element_ty
    tl.static_assert(T == tl.float16)
    tl.static_assert(x.dtype == T and x.type.scalar == T)
    tl.static_assert(x.type.is_block() and x.type.numel == N and x.type.get_block_shapes() == (N, ))
    tl.static_assert(p.dtype.is_ptr() and not p.dtype.is_const() and q.dtype.is_const())
    tl.static_assert(isinstance(p.dtype, tl.pointer_type) and isinstance(T, tl.dtype))
    tl.static_assert(isinstance(x.type, tl.block_type) and not isinstance(T, tl.block_type))
    tl.static_assert(T.primitive_bitwidth == 16 and tl.float32.itemsize == 4 and tl.int64.int_bitwidth == 64)
    tl.static_assert(T.fp_mantissa_width == 10 and T.exponent_bias == 15)
    tl.static_assert(tl.float8e4b15.exponent_bias == 15 and tl.float8e5b16.exponent_bias == 16)
    tl.static_assert(tl.float8e4nv.is_fp8e4nv() and tl.float8e4b8.is_fp8() and not tl.float8e5.is_standard_floating())
    tl.static_assert(tl.int8.get_int_max_value() == 127 and tl.int8.get_int_min_value() == -128)
    tl.static_assert(tl.uint64.get_int_max_value() == 2**64 - 1 and tl.uint64.get_int_min_value() == 0)
    tl.static_assert(tl.int1.is_bool() and tl.int1.is_int_unsigned() and not tl.int1.is_int_signed())
    tl.static_assert(tl.int1.kind() < tl.uint8.kind() and tl.int64.kind() < tl.float16.kind())
    tl.static_assert(tl.dtype("bf16") == tl.bfloat16 and tl.bfloat16.codegen_name() == "bfloat16")
    tl.static_assert(tl.str_to_ty("*kfp32", None) == tl.pointer_type(tl.float32, const=True))
    tl.static_assert(tl.pointer_type(tl.int8).element_ty == tl.int8)
    tl.static_assert(tl.block_type(tl.int32, [4, 8]).shape == (4, 8))
    tl.static_assert(str(tl.float16) == "fp16" and tl.float16.name == "fp16")
    tl.static_assert(x.type.with_element_ty(tl.int8) == tl.block_type(tl.int8, [N]))
    # CHECK: arith.extf %{{.*}} : tensor<32xf16> to tensor<32xf32>
    y = x.to(tl.block_type(tl.float32, [N]))
    tl.store(p + tl.arange(0, N), y.cast(T))
