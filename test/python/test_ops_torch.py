"""tilewise.ops on torch tensors: gradients by gradcheck, registration by opcheck, types that numpy lacks, and torch.compile without graph breaks."""

import pathlib
import re
import subprocess
import sys

import pytest

torch = pytest.importorskip("torch")

import tilewise.ops as ops  # noqa: E402
from tilewise.ops import torch_ops  # noqa: E402


def double(*shape, positive=False):
    x = torch.rand(shape, dtype=torch.float64) * 2 - (0 if positive else 1)
    return (x + 0.1 if positive else x).requires_grad_()


@pytest.fixture(autouse=True)
def seeded():
    torch.manual_seed(3)


def attention_inputs():
    return double(1, 4, 5, 6), double(1, 2, 7, 6), double(1, 2, 7, 6)


TARGET = torch.tensor([3, 0, -100, 2])
START = torch.tensor([0, 2, 2, 5])
ANGLE = torch.outer(torch.arange(3.0), torch.arange(4.0)).double()
# Each function with inputs whose gradients are checked.
GRADIENTS = {
    "multiply_add_sqrt": (ops.multiply_add_sqrt, lambda: (double(5, positive=True), double(5, positive=True), double(5, positive=True))),
    "relu": (ops.relu, lambda: (double(3, 7),)),
    "leaky_relu": (lambda x: ops.leaky_relu(x, 0.2), lambda: (double(3, 7),)),
    "gelu": (ops.gelu, lambda: (double(3, 7),)),
    "gelu tanh": (lambda x: ops.gelu(x, "tanh"), lambda: (double(3, 7),)),
    "silu": (ops.silu, lambda: (double(3, 7),)),
    "swiglu": (ops.swiglu, lambda: (double(3, 7), double(3, 7))),
    "dropout": (lambda x: ops.dropout(x, 0.5, 5), lambda: (double(20),)),
    "rotary": (lambda x: ops.rotary(x, ANGLE.cos(), ANGLE.sin()), lambda: (double(2, 3, 2, 8),)),
    "rotary interleaved": (lambda x: ops.rotary(x, ANGLE.cos(), ANGLE.sin(), True), lambda: (double(2, 3, 2, 8),)),
    "softmax": (ops.softmax, lambda: (double(2, 3, 11),)),
    "softmax of dimension 0": (lambda x: ops.softmax(x, 0), lambda: (double(4, 3),)),
    "layer_norm": (ops.layer_norm, lambda: (double(2, 3, 11), double(11), double(11))),
    "rms_norm": (ops.rms_norm, lambda: (double(2, 3, 11), double(11))),
    "cross_entropy": (lambda x: ops.cross_entropy(x, TARGET), lambda: (double(4, 5),)),
    "cross_entropy smoothed": (lambda x: ops.cross_entropy(x, TARGET, label_smoothing=0.25, reduction="sum"), lambda: (double(4, 5),)),
    "linear": (ops.linear, lambda: (double(2, 3, 5), double(4, 5), double(4))),
    "linear without bias": (ops.linear, lambda: (double(3, 5), double(4, 5))),
    "linear gelu": (lambda *args: ops.linear(*args, activation="gelu"), lambda: (double(3, 5), double(4, 5), double(4))),
    "linear silu": (lambda *args: ops.linear(*args, activation="silu"), lambda: (double(3, 5), double(4, 5), double(4))),
    "matmul": (ops.matmul, lambda: (double(3, 5), double(5, 4))),
    "matmul batched": (ops.matmul, lambda: (double(2, 3, 5), double(1, 5, 4))),
    "matmul_grouped": (lambda a, b: ops.matmul_grouped(a, b, START), lambda: (double(5, 4), double(3, 4, 6))),
    "matmul_split_k": (lambda a, b: ops.matmul_split_k(a, b, 2), lambda: (double(3, 40), double(40, 4))),
    "norm_linear": (ops.norm_linear, lambda: (double(3, 5), double(5), double(5), double(4, 5), double(4))),
    "norm_linear gelu dropout": (lambda *args: ops.norm_linear(*args, activation="gelu", p=0.3, seed=4),
                                 lambda: (double(3, 5), double(5), double(5), double(4, 5), double(4))),
    "attention": (ops.attention, attention_inputs),
    "attention causal": (lambda q, k, v: ops.attention(q, k, v, causal=True), attention_inputs),
}


