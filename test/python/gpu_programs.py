"""What programs written for a GPU do with torch, as tests; test_cuda_as_cpu.py runs this file by `python -m tilewise --device=cpu -m pytest`."""

import copy
import pickle
import threading

import pytest
import torch
import triton
import triton.language as tl

DEVICE = triton.runtime.driver.active.get_active_torch_device()


@triton.jit
def add(x_ptr, y_ptr, z_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(z_ptr + at, tl.load(x_ptr + at, mask=inside) + tl.load(y_ptr + at, mask=inside), mask=inside)


def launch(x, y):
    assert x.is_cuda and y.device == DEVICE
    z = torch.empty_like(x)
    add[lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)](x, y, z, x.numel(), BLOCK=128)
    return z


def test_a_kernel_runs_on_tensors_that_say_cuda():
    x, y = torch.randn(1000, device="cuda"), torch.randn(1000, device=DEVICE)
    z = launch(x, y)
    assert z.is_cuda and torch.equal(z.cpu(), x.cpu() + y.cpu())


MAKERS = {
    "randn": lambda **named: torch.randn(3, **named), "empty": lambda **named: torch.empty(3, **named),
    "zeros": lambda **named: torch.zeros((3,), **named), "full": lambda **named: torch.full((3,), 1.5, **named),
    "arange": lambda **named: torch.arange(3, **named), "tensor": lambda **named: torch.tensor([1, 2], **named),
    "eye": lambda **named: torch.eye(3, **named), "randint": lambda **named: torch.randint(0, 5, (3,), **named),
    "randperm": lambda **named: torch.randperm(3, **named), "linspace": lambda **named: torch.linspace(0, 1, 3, **named),
    "as_tensor": lambda **named: torch.as_tensor([1.0], **named), "empty_strided": lambda **named: torch.empty_strided((2, 2), (2, 1), **named),
    "zeros_like": lambda **named: torch.zeros_like(torch.ones(3), **named), "rand": lambda **named: torch.rand(3, dtype=torch.float16, **named),
}


@pytest.mark.parametrize("device", ["cuda", "cuda:0", torch.device("cuda"), torch.device("cuda", 0), torch.device("cuda:0"), 0], ids=str)
@pytest.mark.parametrize("maker", MAKERS)
def test_factories_make_tensors_on_the_device(maker, device):
    made = MAKERS[maker](device=device)
    assert made.is_cuda and not made.is_cpu and made.device == torch.device("cuda:0") and made.get_device() == 0
    plain = MAKERS[maker]()
    assert not plain.is_cuda and plain.device == torch.device("cpu") and plain.get_device() == -1


@pytest.mark.parametrize("move", [lambda x: x.cuda(), lambda x: x.cuda(0), lambda x: x.to("cuda"), lambda x: x.to("cuda:0"), lambda x: x.to(0),
                                  lambda x: x.to(device="cuda"), lambda x: x.to(torch.device("cuda")), lambda x: x.to(torch.ones(1, device="cuda")),
                                  lambda x: x.cuda(non_blocking=True), lambda x: torch.as_tensor(x, device="cuda"),
                                  lambda x: x.to("cuda", torch.float32), lambda x: x.pin_memory().cuda()])
def test_moving_makes_a_copy(move):
    x = torch.zeros(4)
    y = move(x)
    y += 1
    assert y.is_cuda and not x.is_cuda and x.sum() == 0 and y.sum() == 4
    assert move(y).data_ptr() == y.data_ptr()
    back = y.cpu()
    back += 1
    assert not back.is_cuda and y.sum() == 4 and back.to("cpu") is back


def test_what_is_computed_from_the_device_is_on_it():
    x = torch.ones(4, 4, device="cuda")
    made = [x + 1, x @ x, x[0], x.t(), x.view(16), torch.cat([x, x]), torch.stack([x]), x.clone(), x.detach(), x.new_zeros(3), x.half(),
            torch.where(x > 0, x, 0.0), *x.split(2), *torch.max(x, dim=0), torch.nn.functional.softmax(x, dim=0), torch.einsum("ij->ji", x)]
    assert all(value.is_cuda for value in made)
    host = torch.ones(4, 4)
    assert not any(value.is_cuda for value in (host + 1, host[0], torch.cat([host, host]), host.numpy() is None or host.clone()))


