"""Inline assembly on the host: PTX instructions that compute values mean what they mean on a GPU, up to the accuracy of approximations."""

import numpy as np
import pytest
import tilewise as triton
import tilewise.language as tl

SOFTPLUS = tl.constexpr("""{
    .reg .pred large;                        // beyond it nothing changes
    .reg .f32 t;
    setp.gt.f32 large, $1, 20.0;
    mul.f32 t, $1, 0f3FB8AA3B;               /* log2(e) */
    @!large ex2.approx.ftz.f32 t, t;
    @!large add.f32 t, t, 1.0;
    @!large lg2.approx.ftz.f32 t, t;
    @!large mul.f32 t, t, 0.6931471805599453;
    selp.f32 $0, $1, t, large;
}""")


@triton.jit
def apply(x_ptr, y_ptr, z_ptr, TEXT: tl.constexpr, CONSTRAINTS: tl.constexpr, BLOCK: tl.constexpr, PACK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at)
    args = [x, tl.load(y_ptr + at)] if CONSTRAINTS.count("r") + CONSTRAINTS.count("f") == 3 * PACK else [x]
    z = tl.inline_asm_elementwise(TEXT, CONSTRAINTS, args, dtype=z_ptr.dtype.element_ty, is_pure=True, pack=PACK)
    tl.store(z_ptr + at, z)


def run(text, constraints, x, y=None, dtype=None, pack=1):
    z = np.zeros(x.shape, dtype or x.dtype)
    apply[(1,)](x, x if y is None else y, z, text, constraints, x.size, pack)
    return z


FLOATS = np.array([-3.5, -1.0, -0.25, 0.0, 0.5, 2.5, 19.0, 21.0], np.float32)
OTHERS = np.array([1.5, -2.0, 4.0, 0.25, 8.0, 3.0, -1.0, 0.5], np.float32)
INTS = np.array([-70000, -3, -1, 0, 1, 5, 123456, 2**31 - 1], np.int32)


@pytest.mark.parametrize("text, expected", [
    ("tanh.approx.f32 $0, $1;", np.tanh), ("ex2.approx.ftz.f32 $0, $1;", np.exp2), ("cos.approx.f32 $0, $1;", np.cos),
    ("sin.approx.f32 $0, $1;", np.sin), ("abs.f32 $0, $1; neg.f32 $0, $0;", lambda x: -np.abs(x)), ("mov.f32 $0, $1;", lambda x: x),
    ("cvt.rpi.f32.f32 $0, $1;", np.ceil), ("cvt.rni.f32.f32 $0, $1;", np.rint), ("add.sat.f32 $0, $1, 0.25;", lambda x: np.clip(x + 0.25, 0, 1)),
    ("{ mul.ftz.f32 $0, $1, 0fBFB8AA3B; ex2.approx.ftz.f32 $0, $0; }", lambda x: np.exp(-x)),
    (SOFTPLUS, lambda x: np.where(x > 20, x, np.log1p(np.exp(x)))),
    ("{ .reg .b32 t; .reg .b16 lo, hi; mov.b32 {lo, hi}, $1; mov.b32 t, {hi, lo}; mov.b32 $0, t; }",
     lambda x: (x.view(np.uint32) >> 16 | x.view(np.uint32) << 16).view(np.float32)),
])
def test_functions_of_a_float(host_engine, text, expected):
    assert np.allclose(run(text, "=f,f", FLOATS), expected(FLOATS), rtol=1e-5, atol=1e-6, equal_nan=True)


def test_operations_of_two_floats(host_engine):
    x, y = FLOATS, OTHERS
    assert (run("mul.rn.f32 $0, $1, $2;", "=f,f,f", x, y) == x * y).all()
    assert (run("div.rn.f32 $0, $1, $2;", "=f,f,f", x, y) == x / y).all()
    assert (run("min.f32 $0, $1, $2;", "=f,f,f", x, y) == np.minimum(x, y)).all()
    assert np.allclose(run("fma.rn.f32 $0, $1, $2, 1.0;", "=f,f,f", x, y), x * y + 1)


def test_ints_and_conversions(host_engine):
    x = INTS
    assert (run("shl.b32 $0, $1, 3;", "=r,r", x) == x << 3).all()
    assert (run("shl.b32 $0, $1, 40;", "=r,r", x) == 0).all()
    assert (run("shr.s32 $0, $1, 1;", "=r,r", x) == x >> 1).all()
    assert (run("shr.u32 $0, $1, 1;", "=r,r", x) == (x.view(np.uint32) >> 1).view(np.int32)).all()
    assert (run("and.b32 $0, $1, 0xff; xor.b32 $0, $0, -1;", "=r,r", x) == ~(x & 255)).all()
    assert (run("mad.lo.s32 $0, $1, 3, -7;", "=r,r", x) == x * np.int32(3) - np.int32(7)).all()
    assert (run("max.u32 $0, $1, 5;", "=r,r", x).view(np.uint32) == np.maximum(x.view(np.uint32), 5)).all()
    assert (run("cvt.rn.f32.s32 $0, $1;", "=f,r", x, dtype=np.float32) == x.astype(np.float32)).all()
    assert (run("cvt.rzi.s32.f32 $0, $1;", "=r,f", FLOATS, dtype=np.int32) == FLOATS.astype(np.int32)).all()


