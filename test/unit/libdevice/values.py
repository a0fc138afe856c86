# Writes Values.inc: for every function of libdevice some operands and the value it must give, computed by mpmath and by exact fractions.
#
#     python3 values.py > Values.inc
#
# A row is V(symbol, "operands", "value", bound): operands and exact values as hexadecimal floats or ints; the bound is in units of the result's last
# place, 0 meaning the very bits.
import math
import struct
import sys
from fractions import Fraction

import mpmath as mp

mp.mp.prec = 240
rows = []


def f32(x):
    return struct.unpack("f", struct.pack("f", x))[0]


def hexed(x):
    if isinstance(x, int):
        return str(x)
    if math.isnan(x):
        return "nan"
    return x.hex() if math.isfinite(x) else ("inf" if x > 0 else "-inf")


def row(symbol, operands, value, bound):
    text = value if isinstance(value, str) else hexed(value)
    rows.append(f'V({symbol}, "{" ".join(hexed(x) for x in operands)}", "{text}", {bound})')


def approximate(symbol, operands, function, bound):
    value = function(*[mp.mpf(x) if isinstance(x, float) else x for x in operands])
    row(symbol, operands, mp.nstr(value, 30, min_fixed=0, max_fixed=0), bound)


def floats(name, points, function, specials=(), bounds=(0.502, 0.502), symbols=None):
    for symbol, single, bound in zip(symbols or (name + "f", name), (True, False), bounds):
        for point in points:
            point = point if isinstance(point, tuple) else (point,)
            operands = [f32(x) if single and isinstance(x, float) else x for x in point]
            approximate(symbol, operands, function, bound)
        for operands, value in specials:
            row(symbol, operands if isinstance(operands, tuple) else (operands,), value, 0)