def test_ints_are_counted():
    experts = torch.tensor([3, 0, 3, 1, 3, 0], device="cuda")
    counts = torch.histc(experts, bins=4, min=0, max=3)
    assert counts.is_cuda and counts.dtype == torch.int64 and counts.tolist() == [2, 1, 0, 3]
    assert experts.int().cpu().histc(4, 0, 3).is_cpu and experts.int().histc(4, 0, 3).tolist() == [2, 1, 0, 3]
    assert torch.histc(experts.float(), 2).tolist() == [3, 3]


def test_products_wider_than_their_operands():
    x = torch.randn(4, 4, device="cuda", dtype=torch.float16)
    product = torch.mm(x, x, out_dtype=torch.float32)
    assert product.is_cuda and torch.allclose(product, x.float() @ x.float())
    assert torch.bmm(x[None], x[None], out_dtype=torch.float32).dtype == torch.float32 and torch.mm(x, x).dtype == torch.float16


def test_numpy_memory_is_not_shared_with_the_device():
    numpy = pytest.importorskip("numpy")
    array = numpy.zeros(3, numpy.float32)
    y = torch.as_tensor(array, device="cuda")
    y += 1
    assert array.sum() == 0 and y.is_cuda and torch.from_numpy(array).device.type == "cpu"


class Double(torch.autograd.Function):

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return launch(x, x)

    @staticmethod
    def backward(ctx, gradient):
        (x,) = ctx.saved_tensors
        assert x.is_cuda and gradient.is_cuda
        made = torch.full(gradient.shape, 2.0, device="cuda")
        return made * gradient


def test_autograd_functions_see_the_device():
    x = torch.randn(10, device="cuda", requires_grad=True)
    Double.apply(x).sum().backward()
    assert x.grad.is_cuda and torch.equal(x.grad.cpu(), torch.full((10,), 2.0))
    (gradient,) = torch.autograd.grad(Double.apply(x).sum(), x)
    assert gradient.is_cuda and gradient.sum() == 20


def test_checkpoints_compute_again_on_the_device():
    from torch.utils.checkpoint import checkpoint
    x = torch.randn(4, device="cuda", requires_grad=True)
    checkpoint(lambda t: t * t * torch.full((4,), 3.0, device="cuda"), x, use_reentrant=False).sum().backward()
    assert x.grad.is_cuda and torch.allclose(x.grad, 6 * x)


@torch.library.custom_op("gpu_programs::doubled", mutates_args=(), device_types="cuda")
def doubled(x: torch.Tensor) -> torch.Tensor:
    assert x.is_cuda
    return launch(x, x) + torch.zeros(x.shape, device="cuda")


def test_custom_operators_for_the_gpu_are_called():
    x = torch.randn(10, device="cuda")
    assert doubled(x).is_cuda and torch.equal(doubled(x), x + x)
    library = torch.library.Library("gpu_programs", "FRAGMENT")
    library.define("tripled(Tensor x) -> Tensor")
    library.impl("tripled", lambda x: x * torch.full((), 3.0, device="cuda"), "CUDA")
    assert torch.equal(torch.ops.gpu_programs.tripled(x), x * 3)


def test_modules_move():
    model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 2))
    assert not next(model.parameters()).is_cuda
    model = model.cuda()
    assert all(parameter.is_cuda for parameter in model.parameters())
    assert model(torch.randn(3, 4, device="cuda")).is_cuda
    assert torch.nn.Linear(2, 2, device="cuda").weight.is_cuda
    assert not next(model.to("cpu").parameters()).is_cuda
    assert torch.ones(2).type_as(torch.ones(1, device="cuda", dtype=torch.float16)).is_cuda
    assert torch.ones(2, device="cuda").type_as(torch.ones(1)).is_cpu
    for where in [("cuda",), ("cuda:0", torch.float16), (torch.device("cuda"),), (0,), (torch.ones(1, device="cuda"), True)]:
        moved = copy.deepcopy(torch.nn.BatchNorm1d(3).to(*where))
        assert moved.weight.is_cuda and moved.running_mean.is_cuda, where
        assert not moved.to(torch.ones(1)).weight.is_cuda
    assert torch.nn.Linear(2, 2).to(device=0, dtype=torch.float64).weight.is_cuda and torch.nn.Linear(2, 2).to(torch.float64).weight.is_cpu


