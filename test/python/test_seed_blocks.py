"""The table of the Python blocks of the documents in TILEWISE_SEEDS: each by seed and line, with its class and what is expected of it.

Nothing of the blocks is here; without the folder the tests are skipped. `@block(seed, line, kind)` makes a row; its function is the expectation."""

import pytest
import seed_blocks
from seed_blocks import IMPORTS

pytestmark = pytest.mark.skipif(not seed_blocks.FOLDER, reason="TILEWISE_SEEDS names no folder")
BLOCKS = seed_blocks.read(seed_blocks.FOLDER) if seed_blocks.FOLDER else {}

ALONE, OUTSIDE, BROKEN, FRAGMENT, NO_PYTHON = "runs alone", "needs outside things", "fails as written", "a fragment", "no Python"
COUNTS = {ALONE: 7, OUTSIDE: 4, BROKEN: 3, FRAGMENT: 13, NO_PYTHON: 8}
TABLE = {}


def block(seed, line, kind):

    def add(expectation):
        TABLE[seed, line] = kind, expectation
        return expectation

    return add


def test_the_table_has_every_block():
    assert set(TABLE) == set(BLOCKS)
    kinds = [kind for kind, _ in TABLE.values()]
    assert {kind: kinds.count(kind) for kind in COUNTS} == COUNTS


# Those that run alone.


@block("000", 128, ALONE)
def adds_on_the_gpu_and_verifies_itself(run):
    assert run.good(options=["--device=cpu"]) == ""


@block("004", 49, ALONE)
def defines_a_function_of_torch(run):
    after = """
import torch
a, b, c = torch.rand(3, 8)
assert torch.equal(custom_op(a, b, c), torch.sqrt(a * b + c))
"""
    run.good(after=after)


@block("004", 174, ALONE)
def defines_a_kernel_that_copies(run):
    after = """
import numpy as np
x, z = np.random.rand(1000), np.zeros(1000)
copy_kernel[(4,)](x, z, 900, BLOCK_SIZE=256)
assert (z[:900] == x[:900]).all() and (z[900:] == 0).all()
"""
    run.good(after=after)


@block("004", 234, ALONE)
def copies_and_says_so(run):
    expected = "Launched (10,) programs.\nTensors are same object: False\nTensor contents copied: True\n"
    assert run.good(options=["--device=cpu"]) == expected


@block("004", 484, ALONE)
def prints_an_array(run):
    import numpy as np
    assert run.good() == f"Starting array:\n {np.arange(28).reshape(4, 7)}\n\n"


@block("004", 490, ALONE)
def prints_offsets(run):
    assert run.good().split() == "Height offset indixes: [[2] [3]] Width offset indixes: [[4 5]] Combined offsets: [[18 19] [25 26]]".split()


@block("004", 752, ALONE)
def defines_filters(run):
    run.good(after="assert [sum(map(sum, f)) for f in (x_sobel, y_sobel)] == [0, 0] and x_sobel[1] == [-2, 0, 2] and y_sobel[2] == [-1, -2, -1]\n")


# Those that need a picture, or the workshop's helpers.

# Pictures are not shown but kept.
KEEP_PICTURES = """import itertools
from PIL import Image
_number = itertools.count()
Image.Image.show = lambda self: self.save(f"shown{next(_number)}.png")
"""


def picture(folder):
    """A picture of 61 x 45 pixels, as the block reads it: [3, 45, 61] in 0..1."""
    image = pytest.importorskip("PIL.Image")
    import numpy as np
    # All that the blocks use of torchvision: a picture as a tensor of channels in 0..1.
    (folder / "torchvision").mkdir()
    (folder / "torchvision/__init__.py").write_text("")
    (folder / "torchvision/transforms.py").write_text("""
import numpy as np
import torch


class ToTensor:
    def __call__(self, picture):
        return torch.from_numpy(np.asarray(picture).transpose(2, 0, 1) / np.float32(255))
""")
    y, x = np.mgrid[0:45, 0:61]
    pixels = np.stack([x * 4, y * 5, (x * y) % 256], axis=-1).astype(np.uint8)
    image.fromarray(pixels).save(folder / "poseidon_triton.jpeg")
    return np.asarray(image.open(folder / "poseidon_triton.jpeg").convert("RGB")).astype(np.float64).transpose(2, 0, 1) / 255