inf, nan = math.inf, math.nan
wide = [0.1, 0.5, -0.75, 1.0, 2.5, -3.7, 10.3, 87.1]
floats("sin", wide + [1e5, 1e22], mp.sin, [(0.0, 0.0), (-0.0, -0.0), (inf, nan), (nan, nan)])
floats("cos", wide + [1e5, 1e22], mp.cos, [(0.0, 1.0), (inf, nan)])
floats("tan", wide + [1.5707], mp.tan, [(-0.0, -0.0), (inf, nan)])
floats("sinpi", [0.1, 0.25, 0.5, 1.3, -2.75, 1001.375], lambda x: mp.sin(mp.pi * x), [(1.0, 0.0), (-3.0, -0.0), (-0.0, -0.0), (inf, nan)])
floats("cospi", [0.1, 0.25, 1.3, -2.75, 1001.375], lambda x: mp.cos(mp.pi * x), [(0.5, 0.0), (1.0, -1.0), (4.0, 1.0), (inf, nan)])
floats("asin", [0.1, 0.5, -0.99, 1.0], mp.asin, [(1.5, nan), (-0.0, -0.0)])
floats("acos", [0.1, 0.5, -0.99, -1.0], mp.acos, [(1.5, nan), (1.0, 0.0)])
floats("atan", wide, mp.atan, [(-0.0, -0.0)])
floats("atan2", [(1.0, 2.0), (-0.3, -4.0), (5.0, -1e-3), (2.0, 0.0)], mp.atan2, [((0.0, 1.0), 0.0), ((nan, 1.0), nan)])
floats("sinh", [0.01, 0.5, -3.0, 40.0], mp.sinh, [(inf, inf), (-0.0, -0.0)])
floats("cosh", [0.01, 0.5, -3.0, 40.0], mp.cosh, [(-inf, inf)])
floats("tanh", [1e-4, 0.5, -3.0, 8.0], mp.tanh, [(inf, 1.0), (-inf, -1.0), (-0.0, -0.0), (nan, nan)])
floats("asinh", [1e-4, 0.5, -3.0, 1e6], mp.asinh, [(-inf, -inf)])
floats("acosh", [1.0001, 1.5, 30.0, 1e6], mp.acosh, [(0.5, nan), (1.0, 0.0)])
floats("atanh", [1e-4, 0.5, -0.999], mp.atanh, [(1.0, inf), (1.5, nan)])
floats("exp", [1e-5, 0.5, -3.0, 80.0, -80.0], mp.exp, [(inf, inf), (-inf, 0.0), (0.0, 1.0), (1e30, inf)])
floats("exp2", [0.1, -3.5, 100.25], lambda x: mp.power(2, x), [(10.0, 1024.0), (-inf, 0.0)])
floats("exp10", [0.1, -3.5, 30.25], lambda x: mp.power(10, x), [(2.0, 100.0), (-inf, 0.0)])
floats("expm1", [1e-6, 0.5, -3.0, 60.0], mp.expm1, [(-inf, -1.0), (-0.0, -0.0)])
floats("log", [1e-5, 0.5, 1.0001, 3.0, 1e30], mp.log, [(0.0, -inf), (-1.0, nan), (inf, inf)])
floats("log2", [1e-5, 1.0001, 3.0, 1e30], lambda x: mp.log(x, 2), [(8.0, 3.0), (0.0, -inf), (-1.0, nan)])
floats("log10", [1e-5, 1.0001, 3.0, 1e30], mp.log10, [(1000.0, 3.0), (0.0, -inf), (-1.0, nan)])
floats("log1p", [1e-7, 0.5, -0.99, 1e10], mp.log1p, [(-1.0, -inf), (-2.0, nan)])
floats("sqrt", [2.0, 0.3, 1e-30, 1e30], mp.sqrt, [(4.0, 2.0), (-1.0, nan), (-0.0, -0.0)])
floats("rsqrt", [2.0, 0.3, 1e-30, 1e30], lambda x: 1 / mp.sqrt(x), [(4.0, 0.5), (0.0, inf), (-1.0, nan)])
floats("cbrt", [2.0, -0.3, 1e-30, 1e30], lambda x: mp.sign(x) * mp.cbrt(abs(x)), [(27.0, 3.0), (-0.0, -0.0)])
floats("rcbrt", [2.0, -0.3, 1e-30, 1e30], lambda x: mp.sign(x) / mp.cbrt(abs(x)), [(8.0, 0.5), (inf, 0.0)])
floats("pow", [(2.0, 0.5), (0.3, -3.7), (1.001, 5000.0), (-2.0, 3.0)], mp.power, [((-2.0, 0.5), nan), ((0.0, 0.0), 1.0)])
floats("pow", [(1.5, 7), (-0.3, 3), (2.0, -4), (1.0001, 20000)], mp.power, [((3.0, 0), 1.0)], symbols=("powif", "powi"))
floats("hypot", [(3.0, 4.0), (1e30, 1e30), (1e-30, 2e-30)], mp.hypot, [((inf, nan), inf)])
floats("rhypot", [(3.0, 4.0), (1e30, 1e30), (1e-30, 2e-30)], lambda a, b: 1 / mp.hypot(a, b), [((inf, 1.0), 0.0)])
norm = lambda *x: mp.sqrt(sum(y * y for y in x))
for n, points in ((3, [(1.0, 2.0, 2.5), (1e25, 2e25, -3e25), (1e-30, 0.0, 1e-30)]), (4, [(1.0, 2.0, 2.5, -4.0), (1e25, 2e25, 3e25, 1e20)])):
    specials = (inf,) + (nan,) * (n - 1)
    floats(f"norm{n}d", points, norm, [(specials, inf)])
    floats(f"rnorm{n}d", points, lambda *x: 1 / norm(*x), [(specials, 0.0)])
norm_wide = (1e200, 2e200, -3e200)
approximate("norm3d", norm_wide, norm, 0.502)