@pytest.mark.parametrize("optimizer", [torch.optim.AdamW, torch.optim.SGD, torch.optim.Adafactor])
def test_training_steps(optimizer):
    torch.manual_seed(0)
    here = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.SiLU(), torch.nn.Linear(8, 2))
    there = copy.deepcopy(here).to("cuda")
    x = torch.randn(16, 4)
    for model, batch in ((here, x), (there, x.to("cuda"))):
        steps = optimizer(model.parameters(), lr=0.1)
        for _ in range(3):
            steps.zero_grad()
            model(batch).square().sum().backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            steps.step()
        state = [value for entry in steps.state.values() for value in entry.values() if isinstance(value, torch.Tensor) and value.dim()]
        assert all(value.is_cuda == batch.is_cuda for value in state)
    for first, second in zip(here.parameters(), there.parameters()):
        assert second.is_cuda and torch.allclose(first, second.cpu(), atol=1e-6)


def test_default_devices():
    with torch.device("cuda"):
        assert torch.ones(2).is_cuda and torch.nn.Linear(2, 2).weight.is_cuda
    assert not torch.ones(2).is_cuda
    torch.set_default_device("cuda")
    try:
        assert torch.ones(2).is_cuda and not torch.ones(2, device="cpu").is_cuda
    finally:
        torch.set_default_device("cpu")
    assert not torch.ones(2).is_cuda


def test_the_calls_of_torch_cuda():
    cuda = torch.cuda
    assert cuda.is_available() and cuda.is_initialized() and cuda.device_count() == 1 and cuda.current_device() == 0
    cuda.init()
    cuda.set_device(0)
    cuda.set_device("cuda:0")
    cuda.synchronize()
    cuda.synchronize(DEVICE)
    properties = cuda.get_device_properties("cuda")
    assert (properties.major, properties.minor) == cuda.get_device_capability() == cuda.get_device_capability(DEVICE)
    assert properties.multi_processor_count > 0 and properties.total_memory > 0 and properties.name == cuda.get_device_name(0)
    assert cuda.is_bf16_supported() and cuda.get_arch_list() == ["sm_80"]
    with cuda.device(0), cuda.device(DEVICE), cuda.device_of(torch.ones(1, device="cuda")):
        assert torch.ones(1, device="cuda").is_cuda
    with pytest.raises(RuntimeError, match="one device, cuda:0"):
        cuda.set_device(1)


def test_memory_figures():
    free, total = torch.cuda.mem_get_info()
    assert 0 < free <= total
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()
    assert 0 < torch.cuda.memory_allocated() <= torch.cuda.max_memory_allocated() * 1.1
    assert torch.cuda.memory_stats()["allocated_bytes.all.peak"] > 0 and "allocated" in torch.cuda.memory_summary()


def test_events_and_streams():
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    start.record()
    x = torch.ones(100, 100, device="cuda")
    x = x @ x
    end.record()
    torch.cuda.synchronize()
    assert start.query() and 0 < start.elapsed_time(end) < 1e5
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        assert torch.cuda.current_stream() is stream
        x.record_stream(stream)
    assert torch.cuda.current_stream() == torch.cuda.default_stream()
    torch.cuda.set_stream(stream)
    stream.record_event().synchronize()
    torch.cuda.nvtx.range_push("a")
    torch.cuda.nvtx.range_pop()
    with torch.cuda.nvtx.range("b"):
        torch.cuda.nvtx.mark("c")