@pytest.mark.parametrize("name", GRADIENTS)
def test_gradcheck(name):
    function, make = GRADIENTS[name]
    # Dropout divides by 1 - p in fp32.
    assert torch.autograd.gradcheck(function, make(), atol=1e-6, rtol=1e-5)


CALLS = {
    "multiply_add_sqrt": lambda: (double(5, positive=True), double(5, positive=True), double(5, positive=True)),
    "activation": lambda: (double(7), "gelu", 0.01),
    "activation_backward": lambda: (torch.rand(7), torch.rand(7), "silu", 0.01),
    "swiglu": lambda: (double(7), double(7)),
    "swiglu_backward": lambda: (torch.rand(7), torch.rand(7), torch.rand(7)),
    "dropout": lambda: (double(7), 0.5, 3),
    "rotary": lambda: (double(2, 3, 2, 8), ANGLE.cos(), ANGLE.sin(), False, False),
    "greyscale": lambda: (torch.rand(3, 5, 6),),
    "sepia": lambda: (torch.rand(3, 5, 6),),
    "filter2d": lambda: (torch.rand(5, 6), torch.rand(3, 3), "zero", 1, 1),
    "softmax": lambda: (double(3, 5),),
    "softmax_backward": lambda: (torch.rand(3, 5), torch.rand(3, 5)),
    "layer_norm": lambda: (double(3, 5), double(5), double(5), 1e-5),
    "layer_norm_backward": lambda: (torch.rand(3, 5), torch.rand(3, 5), torch.rand(5), torch.rand(3), torch.rand(3)),
    "rms_norm": lambda: (double(3, 5), double(5), 1e-5),
    "rms_norm_backward": lambda: (torch.rand(3, 5), torch.rand(3, 5), torch.rand(5), torch.rand(3)),
    "cross_entropy": lambda: (double(4, 5), TARGET, -100, 0.1),
    "cross_entropy_backward": lambda: (torch.rand(4, 5), TARGET, torch.rand(4), torch.rand(4), -100, 0.1),
    "linear": lambda: (double(3, 5), double(4, 5), double(4), "gelu"),
    "matmul": lambda: (double(3, 5), double(5, 4)),
    "matmul_grouped": lambda: (double(5, 4), double(3, 4, 6), START),
    "matmul_grouped_weights": lambda: (torch.rand(5, 4), torch.rand(5, 6), START),
    "matmul_split_k": lambda: (double(3, 40), double(40, 4), 2),
    "matmul_int8": lambda: (torch.rand(3, 5), *ops.quantize_int8(torch.rand(5, 4)), None),
    "matmul_int4": lambda: (torch.rand(3, 64), *ops.quantize_int4(torch.rand(64, 4), 32), 32),
    "norm_linear": lambda: (double(3, 5), double(5), double(5), double(4, 5), double(4), 1e-5, "gelu", 0.3, 4),
    "attention": lambda: (*attention_inputs(), True, 0.5),
    "attention_backward": lambda: (*attention_inputs(), torch.rand(1, 4, 5, 6).double(), torch.rand(1, 4, 5).double(), torch.rand(1, 4, 5, 6).double(),
                                   True, 0.5),
}


def test_every_operator_is_called_here():
    assert set(CALLS) == set(torch_ops._registered)


@pytest.mark.parametrize("name", CALLS)
def test_opcheck(name):
    arguments = CALLS[name]()
    if name.endswith(("_backward", "_weights")):  # gradients of gradients are not there
        arguments = tuple(each.detach() if isinstance(each, torch.Tensor) else each for each in arguments)
    torch.library.opcheck(getattr(torch.ops.tilewise, name).default, arguments)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32])
