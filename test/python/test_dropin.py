"""Programs written for Triton: the redirect, what a launch gives back, hooks, tuning, constants and tuples as arguments."""

import collections
import subprocess
import sys
import textwrap

import numpy as np
import pytest
import tilewise as triton
import tilewise.language as tl

FACTOR = tl.constexpr(2)


def run_python(text, *arguments):
    return subprocess.run([sys.executable, *arguments, "-c", textwrap.dedent(text)], capture_output=True, text=True, check=False)


def test_the_redirect_makes_triton_tilewise():
    done = run_python("""
        import importlib.metadata, triton, triton.language as tl, triton.language.extra.libdevice, triton.runtime.driver
        import triton.testing, triton.knobs, triton.compiler.errors, triton.backends.compiler
        from triton.tools.tensor_descriptor import TensorDescriptor
        import triton.language.extra.cuda.libdevice as of_cuda
        from triton.language.extra.cuda.libdevice import tanh
        import tilewise
        assert of_cuda is triton.language.extra.libdevice and tanh == triton.language.extra.libdevice.tanh
        print(triton is tilewise, tl is tilewise.language, triton.__version__, importlib.metadata.version("triton"))
        print(triton.backends.compiler.GPUTarget("cuda", 90, 32).arch, triton.language.__spec__.name)
    """, "-m", "tilewise")
    assert done.stderr == ""
    assert done.stdout == "True True 3.6.0+tilewise 3.6.0+tilewise\n90 tilewise.language\n"


def test_install_replaces_a_module_that_does_not_exist_with_import_error():
    done = run_python("import tilewise; tilewise.install(); import triton.no_such_module")
    assert "ModuleNotFoundError: No module named 'triton.no_such_module'" in done.stderr


def test_importing_the_module_of_the_driver_leaves_the_driver_in_its_place():
    done = run_python("""
        import triton, triton.runtime.driver
        from triton.runtime.driver import driver
        assert triton.runtime.driver is driver and triton.runtime.driver.active is driver.active
        properties = driver.active.utils.get_device_properties(0)
        print(properties["sm_clock_rate"] > 0, properties["mem_bus_width"] > 0)
    """, "-m", "tilewise")
    assert done.stderr == ""
    assert done.stdout == "True True\n"


def test_a_file_that_also_has_gluon_kernels_can_be_imported(tmp_path):
    path = tmp_path / "both.py"
    path.write_text(textwrap.dedent("""
        import numpy as np
        import triton
        import triton.language as tl
        from triton.experimental import gluon
        from triton.experimental.gluon import language as gl
        from triton.experimental.gluon.language.nvidia.hopper import mbarrier, tma

        LAYOUT = gl.constexpr(gl.BlockedLayout([1], [32], [4], [0]))

        @gluon.jit
        def move(x_ptr, n, BLOCK: gl.constexpr):
            mbarrier.wait(tma.load(x_ptr), gl.arange(0, BLOCK, layout=LAYOUT))

        @triton.jit
        def double(x_ptr, BLOCK: tl.constexpr):
            at = tl.arange(0, BLOCK)
            tl.store(x_ptr + at, tl.load(x_ptr + at) * 2)

        x = np.ones(4, np.float32)
        double[(1,)](x, BLOCK=4)
        print(x)
        move[(1,)](x, 4, BLOCK=4)
    """))
    done = subprocess.run([sys.executable, "-m", "tilewise", path], capture_output=True, text=True, check=False)
    assert done.stdout == "[2. 2. 2. 2.]\n"
    assert done.stderr.endswith("NotImplementedError: 'move' is a Gluon kernel; Tilewise compiles kernels of triton.language, marked with triton.jit\n")