def shown(folder, number):
    import numpy as np
    from PIL import Image
    return np.asarray(Image.open(folder / f"shown{number}.png")).astype(int)


@block("004", 551, OUTSIDE)
def makes_a_picture_grey(run):
    import numpy as np
    pixels = picture(run.folder)
    printed = run.good(KEEP_PICTURES, options=["--device=cpu"])
    expected = np.floor((0.299 * pixels[0] + 0.587 * pixels[1] + 0.114 * pixels[2]) * 255)
    assert abs(shown(run.folder, 0) - expected).max() <= 1
    assert "torch.Size([3, 45, 61])" in printed and "(3, 2) programs" in printed and "(45, 61), dtype: uint8" in printed


@block("004", 659, OUTSIDE)
def convolves_a_picture(run):
    import numpy as np
    pixels = picture(run.folder)
    run.good(KEEP_PICTURES, options=["--device=cpu"])
    gauss = np.outer([1, 4, 6, 4, 1], [1, 4, 6, 4, 1]) / 256
    filters = [[[0, -1, 0], [-1, 5, -1], [0, -1, 0]], [[-1, -1, -1], [-1, 8, -1], [-1, -1, -1]], gauss, np.eye(5) / 5]
    for number, weights in enumerate(np.asarray(f, float) for f in filters):
        size = len(weights)
        padded = np.pad(pixels, ((0, 0), (0, size), (0, size)))
        total = sum(weights[i, j] * padded[:, i:i + 45, j:j + 61] for i in range(size) for j in range(size))
        expected = np.floor(np.clip(total, 0, 1) * 255).transpose(1, 2, 0)
        assert abs(shown(run.folder, number) - expected).max() <= 1, number


def add_workshop(folder, variable="TRITON_INTERPRET"):
    """The module that the workshop's files import, by way of tilewise.debug; it sets the variable when it is imported."""
    (folder / "triton_workshop").mkdir(exist_ok=True)
    (folder / "triton_workshop/__init__.py").write_text("")
    (folder / "triton_workshop/utils_debug.py").write_text(
        f"import os\nos.environ[{variable!r}] = '1'\nfrom tilewise.debug import *\nfrom tilewise.debug import ceiling_divide\n")


@block("004", 289, OUTSIDE)
def shows_the_bug(run):
    add_workshop(run.folder)
    lines = run.good().splitlines()
    assert lines[:3] == [f"DEBUG: pid={i}, offsets=[0 1 2 3]" for i in range(3)]
    assert lines[-2] == f"Expected output: {[float(i) for i in range(1, 11)]}" and lines[-1].startswith("Actual output:   [1.0, 2.0, 3.0, 4.0,")


@block("004", 334, OUTSIDE)
def shows_the_fix(run):
    pytest.importorskip("rich")
    add_workshop(run.folder)
    lines = run.good().splitlines()
    assert lines[0] == "DEBUG: pid=0, offsets=[0 1 2 3]" and "DEBUG: mask for pid 2 = [ True  True False False]" in lines
    assert lines[-1] == f"Actual output:   {[float(i) for i in range(1, 11)]}"
    # Compiled, the kernel cannot call Python's functions: the message names the line and the way out.
    add_workshop(run.folder, "UNUSED")
    said = run.bad()
    line = run.block.text.splitlines().index('    print_if(f"DEBUG: pid={pid}, offsets={offsets}", pid_0=[pid])') + run.block.line + 1
    assert "Unsupported function referenced" in said and f"block_004.py:{line}: 'print_if' is Python's" in said and "TRITON_INTERPRET=1" in said


