"""What programs written against upstream's layout ask for: found in repositories that nobody here wrote."""

import inspect
import subprocess
import sys
import textwrap

import pytest
import tilewise
import tilewise.language as tl
from tilewise.language.core import get_int_dtype
from tilewise.language.target_info import cuda_capability_geq, is_cuda

np = pytest.importorskip("numpy")


@tilewise.jit
def which(x_ptr, BITS: tl.constexpr):
    kind: tl.constexpr = get_int_dtype(BITS, True)
    if is_cuda() or cuda_capability_geq(8, 0) or tl.target_info.is_cuda():
        tl.store(x_ptr, 1.0)
    else:
        tl.store(x_ptr, tl.full((), 200, tl.int32).to(kind).to(tl.float32))


def launched(kernel, *arguments):
    x = np.zeros(1, np.float32)
    kernel[(1,)](x, *arguments)
    return x[0]


def test_functions_of_compile_time(host_engine):
    assert not is_cuda() and not cuda_capability_geq(8, 0) and tl.target_info.current_target().backend == host_engine
    assert launched(which, 16) == 200 and launched(which, 8) == -56
    assert get_int_dtype(32, False) == tl.uint32


def test_a_kernel_is_copied_by_the_parameters_of_its_class():
    copy = type(which)(**{name: getattr(which, name) for name in inspect.signature(type(which).__init__).parameters if name != "self"})
    assert launched(copy, 16) == 200


def test_a_kernel_under_another_name():

    def original(x_ptr, ADDED: tl.constexpr):
        tl.store(x_ptr, 1.0 + ADDED)

    original.__name__ = original.__qualname__ = "renamed"
    kernel = tilewise.jit(original)
    kernel.__name__ = "renamed_again"
    assert launched(kernel, 2) == 3

    @tilewise.jit
    def caller(x_ptr, ADDED: tl.constexpr):
        kernel(x_ptr, ADDED)

    assert launched(caller, 4) == 5


def test_the_listener_hears_of_launches():

    @tilewise.jit
    def fresh(x_ptr, N: tl.constexpr):
        tl.store(x_ptr, 1.0 * N)

    told = []
    tilewise.knobs.compilation.listener = lambda **named: told.append((named["src"].name, named["cache_hit"], named["metadata"]["num_warps"]))
    try:
        launched(fresh, 1), launched(fresh, 1), launched(fresh, 2)
    finally:
        tilewise.knobs.compilation.listener = None
    assert [(name, warps) for name, _, warps in told] == [("fresh", 4), ("fresh", 4)] and all(type(hit) is bool for _, hit, _ in told)


def test_gluons_stand_ins_end():
    from tilewise.experimental.gluon import language as gl
    with pytest.raises(TypeError, match="cannot be iterated"):
        list(gl.BlockedLayout([1, 2]))


def test_upstreams_native_module():
    from tilewise._C.libtriton import nvidia
    torch = pytest.importorskip("torch")
    a, b, c = torch.randn(4, 8), torch.randn(6, 8), torch.zeros(4, 6)
    nvidia.cublas.CublasLt(None).matmul(a, b, c)
    torch.testing.assert_close(c, a @ b.t())


def test_storages_and_traces_on_the_pretended_gpu():
    pytest.importorskip("torch")
    text = """
        import torch, warnings
        warnings.simplefilter("ignore")
        from torch._subclasses.fake_tensor import FakeTensorMode
        x = torch.randn(4, device="cuda")
        fake = FakeTensorMode().from_tensor(x)
        with FakeTensorMode():
            made = torch.empty(4, device="cuda")
        print(x.storage().device, torch.randn(4).storage().device, fake.device, (fake + 1).device, made.device, made.is_cuda)
    """
    told = subprocess.run([sys.executable, "-m", "tilewise", "--device=cpu", "-c", textwrap.dedent(text)], capture_output=True, text=True, timeout=100)
    assert told.stdout.split() == ["cuda:0", "cpu", "cuda:0", "cuda:0", "cuda:0", "True"], told.stderr