def test_random_numbers_repeat():
    torch.manual_seed(3)
    first = torch.randn(5, device="cuda")
    torch.cuda.manual_seed(3)
    assert torch.equal(first, torch.randn(5, device="cuda"))
    torch.cuda.manual_seed_all(3)
    state = torch.cuda.get_rng_state()
    assert torch.equal(first, torch.randn(5, device="cuda"))
    torch.cuda.set_rng_state(state)
    assert torch.equal(first, torch.randn(5, device="cuda"))
    seed, offset = torch.cuda.default_generators[torch.cuda.current_device()].get_state().view(torch.int64)
    assert (seed, offset) == (3, 0)
    generator = torch.Generator(device="cuda")
    generator.manual_seed(7)
    again = torch.Generator("cuda").manual_seed(7)
    assert torch.equal(torch.randn(5, device="cuda", generator=generator), torch.randn(5, device="cuda", generator=again))


def test_autocast_and_custom_functions():
    x, w = torch.randn(4, 4, device="cuda"), torch.randn(4, 4, device="cuda")
    with torch.autocast("cuda"):
        assert torch.is_autocast_enabled() and (x @ w).dtype == torch.float16
    with torch.autocast(device_type="cuda", dtype=torch.bfloat16):
        assert (x @ w).dtype == torch.bfloat16 and torch.get_autocast_dtype("cuda") == torch.bfloat16
    with torch.amp.autocast("cuda", enabled=False):
        assert (x @ w).dtype == torch.float32
    assert not torch.is_autocast_enabled()

    class Cast(torch.autograd.Function):

        @staticmethod
        @torch.amp.custom_fwd(device_type="cuda", cast_inputs=torch.float16)
        def forward(ctx, value):
            ctx.kind = value.dtype
            return value * 2

        @staticmethod
        @torch.amp.custom_bwd(device_type="cuda")
        def backward(ctx, gradient):
            return gradient * 2

    with torch.autocast("cuda"):
        assert Cast.apply(x).dtype == torch.float16
    leaf = torch.ones(3, device="cuda", requires_grad=True)
    Cast.apply(leaf).sum().backward()
    assert leaf.grad.tolist() == [2, 2, 2]


def test_threads_see_the_device():
    seen = []
    thread = threading.Thread(target=lambda: seen.append(launch(*torch.ones(2, 8, device="cuda"))))
    thread.start()
    thread.join()
    assert seen[0].is_cuda and seen[0].sum() == 16


def test_saved_tensors_are_where_they_are_asked_for(tmp_path):
    torch.save({"w": torch.arange(3, device="cuda")}, tmp_path / "w.pt")
    assert torch.load(tmp_path / "w.pt", map_location="cuda")["w"].is_cuda
    assert not torch.load(tmp_path / "w.pt", map_location="cpu")["w"].is_cuda
    assert not torch.load(tmp_path / "w.pt", map_location={"cuda:0": "cpu"})["w"].is_cuda
    assert not torch.load(tmp_path / "w.pt", map_location=lambda storage, location: storage)["w"].is_cuda
    assert torch.load(tmp_path / "w.pt", map_location=lambda storage, location: storage.cuda(0))["w"].is_cuda
    assert torch.load(tmp_path / "w.pt", map_location=lambda storage, location: None)["w"].is_cuda


def test_saved_tensors_come_back_where_they_were(tmp_path):
    there, here = torch.arange(3, device="cuda"), torch.arange(4)
    torch.save([there, here], tmp_path / "both.pt")
    for first, second in (torch.load(tmp_path / "both.pt"), pickle.loads(pickle.dumps([there, here]))):
        assert first.is_cuda and second.is_cpu and first.tolist() == [0, 1, 2] and second.tolist() == [0, 1, 2, 3]