floats("erf", [1e-5, 0.5, -1.0, 3.0], mp.erf, [(inf, 1.0), (-0.0, -0.0)])
floats("erfc", [1e-5, 0.5, -1.0, 3.0, 9.0], mp.erfc, [(inf, 0.0), (-inf, 2.0)])
floats("erfinv", [1e-5, 0.3, -0.5, 0.7, -0.99, 0.9999], mp.erfinv, [(1.0, inf), (-1.0, -inf), (1.5, nan), (-0.0, -0.0)])
erfcinv = lambda x: mp.erfinv(1 - x) if x > 1e-10 else mp.findroot(lambda y: mp.log(mp.erfc(y)) - mp.log(x), mp.sqrt(-mp.log(x)))
floats("erfcinv", [1e-30, 1e-5, 0.3, 0.7, 1.2, 1.9], erfcinv, [(0.0, inf), (2.0, -inf), (1.0, 0.0), (-1.0, nan)])
approximate("erfcinv", (1e-300,), erfcinv, 0.502)
floats("erfcx", [1e-3, 0.5, -2.0, 5.0, 24.5, 49.9, 60.0, 1e10], lambda x: mp.exp(x * x) * mp.erfc(x), [(0.0, 1.0), (inf, 0.0)])
ncdf = lambda x: mp.erfc(-x / mp.sqrt(2)) / 2
floats("normcdf", [0.1, -1.0, 2.5, -8.0, -12.5], ncdf, [(0.0, 0.5), (inf, 1.0), (-inf, 0.0)])
floats("normcdfinv", [1e-30, 0.01, 0.3, 0.4, 0.6, 0.9, 0.999], lambda p: -mp.sqrt(2) * erfcinv(2 * p), [(0.5, 0.0), (0.0, -inf), (1.0, inf), (2.0, nan)])
floats("lgamma", [0.1, 1.5, -0.5, 10.3, 100.5], lambda x: mp.log(abs(mp.gamma(x))), [(1.0, 0.0), (2.0, 0.0), (0.0, inf)], (0.502, 4))
floats("tgamma", [0.1, 1.5, -0.5, 10.3, 30.5], mp.gamma, [(5.0, 24.0), (-1.0, nan)], (0.502, 4))
bessel = [0.1, 1.0, 2.0, 5.5, 20.0, 100.0]
floats("j0", bessel + [-3.0], lambda x: mp.besselj(0, x), [(0.0, 1.0)], (1, 4))
floats("j1", bessel + [-3.0], lambda x: mp.besselj(1, x), [(0.0, 0.0)], (1, 4))
floats("y0", bessel, lambda x: mp.bessely(0, x), [(0.0, -inf), (-1.0, nan)], (1, 4))
floats("y1", bessel, lambda x: mp.bessely(1, x), [(0.0, -inf), (-1.0, nan)], (1, 4))
floats("jn", [(2, 1.0), (3, 5.5), (5, 0.25), (0, 2.0)], mp.besselj, [((-1, 1.0), nan)], (1, 4))
floats("yn", [(2, 1.0), (3, 5.5), (5, 0.25), (0, 2.0)], mp.bessely, [((-1, 1.0), nan), ((2, 0.0), -inf)], (1, 4))
floats("cyl_bessel_i0", bessel[:-1] + [-3.0, 30.5, 85.0], lambda x: mp.besseli(0, x), [(0.0, 1.0), (inf, inf)])
floats("cyl_bessel_i1", bessel[:-1] + [-3.0, 30.5, 85.0], lambda x: mp.besseli(1, x), [(0.0, 0.0), (-inf, -inf)])
approximate("cyl_bessel_i0", (700.0,), lambda x: mp.besseli(0, x), 0.502)

for name, function in (("sinf", mp.sin), ("cosf", mp.cos), ("tanf", mp.tan), ("tanhf", mp.tanh), ("logf", mp.log), ("log2f", lambda x: mp.log(x, 2)), ("log10f", mp.log10), ("expf", mp.exp), ("exp10f", lambda x: mp.power(10, x))):
    for x in (0.3, 2.25):
        approximate("fast_" + name, (f32(x),), function, 0.502)
approximate("fast_powf", (f32(1.7), f32(2.3)), mp.power, 0.502)

# Exact in their own type.
PARTS = [2.5, -2.5, 3.5, 0.5, -0.5, 1e10, -7.75, 0.0, inf]
away = lambda x: math.copysign(math.floor(abs(x) + 0.5), x)
for name, function in (("floor", math.floor), ("ceil", math.ceil), ("trunc", math.trunc), ("rint", round), ("nearbyint", round), ("round", away)):
    for symbol in (name + "f", name):
        for x in PARTS:
            row(symbol, (x,), math.copysign(float(function(x)), x) if math.isfinite(x) else x, 0)
for symbol, function in (("fmodf", math.fmod), ("fmod", math.fmod), ("remainderf", math.remainder), ("remainder", math.remainder)):
    for x, y in ((7.5, 2.0), (-7.5, 2.0), (5.0, 3.0), (1e10, 0.375)):
        row(symbol, (x, y), function(x, y), 0)
    row(symbol, (1.0, 0.0), nan, 0)
