"""tilewise.ops on torch tensors of every type, forward and backward, over odd shapes and on every engine that is here, against double precision."""

import contextlib
import json
import pathlib

import pytest

torch = pytest.importorskip("torch")

import tilewise  # noqa: E402
import tilewise.ops as ops  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
F = torch.nn.functional
# What one rounding to the type may lose, relative to the value; for the wide types, what sums and exponentials in them may.
UNITS = {torch.float16: 2**-11, torch.bfloat16: 2**-8, torch.float32: 2**-21, torch.float64: 2**-46}
TYPES = {str(dtype).removeprefix("torch."): dtype for dtype in UNITS}


class Case:
    """A function of tensors, the same in double precision, and the shapes of its inputs, one list for each size that is tried. What is near 0 is compared
    with `least`, the size of what was added up to get there; a gradient with `least` times `steep`. Scalars are numbers that fp32 has exactly."""

    def __init__(self, ours, plain, *sizes, positive=False, gradients=True, least=1.0, steep=4.0, types=TYPES):
        self.ours, self.plain, self.sizes, self.positive = ours, plain, sizes, positive
        self.gradients, self.least, self.steep, self.types = gradients, least, steep, types


FLAT = [[(1,)], [(3, 5, 41)], [(8193,)]]
ROWS = [[(1, 1)], [(5, 33)], [(2, 3, 100)], [(2, 9001)]]
SQUARES = [[(1, 1), (1, 1)], [(33, 47), (47, 65)], [(130, 300), (300, 20)]]
TARGET = {1: torch.tensor([0]), 4: torch.tensor([3, 0, -100, 2])}
FILTER = torch.tensor([[1.0, -2.0, 0.5], [0.0, 4.0, 0.25]])
START = [0, 10, 10, 75, 80]


def pairs(shapes):
    return [[size[0], size[0]] for size in shapes]


def with_vectors(count):
    """Rows, and vectors as long as one."""
    return [[size[0]] + [(size[0][-1],)] * count for size in ROWS]


