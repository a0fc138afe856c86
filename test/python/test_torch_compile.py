"""torch.compile(backend="tilewise"): programs of every kind against eager torch, without a C++ compiler, beside plain torch.compile."""

import copy
import subprocess
import sys
import textwrap

import pytest
import tilewise

torch = pytest.importorskip("torch")
F = torch.nn.functional


@pytest.fixture(autouse=True)
def clean(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", "/nonexistent")  # no compiler
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", str(tmp_path / "inductor"))
    torch._dynamo.reset()
    torch.manual_seed(0)


def check(function, *arguments, tolerance=1e-4, **named):
    compiled = torch.compile(function, backend="tilewise", fullgraph=True, **named)
    before = sum(tilewise.compile_counts())
    torch.testing.assert_close(compiled(*arguments), function(*arguments), rtol=tolerance, atol=tolerance)
    assert sum(tilewise.compile_counts()) > before, "no kernel of Tilewise ran"


def rows():
    return torch.randn(64, 130)


CASES = {
    "a chain": (lambda x: F.gelu(x) * 2 + x.sigmoid(), rows),
    "a row's sum": (lambda x: x.sum(-1), rows),
    "a column's mean": (lambda x: x.mean(0), rows),
    "softmax": (lambda x: F.softmax(x, -1), rows),
    "layer norm": (lambda x: F.layer_norm(x, (x.shape[-1],)), rows),
    "variance": (lambda x: x.var(-1), rows),
    "argmax": (lambda x: x.argmax(-1), rows),
    "cumsum": (lambda x: x.cumsum(-1), rows),
    "sort": (lambda x: x.sort(-1)[0], lambda: torch.randn(8, 32)),
    "transposed copy": (lambda x: x.t().contiguous() + 1, rows),
    "gather": (lambda x: x[torch.arange(0, 64, 3)] * 2, rows),
    "scatter": (lambda x: torch.zeros(70, 130).index_add(0, torch.arange(64) % 5, x), rows),
    "scattered rows": (lambda x: torch.zeros(7, 128).index_add(0, torch.tensor([3, 3, 1, 3, 0, 6]), x), lambda: torch.randn(6, 128)),
    "float64": (lambda x: torch.tanh(x) * torch.erf(x), lambda: rows().double()),
    "int64": (lambda x: x * 3 // 7 - x % 5, lambda: torch.randint(-99, 99, (1000,))),
    "bool": (lambda x: (x > 0) & (x < 1), rows),
    "empty": (lambda x: x[:0] + 1, rows),
    "attention": (lambda x: F.scaled_dot_product_attention(x, x, x) + 1, lambda: torch.randn(2, 4, 16, 8)),
}


@pytest.mark.parametrize("name", [name for name in CASES if name != "empty"])
def test_agrees_with_eager(name):
    function, make = CASES[name]
    check(function, make())


def test_what_has_no_elements():
    function, make = CASES["empty"]
    compiled = torch.compile(function, backend="tilewise")
    assert compiled(make()).shape == (0, 130)


def test_training():
    model = torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3), torch.nn.BatchNorm2d(8), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(288, 10))
    other = copy.deepcopy(model)
    compiled = torch.compile(other, backend="tilewise")
    x, y = torch.randn(4, 3, 8, 8), torch.randint(0, 10, (4,))
    for _ in range(2):
        for one, parameters in ((model, model.parameters()), (compiled, other.parameters())):
            optimizer = torch.optim.SGD(parameters, 0.1)
            optimizer.zero_grad()
            F.cross_entropy(one(x), y).backward()
            optimizer.step()
    for mine, theirs in zip(other.parameters(), model.parameters()):
        torch.testing.assert_close(mine, theirs, rtol=1e-3, atol=1e-3)


def test_dynamic_shapes_compile_once():
    compiled = torch.compile(lambda x: F.layer_norm(x.relu() + 1, (x.shape[-1],)), backend="tilewise", dynamic=True)
    compiled(torch.randn(7, 33))
    before = sum(tilewise.compile_counts())
    for shape in ((3, 5), (64, 128)):
        x = torch.randn(shape)
        torch.testing.assert_close(compiled(x), F.layer_norm(x.relu() + 1, (shape[-1],)), rtol=1e-4, atol=1e-4)
    assert sum(tilewise.compile_counts()) == before