def test_rounding_to_tf32(host_engine):
    x = np.array([1, 1 + 2**-11, 1 + 2**-12, -1 - 2**-11, 1 / 3, np.finfo(np.float32).max, np.inf, np.nan], np.float32)
    rounded = run("cvt.rna.tf32.f32 $0, $1;", "=r,r", x)
    assert np.array_equal(rounded[:-1], np.array([1, 1 + 2**-10, 1, -1 - 2**-10, 1365 / 4096, np.inf, np.inf], np.float32)) and np.isnan(rounded[-1])


def test_packs(host_engine):
    assert (run("neg.s32 $0, $2; neg.s32 $1, $3;", "=r,=r,r,r", INTS, pack=2) == -INTS).all()


@pytest.mark.parametrize("text", ["mov.u32 $0, %smid;", "shfl.sync.bfly.b32 $0, $1, 1, 0x1f, -1;", "add.s32 $0, $1, nothing;"])
def test_what_is_not_understood_is_refused_at_its_line(host_engine, text):
    with pytest.raises(triton.TritonError, match="inline.as"):
        run(text, "=r,r", INTS)


@triton.jit
def apply_pairs(x_ptr, y_ptr, z_ptr, TEXT: tl.constexpr, CONSTRAINTS: tl.constexpr, BLOCK: tl.constexpr, PACK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    z = tl.inline_asm_elementwise(TEXT, CONSTRAINTS, [tl.load(x_ptr + at), tl.load(y_ptr + at)], dtype=z_ptr.dtype.element_ty, is_pure=True, pack=PACK)
    tl.store(z_ptr + at, z)


def run_pairs(text, constraints, x, y, dtype, pack):
    z = np.zeros(x.shape, dtype)
    apply_pairs[(1,)](x, y, z, text, constraints, x.size, pack)
    return z


HALVES = np.array([1.5, -2.0, 0.1, 65504.0, 3e-5, -7.25, 1000.0, 0.0], np.float16)
MORE = np.array([0.3, 5.0, -0.7, 2.0, 0.5, 1.0, -1.25, -1.0], np.float16)


@pytest.mark.parametrize("text, expected", [
    ("add.rn.f16x2 $0, $1, $2;", lambda x, y: x + y), ("mul.f16x2 $0, $1, $2;", lambda x, y: x * y), ("max.f16x2 $0, $1, $2;", np.maximum),
    ("fma.rn.f16x2 $0, $1, $2, $1;", lambda x, y: (x.astype(np.float64) * y + x).astype(np.float16)),
    ("{ .reg .b32 t; neg.f16x2 t, $1; mov.b32 $0, t; }", lambda x, y: -x),
    ("{ .reg .b16 a, b; mov.b32 {a, b}, $1; add.f16 a, a, a; add.f16 b, b, b; mov.b32 $0, {a, b}; }", lambda x, y: x + x),
])
def test_two_halves_to_a_register(host_engine, text, expected):
    with np.errstate(over="ignore"):
        wanted = expected(HALVES, MORE)
    # As the elements of a pack, and as halves of an element.
    assert np.array_equal(run_pairs(text, "=r,r,r", HALVES, MORE, np.float16, 2), wanted)
    assert np.array_equal(run_pairs(text, "=r,r,r", HALVES.view(np.int32), MORE.view(np.int32), np.int32, 1).view(np.float16), wanted)


def test_numbers_of_four_bits_become_halves(host_engine):
    # The halves 1024 + n have n in their lowest bits: (x & 0x000f000f) | 0x64006400.
    text = """{ .reg .b32 t; lop3.b32 t, $1, 0x000f000f, 0x64006400, 0xea; sub.f16x2 $0, t, $2; }"""
    x = np.arange(8, dtype=np.int32) * 0x01050301
    base = np.full(8, 0x64006400, np.int32)
    got = run_pairs(text, "=r,r,r", x, base, np.int32, 1).view(np.float16).reshape(8, 2)
    assert np.array_equal(got, np.stack([x & 15, x >> 16 & 15], 1).astype(np.float16))


def test_floats_become_the_halves_of_a_pack(host_engine):
    x = np.array([1.00049, -3.3, 1e6, 0.1], np.float32)
    text = "{ .reg .f32 a, b; add.f32 a, $1, $3; add.f32 b, $2, $4; cvt.rn.f16x2.f32 $0, b, a; }"
    with np.errstate(over="ignore"):
        assert np.array_equal(run_pairs(text, "=r,r,r,r,r", x, x, np.float16, 2), (x + x).astype(np.float16))


def test_halves_that_change_places_are_refused(host_engine):
    for text in ("{ .reg .b16 a, b; mov.b32 {a, b}, $1; mov.b32 $0, {b, a}; }", "add.s32 $0, $1, $2;"):
        with pytest.raises(triton.CompilationError, match="cannot run"):
            run_pairs(text, "=r,r,r", HALVES, MORE, np.float16, 2)


def test_two_floats_to_a_register(host_engine):
    text = """{ .reg .b64 a, b, c; mov.b64 a, { $2, $3 }; mov.b64 b, { $4, $5 };
        mul.f32x2 c, a, b; fma.rn.f32x2 c, a, b, c; mov.b64 { $0, $1 }, c; }"""
    assert np.array_equal(run_pairs(text, "=r,=r,r,r,r,r", FLOATS, OTHERS, np.float32, 2), 2 * FLOATS * OTHERS)


E2M1 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])