# Those that fail as they are written.

GREY = """
x = np.random.rand(3, 5, 7).astype(np.float32)
out = np.zeros((5, 7), np.float32)
rgb2grey_k[(2, 2)](x, out, 5, 7, BS_H=4, BS_W=4)
"""


@block("004", 515, BROKEN)
def names_are_undefined(run):
    line = run.block.line_of("r = tl.load(")
    for before in (IMPORTS, IMPORTS + "height, width = 5, 7\n"):  # also where another block has left globals of these names
        for environment in ({}, {"TRITON_INTERPRET": "1"}):
            said = run.bad(before, GREY, **environment)
            told = "global variable 'height'" if "5, 7" in before else "'height'"
            assert told in said and "did you mean 'h'" in said, said
            if environment:
                assert f'block_004.py", line {line}' in said
            else:
                assert "    r = tl.load(x_ptr + 0 * (height * width) + offs_2d, mask=mask)\n" in said
    run.good(IMPORTS, GREY + "assert abs(out - np.tensordot([0.299, 0.587, 0.114], x, 1)).max() < 1e-6\n",
             change=[("height", "h"), ("width", "w")])


def multiplies_without_masks(run):
    sizes = "M, N, K = 5012, 15768, 21024"
    line = run.block.line_of("a = tl.load(offs_A)")
    # The same remainders as the block's sizes have; smaller, since those are 3.3 TFLOP.
    for environment in ({}, {"TRITON_INTERPRET": "1"}):
        said = run.bad(options=["--device=cpu", "--engine=reference"], change=[(sizes, "M, N, K = 84, 56, 96")], **environment)
        assert "load outside of 'A'" in said and f":{line}:" in said or f"line {line}" in said, said
    after = """
exact = A.double() @ B.double()
ours, theirs = ((C.double() - exact).abs().max().item() for C in (C_triton, C_torch))
assert ours <= 2 * theirs + 1e-6, (ours, theirs)
"""
    for engine in ("cpu", "reference"):
        said = run.good(options=["--device=cpu", f"--engine={engine}"], change=[(sizes, "M, N, K = 192, 96, 160")], after=after)
        assert "C shape: torch.Size([192, 96])" in said and "All close: True" in said


block("004", 810, BROKEN)(multiplies_without_masks)
block("004", 889, BROKEN)(multiplies_without_masks)


# Fragments, each in the wrapper that its row states.


@block("000", 57, FRAGMENT)
def adds(run):
    after = """
a, b, c = np.random.rand(300), np.random.rand(300), np.zeros(300)
add_kernel[(3,)](a, b, c, 290, BLOCK_SIZE=128)
assert (c[:290] == (a + b)[:290]).all() and (c[290:] == 0).all()
"""
    run.good(IMPORTS, after)


@block("000", 79, FRAGMENT)
def computes_offsets_only(run):
    run.good(IMPORTS, "x = np.arange(128)\nkernel[(2,)](x, BLOCK_SIZE=64)\nassert (x == np.arange(128)).all()\n")


@block("000", 92, FRAGMENT)
def launches(run):
    before = IMPORTS + """

@triton.jit
def kernel(ptr, BLOCK_SIZE: tl.constexpr):
    tl.store(ptr + tl.program_id(0), BLOCK_SIZE)


n, BLOCK_SIZE, x_ptr = 200, 64, np.zeros(5, np.int32)
"""
    run.good(before, "assert grid == (4,) and x_ptr.tolist() == [64, 64, 64, 64, 0]\n")


BODY = IMPORTS + """

@triton.jit
def wrapped(ptr, out, n, BLOCK_SIZE: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK_SIZE + tl.arange(0, BLOCK_SIZE)
"""


