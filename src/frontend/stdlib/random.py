# Random numbers that need no state, in the language itself.

# Philox with four 32-bit words: every call is a fresh, independent draw named by its key and counter.
@triton.jit
def philox_impl(c0, c1, c2, c3, k0, k1, n_rounds: tl.constexpr = 10):
    for _ in tl.static_range(n_rounds):
        first, third = c0, c2
        c0 = tl.umulhi(0xCD9E8D57, third) ^ c1 ^ k0
        c2 = tl.umulhi(0xD2511F53, first) ^ c3 ^ k1
        c1 = third * 0xCD9E8D57
        c3 = first * 0xD2511F53
        k0 = k0 + 0x9E3779B9
        k1 = k1 + 0xBB67AE85
    return c0, c1, c2, c3


@triton.jit
def philox(seed, c0, c1, c2, c3, n_rounds: tl.constexpr = 10):
    key = tl.to_tensor(seed).to(tl.uint64)
    low = (key & 0xFFFFFFFF).to(tl.uint32)
    high = (key >> 32).to(tl.uint32)
    return philox_impl(
        tl.to_tensor(c0).to(tl.uint32), tl.to_tensor(c1).to(tl.uint32), tl.to_tensor(c2).to(tl.uint32), tl.to_tensor(c3).to(tl.uint32),
        low, high, n_rounds,
    )


# The offset is the counter: its low word, and its high word where it has one.
@triton.jit
def randint4x(seed, offset, n_rounds: tl.constexpr = 10):
    at = tl.to_tensor(offset)
    zero = tl.zeros_like(at.to(tl.uint32))
    if at.dtype.primitive_bitwidth == 64:
        return philox(seed, at, at.to(tl.uint64) >> 32, zero, zero, n_rounds)
    return philox(seed, at, zero, zero, zero, n_rounds)


@triton.jit
def randint(seed, offset, n_rounds: tl.constexpr = 10):
    first, second, third, fourth = randint4x(seed, offset, n_rounds)
    return first


# 31 random bits over [0, 1); the factor is a little below 2^-31, so that 1 is never reached.
@triton.jit
def uint_to_uniform_float(x):
    signed = x.to(tl.int32, bitcast=True)
    return tl.where(signed < 0, ~signed, signed) * 4.6566127342e-10


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
