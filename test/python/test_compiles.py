"""What surrounds a compile: preloading, compiling on other threads, load hooks, caches elsewhere, and the names a kernel depends on."""

import concurrent.futures
import json
import os
import shutil
import typing

import numpy as np
import pytest
import tilewise as triton
import tilewise.language as tl
from tilewise._filecheck import MatchError, filecheck_test
from tilewise.runtime.cache import RemoteCacheManager


@triton.jit
def add_parts(x_ptr, parts, scale, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(x_ptr + at, (parts[0] + parts[1][0]) * scale)


def _number_of_compiles(call):
    """How often the hook before a compile is called during `call()`."""
    seen = []
    with triton.knobs.runtime.scope():
        triton.knobs.runtime.jit_cache_hook = lambda **told: seen.append(told)
        call()
    return len(seen), seen


@pytest.mark.parametrize("scale", [2.5, 3, 32, 1, 2**40])
def test_a_preloaded_kernel_is_not_compiled_again(host_engine, scale):
    x = np.zeros(16, np.int32)
    arguments = (x, (7, (tl.constexpr(2),)), scale)
    add_parts.device_caches.clear()
    count, (told,) = _number_of_compiles(lambda: add_parts.warmup(*arguments, BLOCK=16, grid=(1,)))
    assert count == 1
    add_parts.device_caches.clear()
    kernel = add_parts.preload(told["compile"]["specialization_data"])
    assert kernel.hash == add_parts.warmup(*arguments, BLOCK=16, grid=(1,)).hash
    assert _number_of_compiles(lambda: add_parts[(1,)](*arguments, BLOCK=16))[0] == 0
    assert (x == np.int64(9 * scale).astype(np.int32)).all()


def test_compiles_on_other_threads(host_engine):

    @triton.jit
    def fill(x_ptr, value: tl.constexpr):
        tl.store(x_ptr, value)

    x = np.zeros(1, np.int32)
    with concurrent.futures.ThreadPoolExecutor(2) as pool, triton.AsyncCompileMode(pool):
        futures = [fill.warmup(x, value, grid=(1,)) for value in (1, 2, 3)]
        assert all(isinstance(future, triton.FutureKernel) for future in futures)
        assert fill.warmup(x, 2, grid=(1,)).hash == futures[1].hash
        fill[(1,)](x, 3)
        assert x[0] == 3
    assert len(fill.device_caches[0][0]) == 3
    assert futures[0].name == "fill"


def test_an_error_on_another_thread_is_raised_at_the_end_of_the_block():

    @triton.jit
    def fails(value: tl.constexpr):
        tl.static_assert(value == 2)

    with pytest.raises(triton.compiler.errors.CompileTimeAssertionFailure):
        with concurrent.futures.ThreadPoolExecutor(1) as pool, triton.AsyncCompileMode(pool):
            fails.warmup(1, grid=(1,))
    assert triton.runtime._async_compile.active_mode.get() is None


def test_load_hooks_are_called_once_before_the_first_launch():

    @triton.jit
    def nothing(x):
        pass

    told = []

    def hook(what):
        # Kernels of other tests may be unloaded meanwhile.
        return lambda module, function, name, group, hash: name == "nothing" and told.append((what, module is None, hash))

    start, end, unload = map(hook, ("start", "end", "unload"))
    hooks = triton.knobs.runtime
    for chain, hook in ((hooks.kernel_load_start_hook, start), (hooks.kernel_load_end_hook, end), (hooks.kernel_unload_hook, unload)):
        chain.add(hook)
    try:
        kernel = nothing.warmup(6, grid=(1,))
        assert told == []
        nothing[(1,)](6)
        nothing[(1,)](6)
        assert told == [("start", True, kernel.hash), ("end", False, kernel.hash)]
        if child := os.fork():
            assert os.waitpid(child, 0)[1] == 0
        else:
            kernel.__del__()
            os._exit(len(told) != 2)
        kernel.__del__()
        assert told[2:] == [("unload", False, kernel.hash)] and kernel.module is None
    finally:
        for chain, hook in ((hooks.kernel_load_start_hook, start), (hooks.kernel_load_end_hook, end), (hooks.kernel_unload_hook, unload)):
            chain.remove(hook)


class Elsewhere:
    """A remote cache in a dict."""
    files = {}

    def __init__(self, key):
        self.key = key

    def get(self, filenames):
        return {name: self.files[self.key, name] for name in filenames if (self.key, name) in self.files}

    def put(self, filename, data):
        self.files[self.key, filename] = data


def test_a_remote_cache_holds_files_and_groups(tmp_path):
    with triton.knobs.cache.scope():
        triton.knobs.cache.dir = str(tmp_path)
        with pytest.raises(RuntimeError, match="TRITON_REMOTE_CACHE_BACKEND"):
            RemoteCacheManager("key")
        triton.knobs.cache.remote_manager_class = Elsewhere
        cache = RemoteCacheManager("key")
        assert cache.get_file("a.json") is None and cache.get_group("a.json") is None
        cache.put({"x": 1}, "a.json")
        cache.put(b"\x00\x01", "a.bin")
        cache.put_group("a.json", {"a.json": "", "a.bin": ""})
        group = cache.get_group("a.json")
        assert {name: open(path, "rb").read() for name, path in group.items()} == {"a.json": b"{'x': 1}", "a.bin": b"\x00\x01"}
        assert json.loads(Elsewhere.files["key", "__grp__a.json"])["child_paths"] == ["a.bin", "a.json"]
        del Elsewhere.files["key", "a.bin"]
        assert cache.get_group("a.json") is None


CHANGING = tl.constexpr(42)


def test_a_global_that_is_read_before_it_is_shadowed_is_watched():
    global CHANGING

    @triton.jit
    def kernel(x_ptr):
        tl.store(x_ptr, CHANGING)
        CHANGING = 7  # noqa: F841

    x = np.zeros(1, np.int32)
    kernel[(1,)](x)
    assert x[0] == 42
    CHANGING = tl.constexpr(43)
    with pytest.raises(RuntimeError, match="CHANGING has changed"):
        kernel[(1,)](x)


@triton.aggregate
class Pair:
    a: tl.tensor

    @triton.constexpr_function
    def __init__(self, a):
        self.a = a

    @triton.must_use_result
    @triton.constexpr_function
    def power(self):
        return 2

    @triton.must_use_result
    @triton.jit
    def squared(self):
        return self.a * self.a


@pytest.mark.parametrize("name", ["power", "squared"])
def test_the_result_of_a_method_may_have_to_be_used(name):

    @triton.jit
    def forgets(POWER: tl.constexpr):
        pair = Pair(tl.full([4], 2.0, tl.float32))
        if POWER:
            pair.power()
        else:
            pair.squared()

    with pytest.raises(triton.CompilationError, match=f"The result of pair.{name} is not being used"):
        forgets.warmup(name == "power", grid=(1,))


@pytest.mark.skipif(not (shutil.which("FileCheck") or shutil.which("FileCheck-19")), reason="no FileCheck here")
def test_filecheck_compares_tile_ir():

    @triton.jit
    def right():
        # CHECK: tile.range 0 to 8
        tl.device_print("x", tl.arange(0, 8))

    @triton.jit
    def wrong():
        # CHECK: tile.range 0 to 16
        tl.device_print("x", tl.arange(0, 8))

    filecheck_test(right)()
    with pytest.raises(MatchError, match="wrong"):
        filecheck_test(wrong)()


class Shape(typing.NamedTuple):
    rows: tl.constexpr
    columns: tl.constexpr = 4


@triton.constexpr_function
def turned(shape):
    assert isinstance(shape, Shape)
    return Shape(*reversed(shape))


def test_named_tuples_go_through_python_and_come_back(host_engine):

    @triton.jit
    def kernel(x_ptr):
        shape: tl.constexpr = turned(Shape(2))
        tl.static_assert(shape.rows == 4 and shape.columns == 2)
        tl.store(x_ptr + tl.arange(0, shape.rows), shape.columns)

    x = np.zeros(4, np.int32)
    kernel[(1,)](x)
    assert (x == 2).all()


def test_addresses_are_stored_as_numbers(host_engine):

    @triton.jit
    def kernel(x_ptr, out_ptr):
        at = tl.arange(0, 4)
        tl.store(out_ptr + at, x_ptr + at)

    x, out = np.zeros(4, np.float32), np.zeros(4, np.int64)
    kernel[(1,)](x, out)
    assert (out == x.ctypes.data + 4 * np.arange(4)).all()


def test_a_colon_of_a_scalar_stands_for_nothing(host_engine):

    @triton.jit
    def kernel(x_ptr):
        tl.store(x_ptr[None, None, :], tl.full([1, 1], 7.0, tl.float32))

    x = np.zeros(1, np.float32)
    kernel[(1,)](x)
    assert x[0] == 7

    @triton.jit
    def masked(x_ptr, count):
        at = tl.arange(0, 4)
        for i in range(3):
            flag = i < count
            tl.atomic_add(x_ptr + at, 1.0, mask=(at < 3) & flag[:, None])

    x = np.zeros(4, np.float32)
    masked[(1,)](x, 2)
    assert x.tolist() == [2, 2, 2, 0]


def test_static_print_prints_what_it_is_given(capsys):

    @triton.jit
    def kernel(SIZE: tl.constexpr):
        tl.static_print("size", SIZE, sep=" = ")

    kernel.warmup(16, grid=(1,))
    assert capsys.readouterr().out == "size = 16\n"


@triton.jit
def summed(out_ptr, x_ptr, BLOCK: tl.constexpr):
    tl.store(out_ptr, tl.sum(tl.load(x_ptr + tl.arange(0, BLOCK))))


def test_shared_memory_is_that_of_the_code():
    def compiled(backend, arch, **options):
        source = triton.compiler.ASTSource(summed, {"out_ptr": "*fp32", "x_ptr": "*fp32", "BLOCK": "constexpr"}, {"BLOCK": 1024})
        return triton.compile(source, triton.backends.compiler.GPUTarget(backend, arch, 32), options)

    # Each warp leaves its part of the sum there; a single warp has nobody to leave it for.
    assert compiled("cuda", 90, num_warps=8).metadata.shared >= 8 * 4
    assert compiled("cuda", 90, num_warps=1).metadata.shared == 0
    # Programs divide by them.
    host = compiled("cpu", 0)
    assert host.metadata.shared > 0 and host.n_regs > 0 and host.n_spills == 0


def test_registers_are_asked_of_a_gpu():
    if any(name.startswith("cuda") for name in triton.devices()):
        torch = pytest.importorskip("torch")
        kernel = summed.warmup(torch.empty(1, device="cuda"), torch.empty(1024, device="cuda"), BLOCK=1024, grid=(1,))
        assert 0 < kernel.n_regs <= 255 and kernel.n_spills == 0 and kernel.n_max_threads >= 128
    else:
        source = triton.compiler.ASTSource(summed, {"out_ptr": "*fp32", "x_ptr": "*fp32", "BLOCK": "constexpr"}, {"BLOCK": 1024})
        kernel = triton.compile(source, triton.backends.compiler.GPUTarget("cuda", 90, 32), {})
        with pytest.raises(triton.errors.TritonError):
            kernel.n_regs  # noqa: B018


def test_machine_code_is_there_when_it_is_asked_for(tmp_path, monkeypatch):
    # Programs of NVIDIA's that a machine may lack: what is given to them, and what they say, is seen here.
    (tmp_path / "ptxas").write_text('#!/bin/sh\nwhile [ "$1" != -o ]; do shift; done\necho assembled > "$2"\n')
    (tmp_path / "nvdisasm").write_text("#!/bin/sh\necho '.text.summed:'\n")
    for name in ("ptxas", "nvdisasm"):
        (tmp_path / name).chmod(0o755)
        monkeypatch.setenv(f"TILEWISE_{name.upper()}", str(tmp_path / name))
    source = triton.compiler.ASTSource(summed, {"out_ptr": "*fp32", "x_ptr": "*fp32", "BLOCK": "constexpr"}, {"BLOCK": 1024})
    kernel = triton.compile(source, triton.backends.compiler.GPUTarget("cuda", 90, 32), {})
    assert kernel.asm["sass"] == ".text.summed:\n"
    assert "sass" not in list(kernel.asm)
    with pytest.raises(KeyError, match="there are ttir, tile, llir, asm"):
        triton.compile(source, triton.backends.compiler.GPUTarget("cpu", 0, 1), {}).asm["sass"]