@block("000", 100, FRAGMENT)
def loads_and_stores(run):
    after = """    tl.store(out + offsets, data)


x, out = np.arange(128.0), np.full(128, -1.0)
wrapped[(2,)](x, out, 100, BLOCK_SIZE=64)
assert out.tolist() == [*range(100), *[0] * 28] and (x == np.arange(128)).all()
"""
    run.good(BODY + "    mask = offsets < n\n", after, indent=4)


@block("000", 109, FRAGMENT)
def masks(run):
    after = """    tl.store(out + offsets, mask)


out = np.zeros(128, np.int32)
wrapped[(2,)](out, out, 100, BLOCK_SIZE=64)
assert out[64:].tolist() == [1] * 36 + [0] * 28
"""
    run.good(BODY, after, indent=4)


@block("000", 291, FRAGMENT)
def forgets_the_mask_then_has_it(run):
    after = """    tl.store(out + offsets, data, mask=mask)


x, out = np.arange(float(COUNT)), np.zeros(COUNT)
wrapped[(2,)](x, out, COUNT, BLOCK_SIZE=64)
assert (out == x).all()
"""
    line = run.block.line_of("data = tl.load(ptr + offsets)\n".strip())
    said = run.bad(BODY, after.replace("COUNT", "100"), indent=4, TRITON_INTERPRET="1")
    assert "load outside of 'ptr'" in said and f"line {line}" in said, said
    # Compiled, the load that is wrong is not made, since its result is never used; the compiler warns of it.
    done = run(BODY, after.replace("COUNT", "100"), indent=4)
    assert done.returncode == 0 and f"block_000.py:{line}:12: warning: this load has no mask" in done.stderr, done.stderr
    run.good(BODY, after.replace("COUNT", "128"), indent=4)


@block("000", 301, FRAGMENT)
def forgets_constexpr_then_has_it(run):
    run.good(IMPORTS, "assert [p.name for p in __import__('inspect').signature(kernel).parameters.values()] == ['ptr', 'BLOCK_SIZE']\n")
    wrong, right = run.block.text.split("# Correct")
    use = [("    ...", "    tl.store(ptr + tl.arange(0, BLOCK_SIZE), 7)")]
    before = IMPORTS + "kernels = []\n\n\ndef keep(name):\n    def jit(f):\n        kernels.append(triton.jit(f))\n        return f\n    return jit\n\n\n"
    decorated = [*use, ("def kernel", "@keep('kernel')\ndef kernel")]
    launch = "x = np.zeros(4, np.int32)\nkernels[INDEX][(1,)](x, 4)\nassert x.tolist() == [7] * 4\n"
    run.good(before, launch.replace("INDEX", "1"), change=decorated)
    said = run.bad(before, launch.replace("INDEX", "0"), change=decorated)
    assert "constexpr" in said and "tl.arange(0, BLOCK_SIZE)" in said, said
    assert wrong and right


@block("000", 312, FRAGMENT)
def makes_an_accumulator(run):
    before = IMPORTS + "\n\n@triton.jit\ndef wrapped(out, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):\n"
    after = """    tl.static_assert(acc.dtype == tl.float32)
    tl.store(out + tl.arange(0, BLOCK_M)[:, None] * BLOCK_N + tl.arange(0, BLOCK_N)[None, :], acc)


out = np.ones((4, 8), np.float32)
wrapped[(1,)](out, BLOCK_M=4, BLOCK_N=8)
assert (out == 0).all()
"""
    run.good(before, after, indent=4)


@block("000", 194, FRAGMENT)
def multiplies(run):
    after = """
M, N, K = 50, 40, 70
a, b = (np.random.rand(*shape).astype(np.float32) for shape in ((M, K), (K, N)))
c = np.zeros((M, N), np.float32)
matmul_kernel[(4, 3)](a, b, c, M, N, K, K, 1, N, 1, N, 1, BLOCK_M=16, BLOCK_N=16, BLOCK_K=32)
assert abs(c - a.astype(np.float64) @ b).max() < 1e-4
"""
    run.good(IMPORTS, after)