def test_against_torch(dtype):
    bound = {torch.bfloat16: 2e-2, torch.float16: 3e-3, torch.float32: 1e-5}[dtype]
    functional = torch.nn.functional

    def near(got, expected):
        torch.testing.assert_close(got.double(), expected, rtol=bound, atol=bound)

    x, weight, bias = torch.randn(9, 70, dtype=dtype), torch.randn(70, dtype=dtype), torch.randn(70, dtype=dtype)
    near(ops.softmax(x), functional.softmax(x.double(), -1))
    near(ops.layer_norm(x, weight, bias), functional.layer_norm(x.double(), (70,), weight.double(), bias.double()))
    near(ops.rms_norm(x, weight), functional.rms_norm(x.double(), (70,), weight.double(), 1e-6))
    near(ops.gelu(x), functional.gelu(x.double()))
    near(ops.gelu(x, "tanh"), functional.gelu(x.double(), approximate="tanh"))
    target = torch.randint(0, 70, (9,))
    near(ops.cross_entropy(x, target, label_smoothing=0.1), functional.cross_entropy(x.double(), target, label_smoothing=0.1))
    q, k, v = (torch.randn(2, heads, 50, 48, dtype=dtype) for heads in (4, 2, 2))
    near(ops.attention(q, k, v, causal=True), functional.scaled_dot_product_attention(q.double(), k.double(), v.double(), is_causal=True, enable_gqa=True))
    weights = torch.randn(33, 70, dtype=dtype)
    near(ops.linear(x, weights, activation="silu") / 8, functional.silu(functional.linear(x.double(), weights.double())) / 8)


def test_gradients_in_half_precision():
    q, k, v = (torch.randn(2, heads, 40, 32, dtype=torch.bfloat16, requires_grad=True) for heads in (4, 2, 2))
    wide = [each.detach().double().requires_grad_() for each in (q, k, v)]
    ops.attention(q, k, v, causal=True).sum().backward()
    torch.nn.functional.scaled_dot_product_attention(*wide, is_causal=True, enable_gqa=True).sum().backward()
    for ours, theirs in zip((q, k, v), wide):
        torch.testing.assert_close(ours.grad.double(), theirs.grad, rtol=3e-2, atol=6e-2)


def block(x, norm_weight, norm_bias, weight, bias):
    """A piece of a model: what torch.compile sees of it is a graph of our operators and its own."""
    y = ops.norm_linear(x, norm_weight, norm_bias, weight, bias, activation="gelu")
    return (ops.softmax(y) * 2).sum()


def test_compile_without_graph_breaks():
    arguments = [torch.randn(shape, requires_grad=True) for shape in ((6, 20), (20,), (20,), (24, 20), (24,))]
    expected = block(*arguments)
    expected.backward()
    gradients = [each.grad.clone() for each in arguments]
    for each in arguments:
        each.grad = None
    got = torch.compile(block, fullgraph=True, backend="aot_eager")(*arguments)
    got.backward()
    torch.testing.assert_close(got, expected)
    for each, gradient in zip(arguments, gradients):
        torch.testing.assert_close(each.grad, gradient)


@pytest.mark.parametrize("backend", ["aot_eager", "tilewise"])
@pytest.mark.parametrize("name", GRADIENTS)
def test_compiled(name, backend):
    """Forward and backward in one graph, the same as without torch.compile."""
    function, make = GRADIENTS[name]
    arguments = make()
    expected = function(*arguments).sum()
    gradients = torch.autograd.grad(expected, arguments)
    torch._dynamo.reset()
    got = torch.compile(lambda *given: function(*given) * 2, fullgraph=True, backend=backend)(*arguments).sum()
    torch.testing.assert_close(got, 2 * expected)
    for ours, plain in zip(torch.autograd.grad(got, arguments), gradients):
        torch.testing.assert_close(ours, 2 * plain)


def test_training_step_learns():
    weight = torch.zeros(10, 4, requires_grad=True)
    x, target = torch.randn(64, 4), torch.arange(64) % 10
    first = None
    for _ in range(20):
        loss = ops.cross_entropy(ops.linear(x, weight), target)
        first = first or loss.item()
        (gradient,) = torch.autograd.grad(loss, weight)
        with torch.no_grad():
            weight -= gradient
    assert loss.item() < first - 0.05


