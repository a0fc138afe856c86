"""Two ranks under torchrun: `import triton` is Tilewise in both, kernels inside DDP training, one cache of compiled kernels for both."""

import os
import subprocess
import sys

import pytest
from conftest import ROOT

torch = pytest.importorskip("torch")

PROGRAM = '''
import sys
import torch
import torch.distributed as dist
import triton
import triton.language as tl


@triton.jit
def square(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n)
    tl.store(y_ptr + at, x * x, mask=at < n)


class Square(torch.autograd.Function):

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        y = torch.empty_like(x)
        square[(triton.cdiv(x.numel(), 64),)](x, y, x.numel(), BLOCK=64)
        return y

    @staticmethod
    def backward(ctx, gradient):
        return 2 * ctx.saved_tensors[0] * gradient


dist.init_process_group("gloo")
rank = dist.get_rank()
torch.manual_seed(0)
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(8, 4))
optimizer = torch.optim.SGD(model.parameters(), 0.1)
torch.manual_seed(rank)
for _ in range(3):
    optimizer.zero_grad()
    Square.apply(model(torch.randn(16, 8))).mean().backward()
    optimizer.step()
mine = torch.cat([parameter.detach().flatten() for parameter in model.parameters()])
all_of_them = [torch.empty_like(mine) for _ in range(2)]
dist.all_gather(all_of_them, mine)
assert torch.equal(*all_of_them), "the ranks have different models"
print(f"rank {rank}: {triton.__version__} {sum(triton.compile_counts())}\\n", end="", flush=True)
dist.destroy_process_group()
'''


# Each rank measures other times, so that each would choose another config.
TUNED = '''
import torch
import torch.distributed as dist
import triton
import triton.language as tl

dist.init_process_group("gloo")
rank = dist.get_rank()
timed = 0


def pretend(call, quantiles):
    global timed
    timed += 1
    call()
    return [timed if rank else 10 - timed] * 3


@triton.autotune([triton.Config({"BLOCK": block}) for block in (16, 32, 64)], key=["n"], do_bench=pretend)
@triton.jit
def double(x_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + at, 2 * tl.load(x_ptr + at, mask=at < n), mask=at < n)


x = torch.ones(100)
chosen = []
for n in (100, 90):
    double[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, n)
    chosen.append(double.best_config.kwargs["BLOCK"])
if rank == 0:  # a key that the other rank does not meet: nobody waits for it
    double[lambda meta: (triton.cdiv(80, meta["BLOCK"]),)](x, 80)
everyone = [None, None]
dist.all_gather_object(everyone, (chosen, timed))
if rank == 0:
    (mine, my_count), (theirs, their_count) = everyone
    print(mine == theirs, my_count + their_count, flush=True)
dist.destroy_process_group()
'''

# A rank that cannot answer does not leave the others waiting.
FAILING = '''
import torch.distributed as dist
from tilewise.runtime import ranks

dist.init_process_group("gloo")


def fail():
    raise ValueError("mine")


try:
    ranks.agreed(lambda: "question", fail)
except ValueError as error:
    print(f"{error}\\n", end="", flush=True)
dist.barrier()
dist.destroy_process_group()
'''


def run_two_ranks(tmp_path, text):
    program = tmp_path / "program.py"
    program.write_text(text)
    told = subprocess.run([sys.executable, "-m", "tilewise", "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2", str(program)],
                          capture_output=True, text=True, timeout=200, env={**os.environ, "OMP_NUM_THREADS": "1", "TILEWISE_CACHE_DIR": str(tmp_path / "cache")})
    return told  # not its exit code: torch ends one DDP program in eight by an abort of its own, behind the last line


def test_one_rank_tunes_for_all(tmp_path):
    told = run_two_ranks(tmp_path, TUNED)
    assert told.stdout.split() == ["True", "9"], told.stdout + told.stderr  # three configs for each of three keys


def test_a_rank_that_fails_to_tune(tmp_path):
    assert run_two_ranks(tmp_path, FAILING).stdout.split() == ["mine", "mine"]


def test_training_under_torchrun(tmp_path):
    told = run_two_ranks(tmp_path, PROGRAM)
    import tilewise
    assert sorted(told.stdout.splitlines()) == [f"rank {rank}: {tilewise.triton_version} 1" for rank in range(2)], told.stdout + told.stderr


@pytest.mark.parametrize("option", [[], ["--fsdp"]])
def test_the_example(option, tmp_path):
    program = os.path.join(ROOT, "examples/distributed/train.py")
    told = subprocess.run([sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2", program, *option], capture_output=True, text=True,
                          timeout=200, env={**os.environ, "OMP_NUM_THREADS": "1", "TILEWISE_CACHE_DIR": str(tmp_path / "cache")})
    losses = [float(line.split()[-1]) for line in told.stdout.splitlines() if line.startswith("step")]
    assert len(losses) == 3 and losses[0] > losses[1] > losses[2] and losses[2] < 0.5, told.stdout + told.stderr