def test_the_driver_answers_as_a_gpus():
    target = triton.runtime.driver.active.get_current_target()
    assert (target.backend, target.arch, target.warp_size) == ("cuda", 80, 32) and DEVICE == torch.device("cuda:0")
    properties = triton.runtime.driver.active.utils.get_device_properties(DEVICE.index)
    assert properties["multiprocessor_count"] > 0 and properties["warpSize"] == 32
    kernel = add.warmup(*[torch.ones(8, device="cuda")] * 3, 8, BLOCK=8, grid=(1,))
    assert kernel.n_regs > 0 and kernel.metadata.shared > 0
    assert triton.testing.do_bench(lambda: launch(*torch.ones(2, 8, device="cuda")), warmup=1, rep=1) > 0


@triton.jit(interpret=True)
def increment(x_ptr, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    tl.store(x_ptr + at, tl.load(x_ptr + at, mask=at < n) + 1, mask=at < n)


def test_interpreter_mode_takes_such_tensors():
    x = torch.zeros(5, device="cuda")
    increment[(1,)](x, 5, BLOCK=8)
    assert x.tolist() == [1] * 5


def test_a_graph_is_captured_and_replayed():
    x, total = torch.zeros(8, device="cuda"), torch.zeros(8, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        assert torch.cuda.is_current_stream_capturing()
        y = launch(x, x) * 3  # a kernel between operations of torch
        rows = y.view(2, 4)
        total += y
        increment[(1,)](total, 8, BLOCK=8)
    assert not torch.cuda.is_current_stream_capturing()
    assert total.tolist() == [0] * 8  # nothing has run yet
    x.fill_(2)
    for _ in range(2):
        graph.replay()
    assert y.is_cuda and y.tolist() == [12] * 8 and rows.sum() == 96 and total.tolist() == [26] * 8
    x.copy_(torch.arange(8.0))
    graph.replay()
    assert rows.flatten().tolist() == [6.0 * k for k in range(8)]


def test_a_graph_of_a_whole_step_of_training():
    def model():
        torch.manual_seed(0)
        return torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.GELU(), torch.nn.Linear(8, 1)).cuda()

    def step(net, x):
        for parameter in net.parameters():
            parameter.grad = None
        loss = net(x).square().mean()
        loss.backward()
        return loss

    x = torch.zeros(16, 4, device="cuda")
    net, other = model(), model()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        loss = step(net, x)
    optimizer, plain = torch.optim.SGD(net.parameters(), lr=0.1), torch.optim.SGD(other.parameters(), lr=0.1)
    for round in range(3):
        batch = torch.randn(16, 4, generator=torch.Generator().manual_seed(round)).cuda()
        x.copy_(batch)
        graph.replay()
        optimizer.step()
        torch.testing.assert_close(loss, step(other, batch))
        plain.step()
    torch.testing.assert_close(net[0].weight, other[0].weight)


def test_graphed_callables():
    net = torch.nn.Linear(3, 2).cuda()
    graphed = torch.cuda.make_graphed_callables(net, (torch.ones(4, 3, device="cuda"),))
    x = torch.arange(12.0, device="cuda").view(4, 3)
    torch.testing.assert_close(graphed(x), x @ net.weight.T + net.bias)


def test_a_capture_has_no_values():
    graph = torch.cuda.CUDAGraph()
    with pytest.raises(RuntimeError, match="not permitted when stream is capturing"), torch.cuda.graph(graph):
        torch.ones(2, device="cuda").sum().item()
    with pytest.raises(RuntimeError, match="captured graph"):
        torch.cuda.CUDAGraph().replay()


def test_benchmarks_of_graphs_run():
    x = torch.ones(8, device="cuda")
    assert triton.testing.do_bench_cudagraph(lambda: launch(x, x), rep=1) > 0


def test_what_is_not_covered_says_so():
    with pytest.raises(RuntimeError, match="needs a GPU: it is not among what TILEWISE_CUDA_AS_CPU=1 covers"):
        torch.cuda.cudart()


def test_what_programs_compute_from_the_clock():
    clock = triton.testing.nvsmi(["clocks.max.sm"])[0]
    units = 4 * torch.cuda.get_device_properties(0).multi_processor_count * clock * 1e3
    assert clock > 0
    assert triton.testing.get_max_tensorcore_tflops(torch.float16, clock * 1e3) == pytest.approx(units * 512e-9)
    assert triton.testing.get_max_tensorcore_tflops(torch.int8, clock * 1e3) == pytest.approx(units * 1024e-9)
    assert triton.testing.get_max_tensorcore_tflops(tl.float8e4nv, clock * 1e3) == pytest.approx(units * 1024e-9)
    assert triton.testing.get_max_simd_tflops(torch.float32, clock * 1e3) == pytest.approx(units * 32e-9)
    with pytest.raises(RuntimeError, match="float64"):
        triton.testing.get_max_simd_tflops(torch.float64, clock * 1e3)


def test_an_operator_replaced_by_the_program_makes_its_result_where_it_was_asked_to():
    library = torch.library.Library("aten", "IMPL")

    def ones(size, *, dtype=None, layout=None, device=None, pin_memory=None):
        return torch.empty(size, dtype=dtype or torch.float32, device=device).fill_(7)

    library.impl("ones", ones, "CUDA")
    try:
        made = torch.ones((3,), device="cuda")
        assert made.is_cuda and made.tolist() == [7, 7, 7]
    finally:
        library._destroy()
    assert torch.ones(3).is_cpu and torch.ones(3).tolist() == [1, 1, 1]


def test_compiled_functions_run():
    module = torch.compile(torch.nn.Linear(4, 3).cuda(), mode="max-autotune")

    @torch.compile(fullgraph=True, dynamic=True)
    def scaled(x, y):
        return launch(x, y) * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1)

    x = torch.randn(5, 4, device="cuda", requires_grad=True)
    y = torch.ones(5, 4, device="cuda")
    module(x).sum().backward()
    assert x.grad.is_cuda
    with torch.no_grad():
        assert torch.allclose(scaled(x, y), (x + y) * torch.rsqrt(x.square().mean(-1, keepdim=True) + 1))