def nearest_e2m1(x):
    """The code of the nearest number that four bits hold, of two equally near ones the even code's; a NaN is 6."""
    distance = np.abs(np.minimum(np.abs(np.where(np.isnan(x), 6, x)), 6)[:, None].astype(np.float64) - E2M1)
    near = distance == distance.min(1, keepdims=True)
    code = np.where(near.sum(1) == 2, 2 * ((near.argmax(1) + 1) // 2), near.argmax(1))
    return (code + 8 * (np.signbit(x) & ~np.isnan(x))).astype(np.uint8)


def test_floats_of_four_bits(host_engine):
    borders = np.array([0, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75, 2, 2.5, 3, 3.5, 4, 5, 6, 7], np.float32)
    x = np.concatenate([borders, -borders, np.nextafter(borders, np.float32(9)), -np.nextafter(borders, np.float32(-9))]).astype(np.float32)
    y = np.concatenate([x[:-4][::-1], np.array([np.inf, -np.inf, np.nan, 1e-40], np.float32)])
    wanted = nearest_e2m1(x) | nearest_e2m1(y) << 4
    # Four bytes of a pack to a register, and one byte beside others that are constant.
    text = """{ .reg .b8 a, b, c, d;
        cvt.rn.satfinite.e2m1x2.f32 a, $5, $1; cvt.rn.satfinite.e2m1x2.f32 b, $6, $2;
        cvt.rn.satfinite.e2m1x2.f32 c, $7, $3; cvt.rn.satfinite.e2m1x2.f32 d, $8, $4; mov.b32 $0, {a, b, c, d}; }"""
    assert np.array_equal(run_pairs(text, "=r,r,r,r,r,r,r,r,r", x, y, np.uint8, 4), wanted)
    text = "{ .reg .b8 a, b; cvt.rn.satfinite.e2m1x2.f32 a, $2, $1; cvt.rn.satfinite.e2m1x2.f32 b, 1.0, -6.0; mov.b32 $0, {a, b, b, a}; }"
    assert np.array_equal(run_pairs(text, "=r,f,f", x, y, np.int32, 1).view(np.uint32), wanted * np.uint32(0x1000001) | np.uint32(0x2f2f00))
    text = "{ .reg .b8 a, b, c; cvt.rn.satfinite.e2m1x2.f32 a, $2, $1; mov.b32 $0, {a, a, b, a}; }"
    with pytest.raises(triton.CompilationError, match="cannot run"):  # b holds nothing
        run_pairs(text, "=r,f,f", x, y, np.int32, 1)


def test_floats_of_eight_bits(host_engine):
    x = np.array([1.0, 1.1, 448, 1e5, 2.0**-127, 3e-39, 2.0**-126, 1.7e38], np.float32)
    powers = run("cvt.rp.ue8m0x2.f32 $0, 0.0, $1;", "=h,r", np.append(x, [3e38, np.inf, np.nan, 0, 2, 3, 1e-45, 4]).astype(np.float32), dtype=np.uint16)
    assert powers.tolist() == [127, 128, 136, 144, 0, 0, 1, 254, 255, 255, 255, 0, 128, 129, 0, 129]
    codes = run_pairs("cvt.rn.satfinite.e4m3x2.f32 $0, $2, $1;", "=h,f,f", x, -x, np.uint16, 1)
    assert codes.tolist() == [0xb838, 0xb939, 0xfe7e, 0xfe7e, 0x8000, 0x8000, 0x8000, 0xfe7e]
    codes = run_pairs("cvt.rn.satfinite.e5m2x2.f32 $0, $2, $1;", "=h,f,f", x, -x, np.uint16, 1)
    assert codes.tolist() == [0xbc3c, 0xbc3c, 0xdf5f, 0xfb7b, 0x8000, 0x8000, 0x8000, 0xfb7b]
