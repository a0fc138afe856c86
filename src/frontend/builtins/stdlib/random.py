# Random numbers that need no state, in the language itself.

# Philox with four words of 32 or 64 bits: every call is a fresh, independent draw named by its key and counter.
@triton.constexpr_function
def _philox_constants(wide):
    if wide:
        return 0xD2E7470EE14C6C93, 0xCA5A826395121157, 0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B
    return 0xD2511F53, 0xCD9E8D57, 0x9E3779B9, 0xBB67AE85


@triton.jit
def philox_impl(c0, c1, c2, c3, k0, k1, n_rounds: tl.constexpr = 10):
    tl.static_assert(c0.dtype == tl.uint32 or c0.dtype == tl.uint64, "dtype not supported in philox_impl")
    constants: tl.constexpr = _philox_constants(c0.dtype == tl.uint64)
    for _ in tl.static_range(n_rounds):
        first, third = c0, c2
        c0 = tl.umulhi(constants[1], third) ^ c1 ^ k0
        c2 = tl.umulhi(constants[0], first) ^ c3 ^ k1
        c1 = tl.mul(third, constants[1], sanitize_overflow=False)
        c3 = tl.mul(first, constants[0], sanitize_overflow=False)
        k0 = tl.add(k0, constants[2], sanitize_overflow=False)
        k1 = tl.add(k1, constants[3], sanitize_overflow=False)
    return c0, c1, c2, c3


# Words of 32 bits take both halves of the seed as their key; words of 64 bits take all of it, and a zero.
@triton.jit
def philox(seed, c0, c1, c2, c3, n_rounds: tl.constexpr = 10):
    given = tl.to_tensor(seed)
    tl.static_assert(given.dtype.is_int(), f"a seed is an int, got {given.dtype}")
    key = given.to(tl.uint64)
    counter = tl.to_tensor(c0), tl.to_tensor(c1), tl.to_tensor(c2), tl.to_tensor(c3)
    bits: tl.constexpr = counter[0].dtype.primitive_bitwidth
    tl.static_assert(bits == 32 or bits == 64, "bitwidth not supported in philox")
    if bits == 64:
        return philox_impl(counter[0].to(tl.uint64), counter[1].to(tl.uint64), counter[2].to(tl.uint64), counter[3].to(tl.uint64),
                           key, tl.zeros_like(key), n_rounds)
    return philox_impl(counter[0].to(tl.uint32), counter[1].to(tl.uint32), counter[2].to(tl.uint32), counter[3].to(tl.uint32),
                       (key & 0xFFFFFFFF).to(tl.uint32), (key >> 32).to(tl.uint32), n_rounds)


# The offset is the counter: its low word, and its high word where it has one.
@triton.jit
def randint4x(seed, offset, n_rounds: tl.constexpr = 10):
    at = tl.to_tensor(offset)
    low = at.to(tl.uint32)
    zero = tl.zeros_like(low)
    if at.dtype.primitive_bitwidth > 32:
        return philox(seed, low, (at >> 32).to(tl.uint32), zero, zero, n_rounds)
    return philox(seed, low, zero, zero, zero, n_rounds)


@triton.jit
def randint(seed, offset, n_rounds: tl.constexpr = 10):
    first, second, third, fourth = randint4x(seed, offset, n_rounds)
    return first


# All random bits but the sign over [0, 1); the factor is a little below 2^-31 or 2^-63, so that 1 is never reached.
@triton.jit
def uint_to_uniform_float(x):
    if x.dtype == tl.uint32 or x.dtype == tl.int32:
        signed = x.to(tl.int32, bitcast=True)
        return tl.where(signed < 0, ~signed, signed) * 4.6566127342e-10
    tl.static_assert(x.dtype == tl.uint64 or x.dtype == tl.int64, f"random ints have 32 or 64 bits, got {x.dtype}")
    wide = x.to(tl.int64, bitcast=True)
    return tl.where(wide < 0, ~wide, wide) * 1.0842020432385337e-19


@triton.jit
def rand(seed, offset, n_rounds: tl.constexpr = 10):
    return uint_to_uniform_float(randint(seed, offset, n_rounds))


@triton.jit
def rand4x(seed, offset, n_rounds: tl.constexpr = 10):
    a, b, c, d = randint4x(seed, offset, n_rounds)
    return uint_to_uniform_float(a), uint_to_uniform_float(b), uint_to_uniform_float(c), uint_to_uniform_float(d)


# Box and Muller: a uniform pair as the angle and length of a normal pair.
@triton.jit
def pair_uniform_to_normal(u1, u2):
    radius = tl.sqrt(-2.0 * tl.log(tl.maximum(1.0e-7, u1)))
    angle = 6.283185307179586 * u2
    return radius * tl.cos(angle), radius * tl.sin(angle)


@triton.jit
def randn(seed, offset, n_rounds: tl.constexpr = 10):
    a, b, c, d = rand4x(seed, offset, n_rounds)
    first, second = pair_uniform_to_normal(a, b)
    return first


@triton.jit
def randn4x(seed, offset, n_rounds: tl.constexpr = 10):
    a, b, c, d = rand4x(seed, offset, n_rounds)
    first, second = pair_uniform_to_normal(a, b)
    third, fourth = pair_uniform_to_normal(c, d)
    return first, second, third, fourth