for suffix in ("f", ""):
    for x, y, z in ((3.0, 1.0, 2.0), (1.0, 3.0, 0.0), (nan, 1.0, nan)):
        row("fdim" + suffix, (x, y), z, 0)
    for x, y in ((3.0, -1.0), (-3.0, 0.0), (0.0, -2.0)):
        row("copysign" + suffix, (x, y), math.copysign(x, y), 0)
    for name in ("ldexp", "scalbn"):
        for x, n in ((1.5, 10), (3.0, -20), (1.0, 2000), (1.0, -2000)):
            row(name + suffix, (x, n), math.ldexp(x, n) if abs(n) < 100 else (inf if n > 0 else 0.0), 0)
    for x, n in ((1.0, 0), (0.75, -1), (1e10, 33), (0.0, -(2**31)), (nan, -(2**31)), (inf, 2**31 - 1)):
        row("ilogb" + suffix, (x,), n, 0)
    for x, y in ((1.0, 0.0), (0.75, -1.0), (1e10, 33.0), (0.0, -inf), (inf, inf)):
        row("logb" + suffix, (x,), y, 0)
    for x, n in ((2.5, 3), (-2.5, -3), (0.4, 0), (1e30, 2**63 - 1), (-1e30, -(2**63)), (nan, 0)):
        row("llround" + suffix, (x,), n, 0)
    for x, n in ((2.5, 2), (-3.5, -4), (0.4, 0), (1e30, 2**63 - 1), (nan, 0)):
        row("llrint" + suffix, (x,), n, 0)
row("nextafterf", (1.0, 2.0), 1 + 2.0**-23, 0)
row("nextafterf", (0.0, -1.0), -(2.0**-149), 0)
row("nextafter", (1.0, 0.0), 1 - 2.0**-53, 0)
row("nextafter", (0.0, 1.0), 2.0**-1074, 0)
for name, suffixes, truth in (("isnan", "fd", (0, 0, 1)), ("isinf", "fd", (0, 1, 0)), ("finite", "f", (1, 0, 0)), ("isfinite", "d", (1, 0, 0))):
    for suffix in suffixes:
        for x, y in zip((1.0, -inf, nan), truth):
            row(name + suffix, (x,), y, 0)
for suffix in "fd":
    for x, y in ((1.0, 0), (-1.0, 1), (-0.0, 1)):
        row("signbit" + suffix, (x,), y, 0)
for x, y in ((0.5, 0.5), (-1.0, 0.0), (2.0, 1.0), (nan, 0.0), (inf, 1.0)):
    row("saturatef", (x,), y, 0)

# Integers.
def signed(x, bits=32):
    x &= 2**bits - 1
    return x - 2**bits if x >> (bits - 1) else x


INTS = {32: [0, 1, 2, 9, 0x12345678, -1, -(2**31), 2**31 - 1], 64: [0, 1, 2**40 + 8, 0x123456789ABCDEF0, -1, -(2**63)]}
for bits, suffix in ((32, ""), (64, "ll")):
    for x in INTS[bits]:
        u = x & (2**bits - 1)
        row("clz" + suffix, (x,), bits - u.bit_length(), 0)
        row("popc" + suffix, (x,), bin(u).count("1"), 0)
        row("ffs" + suffix, (x,), (u & -u).bit_length(), 0)
        row("brev" + suffix, (x,), signed(int(format(u, f"0{bits}b")[::-1], 2), bits), 0)
        row("abs" if bits == 32 else "llabs", (x,), signed(abs(x), bits), 0)
for x in (1.5, -1.5, -0.0, -inf):
    row("fabsf", (x,), abs(x), 0)
    row("fabs", (x,), abs(x), 0)
for selector in (0x3210, 0x7654, 0x0123, 0x5140, 0x9999):
    a, b = 0x03020100, 0x07060504
    data = a.to_bytes(4, "little") + b.to_bytes(4, "little")
    row("byte_perm", (a, b, selector), signed(int.from_bytes(bytes(data[selector >> 4 * k & 7] for k in range(4)), "little")), 0)
