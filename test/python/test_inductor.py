"""What torch's compiler asks of `triton` where Tilewise is installed in its place: launchers, backends, pickling, workers, the profiler."""

import inspect
import os
import pickle
import platform
import subprocess
import sys
import textwrap
import types
import warnings

import pytest
import tilewise
import tilewise.language as tl
from tilewise.compiler import ASTSource

np = pytest.importorskip("numpy")


@tilewise.jit
def add(x_ptr, y_ptr, n, ADDED: tl.constexpr, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + at, tl.load(x_ptr + at, mask=at < n) + ADDED, mask=at < n)


def compiled_add(**options):
    source = ASTSource(add, {"x_ptr": "*fp32", "y_ptr": "*fp32", "n": "i32", "ADDED": "constexpr", "BLOCK": "constexpr"},
                       {"ADDED": 2.0, "BLOCK": 64}, {(0,): [["tt.divisibility", 16]]})
    return tilewise.compile(source, options=options)


def run(kernel, n=100, told=None, enter=None, leave=None):
    x, y = np.arange(n, dtype=np.float32), np.zeros(n, np.float32)
    kernel.run(-(-n // 64), 1, 1, 0, kernel.function, kernel.packed_metadata, told, enter, leave, x, y, n, 2.0, 64)
    return np.array_equal(y, x + 2)


def test_a_compiled_kernel_runs_as_upstreams_do(host_engine):
    calls = []
    kernel = compiled_add()
    assert run(kernel) and run(kernel, 64)
    assert run(kernel, told="metadata", enter=lambda told: calls.append(("enter", told)), leave=lambda told: calls.append(("leave", told)))
    assert calls == [("enter", "metadata"), ("leave", "metadata")]
    empty = tilewise.knobs.HookChain()
    assert run(kernel, enter=empty, leave=empty)
    with pytest.raises(TypeError, match="run takes grid_0, grid_1, grid_2, stream"):
        kernel.run(1, 1, 1)
    with pytest.raises(tilewise.LaunchError, match="'add' comes from an artifact for .*these arguments need .*'four'"):
        kernel.run(1, 1, 1, 0, None, None, None, None, None, np.zeros(4, np.float32), np.zeros(4, np.float32), "four", 2.0, 64)


def test_a_compiled_kernel_has_its_own_constants(host_engine):
    """Inductor gives -1 for a None that it compiled in, here between two arguments."""

    @tilewise.jit
    def scale(x_ptr, y_ptr, by, n, BLOCK: tl.constexpr):
        at = tl.arange(0, BLOCK)
        x = tl.load(x_ptr + at, mask=at < n)
        tl.store(y_ptr + at, x if by is None else x * by, mask=at < n)

    source = ASTSource(scale, {"x_ptr": "*fp32", "y_ptr": "*fp32", "by": "constexpr", "n": "i32", "BLOCK": "constexpr"}, {"by": None, "BLOCK": 64})
    kernel, x, y = tilewise.compile(source), np.arange(64, dtype=np.float32), np.zeros(64, np.float32)
    kernel.run(1, 1, 1, 0, kernel.function, kernel.packed_metadata, None, None, None, x, y, -1, 50, 32)
    assert np.array_equal(y[:50], x[:50]) and not y[50:].any()


def test_compile_and_first_launch_compile_once():
    before = sum(tilewise.compile_counts())
    kernel = compiled_add(num_warps=2)
    assert sum(tilewise.compile_counts()) == before + 1
    assert run(kernel) and run(kernel)
    assert sum(tilewise.compile_counts()) == before + 1


@pytest.mark.skipif(platform.machine() != "x86_64", reason="names a processor of x86-64")
def test_the_processor_that_is_asked_for(monkeypatch):
    wide = compiled_add(num_warps=1).asm["asm"]
    monkeypatch.setenv("TILEWISE_CPU", "x86-64")
    kernel = compiled_add(num_warps=1)
    assert run(kernel)
    assert "xmm" in kernel.asm["asm"] and "ymm" not in kernel.asm["asm"] and "zmm" not in kernel.asm["asm"]
    monkeypatch.delenv("TILEWISE_CPU")
    assert compiled_add(num_warps=1).asm["asm"] == wide


def test_compiled_kernels_are_pickled_with_their_code():
    kernel = compiled_add()
    copy = pickle.loads(pickle.dumps(kernel))
    before = tilewise.compile_counts()
    assert run(copy) and tilewise.compile_counts() == before
    assert (copy.hash, copy.metadata.num_warps, copy.name) == (kernel.hash, 4, "add")


def test_kernels_are_pickled_by_name_or_without_their_function():
    assert pickle.loads(pickle.dumps(add)) is add

    def local(x_ptr):
        tl.store(x_ptr, 1.0)

    kernel = tilewise.jit(local)
    kernel.fn = kernel.__globals__ = kernel.used_global_vals = None  # as Inductor's workers do before they send it
    copy = pickle.loads(pickle.dumps(kernel))
    assert copy.arg_names == ["x_ptr"] and copy.__name__ == "local"


def test_overflow_checks_are_an_option_beside_debug(host_engine):

    @tilewise.jit
    def double(x_ptr, n):
        tl.device_assert(n != 3, "n is not three")
        tl.store(x_ptr, n + n)

    x = np.zeros(1, np.int32)
    with pytest.raises(tilewise.LaunchError, match="overflow"):
        double[(1,)](x, 2**30, debug=True)
    double[(1,)](x, 2**30, debug=True, sanitize_overflow=False)
    assert x[0] == -2**31
    with pytest.raises(RuntimeError, match="n is not three"):
        double[(1,)](x, 3, debug=True, sanitize_overflow=False)


def test_backends_have_a_cpu():
    from tilewise.backends import backends
    from tilewise.backends.nvidia.compiler import min_dot_size
    driver = tilewise.runtime.driver
    assert backends["cpu"].driver.is_active() is False and not isinstance(driver.active, backends["cpu"].driver)
    assert backends["cpu"].driver().get_current_target().backend == "cpu"
    assert min_dot_size(None)(tl.int8, tl.int8) == (1, 1, 32) and min_dot_size(None)(tl.float16, tl.float16) == (1, 1, 16)


def test_signatures_of_classes():
    assert list(inspect.signature(tl.range).parameters)[:4] == ["arg1", "arg2", "step", "num_stages"]
    assert list(inspect.signature(tl.static_range).parameters)[:3] == ["arg1", "arg2", "step"]


def test_install_after_inductor_warns(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch._inductor.runtime.triton_compat", types.SimpleNamespace(triton=None))
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(tilewise, "__version__", tilewise.__version__)
    with pytest.warns(UserWarning, match="before the first import of torch._inductor"):
        tilewise.install()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tilewise.install()


def python(*arguments, **environment):
    result = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, timeout=200, env={**os.environ, **environment})
    assert result.returncode == 0, result.stderr
    return result.stdout.split()


def test_children_find_triton(tmp_path):
    inner = "[sys.executable, '-c', 'import triton; print(triton.__version__)']"
    assert python("-m", "tilewise", "-c", f"import subprocess, sys; print(subprocess.check_output({inner}, text=True))") == [tilewise.triton_version]
    program = tmp_path / "spawns.py"
    program.write_text("import multiprocessing, sys, tilewise\n"
                       "def version(_):\n    import triton.language\n    return triton.__version__\n"
                       "if __name__ == '__main__':\n    tilewise.install()\n"
                       "    with multiprocessing.get_context('spawn').Pool(1) as pool:\n        print(*pool.map(version, [0]))\n")
    assert python(str(program)) == [tilewise.triton_version]


def test_without_memory(host_engine):
    torch = pytest.importorskip("torch")
    from torch._subclasses.fake_tensor import FakeTensorMode
    x = torch.zeros(8)
    for fake in (torch.zeros(8, device="meta"), FakeTensorMode().from_tensor(x)):
        with pytest.raises(tilewise.LaunchError, match="kernel 'add': argument 'y_ptr'.*(without memory|data pointer)"):
            add[(1,)](x, fake, 8, ADDED=1.0, BLOCK=8)
    assert add.warmup(torch.zeros(8, device="meta"), x, 8, ADDED=1.0, BLOCK=8, grid=(1,)).name == "add"


def test_the_profiler_lists_launches():
    torch = pytest.importorskip("torch")
    x = torch.zeros(8)
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
        for _ in range(3):
            add[(1,)](x, x, 8, ADDED=1.0, BLOCK=8)
    assert {event.key: event.count for event in profile.key_averages()}["add"] == 3


# User kernels inside compiled models, with Inductor's own workers, in a process where `import triton` means Tilewise.
USER_KERNELS = """
    import tilewise; tilewise.install()
    import torch, triton
    import triton.language as tl
    from torch._inductor import config
    from torch._inductor.async_compile import AsyncCompile
    config.cpu_backend, config.compile_threads = "triton", 2
    from torch.utils._triton import has_triton
    assert has_triton()

    @triton.jit
    def scale(x_ptr, y_ptr, n, by, BLOCK: tl.constexpr):
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + at, mask=at < n)
        tl.store(y_ptr + at, x if by is None else by * x, mask=at < n)

    NAME: tl.constexpr = tl.constexpr("twice")
    int_of_width = triton.constexpr_function(tl.core.get_int_dtype)

    @triton.jit
    def named(x_ptr, WHICH: tl.constexpr):
        kind: tl.constexpr = int_of_width(32, True)
        if NAME == WHICH:
            tl.store(x_ptr, tl.full((), 2, kind).to(tl.float32))

    def launch(x, by):
        y = torch.empty_like(x)
        scale[(triton.cdiv(x.numel(), 64),)](x, y, x.numel(), by, BLOCK=64)
        return y

    @torch.library.triton_op("tilewise_test::scaled", mutates_args={})
    def scaled(x: torch.Tensor, by: float) -> torch.Tensor:
        y = torch.empty_like(x)
        torch.library.wrap_triton(scale)[(triton.cdiv(x.numel(), 64),)](x, y, x.numel(), by, BLOCK=64)
        return y

    class Scaled(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return launch(x, 3.0)

        @staticmethod
        def backward(ctx, gradient):
            return launch(gradient.contiguous(), 3.0)

    x = torch.randn(100)
    for backend in ("inductor", "tilewise"):
        torch._dynamo.reset()
        torch.testing.assert_close(torch.compile(lambda x: launch(x + 1, 2.0).relu(), fullgraph=True, backend=backend)(x), (2 * (x + 1)).relu())
        torch.testing.assert_close(torch.compile(lambda x: scaled(x, 2.0) + 1, fullgraph=True, backend=backend)(x), 2 * x + 1)
        leaf = x.clone().requires_grad_()
        torch.compile(lambda x: Scaled.apply(x).sum(), fullgraph=True, backend=backend)(leaf).backward()
        torch.testing.assert_close(leaf.grad, torch.full((100,), 3.0))
    torch._dynamo.reset()
    once = torch.compile(lambda x: (named[(1,)](x, "twice"), x + 1)[1], fullgraph=True)
    torch.testing.assert_close(once(torch.zeros(1)), torch.full((1,), 3.0))
    torch.testing.assert_close(torch.compile(lambda x: launch(x, None), fullgraph=True)(x), x)

    from torch._higher_order_ops.triton_kernel_wrap import identify_accessed_tensors
    found = identify_accessed_tensors(scale, {"x_ptr": x, "y_ptr": x, "n": 100, "by": 2.0, "BLOCK": 64}, {}).read_writes
    assert [dep.name for dep in found.writes] == ["y_ptr"] and [dep.name for dep in found.reads] == ["x_ptr"]
    print("user")

    torch._dynamo.reset()
    AsyncCompile.wait_pool_ready()
    assert AsyncCompile.use_process_pool()
    before = tilewise.compile_counts()
    torch.testing.assert_close(torch.compile(lambda x: x.exp().cumsum(0))(x), x.exp().cumsum(0), rtol=1e-4, atol=1e-4)
    assert tilewise.compile_counts() == before  # the workers did
    print("workers")
"""


def test_user_kernels_and_compile_workers(tmp_path):
    pytest.importorskip("torch")
    program = tmp_path / "program.py"
    program.write_text(textwrap.dedent(USER_KERNELS))
    assert python(str(program), TORCHINDUCTOR_CACHE_DIR=str(tmp_path), TORCH_WARM_POOL="0") == ["user", "workers"]
