"""Times the library's kernels on this device and writes the best configs to a file: `python -m tilewise.ops.tune --save=FILE`.

A second run with the same file keeps what both found, and takes the default where they differ. The file serves programs by TILEWISE_TUNING_FILE; those that ship with the library were made by this, too, and lie in kernels/tuned/. It has results for
the device's class, a few sizes of each kernel in all types; other sizes take the nearest one."""

import argparse
import sys
import time

import torch

from ..errors import LaunchError
from . import attend, elementwise, launches, matrices, quantize, rows

_FLOATS = ("float32", "float16", "bfloat16", "float64")


def _cases(device):
    """(what it times, call), the most used first, so that a budget of time goes to those."""
    is_gpu = device != "cpu"
    # The two narrow types are the same to a GPU, and each takes the other's results.
    types = tuple(name for name in _FLOATS if not (is_gpu and name == "bfloat16"))

    def make(dtype, *shape):
        return torch.rand(shape, device=device).to(getattr(torch, dtype))

    def product(dtype, m, n, k):
        a, b = make(dtype, m, k), make(dtype, k, n)
        yield f"matmul {dtype} {m} x {n} x {k}", lambda: matrices.matmul(a, b)

    def products(dtype):
        for m, n, k in ((4096, 4096, 4096) if is_gpu else (2048, 2048, 2048), (1024, 1024, 1024), (256, 256, 256), (16, 4096, 4096)):
            yield from product(dtype, m, n, k)

    def other_products(dtype):
        size = 2048 if is_gpu else 1024
        a, b, one = make(dtype, size, size), make(dtype, size, size), make(dtype, size)
        yield f"norm_linear {dtype}", lambda: matrices.norm_linear(a, one, one, b, one, 1e-5, "gelu", 0.0, 0)
        batch = make(dtype, 8, 512, 512)
        yield f"matmul batched {dtype}", lambda: matrices.matmul(batch, batch)
        start = torch.arange(0, 9, device=device, dtype=torch.int32) * (size // 8)
        many = make(dtype, 8, size, 512)
        yield f"matmul_grouped {dtype}", lambda: matrices.matmul_grouped(a, many, start)
        tall, wide = make(dtype, 128, 16384), make(dtype, 16384, 128)
        yield f"matmul_split_k {dtype}", lambda: matrices.matmul_split_k(tall, wide, 16)
        if dtype != "float64":
            weights, scale = quantize.quantize_int8(b)
            packed, scales, zeros = quantize.quantize_int4(b, 64)
            for tokens in (16, size):
                x = make(dtype, tokens, size)
                yield f"matmul_int8 {dtype} {tokens}", lambda x=x: matrices.matmul_int8(x, weights, scale, None)
                yield f"matmul_int4 {dtype} {tokens}", lambda x=x: matrices.matmul_int4(x, packed, scales, zeros, 64)

    def bytes_products():
        size = 2048 if is_gpu else 1024
        a = torch.randint(-100, 100, (size, size), device=device, dtype=torch.int8)
        scale = torch.rand(size, device=device)
        yield "matmul_int8 int8", lambda: matrices.matmul_int8(a, a, scale, scale)

    def attention(dtype):
        for tokens, head, causal in ((4096 if is_gpu else 1024, 64, False), (4096 if is_gpu else 1024, 64, True), (4096 if is_gpu else 1024, 128, False),
                                     (4096 if is_gpu else 1024, 128, True), (1024, 256, True), (256, 64, True)):
            q, k, v = (make(dtype, 1, 16 if is_gpu else 4, tokens, head) for _ in range(3))
            yield f"attention {dtype} {tokens} x {head}{' causal' * causal}", lambda q=q, k=k, v=v, causal=causal: attend.attention(q, k, v, causal, 0.1)

    def attention_backward(dtype):
        for head in (64, 128, 256):
            q, k, v = (make(dtype, 1, 16 if is_gpu else 4, 1024, head) for _ in range(3))

            def call(q=q, k=k, v=v):
                lse = torch.full((1, q.shape[1], 1024), 5.0, dtype=torch.float64 if dtype == "float64" else torch.float32, device=device)
                attend.attention_backward(q, k, v, q, lse, v, True, 0.1)

            yield f"attention backward {dtype} {head}", call

    def of_rows(dtype):
        for count, columns in ((4096, 4096), (4096, 1024), (512, 32768), (64, 1024)):
            x, y, one = make(dtype, count, columns), make(dtype, count, columns), make(dtype, columns)
            column = torch.rand(count, dtype=torch.float64 if dtype == "float64" else torch.float32, device=device)
            target = torch.randint(0, columns, (count,), device=device)
            name = f"{dtype} {count} x {columns}"
            yield f"softmax {name}", lambda x=x: rows.softmax(x)
            yield f"layer_norm {name}", lambda x=x, one=one: rows.layer_norm(x, one, one, 1e-5)
            yield f"rms_norm {name}", lambda x=x, one=one: rows.rms_norm(x, one, 1e-6)
            yield f"cross_entropy {name}", lambda x=x, target=target: rows.cross_entropy(x, target, -100, 0.0)
            yield f"softmax backward {name}", lambda x=x, y=y: rows.softmax_backward(x, y)
            yield f"layer_norm backward {name}", lambda x=x, y=y, one=one, c=column: rows.layer_norm_backward(x, y, one, c, c)
            yield f"rms_norm backward {name}", lambda x=x, y=y, one=one, c=column: rows.rms_norm_backward(x, y, one, c)
            yield f"cross_entropy backward {name}", lambda x=x, target=target, c=column: rows.cross_entropy_backward(x, target, c, c, -100, 0.0)
        # Longer than one block of softmax.py.
        x = make(dtype, 256, 32768)
        yield f"online softmax {dtype}", lambda: rows.softmax(x)

    def flat(dtype):
        for size in (1 << 24, 1 << 20, 1 << 16):
            x, y, z = (make(dtype, size) for _ in range(3))
            name = f"{dtype} {size}"
            yield f"gelu {name}", lambda x=x: elementwise.activation(x, "gelu", 0.01)
            yield f"swiglu {name}", lambda x=x, y=y: elementwise.swiglu(x, y)
            yield f"multiply_add_sqrt {name}", lambda x=x, y=y, z=z: elementwise.multiply_add_sqrt(x, y, z)
            yield f"dropout {name}", lambda x=x: elementwise.dropout(x, 0.5, 1)
            yield f"gelu backward {name}", lambda x=x, y=y: elementwise.activation_backward(x, y, "gelu", 0.01)
            yield f"swiglu backward {name}", lambda x=x, y=y, z=z: elementwise.swiglu_backward(x, y, z)
        x, table = make(dtype, 4, 1024, 32, 64), make(dtype, 1024, 32)
        yield f"rotary {dtype}", lambda: elementwise.rotary(x, table, table, False, False)

    def pictures(dtype):
        for height, width in ((4096, 4096), (1080, 1920), (256, 256)):
            x = make(dtype, 3, height, width) if dtype != "uint8" else torch.randint(0, 255, (3, height, width), device=device, dtype=torch.uint8)
            name = f"{dtype} {height} x {width}"
            if dtype != "uint8":
                yield f"greyscale {name}", lambda x=x: elementwise.greyscale(x)
                yield f"sepia {name}", lambda x=x: elementwise.sepia(x)
            for size in (3, 5):
                weights = torch.rand(size, size, device=device)
                yield f"filter2d {name} by {size} x {size}", lambda x=x, weights=weights: elementwise.filter2d(x, weights, "zero", -1, -1)

    for group in (products, attention, of_rows, flat, other_products, attention_backward, pictures):
        for dtype in types:
            yield from group(dtype)
    yield from bytes_products()
    yield from pictures("uint8")


def main():
    parser = argparse.ArgumentParser(prog="python -m tilewise.ops.tune", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cpu", help="cpu, cuda or cuda:N")
    parser.add_argument("--save", required=True, metavar="FILE", help="the results are added to it")
    parser.add_argument("--seconds", type=float, default=0.15, help="what timing a config may take on average, %(default)s by default; more on a noisy machine")
    parser.add_argument("--budget", type=float, default=float("inf"), metavar="SECONDS", help="what is not begun by then is left out")
    parser.add_argument("--only", default="", metavar="WORD", help="cases with this word in their names, as in --only=softmax")
    given = parser.parse_args()
    device = "cuda:0" if given.device == "cuda" else given.device
    launches.timed_anew = given.seconds, given.save
    begin = time.monotonic()
    done = left = 0
    with torch.no_grad():
        for name, call in _cases(device):
            if given.only not in name:
                continue
            if time.monotonic() - begin > given.budget:
                left += 1
                continue
            try:
                call()
                done += 1
                print(f"{time.monotonic() - begin:7.1f} s  {name}", flush=True)
            except LaunchError as error:
                print(f"{time.monotonic() - begin:7.1f} s  {name}: {error}", flush=True)
    print(f"{done} cases are in {given.save}" + (f"; no time was left for {left}" if left else ""))
    return 0 if done else 1


if __name__ == "__main__":
    sys.exit(main())
