"""tilewise.ops on CPU tensors against torch: its own operator, and the same as separate operators. `python bench/ops.py [NAME...]`

Each round calls all three in turn; a figure is the median of the rounds' ratios, so that a slow minute of the machine counts for all."""

import statistics
import sys
import time

import torch
import torch.nn.functional as F

import tilewise.ops as ops


def unfused_softmax(x):
    weight = torch.exp(x - x.max(dim=-1, keepdim=True).values)
    return weight / weight.sum(dim=-1, keepdim=True)


def unfused_layer_norm(x, weight, bias):
    centred = x - x.mean(-1, keepdim=True)
    return centred / torch.sqrt((centred * centred).mean(-1, keepdim=True) + 1e-5) * weight + bias


def unfused_rms_norm(x, weight):
    return x / torch.sqrt((x * x).mean(-1, keepdim=True) + 1e-6) * weight


def unfused_attention(q, k, v):
    return unfused_softmax(q @ k.transpose(-1, -2) * q.shape[-1] ** -0.5) @ v


def cases():
    """(name, arguments, ours, torch's own or None, separate operators)"""
    x, y, z = (torch.rand(4096, 4096) for _ in range(3))
    weight, bias = torch.rand(4096), torch.rand(4096)
    target = torch.randint(0, 4096, (4096,))
    q, k, v = (torch.randn(1, 16, 1024, 64) for _ in range(3))
    a, b = torch.randn(1024, 1024), torch.randn(1024, 1024)
    picture = torch.rand(3, 4096, 4096)
    yield "softmax", (x,), ops.softmax, lambda x: F.softmax(x, -1), unfused_softmax
    yield "layer_norm", (x, weight, bias), ops.layer_norm, lambda x, w, b: F.layer_norm(x, (4096,), w, b), unfused_layer_norm
    yield "rms_norm", (x, weight), ops.rms_norm, lambda x, w: F.rms_norm(x, (4096,), w, 1e-6), unfused_rms_norm
    yield "greyscale", (picture,), ops.greyscale, None, lambda x: 0.299 * x[0] + 0.587 * x[1] + 0.114 * x[2]
    yield "gelu", (x,), ops.gelu, F.gelu, lambda x: 0.5 * x * (1 + torch.erf(x * 0.7071067811865476))
    yield "silu", (x,), ops.silu, F.silu, lambda x: x * torch.sigmoid(x)
    yield "swiglu", (x, y), ops.swiglu, None, lambda x, y: x * torch.sigmoid(x) * y
    yield "multiply_add_sqrt", (x, y, z), ops.multiply_add_sqrt, None, lambda x, y, z: torch.sqrt(x * y + z)
    yield "cross_entropy", (x, target), ops.cross_entropy, F.cross_entropy, lambda x, t: -torch.log(unfused_softmax(x))[torch.arange(4096), t].mean()
    yield "attention", (q, k, v), ops.attention, F.scaled_dot_product_attention, unfused_attention
    yield "linear gelu", (a, b), lambda a, b: ops.linear(a, b, activation="gelu"), None, lambda a, b: F.gelu(F.linear(a, b))
    yield "matmul", (a, b), ops.matmul, torch.matmul, None


def seconds(call, arguments):
    start = time.perf_counter()
    call(*arguments)
    return time.perf_counter() - start


def main():
    torch.set_grad_enabled(False)
    wanted = sys.argv[1:]
    print(f"{torch.get_num_threads()} threads, torch {torch.__version__}, fp32\n{'function':<20}{'ours ms':>9}{'of its own':>12}{'separate':>10}   times as fast")
    for name, arguments, ours, own, separate in cases():
        if wanted and name not in wanted:
            continue
        calls = [call for call in (ours, own, separate) if call]
        for call in calls:
            call(*arguments)
        rounds = [[seconds(call, arguments) for call in calls] for _ in range(9)]
        ratios = [statistics.median(each[i] / each[0] for each in rounds) for i in range(1, len(calls))]
        texts = iter(f"{ratio:.2f}" for ratio in ratios)
        print(f"{name:<20}{1e3 * statistics.median(each[0] for each in rounds):>9.2f}{next(texts) if own else '-':>12}{next(texts) if separate else '-':>10}")


if __name__ == "__main__":
    main()