def angles(x):
    at = torch.outer(torch.arange(x.shape[1], dtype=torch.float64), torch.arange(x.shape[3] // 2, dtype=torch.float64) * 0.3)
    return at.cos().to(x.dtype).to(x.device), at.sin().to(x.dtype).to(x.device)


def rotated(x, interleaved):
    cos, sin = (each[:, None, :] for each in angles(x))
    one, other = (slice(0, None, 2), slice(1, None, 2)) if interleaved else (slice(0, x.shape[3] // 2), slice(x.shape[3] // 2, None))
    a, b = x[..., one], x[..., other]
    y = torch.empty_like(x)
    y[..., one], y[..., other] = a * cos - b * sin, b * cos + a * sin
    return y


def filtered(x):
    padded = F.pad(x, (1, 1, 1, 0))
    return sum(FILTER[i, j].to(x) * padded[..., i:i + x.shape[-2], j:j + x.shape[-1]] for i in range(2) for j in range(3))


GREY = torch.tensor([0.299, 0.587, 0.114], dtype=torch.float64)
SEPIA = torch.tensor([[0.393, 0.769, 0.189], [0.349, 0.686, 0.168], [0.272, 0.534, 0.131]], dtype=torch.float64)


def entropy(x):
    return ops.cross_entropy(x, TARGET[len(x)].to(x.device), label_smoothing=0.125, reduction="sum")


def plain_entropy(x):
    return F.cross_entropy(x, TARGET[len(x)].to(x.device), label_smoothing=0.125, reduction="sum")


def grouped(a, b):
    return torch.cat([a[first:end] @ b[group] for group, (first, end) in enumerate(zip(START, START[1:]))])


def quantised8(a, b):
    whole, scale = ops.quantize_int8(b.float())
    return ops.matmul_int8(a, whole, scale)


def plain8(a, b):
    whole, scale = ops.quantize_int8(b.float())
    return a @ (whole.double() * scale.double())


def quantised4(a, b):
    return ops.matmul_int4(a, *ops.quantize_int4(b.float(), 32), 32)


def plain4(a, b):
    packed, scale, zero = (each.double() for each in ops.quantize_int4(b.float(), 32))
    nibbles = torch.stack([packed % 16, packed // 16], 1).reshape(-1, packed.shape[1])
    group = torch.arange(len(nibbles), device=a.device) // 32
    return a @ ((nibbles - zero[group]) * scale[group])


def normed_linear(x, norm_weight, norm_bias, weight, bias):
    return ops.norm_linear(x, norm_weight, norm_bias, weight, bias, eps=2**-17, activation="gelu")


def plain_normed_linear(x, norm_weight, norm_bias, weight, bias):
    return F.gelu(F.linear(F.layer_norm(x, x.shape[-1:], norm_weight, norm_bias, 2**-17), weight, bias))


def attended(causal):
    return (lambda q, k, v: ops.attention(q, k, v, causal, scale=0.125),
            lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=causal, scale=0.125, enable_gqa=True))


HEADS = [[(2, 2, 5, 8), (2, 2, 5, 8), (2, 2, 5, 8)], [(1, 4, 70, 40), (1, 2, 130, 40), (1, 2, 130, 40)], [(1, 1, 20, 256), (1, 1, 20, 256), (1, 1, 20, 256)],
         [(1, 3, 1, 1), (1, 1, 9, 1), (1, 1, 9, 1)]]
SMALL = {name: dtype for name, dtype in TYPES.items() if name != "float64"}
CASES = {
    "multiply_add_sqrt": Case(ops.multiply_add_sqrt, lambda a, b, c: torch.sqrt(a * b + c), *[size * 3 for size in FLAT], positive=True),
    "relu": Case(ops.relu, torch.relu, *FLAT),
    "leaky_relu": Case(lambda x: ops.leaky_relu(x, 0.125), lambda x: F.leaky_relu(x, 0.125), *FLAT),
    "gelu": Case(ops.gelu, F.gelu, *FLAT),
    "gelu tanh": Case(lambda x: ops.gelu(x, "tanh"), lambda x: F.gelu(x, approximate="tanh"), *FLAT),
    "silu": Case(ops.silu, F.silu, *FLAT),
    "swiglu": Case(ops.swiglu, lambda gate, up: F.silu(gate) * up, *pairs(FLAT)),
    "dropout": Case(lambda x: ops.dropout(x, 0.25, 9), lambda x: x * (ops.dropout(torch.ones_like(x, dtype=torch.float32), 0.25, 9) != 0) / 0.75, *FLAT),
    "rotary": Case(lambda x: ops.rotary(x, *angles(x)), lambda x: rotated(x, False), [(2, 5, 3, 20)], [(1, 1, 1, 2)]),
    "rotary interleaved": Case(lambda x: ops.rotary(x, *angles(x), interleaved=True), lambda x: rotated(x, True), [(2, 5, 3, 20)]),
    "greyscale": Case(ops.greyscale, lambda x: torch.einsum("c,chw->hw", GREY.to(x), x), [(3, 1, 1)], [(3, 33, 129)], gradients=False),
    "sepia": Case(ops.sepia, lambda x: torch.einsum("ab,bhw->ahw", SEPIA.to(x), x).clamp_max(1), [(3, 1, 1)], [(3, 33, 129)], gradients=False),
    "filter2d": Case(lambda x: ops.filter2d(x, FILTER.to(x)), filtered, [(1, 1)], [(2, 19, 150)], gradients=False, least=8),
    "softmax": Case(ops.softmax, lambda x: x.softmax(-1), *ROWS, [(2, 17001)], least=2**-4),
    "softmax of dimension 1": Case(lambda x: ops.softmax(x, 1), lambda x: x.softmax(1), [(4, 7, 5)], least=2**-2),
    "layer_norm": Case(lambda x, w, b: ops.layer_norm(x, w, b, 2**-17), lambda x, w, b: F.layer_norm(x, x.shape[-1:], w, b, 2**-17), *with_vectors(2)[1:], steep=8),
    "rms_norm": Case(lambda x, w: ops.rms_norm(x, w, 2**-17), lambda x, w: F.rms_norm(x, x.shape[-1:], w, 2**-17), *with_vectors(1), steep=8),
    "cross_entropy": Case(entropy, plain_entropy, [(1, 1)], [(4, 10)], [(4, 9001)], least=8),
    "linear": Case(ops.linear, F.linear, [(1, 1), (1, 1), (1,)], [(2, 3, 47), (65, 47), (65,)], [(130, 300), (20, 300), (20,)], least=16),
    "linear relu": Case(lambda *a: ops.linear(*a, activation="relu"), lambda *a: torch.relu(F.linear(*a)), [(33, 47), (65, 47), (65,)], least=16, gradients=False),
    "linear leaky_relu": Case(lambda *a: ops.linear(*a, activation="leaky_relu"), lambda *a: F.leaky_relu(F.linear(*a)), [(33, 47), (65, 47), (65,)], least=16, gradients=False),
    "linear gelu": Case(lambda *a: ops.linear(*a, activation="gelu"), lambda *a: F.gelu(F.linear(*a)), [(33, 47), (65, 47), (65,)], least=16, steep=16),
    "linear silu": Case(lambda *a: ops.linear(*a, activation="silu"), lambda *a: F.silu(F.linear(*a)), [(33, 47), (65, 47), (65,)], least=16, steep=16),
    "matmul": Case(ops.matmul, torch.matmul, *SQUARES, least=16),
    "matmul batched": Case(ops.matmul, torch.matmul, [(3, 33, 47), (3, 47, 65)], [(1, 5, 7), (3, 7, 9)], [(3, 5, 7), (1, 7, 9)], least=16),
    "matmul_grouped": Case(lambda a, b: ops.matmul_grouped(a, b, torch.tensor(START, device=a.device)), grouped, [(80, 33), (4, 33, 50)], least=16),
    "matmul_split_k": Case(lambda a, b: ops.matmul_split_k(a, b, 3), torch.matmul, [(1, 1), (1, 1)], [(17, 1001), (1001, 20)], least=32),
    "matmul_int8": Case(quantised8, plain8, [(1, 1), (1, 1)], [(19, 101), (101, 40)], gradients=False, least=32, types=SMALL),
    "matmul_int4": Case(quantised4, plain4, [(1, 2), (2, 1)], [(19, 130), (130, 40)], gradients=False, least=32, types=SMALL),
    "norm_linear": Case(normed_linear, plain_normed_linear, [(37, 100), (100,), (100,), (70, 100), (70,)], least=16, steep=16),
    "attention": Case(*attended(False), *HEADS, steep=8),
    "attention causal": Case(*attended(True), *HEADS, steep=8),
}


@pytest.fixture(params=["reference", "cpu", pytest.param("cuda", marks=pytest.mark.gpu)])
def place(request):
    """Where tensors are; those of the host run on the engine that is named."""
    if request.param == "cuda" and not torch.cuda.is_available():
        pytest.skip("no GPU")
    with contextlib.nullcontext() if request.param == "cuda" else tilewise.engine(request.param):
        yield "cuda" if request.param == "cuda" else "cpu"


def assert_near(what, got, exact, dtype, least, factor=4):
    assert got.shape == exact.shape and not got.isnan().any(), what
    bound = factor * UNITS[dtype] * (exact.abs() + least)
    worst = ((got.double() - exact).abs() / bound).max().item()
    assert worst <= 1, f"{what}: {worst:.3g} times the bound"


def compare(name, case, shapes, dtype, place):
    random = torch.Generator().manual_seed(20)
    draw = (lambda shape: torch.rand(shape, generator=random) + 0.5) if case.positive else lambda shape: torch.randn(shape, generator=random)
    inputs = [draw(shape).to(dtype).to(place).requires_grad_(case.gradients) for shape in shapes]
    wide = [each.detach().double().requires_grad_(case.gradients) for each in inputs]
    got, exact = case.ours(*inputs), case.plain(*wide)
    assert_near(f"{name} of {shapes}", got.detach(), exact.detach(), dtype, case.least)
    if case.gradients:
        up = torch.randn(exact.shape, generator=random).to(dtype).to(place)
        got.backward(up.to(got.dtype))
        exact.backward(up.double())
        for number, (ours, plain) in enumerate(zip(inputs, wide)):
            # Gradients of weights are sums over all rows.
            many = max(1.0, exact.numel() / max(1, ours.numel())) ** 0.5
            assert ours.grad.dtype == dtype
            assert_near(f"gradient {number} of {name} of {shapes}", ours.grad, plain.grad, dtype, case.least * case.steep * many)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", CASES)
def test_against_double_precision(place, name, dtype):
    case = CASES[name]
    if dtype not in case.types:
        pytest.skip("not of this function's types")
    for shapes in case.sizes:
        compare(name, case, shapes, TYPES[dtype], place)


class Given:
    """In place of the tuner: the config of a number in each kernel's list of those that are tried."""

    def __init__(self, native, number):
        self.native, self.number, self.most = native, number, 0
        self.rows = json.loads((ROOT / "kernels" / "tuned" / "configs.json").read_text())

    def __getattr__(self, name):
        return getattr(self.native, name)

    def library_config(self, kernel, engine, index, dtype, sizes, run, anew):
        names, short = {kernel, kernel.split("/")[0]}, {"float16": "fp16", "bfloat16": "bf16", "float32": "fp32"}.get(dtype, dtype)
        row = next(row for row in self.rows if row["engine"] == ("cuda" if engine == 2 else "cpu") and names & set(row["kernels"])
                   and short in row.get("types", [short]))
        self.most = max(self.most, len(row["configs"]))
        chosen = row["configs"][self.number % len(row["configs"])]
        return ", ".join([chosen, *(f"{name}: {default}" for name, default in (("num_warps", 4), ("num_stages", 3)) if name not in chosen)])


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", CASES)
def test_with_every_config_that_may_be_chosen(place, name, dtype, monkeypatch):
    from tilewise.ops import launches
    if place == "cpu" and tilewise.engines.host_engine() == 0:
        pytest.skip("the reference engine has one config")
    case = CASES[name]
    if dtype not in case.types:
        pytest.skip("not of this function's types")
    number, most = 0, 1
    while number < most:
        given = Given(launches._native, number)
        with monkeypatch.context() as patch:
            patch.setattr(launches, "_native", given)
            compare(f"{name} with config {number}", case, case.sizes[-1], TYPES[dtype], place)
        number, most = number + 1, max(most, given.most)