@triton.jit
def fill(x_ptr, value, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(x_ptr + at, value * FACTOR, mask=at < n)


def test_a_launch_gives_the_compiled_kernel(host_engine):
    x = np.zeros(16, np.float32)
    kernel = fill[(1,)](x, 3.0, 10, BLOCK=16, num_warps=8)
    assert (x[:10] == 6).all() and (x[10:] == 0).all()
    assert kernel.metadata.num_warps == 8 and kernel.name == "fill"
    assert "tile.store" in kernel.asm["tile"]
    assert fill[(1,)](x, 3.0, 10, BLOCK=16, num_warps=8) is kernel
    assert fill[(1,)](x, 3.0, 10, BLOCK=16, num_warps=4) is not kernel


@triton.jit
def joined(x_ptr, both_ptr, any_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at)
    tl.store(both_ptr + at, (x > 2).logical_and(x < 6))
    tl.store(any_ptr + at, (x < 2).logical_or(x[None, :] > 6).reshape(BLOCK))


def test_conditions_are_joined_by_methods(host_engine):
    x = np.arange(8, dtype=np.int32)
    both, either = np.zeros(8, bool), np.zeros(8, bool)
    joined[(1,)](x, both, either, BLOCK=8)
    assert (both == ((x > 2) & (x < 6))).all() and (either == ((x < 2) | (x > 6))).all()


@triton.jit
def between(x_ptr, BLOCK: tl.constexpr, value, n):
    at = tl.arange(0, BLOCK)
    tl.store(x_ptr + at, value, mask=at < n)


def test_a_compiled_kernel_is_launched_with_or_without_the_constants(host_engine):
    x = np.zeros(16, np.float32)
    kernel = between[(1,)](x, 16, 3.0, 10)
    kernel[(1, 1, 1)](x, 4.0, 9)
    assert (x[:9] == 4).all() and (x[9:] == [3, 0, 0, 0, 0, 0, 0]).all()
    kernel[(1, 1, 1)](x, 16, 5.0, 8)
    assert (x[:8] == 5).all() and x[8] == 4


def test_warmup_compiles_and_does_not_run(host_engine):
    x = np.zeros(16, np.float32)
    kernel = fill.warmup(x, 1.0, 16, BLOCK=16, grid=(1,))
    assert (x == 0).all() and kernel.name == "fill"


@triton.jit
def staged(x_ptr, num_stages: tl.constexpr):
    tl.store(x_ptr, num_stages)


def test_a_compiled_kernel_is_launched_with_all_its_arguments(host_engine):
    x = np.zeros(1, np.int32)
    kernel = staged.warmup(x, num_stages=3, num_warps=8, grid=(1,))
    kernel[(1, 1, 1)](x, 3)
    assert x[0] == 3


def test_hooks_see_each_compile_once(host_engine):
    seen = []
    with triton.knobs.runtime.scope():
        triton.knobs.runtime.jit_cache_hook = lambda **told: seen.append(("before", told["compile"]["signature"]["x_ptr"]))
        triton.knobs.runtime.jit_post_compile_hook = lambda **told: seen.append(("after", told["repr"].split("[")[0]))
        x = np.zeros(16, np.int16)
        for _ in range(2):
            fill[(1,)](x, 1, 16, BLOCK=16)
    assert seen == [("before", "*i16"), ("after", "fill")]


def test_a_hook_can_stop_a_compile():
    with triton.knobs.runtime.scope():
        triton.knobs.runtime.jit_cache_hook = lambda **told: True
        x = np.zeros(16, np.uint16)
        assert fill[(1,)](x, 1, 16, BLOCK=16) is None
    assert (x == 0).all()


def test_launch_hooks_get_the_launch_metadata():
    told = []
    kernel = triton.jit(launch_metadata=lambda grid, metadata, arguments: {"flops": grid[0] * arguments["n"]})(fill.fn)
    triton.knobs.runtime.launch_enter_hook.add(told.append)
    try:
        kernel[(3,)](np.zeros(16, np.float32), 1.0, 5, BLOCK=16)
    finally:
        triton.knobs.runtime.launch_enter_hook.remove(told.append)
    assert told[0].get()["flops"] == 15 and told[0].get()["name"] == "fill"


class Settings:
    __slots__ = ("factor", "inner", "__dict__")

    def __init__(self, factor):
        self.factor, self.inner, self.lock = factor, object(), None


SETTINGS = Settings(3)


@triton.jit
def scale_by_settings(x_ptr, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(x_ptr + at, tl.load(x_ptr + at) * SETTINGS.factor)


def test_an_object_read_by_a_kernel_changes_when_its_attributes_do():
    kernel = triton.jit(scale_by_settings.fn)
    x = np.ones(16, np.float32)
    kernel[(1,)](x, BLOCK=16)
    kernel[(1,)](x, BLOCK=16)
    assert (x == 9).all()
    SETTINGS.factor = 4
    try:
        with pytest.raises(RuntimeError, match="SETTINGS has changed since we compiled this kernel"):
            kernel[(1,)](x, BLOCK=16)
    finally:
        SETTINGS.factor = 3
    kernel[(1,)](x, BLOCK=16)
    assert (x == 27).all()


def test_an_object_that_cannot_be_copied_is_no_change():
    import threading
    kernel = triton.jit(scale_by_settings.fn)
    SETTINGS.lock = threading.Lock()
    try:
        x = np.ones(16, np.float32)
        kernel[(1,)](x, BLOCK=16)
        kernel[(1,)](x, BLOCK=16)
        assert (x == 9).all()
    finally:
        SETTINGS.lock = None


@pytest.mark.parametrize("inner", [[object()], np.ones(4)], ids=["a list of objects", "an array"])
def test_an_object_that_differs_from_its_copy_is_no_change(inner):
    global SETTINGS
    kernel, before = triton.jit(scale_by_settings.fn), SETTINGS
    SETTINGS.inner, kept = inner, SETTINGS.inner
    x = np.ones(16, np.float32)
    try:
        kernel[(1,)](x, BLOCK=16)
        kernel[(1,)](x, BLOCK=16)
        assert (x == 9).all()
        SETTINGS = Settings(4)
        with pytest.raises(RuntimeError, match="SETTINGS has changed since we compiled this kernel"):
            kernel[(1,)](x, BLOCK=16)
    finally:
        SETTINGS = before
        SETTINGS.inner = kept


def test_a_changed_global_is_an_error():
    global FACTOR
    kernel = triton.jit(fill.fn)
    kernel[(1,)](np.zeros(16, np.float32), 1.0, 16, BLOCK=16)
    FACTOR = tl.constexpr(3)
    try:
        with pytest.raises(RuntimeError, match=r"FACTOR has changed since we compiled this kernel, from constexpr\[2\] to constexpr\[3\]"):
            kernel[(1,)](np.zeros(16, np.float32), 1.0, 16, BLOCK=16)
    finally:
        FACTOR = tl.constexpr(2)


@triton.jit
def sum_of_parts(out, values, offsets: tl.constexpr):
    x_ptr, count, scale = values
    at = tl.arange(0, 16)
    total = tl.sum(tl.load(x_ptr + at, mask=at < count, other=0))
    tl.store(out + offsets[0], total * scale)
    tl.store(out + offsets[1][0], count)


def test_tuples_are_arguments(host_engine):
    x, out = np.arange(16, dtype=np.float32), np.zeros(8, np.float32)
    sum_of_parts[(1,)](out, (x, 5, 0.5), (3, (6,)))
    assert out.tolist() == [0, 0, 0, 5, 0, 0, 5, 0]
    sum_of_parts[(1,)](out, (x, 1, 2.0), (0, (1,)))
    assert out.tolist() == [0, 1, 0, 5, 0, 0, 5, 0]


@triton.jit
def gather_all(out, *pointers):
    for i in tl.static_range(len(pointers)):
        tl.store(out + i, tl.load(pointers[i]))


def test_a_starred_parameter_takes_the_rest(host_engine):
    out = np.zeros(3, np.int32)
    gather_all[(1,)](out, *(np.array([value], np.int32) for value in (7, 8, 9)))
    assert out.tolist() == [7, 8, 9]


@triton.constexpr_function
def longest(words):
    return max(len(word) for word in words)


@triton.jit
def use_python(out, words: tl.constexpr, kind: tl.constexpr):
    tl.static_assert(kind.name == "thing")
    tl.store(out, longest(words) + kind.bonus)


def test_constexpr_functions_and_objects_run_in_python(host_engine):
    out = np.zeros(1, np.int32)
    use_python[(1,)](out, ("a", "four", "to"), collections.namedtuple("Kind", "name bonus")("thing", 10))
    assert out[0] == 14


int_of_width = triton.constexpr_function(tl.core.get_int_dtype)


@triton.jit
def use_marked_twice(out, x):
    tl.store(out, x.to(int_of_width(x.dtype.primitive_bitwidth, True), bitcast=True))


def test_a_constexpr_function_may_be_marked_again(host_engine):
    out = np.zeros(1, np.int32)
    use_marked_twice[(1,)](out, 1.5)
    assert out[0] == np.float32(1.5).view(np.int32)


@tl.constexpr
def wider(dtype, twice):
    return tl.int64 if twice else dtype


@triton.jit
def use_wrapped(out, BIG: tl.constexpr):
    kind: tl.constexpr = wider(tl.int32, BIG > 1)
    tl.static_assert(kind == tl.int64)
    tl.store(out, tl.full((), 1 << 40, kind))


def test_a_python_function_wrapped_in_constexpr_runs_while_compiling(host_engine):
    out = np.zeros(1, np.int64)
    use_wrapped[(1,)](out, 2)
    assert out[0] == 1 << 40
    triton.jit(interpret=True)(use_wrapped.fn)[(1,)](out, 2)


@triton.jit
def apply(out, function: tl.constexpr, dtype: tl.constexpr):
    tl.store(out, function(tl.full((), 5, dtype)))


@triton.jit
def square(x):
    return x * x


def test_functions_and_types_are_constants(host_engine):
    out = np.zeros(1, np.float64)
    apply[(1,)](out, square, tl.float32)
    assert out[0] == 25


def test_autotune_keeps_the_fastest_and_heuristics_compute():
    times = {16: 3.0, 32: 1.0, 64: 2.0}
    tried = []

    def bench(call, quantiles):
        call()
        return [times[tried[-1]]] * 3

    @triton.autotune([triton.Config({"BLOCK": block}, pre_hook=lambda named: tried.append(named["BLOCK"])) for block in times], key=["n"],
                     do_bench=bench, restore_value=[])
    @triton.heuristics({"EVEN": lambda named: named["n"] % named["BLOCK"] == 0})
    @triton.jit
    def tuned(x_ptr, n, BLOCK: tl.constexpr, EVEN: tl.constexpr):
        tl.store(x_ptr, BLOCK)
        tl.store(x_ptr + 1, EVEN)

    x = np.zeros(2, np.int32)
    tuned[(1,)](x, 64)
    assert x.tolist() == [32, 1] and tuned.best_config.kwargs == {"BLOCK": 32} and tried == [16, 32, 64, 32]
    tuned[(1,)](x, 64)
    assert tried == [16, 32, 64, 32, 32]
    tuned[(1,)](x, 65)
    assert x.tolist() == [32, 0] and tried[5:] == [16, 32, 64, 32]


def test_do_bench_gives_what_was_asked_for():
    calls = []
    spread = triton.testing.do_bench(lambda: calls.append(1), warmup=1, rep=1, quantiles=[0.5, 0.2, 0.8])
    assert len(spread) == 3 and spread[1] <= spread[0] <= spread[2] and calls
    assert triton.testing.do_bench(lambda: None, warmup=1, rep=1, return_mode="min") >= 0


def test_a_report_has_a_row_per_point(capsys):
    benchmark = triton.testing.Benchmark(["n"], [2, 4], "power", [1, 2], ["one", "two"], "powers", {"plus": 1}, ylabel="units")
    marked = triton.testing.perf_report(benchmark)(lambda n, power, plus: float(n**power + plus))
    marked.run(print_data=True)
    assert capsys.readouterr().out.split() == "powers: n one (units) two (units) 0 2 3.000000 5.000000 1 4 5.000000 17.000000".split()


def test_a_report_shows_its_progress_on_a_terminal(monkeypatch):
    import io
    import sys

    class Terminal(io.StringIO):
        def isatty(self):
            return True

    benchmark = triton.testing.Benchmark(["n"], [2, 4], "power", [1, 2], ["one", "two"], "powers", {}, ylabel="units")
    marked = triton.testing.perf_report(benchmark)(lambda n, power: float(n**power))
    for stream in (Terminal(), io.StringIO()):
        monkeypatch.setattr(sys, "stderr", stream)
        marked.run()
        shown = stream.getvalue().split("\r")
        assert shown[1:4:2] == ([f"powers [{' ' * 24}] 0 of 4", f"powers [{'=' * 12}{' ' * 12}] 2 of 4"] if stream.isatty() else [])
        assert shown[-1] == "" and (len(shown) == 7 or not stream.isatty())


def test_knobs_follow_the_environment_until_they_are_set(monkeypatch):
    monkeypatch.setenv("TRITON_PRINT_AUTOTUNING", "1")
    assert triton.knobs.autotuning.print is True
    with triton.knobs.autotuning.scope():
        triton.knobs.autotuning.print = False
        assert triton.knobs.autotuning.print is False
    assert triton.knobs.autotuning.print is True


def test_types_answer_as_upstreams():
    assert repr(tl.float16) == "triton.language.float16" and str(tl.float16) == "fp16" and tl.bfloat16.is_bf16()
    assert tl.int32.get_int_max_value() == 2**31 - 1 and tl.uint8.get_int_min_value() == 0
    assert tl.pointer_type(tl.float32).element_ty == tl.float32 and tl.str_to_ty("*kfp16").is_const()
    assert tl.float8e4nv.exponent_bias == 7 and tl.float64.itemsize == 8
    assert (tl.constexpr(3) * 2 + 1).value == 7 and bool(tl.constexpr(2) > 1)
    assert tl.core.get_int_dtype(16, signed=False) == tl.uint16 and tl.core.get_int_dtype(64, True) == tl.int64 and tl.core.CONSTEXPR_0.value == 0
    with pytest.raises(ValueError, match="Shape element 1 must be a power of 2"):
        tl.block_type(tl.float32, [4, 3])


def test_functions_of_the_language_have_signatures():
    import inspect
    load = inspect.signature(tl.load)
    assert list(load.parameters)[:3] == ["pointer", "mask", "other"] and load.parameters["mask"].default is None
    assert "_semantic" in inspect.signature(tl.core.view).parameters
    assert all(inspect.signature(value).parameters for name in tl.__all__ if hasattr(value := getattr(tl, name), "__triton_builtin__"))


def test_cdiv_and_next_power_of_2():
    assert [triton.cdiv(a, 4) for a in (0, 1, 4, 5)] == [0, 1, 1, 2]
    assert [triton.next_power_of_2(n) for n in (1, 2, 3, 17, 64)] == [1, 2, 4, 32, 64]


def test_the_stubs_have_every_name():
    import ast
    import pathlib
    stubs = ast.parse(pathlib.Path(tl.__file__).with_suffix(".pyi").read_text())
    told = {node.name for node in stubs.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    told |= {alias.asname or alias.name for node in stubs.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    told |= {node.target.id for node in stubs.body if isinstance(node, ast.AnnAssign)}
    inner = {"async_task", "extern_elementwise", "get_int_dtype", "tensor_descriptor_type"}  # not for programs
    assert set(tl.__all__) - inner - told == set()


Pair = collections.namedtuple("Pair", "pointer count")


@triton.jit
def use_pair(out, pair):
    made = Pair(pair.pointer + 1, pair.count * 2)
    tl.store(out, tl.load(made.pointer) + made[1])


def test_named_tuples_keep_their_names(host_engine):
    out = np.zeros(1, np.int32)
    use_pair[(1,)](out, Pair(np.array([5, 6], np.int32), 20))
    assert out[0] == 46


@triton.aggregate
class Span:
    start: tl.tensor
    size: tl.constexpr

    def __init__(self, start, size):
        self.start = start
        self.size = size

    @triton.jit
    def indices(self, by: tl.constexpr):
        return self.start + tl.arange(0, self.size) * by

    @triton.constexpr_function
    def doubled(self):
        return self.size * 2


@triton.jit
def use_aggregate(out, start, SIZE: tl.constexpr):
    span = Span(tl.to_tensor(start), SIZE)
    tl.static_assert(span.doubled() == 2 * SIZE)
    tl.store(out + tl.arange(0, SIZE), span.indices(3))


def test_aggregates_have_fields_and_methods(host_engine):
    out = np.zeros(4, np.int32)
    use_aggregate[(1,)](out, 7, SIZE=4)
    assert out.tolist() == [7, 10, 13, 16]


@triton.jit(noinline=True)
def kept_apart(x):
    return x + 1


@triton.jit
def calls_with_a_block(out):
    tl.store(out + tl.arange(0, 4), kept_apart(tl.arange(0, 4)))


def test_a_noinline_function_takes_no_blocks():
    with pytest.raises(triton.CompilationError, match="noinline"):
        calls_with_a_block[(1,)](np.zeros(4, np.int32))


def test_configurations_may_be_pruned_by_a_generator(host_engine):
    def narrow(configs, arguments, **named):
        for config in configs:
            if config.kwargs["BLOCK"] <= arguments["n"]:
                yield config

    tuned = triton.autotune([triton.Config({"BLOCK": size}) for size in (4, 8, 64)], key=["n"],
                            prune_configs_by={"early_config_prune": narrow})(fill)
    x = np.zeros(16, np.float32)
    tuned[(1,)](x, 3.0, 8)
    assert set(config.kwargs["BLOCK"] for config in tuned.configs_timings) == {4, 8}
    with pytest.raises(triton.runtime.errors.AutotunerError):
        tuned[(1,)](x, 3.0, 2)