def test_targets_outside_of_the_classes_are_told():
    with pytest.raises(ValueError, match="cross_entropy: a target is outside of 0 to 4"):
        ops.cross_entropy(torch.rand(1, 5), torch.tensor([5]))


class Seen(torch.utils._python_dispatch.TorchDispatchMode):

    def __torch_dispatch__(self, function, types, arguments=(), named=None):
        self.names = [*getattr(self, "names", []), str(function)]
        return function(*arguments, **(named or {}))


def goes_through_torch(call):
    """Whether torch's code for operators in Python ran."""
    files = set()
    before = sys.getprofile()
    sys.setprofile(lambda frame, event, argument: files.add(frame.f_code.co_filename))
    try:
        call()
    finally:
        sys.setprofile(before)
    return any("_library" in file for file in files)


def test_a_plain_call_is_a_launch_at_once():
    x, w = torch.rand(3, 40), torch.rand(40)
    wanted = torch.nn.functional.rms_norm(x, (40,), w, 1e-6)
    torch.testing.assert_close(ops.rms_norm(x, w), wanted)
    assert not goes_through_torch(lambda: ops.rms_norm(x, w))
    leaf = torch.nn.Parameter(x)
    assert goes_through_torch(lambda: ops.rms_norm(leaf, w))
    with torch.no_grad():
        assert not goes_through_torch(lambda: ops.rms_norm(leaf, w))
    with torch.inference_mode():
        assert not goes_through_torch(lambda: ops.rms_norm(torch.rand(3, 40), w))


def test_who_looks_on_sees_the_operator():
    x = torch.rand(3, 40)
    wanted = x.softmax(-1)
    with Seen() as seen:
        torch.testing.assert_close(ops.softmax(x), wanted)
    assert "tilewise.softmax.default" in seen.names
    with torch.profiler.profile() as profile:
        ops.softmax(x)
    assert "tilewise::softmax" in {event.name for event in profile.events()}
    traced = torch.fx.experimental.proxy_tensor.make_fx(lambda x: ops.softmax(x))(x)
    assert "tilewise.softmax" in traced.code
    assert "tilewise::softmax" in str(torch.jit.trace(ops.softmax, (x,)).graph)


def test_a_tensor_that_is_not_memory_as_it_is_goes_to_torch():
    assert ops.softmax(torch.rand(3, 40, device="meta")).is_meta
    # The values of a conjugate's imaginary part are negated where they are read.
    lazy = torch.view_as_complex(torch.rand(3, 40, 2)).conj().imag
    assert lazy.is_neg()
    torch.testing.assert_close(ops.softmax(lazy), lazy.softmax(-1))


def flags_at(address):
    """What the system was told of the mapping that the address lies in."""
    inside = False
    for line in pathlib.Path("/proc/self/smaps").read_text().splitlines():
        if bounds := re.match(r"([0-9a-f]+)-([0-9a-f]+) ", line):
            inside = int(bounds[1], 16) <= address < int(bounds[2], 16)
        elif inside and line.startswith("VmFlags:"):
            return line.split()[1:]
    raise AssertionError("the address is in no mapping")


@pytest.mark.skipif(not pathlib.Path("/sys/kernel/mm/transparent_hugepage").exists(), reason="this system has no large pages to ask for")
def test_much_memory_comes_in_large_pages():
    x = torch.ones(3, 4 << 20)
    y = ops.relu(x)
    assert torch.equal(x, y)
    assert "hg" in flags_at(y.data_ptr() + y.nbytes // 2)


def test_registered_on_import_where_torch_is():
    code = "import torch, tilewise.ops; print(torch.ops.tilewise.softmax(torch.zeros(1, 4)).tolist())"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[[0.25, 0.25, 0.25, 0.25]]\n"


def test_numpy_needs_no_torch():
    code = "import sys, numpy, tilewise.ops as ops; ops.softmax(numpy.zeros((1, 4), 'float32')); print('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"