def native_launchers():
    """What torch's own launchers of the kernels in the last graph were replaced with."""
    from tilewise.torch.inductor import triton_heuristics
    from torch._inductor.codecache import PyCodeCache
    graph = [module for module in PyCodeCache.modules if hasattr(module, "call")][-1]
    tuners = [value for value in vars(graph).values() if isinstance(value, triton_heuristics.CachingAutotuner)]
    return [tuner.run for tuner in tuners if type(getattr(tuner.run, "__self__", None)) is tilewise._native.GraphLauncher]


def test_launches_follow_shapes_numbers_and_tensors():
    """A kernel's grid, sizes, numbers and memory are those of the call, though it looks at its arguments' types once."""
    compiled = torch.compile(lambda x, by: x * 2 + by, backend="tilewise", dynamic=True)
    for rows, by in ((70, 1.5), (70, 2.5), (701, 2.5), (3, -1.0), (701, 0.5), (0, 1.0), (70, 1.5)):
        x = torch.randn(rows, 130)
        torch.testing.assert_close(compiled(x, by), x * 2 + by)
    weight = torch.nn.Parameter(torch.randn(70, 130))
    with torch.no_grad():
        torch.testing.assert_close(compiled(weight, 1.5), weight * 2 + 1.5)
    assert native_launchers()


def test_launches_are_seen_by_profilers_and_hooks():
    x = torch.randn(64, 130)
    compiled = torch.compile(lambda x: x.sin() + 1, backend="tilewise")
    for _ in range(3):
        compiled(x)
    assert native_launchers()
    seen = []
    tilewise.knobs.runtime.launch_enter_hook.add(seen.append)
    compiled(x)
    tilewise.knobs.runtime.launch_enter_hook.remove(seen.append)
    compiled(x)
    assert len(seen) == 1 and seen[0].get()["name"].startswith("triton_poi")
    with torch.profiler.profile() as profile:
        compiled(x)
    assert any(event.key.startswith("triton_poi") for event in profile.key_averages())


