# Dots of numbers below 8 bits with scales that groups along K share, in the language itself.
#
# Operands become bf16, which holds every product of such a number and a power of two exactly while it is in the normal range (and so does
# the fp8 scale of a 4-bit number); fp16 operands become fp32. The products are then those of tl.dot: exact, added in fp32.

# Two 4-bit numbers (sign, 2 bits of exponent, 1 of mantissa) per byte, the lower half first, side by side along the axis.
@triton.jit
def _unpack_fp4(x, axis: tl.constexpr):
    rank: tl.constexpr = len(x.shape)
    both = tl.join(x & 15, x >> 4)
    at: tl.constexpr = axis + rank + 1
    both = tl.permute(both, [d for d in range(at)] + [rank] + [d for d in range(at, rank)])
    bits = tl.reshape(both, [2 * x.shape[d] if d == at - 1 else x.shape[d] for d in range(rank)])
    return _small_float(bits, 3, 9)


# A float of `bits` bits below its sign, whose fields are moved to where fp16 has them; what its exponent lacks in bias is made up for.
@triton.jit
def _small_float(x, bits: tl.constexpr, shift: tl.constexpr):
    wide = x.to(tl.uint16)
    sign = (wide >> bits) & 1
    moved = (wide & ((1 << bits) - 1)) << shift
    # e2m1 and e2m3 have a bias of 1, e3m2 one of 3; fp16 has 15.
    factor: tl.constexpr = 4096.0 if shift == 8 else 16384.0
    return ((sign << 15) | moved).to(tl.float16, bitcast=True) * factor


@triton.jit
def _scaled_operand(x, format: tl.constexpr, packed_axis: tl.constexpr):
    if format == "e2m1":
        tl.static_assert(x.dtype == tl.uint8, f"e2m1 format must be packed as uint8. Got {x.dtype}")
        return _unpack_fp4(x, packed_axis)
    if format == "e2m3" or format == "e3m2":
        tl.static_assert(x.dtype == tl.uint8, f"{format} takes one number per uint8, got {x.dtype}")
        return _small_float(x, 5, 7 if format == "e2m3" else 8)
    wanted: tl.constexpr = _format_type(format)
    if x.dtype == wanted:
        return x
    plain: tl.constexpr = tl.uint8 if wanted.primitive_bitwidth == 8 else tl.uint16
    tl.static_assert(x.dtype == plain, f"Unexpected dtype for {format}. Got {x.dtype}")
    return x.to(wanted, bitcast=True)


@triton.constexpr_function
def _format_type(format):
    if format == "e4m3":
        return tl.float8e4nv
    if format == "e5m2":
        return tl.float8e5
    return tl.bfloat16 if format == "bf16" else tl.float16


# 2^(x - 127); 255 is NaN. A scale may also be an fp8 number itself.
@triton.jit
def _scale_value(x):
    if x.dtype.is_fp8():
        return x.to(tl.bfloat16)
    tl.static_assert(x.dtype.is_int() and x.dtype.primitive_bitwidth == 8, f"a scale is uint8 (e8m0) or an fp8, got {x.dtype}")
    wide = x.to(tl.uint8, bitcast=True).to(tl.uint16)
    # 2^-127 is below the normal numbers.
    bits = tl.where(wide == 0, 0x40, tl.where(wide == 255, 0x7FC0, wide << 7))
    return bits.to(tl.uint16).to(tl.bfloat16, bitcast=True)


# Each scale repeated for its group: [.., R, K / G] -> [.., R, K].
@triton.jit
def _spread_scale(scale, rows: tl.constexpr, depth: tl.constexpr, group: tl.constexpr, what: tl.constexpr):
    rank: tl.constexpr = len(scale.shape)
    tl.static_assert(scale.shape[-2] == rows and scale.shape[-1] == depth // group,
                     f"{what} must be a tensor of shape [..., {rows}, {depth // group}]. Got {scale.shape}")
    spread = tl.broadcast_to(tl.expand_dims(_scale_value(scale), rank), scale.shape + [group])
    return tl.reshape(spread, scale.shape[:-1] + [depth])


@triton.constexpr_function
def _scale_group(depth, shape):
    return None if shape is None else depth // shape[-1]


@triton.jit
def _widest(x, wide: tl.constexpr):
    return x.to(tl.float32) if wide else x.to(tl.bfloat16)


@triton.jit
def dot_scaled(lhs, lhs_scale, lhs_format: tl.constexpr, rhs, rhs_scale, rhs_format: tl.constexpr, acc=None, fast_math=False,
               lhs_k_pack: tl.constexpr = True, rhs_k_pack: tl.constexpr = True, out_dtype: tl.constexpr = tl.float32):
    known: tl.constexpr = ["e2m1", "e2m3", "e3m2", "e4m3", "e5m2", "bf16", "fp16"]
    tl.static_assert(lhs_format in known, f"Invalid float format: {lhs_format}.")
    tl.static_assert(rhs_format in known, f"Invalid float format: {rhs_format}.")
    tl.static_assert(len(lhs.shape) == len(rhs.shape) and (len(lhs.shape) == 2 or len(lhs.shape) == 3),
                     f"Both inputs must be either 2D or 3D; (lhs: {lhs.shape} vs rhs: {rhs.shape})")
    tl.static_assert((lhs_k_pack or lhs_format == "e2m1") and (rhs_k_pack or rhs_format == "e2m1"),
                     "only mxfp4 inputs can be packed along a dimension different than K")
    a = _scaled_operand(lhs, lhs_format, -1 if lhs_k_pack else -2)
    b = _scaled_operand(rhs, rhs_format, -2 if rhs_k_pack else -1)
    depth: tl.constexpr = a.shape[-1]
    tl.static_assert(depth == b.shape[-2],
                     f"Reduction dimension should pack the same number of elements; (lhs: {lhs.shape} vs rhs: {rhs.shape})")
    lhs_group: tl.constexpr = _scale_group(depth, None if lhs_scale is None else lhs_scale.shape)
    rhs_group: tl.constexpr = _scale_group(depth, None if rhs_scale is None else rhs_scale.shape)
    tl.static_assert(lhs_group is None or rhs_group is None or lhs_group == rhs_group,
                     f"Operands must have the same scale factor; (lhs: {lhs_group} vs rhs: {rhs_group})")
    group: tl.constexpr = rhs_group if lhs_group is None else lhs_group
    tl.static_assert(group is None or group == 16 or group == 32, f"a scale is shared by 16 or 32 elements, got {group}")
    wide: tl.constexpr = lhs_format == "fp16" or rhs_format == "fp16"
    a = _widest(a, wide)
    b = _widest(b, wide)
    if lhs_scale is not None:
        a = a * _widest(_spread_scale(lhs_scale, a.shape[-2], depth, group, "lhs_scale"), wide)
    if rhs_scale is not None:
        b = b * _widest(tl.trans(_spread_scale(rhs_scale, b.shape[-1], depth, group, "rhs_scale")), wide)
    if acc is None:
        return tl.dot(a, b, input_precision="ieee").to(out_dtype)
    tl.static_assert(acc.dtype == out_dtype,
                     f"expected accumulator dtype {out_dtype}, got {acc.dtype}; pass out_dtype={acc.dtype} to use this accumulator dtype")
    return tl.dot(a, b, acc.to(tl.float32), input_precision="ieee").to(out_dtype)