@block("001", 139, FRAGMENT)
def doubles_and_adds_one(run):
    run.good(IMPORTS, "x, y = np.arange(100.0), np.zeros(100)\nmy_kernel[(2,)](x, y, 90, BLOCK_SIZE=64)\n"
             "assert (y[:90] == x[:90] * 2 + 1).all() and (y[90:] == 0).all()\n")


@block("004", 400, FRAGMENT)
def is_a_template_of_an_addition(run):
    run.good(IMPORTS, "x = np.ones(8)\nadd_kernel[(2,)](x, x, x, 8, BLOCK_SIZE=4)\nassert (x == 1).all()\n")


@block("004", 610, FRAGMENT)
def is_a_template_of_a_filter(run):
    run.good(IMPORTS, "x = np.ones(8)\nsepia_kernel[(2, 2)](x, x, 2, 4, BLOCK_SIZE_H=2, BLOCK_SIZE_W=2)\nassert (x == 1).all()\n")


@block("004", 457, FRAGMENT)
def computes_a_grid_and_ids(run):
    before = IMPORTS + "\n\n@triton.jit\ndef wrapped(out, M, N, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr):\n"
    after = """    tl.store(out + pid_m * grid[1] + pid_n, pid_m * 10 + pid_n)


out = np.zeros((3, 2), np.int32)
wrapped[(3, 2)](out, 33, 20, BLOCK_M=16, BLOCK_N=16)
assert out.tolist() == [[0, 1], [10, 11], [20, 21]]
"""
    run.good(before, after, indent=4)
    # At host level the grid is a tuple, and the language's functions say where they belong.
    said = run.bad(IMPORTS + "M, N, BLOCK_M, BLOCK_N = 33, 20, 16, 16\n")
    line = run.block.line_of("pid_m = tl.program_id(axis=0)")
    assert f'block_004.py", line {line}' in said and "tl.program_id runs only inside a kernel" in said, said


# Those that are no Python: Python's own complaint, at its line, without a traceback; and what the kernel language's parser says.


def refused(line, message, ours=None):
    """`line` counts from the fence. `ours`: what the compiler says of the file's kernel, or None where it has none."""

    def expectation(run):
        said = run.bad()
        assert said.startswith(f'  File "block_{run.block.seed}.py", line {run.block.line + line}\n') and "Traceback" not in said, said
        assert message in said.splitlines()[-1] and said.count("Error:") == 1
        if ours:
            at, words = ours
            import tilewise
            with pytest.raises(tilewise.CompilationError) as error:
                tilewise.load(run.folder / f"block_{run.block.seed}.py").emit("ast", "")
            told = str(error.value).splitlines()[0]
            assert f"block_{run.block.seed}.py:{run.block.line + at}:" in told and words in told

    return expectation


ELLIPSIS = "'...' stands where parameters belong: name the parameters"
STEP = "fill in this step: the loop body has no statement; write one, or 'pass'"
block("000", 118, NO_PYTHON)(refused(3, "expected an indented block after function definition"))
block("000", 271, NO_PYTHON)(refused(11, "invalid syntax", (11, ELLIPSIS)))
block("001", 118, NO_PYTHON)(refused(2, "invalid syntax"))
block("004", 215, NO_PYTHON)(refused(2, "invalid syntax", (2, ELLIPSIS)))
block("004", 603, NO_PYTHON)(refused(1, "unexpected indent"))
block("004", 760, NO_PYTHON)(refused(19, "expected an indented block after 'for' statement", (15, STEP)))
block("004", 976, NO_PYTHON)(refused(26, "expected an indented block after 'for' statement", (19, STEP)))
block("004", 1046, NO_PYTHON)(refused(10, "invalid syntax", (10, ELLIPSIS)))


@pytest.mark.parametrize("place", TABLE, ids=lambda place: f"{place[0]}:{place[1]}")
def test_block(place, tmp_path):
    pytest.importorskip("torch")
    TABLE[place][1](seed_blocks.Runner(tmp_path, BLOCKS[place]))
