"""tilewise.analysis_banks: bank conflicts, counted by hand for PTX written by hand, and found in compiled kernels."""

import re

import pytest
from conftest import import_kernel
from test_analysis import aligned

import tilewise
import tilewise.language as tl
from tilewise.analysis import analyze
from tilewise.analysis_banks import Banks, cycles


def test_cycles_of_a_warp():
    assert cycles([4 * lane for lane in range(32)], 4) == (1, 1)
    assert cycles([128 * lane for lane in range(32)], 4) == (32, 1)
    assert cycles([132 * lane for lane in range(32)], 4) == (1, 1), "rows of 33 words begin in different banks"
    assert cycles([20] * 32, 4) == (1, 1), "one word for all"
    assert cycles([2 * lane for lane in range(32)], 2) == (1, 1), "two lanes in a word"
    assert cycles([8 * lane for lane in range(32)], 8) == (2, 2)
    assert cycles([16 * lane for lane in range(32)], 16) == (4, 4)
    assert cycles([256 * lane for lane in range(32)], 16) == (32, 4), "each quarter of the warp is eight words deep"
    assert cycles([128 * lane if lane < 2 else None for lane in range(32)], 4) == (2, 1)
    assert cycles([None] * 32, 4) == (0, 0)


# Of 64 threads: the register with the address, and the access.
FORMS = {
    "neighbours": ("shl.b32 %r2, %r1, 2;", "st.shared.b32 [%r2], %r9;", (1, 0, 0, 1)),
    "down a column": ("shl.b32 %r2, %r1, 7;", "st.shared.b32 [%r2+16], %r9;", (1, 1, 0, 32)),
    "down a padded column": ("mul.lo.s32 %r2, %r1, 132;", "ld.shared.f32 %f1, [%r2];", (1, 0, 0, 1)),
    "two rows": ("and.b32 %r2, %r1, 1; shl.b32 %r3, %r2, 7;", "ld.shared.u32 %r8, [%r3];", (1, 1, 0, 2)),
    "swizzled": ("bfe.u32 %r2, %r1, 3, 2; xor.b32 %r3, %r2, %r1; shl.b32 %r4, %r3, 4;", "ld.shared.v4.u32 {%r5, %r6, %r7, %r8}, [%r4];", (1, 0, 0, 1)),
    "rows of a matrix": ("shl.b32 %r2, %r1, 7;", "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r5, %r6, %r7, %r8}, [%r2];", (1, 1, 0, 8)),
    "rows of one matrix of eight": ("shl.b32 %r2, %r1, 4;", "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r5}, [%r2];", (1, 0, 0, 1)),
    "copied ahead": ("shl.b32 %r2, %r1, 4;", "@%p1 cp.async.cg.shared.global [%r2], [%rd3], 16, %p1;", (1, 0, 0, 1)),
    "one lane only": ("shl.b32 %r2, %r1, 7; and.b32 %r3, %r1, 31; setp.eq.s32 %p1, %r3, 0;", "@%p1 st.shared.b32 [%r2], %r9;", (1, 0, 0, 1)),
    "all but two lanes": ("shl.b32 %r2, %r1, 7; and.b32 %r3, %r1, 31; setp.lt.u32 %p1, %r3, 30;", "@!%p1 st.shared.b32 [%r2], %r9;", (1, 1, 0, 2)),
    "a loop's step": ("mov.b32 %r2, 0; shl.b32 %r3, %r1, 2; add.s32 %r4, %r3, %r2; add.s32 %r2, %r2, 4096;", "ld.shared.u32 %r8, [%r4];", (1, 0, 0, 1)),
    "from data": ("ld.global.u32 %r2, [%rd1]; shl.b32 %r3, %r2, 2;", "ld.shared.u32 %r8, [%r3];", (1, 0, 1, 1)),
    "from data of a vector": ("ld.global.v2.u32 {%r2, %r3}, [%rd1]; shl.b32 %r4, %r2, 2;", "ld.shared.u32 %r8, [%r4];", (1, 0, 1, 1)),
    "from an argument": ("ld.param.u32 %r2, [k_param_0]; mad.lo.s32 %r3, %r1, 8, %r2;", "ld.shared.u32 %r8, [%r3];", (1, 1, 0, 2)),
    "the second warp": ("shr.u32 %r2, %r1, 5; mad.lo.s32 %r3, %r2, 124, 4; mul.lo.s32 %r4, %r3, %r1;", "ld.shared.u32 %r8, [%r4];", (1, 1, 0, 32)),
    "of memory that is not shared": ("shl.b32 %r2, %r1, 7;", "st.global.b32 [%rd2], %r9;", (0, 0, 0, 1)),
}

@pytest.mark.parametrize("form", FORMS)
def test_addresses_of_the_lanes(form):
    address, access, expected = FORMS[form]
    ptx = "\n".join(["mov.u32 %r1, %tid.x;", *address.replace("; ", ";\n").splitlines(), access])
    found = Banks(ptx, num_warps=2)
    assert (found.count, found.conflicting, found.from_data, found.worst) == expected


@tilewise.jit
def turned(x_ptr, y_ptr, N: tl.constexpr):
    at = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    x = tl.load(x_ptr + at)
    tl.store(y_ptr + at, tl.dot(x, tl.trans(x), input_precision="ieee"))


def test_compiled_kernels():
    x, y = aligned(64, 64), aligned(64, 64)
    told = str(analyze(turned, (1,), x, y, 64).on_gpu("90"))
    assert re.search(r"shared memory: \d+ accesses, \d+ with bank conflicts, the worst takes \d+ times as long", told), told
    a, b, c = aligned(64, 64, dtype="float16"), aligned(64, 64, dtype="float16"), aligned(64, 64, dtype="float16")
    product = analyze(import_kernel("matmul"), (1, 1), a, b, c, 64, 64, 64, 64, 1, 64, 1, 64, 1, BLOCK_M=64, BLOCK_N=64, BLOCK_K=32)
    for gpu in ("a100", "h200"):
        banks = product.on_gpu(gpu).banks
        assert banks.count >= 8 and banks.conflicting == banks.from_data == 0
        assert "none with bank conflicts" in str(banks)