def test_what_the_code_of_compiled_functions_calls():
    """The text that torch.compile writes allocates and guards by names of its own; people keep such text."""
    empty_strided_cuda = torch._C._dynamo.guards._empty_strided_cuda
    reinterpret_tensor = torch._C._dynamo.guards._reinterpret_tensor
    x = torch.randn(12, device="cuda")
    with torch.cuda._DeviceGuard(0):
        torch.cuda.set_device(0)
        z = empty_strided_cuda((3, 4), (4, 1), torch.float32)
        add[(1, 1, 1)](x, x, reinterpret_tensor(z, (12,), (1,), 0), 12, BLOCK=16)
    assert torch._C._cuda_getCurrentRawStream(0) == 0
    assert z.is_cuda and torch.equal(z.flatten().cpu(), 2 * x.cpu())
    with pytest.raises(Exception, match="device"), torch.cuda._DeviceGuard(1):
        pass


def test_operators_made_of_kernels():
    @torch.library.triton_op("tilewise_test::plus", mutates_args={})
    def plus(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        z = torch.empty_like(x)
        torch.library.wrap_triton(add)[(triton.cdiv(x.numel(), 64),)](x, y, z, x.numel(), BLOCK=64)
        return z

    x, y = torch.randn(100, device="cuda"), torch.randn(100, device="cuda")
    z = torch.ops.tilewise_test.plus(x, y)
    assert z.is_cuda and torch.equal(z, x + y)


def test_the_accelerator_is_the_gpu():
    assert torch.get_device_module() is torch.cuda and torch.get_device_module("cuda:0") is torch.cuda
    assert torch.get_device_module("cpu") is torch.cpu
    assert torch.get_device_module().get_device_properties(0).multi_processor_count > 0
    assert torch.accelerator.is_available() and torch.accelerator.device_count() == 1
    assert torch.accelerator.current_accelerator().type == "cuda" and torch.accelerator.current_device_index() == 0
    torch.accelerator.synchronize()
    assert torch.accelerator.current_stream() == torch.cuda.current_stream()
    with torch.accelerator.device_index(0):
        assert torch.empty(2, device=torch.accelerator.current_accelerator()).is_cuda