def test_launches_from_several_threads():
    import threading
    compiled = torch.compile(lambda x: x * 3, backend="tilewise", dynamic=True)
    inputs = [torch.randn(100 + 37 * index, 50) for index in range(4)]
    for x in inputs:
        compiled(x)
    assert native_launchers()
    wrong = []

    def run(x):
        for _ in range(200):
            if not torch.equal(compiled(x), x * 3):
                wrong.append(x.shape)

    threads = [threading.Thread(target=run, args=(x,)) for x in inputs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_matmul_templates(capfd):
    check(lambda a, b: (a @ b).relu(), torch.randn(64, 64), torch.randn(64, 32), tolerance=1e-3,
          options={"max_autotune_gemm": True, "max_autotune_gemm_backends": "TRITON,CPP", "max_autotune_gemm_search_space": "DEFAULT"})
    assert "triton_mm" in capfd.readouterr().err


def test_reduce_overhead_is_the_plain_mode_on_the_cpu():
    check(lambda x: F.softmax(x, -1) * 2, rows(), mode="reduce-overhead")


@torch.library.custom_op("tilewise_test::doubled", mutates_args=())
def doubled(x: torch.Tensor) -> torch.Tensor:
    out = torch.empty_like(x)
    double[(1,)](x, out, x.numel(), BLOCK=tilewise.next_power_of_2(x.numel()))
    return out


@doubled.register_fake
def _(x):
    return torch.empty_like(x)


@tilewise.jit
def double(x_ptr, out_ptr, n, BLOCK: tilewise.language.constexpr):
    at = tilewise.language.arange(0, BLOCK)
    tilewise.language.store(out_ptr + at, 2 * tilewise.language.load(x_ptr + at, mask=at < n), mask=at < n)


def test_custom_op_of_a_kernel():
    check(lambda x: doubled(x + 1).relu(), rows())


@pytest.mark.parametrize("dtype", [torch.int8, torch.uint8, torch.int16, torch.int32, torch.int64, torch.float16, torch.bfloat16, torch.float64])
def test_scattered_sums_of_every_type(dtype):
    which, x = torch.arange(64) % 5, torch.arange(64 * 32).view(64, 32).remainder(7).to(dtype)
    compiled = torch.compile(lambda x: (torch.ones(9, 32, dtype=dtype).index_add(0, which, x),
                                        torch.ones(9, 32, dtype=dtype).scatter_add(0, which[:, None].expand(64, 32), x)), backend="tilewise")
    expected = torch.ones(9, 32).index_add(0, which, x.float()).to(dtype)
    for got in compiled(x):
        torch.testing.assert_close(got, expected)


def test_flexible_attention_is_refused_in_one_sentence():
    from torch.nn.attention.flex_attention import flex_attention
    q = torch.randn(1, 2, 128, 16)
    with pytest.raises(Exception, match="flex_attention is C\\+\\+ that torch compiles itself; use torch.nn.functional.scaled_dot_product_attention"):
        torch.compile(lambda q: flex_attention(q, q, q), backend="tilewise")(q)


def test_errors_of_options_say_what_is_meant():
    with pytest.raises(Exception, match="takes the options of Inductor, which has none called 'max_autotun'"):
        torch.compile(torch.sin, backend="tilewise", options={"max_autotun": True})(rows())
    with pytest.raises(Exception, match="sets Inductor's option 'cpp_wrapper' to False, and the options say True; leave it out"):
        torch.compile(torch.sin, backend="tilewise", options={"cpp_wrapper": True})(rows())


def test_torch_stays_as_it_was():
    import torch._inductor.compile_fx  # noqa: F401
    from torch._inductor import config
    from torch._inductor.codegen import triton as codegen
    from torch._inductor.runtime import hints, triton_compat, triton_heuristics
    import torch.utils._triton as asks

    def state():
        return (triton_compat.HAS_TRITON, triton_compat.triton, triton_heuristics.CachingAutotuner, codegen.triton_heuristics, hints.AttrsDescriptorWrapper,
                codegen.TritonKernel.__dict__["gen_common_triton_imports"], asks.has_triton(), codegen.has_triton_package, config.cpu_backend,
                config.compile_threads, list(sys.meta_path), tilewise.__version__, {name for name in sys.modules if name.partition(".")[0] == "triton"})

    before = state()
    check(lambda x: x.cos() + 1, rows())
    assert state() == before
    with pytest.raises(Exception):
        torch.compile(lambda x: x.cos() + 2, backend="tilewise", options={"none": 1})(rows())
    assert state() == before


SECOND_PROCESS = """
    import torch, tilewise
    model = torch.nn.Sequential(torch.nn.Linear(16, 16), torch.nn.GELU(), torch.nn.LayerNorm(16))
    compiled = torch.compile(model, backend="tilewise")
    compiled(torch.ones(4, 16)).sum().backward()
    print(*tilewise.compile_counts())
"""


def test_a_second_process_compiles_nothing(tmp_path, monkeypatch):
    monkeypatch.setenv("TILEWISE_CACHE_DIR", str(tmp_path / "tilewise"))
    counts = [tuple(map(int, subprocess.run([sys.executable, "-c", textwrap.dedent(SECOND_PROCESS)], check=True, capture_output=True, text=True)
                        .stdout.split())) for _ in range(2)]
    assert counts[0][0] > 1 and counts[1][0] == 0 and counts[1][1] > 1, counts


def test_another_build_of_this_version_has_another_key():
    from tilewise import _native
    from tilewise.torch.inductor import copies
    key = copies["torch._inductor.runtime.triton_compat"].triton_key()
    assert key == _native.build_id() and key.startswith(tilewise.__version__ + "-") and len(key) > len(tilewise.__version__) + 8


def test_transposed_copies_are_timed_in_several_shapes():
    from tilewise.torch.inductor import triton_heuristics
    from torch._inductor.runtime.hints import DeviceProperties, TileHint
    configs = triton_heuristics.pointwise({"y": 1024, "x": 1024}, {"device": DeviceProperties(type="cpu", index=None, multi_processor_count=2, cc="")},
                                          tile_hint=TileHint.SQUARE, return_configs=True)
    assert len({(config.kwargs["XBLOCK"], config.kwargs["YBLOCK"]) for config in configs}) > 1