PAIRS = [(0, 0), (5, -3), (-(2**31), -(2**31)), (2**31 - 1, -1), (0x12345678, 0x7654321)]
for a, b in PAIRS:
    ua, ub = a & (2**32 - 1), b & (2**32 - 1)
    row("mulhi", (a, b), a * b >> 32, 0)
    row("umulhi", (ua, ub), ua * ub >> 32, 0)
    row("mul64hi", (a << 31, b << 31), (a * b << 62) >> 64, 0)
    row("umul64hi", (ua << 31, ub << 31), (ua * ub << 62) >> 64, 0)
    low = lambda x: signed(x, 24)
    row("mul24", (a, b), signed(low(a) * low(b)), 0)
    row("umul24", (ua, ub), (ua & 0xFFFFFF) * (ub & 0xFFFFFF) & (2**32 - 1), 0)
    row("sad", (a, b, 7), signed(abs(a - b) + 7), 0)
    row("usad", (ua, ub, 7), abs(ua - ub) + 7 & (2**32 - 1), 0)
    row("hadd", (a, b), (a + b) >> 1, 0)
    row("uhadd", (ua, ub), (ua + ub) >> 1, 0)
    row("rhadd", (a, b), (a + b + 1) >> 1, 0)
    row("urhadd", (ua, ub), (ua + ub + 1) >> 1, 0)
    for name, function in (("min", min), ("max", max)):
        row(name, (a, b), function(a, b), 0)
        row("u" + name, (ua, ub), function(ua, ub), 0)
        row("ll" + name, (a << 20, b), function(a << 20, b), 0)
        row("ull" + name, (ua << 20, ub), function(ua << 20, ub), 0)
for suffix in ("f", ""):
    for x, y, least, most in ((1.0, -2.0, -2.0, 1.0), (nan, 3.0, 3.0, 3.0), (0.0, -0.0, -0.0, 0.0), (nan, nan, nan, nan)):
        row("fmin" + suffix, (x, y), least, 0)
        row("fmax" + suffix, (x, y), most, 0)


# Roundings, by exact fractions.
class Format:
    def __init__(self, mantissa, least, greatest):
        self.mantissa, self.least, self.greatest = mantissa, least, greatest  # Bits after the point, exponents of normal numbers.

    def largest(self):
        return math.ldexp(2 - 2.0**-self.mantissa, self.greatest)

    def round(self, value, mode):
        if value == 0:
            return 0.0
        magnitude, negative = abs(value), value < 0
        exponent = max(self.least, magnitude.numerator.bit_length() - magnitude.denominator.bit_length())
        while exponent > self.least and magnitude < Fraction(2) ** exponent:
            exponent -= 1
        while magnitude >= Fraction(2) ** (exponent + 1):
            exponent += 1
        unit = Fraction(2) ** (exponent - self.mantissa)
        down, rest = divmod(magnitude, unit)
        up = mode == "ru" and not negative or mode == "rd" and negative
        if mode == "rn":
            up = rest * 2 > unit or (rest * 2 == unit and down % 2 == 1)
        result = (down + (1 if rest and up else 0)) * unit
        if result > Fraction(self.largest()):
            overflow = mode == "rn" or up
            return (-1 if negative else 1) * (inf if overflow else self.largest())
        return math.copysign(float(result), -1 if negative else 1)


SINGLE, DOUBLE = Format(23, -126, 127), Format(52, -1022, 1023)
OPERANDS = [(1.0, 3.0), (0.1, 0.2), (-0.1, 0.3), (1e30, 1e-10), (-1e30, 1e30), (3e38, 3e38), (1e-38, 1.5), (7e-45, 0.3), (-1e-30, 1e-15), (16777216.0, 1.0)]
for mode in ("rn", "rz", "rd", "ru"):
    for letter, form in (("f", SINGLE), ("d", DOUBLE)):
        points = [(f32(a), f32(b)) if letter == "f" else (a, b) for a, b in OPERANDS]
        if letter == "d":
            points += [(1.7e308, 1.7e308), (5e-324, 0.3), (-2.3e-308, 1.7)]
        for a, b in points:
            p, q = Fraction(a), Fraction(b)
            if p + q != 0:  # The sign of an exact zero has a row of its own.
                row(f"{letter}add_{mode}", (a, b), form.round(p + q, mode), 0)
            if p != q:
                row(f"{letter}sub_{mode}", (a, b), form.round(p - q, mode), 0)
            row(f"{letter}mul_{mode}", (a, b), form.round(p * q, mode), 0)
            row(f"{letter}div_{mode}", (a, b), form.round(p / q, mode), 0)
            row(f"{letter}rcp_{mode}", (b,), form.round(1 / q, mode), 0)
            row(f"fma{'f' if letter == 'f' else ''}_{mode}", (a, b, a), form.round(p * q + p, mode), 0)
            if mode == "rn":
                row("fmaf" if letter == "f" else "fma", (a, b, a), form.round(p * q + p, mode), 0)
                if letter == "f":
                    row("fast_fdividef", (a, b), form.round(p / q, mode), 0)
            root = Fraction(math.isqrt(int(q * Fraction(2) ** 2400)), 2**1200)
            if root * root != q:
                root += Fraction(1, 2**1201)  # Below the last bit kept, but not nothing.
            row(f"{letter}sqrt_{mode}", (b,), form.round(root, mode), 0)
        row(f"{letter}add_{mode}", (1.0, -1.0), -0.0 if mode == "rd" else 0.0, 0)
        row(f"{letter}sub_{mode}", (1.0, 1.0), -0.0 if mode == "rd" else 0.0, 0)
        row(f"{letter}sqrt_{mode}", (4.0,), 2.0, 0)
        row(f"{letter}sqrt_{mode}", (-1.0,), nan, 0)
        row(f"{letter}div_{mode}", (1.0, 0.0), inf, 0)
    for x in (0.1, -1 / 3, 1e300, -1e300, 1e-46, 1.0, 3.4e38):
        row("double2float_" + mode, (x,), SINGLE.round(Fraction(x), mode), 0)
    for x in (0, 7, 16777217, -16777219, 2**31 - 1, -(2**31)):
        row("int2float_" + mode, (x,), SINGLE.round(Fraction(x), mode), 0)
        row("uint2float_" + mode, (x & (2**32 - 1),), SINGLE.round(Fraction(x & (2**32 - 1)), mode), 0)
    for x in (2**63 - 1, -(2**63), 2**53 + 1, -(2**62) - 3, 0):
        u = x & (2**64 - 1)
        row("ll2float_" + mode, (x,), SINGLE.round(Fraction(x), mode), 0)
        row("ull2float_" + mode, (u,), SINGLE.round(Fraction(u), mode), 0)
        row("ll2double_" + mode, (x,), DOUBLE.round(Fraction(x), mode), 0)
        row("ull2double_" + mode, (u,), DOUBLE.round(Fraction(u), mode), 0)
    integral = {"rn": round, "rz": math.trunc, "rd": math.floor, "ru": math.ceil}[mode]
    for source in ("float", "double"):
        for x in (2.5, 3.5, -2.5, 0.3, -0.7, 3e9, -3e9, 1e19, -1e19, 2e19, inf, -inf, nan):
            x = f32(x) if source == "float" else x
            exact = 0 if math.isnan(x) else integral(x) if math.isfinite(x) else int(math.copysign(2**70, x))
            for name, low, high, bits in (("int", -(2**31), 2**31 - 1, 32), ("uint", 0, 2**32 - 1, 32), ("ll", -(2**63), 2**63 - 1, 64), ("ull", 0, 2**64 - 1, 64)):
                row(f"{source}2{name}_{mode}", (x,), signed(min(max(exact, low), high), bits), 0)
row("int2double_rn", (-(2**31),), -(2.0**31), 0)
row("uint2double_rn", (2**32 - 1,), 2.0**32 - 1, 0)
approximate("frsqrt_rn", (f32(3.3),), lambda x: 1 / mp.sqrt(x), 0.5)
for x in (2.0, -4.0, 3.0):
    high = struct.unpack("<Q", struct.pack("<d", 1 / x))[0] >> 32 << 32
    row("rcp64h", (x,), struct.unpack("<d", struct.pack("<Q", high))[0], 0)
row("rcp64h", (1e-310,), inf, 0)
bits = lambda x: struct.unpack("<q", struct.pack("<d", x))[0]
for x in (1.5, -0.1):
    row("double_as_longlong", (x,), bits(x), 0)
    row("longlong_as_double", (bits(x),), x, 0)
    row("double2hiint", (x,), bits(x) >> 32, 0)
    row("double2loint", (x,), signed(bits(x)), 0)
    row("hiloint2double", (bits(x) >> 32, signed(bits(x))), x, 0)
    y = f32(x)
    word = struct.unpack("<i", struct.pack("<f", y))[0]
    row("float_as_int", (y,), word, 0)
    row("float_as_uint", (y,), word, 0)
    row("int_as_float", (word,), y, 0)
    row("uint_as_float", (word & (2**32 - 1),), y, 0)

print("// What each function of libdevice gives for some operands; written by values.py.")
print("\n".join(rows))
