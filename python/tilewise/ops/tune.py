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
    """(what it times, call), the most used first, so that a budget of time goes to those. A call makes its arguments, and is made before the next case."""
    is_gpu = device != "cpu"
    # The two narrow types are the same to a GPU, and each takes the other's results.
    types = tuple(name for name in _FLOATS if not (is_gpu and name == "bfloat16"))
    heads, tokens, size = (16, 4096, 2048) if is_gpu else (4, 1024, 1024)

    def make(dtype, *shape):
        return torch.rand(shape, device=device).to(getattr(torch, dtype))

    def sums(dtype, *shape):
        return make("float64" if dtype == "float64" else "float32", *shape)

    def products(dtype):
        for m, n, k in ((2 * size, 2 * size, 2 * size), (1024, 1024, 1024), (256, 256, 256), (16, 4096, 4096)):
            yield f"matmul {dtype} {m} x {n} x {k}", lambda: matrices.matmul(make(dtype, m, k), make(dtype, k, n))

    def other_products(dtype):
        yield f"norm_linear {dtype}", lambda: matrices.norm_linear(make(dtype, size, size), make(dtype, size), make(dtype, size), make(dtype, size, size),
                                                                   make(dtype, size), 1e-5, "gelu", 0.0, 0)
        yield f"matmul batched {dtype}", lambda: matrices.matmul(make(dtype, 8, 512, 512), make(dtype, 8, 512, 512))
        yield f"matmul_grouped {dtype}", lambda: matrices.matmul_grouped(make(dtype, size, size), make(dtype, 8, size, 512),
                                                                         torch.arange(0, 9, device=device, dtype=torch.int32) * (size // 8))
        yield f"matmul_split_k {dtype}", lambda: matrices.matmul_split_k(make(dtype, 128, 16384), make(dtype, 16384, 128), 16)
        if dtype != "float64":
            for count in (16, size):
                yield f"matmul_int8 {dtype} {count}", lambda: matrices.matmul_int8(make(dtype, count, size), *quantize.quantize_int8(make(dtype, size, size)), None)
                yield f"matmul_int4 {dtype} {count}", lambda: matrices.matmul_int4(make(dtype, count, size), *quantize.quantize_int4(make(dtype, size, size), 64), 64)

    def bytes_products():
        a = torch.randint(-100, 100, (size, size), device=device, dtype=torch.int8)
        yield "matmul_int8 int8", lambda: matrices.matmul_int8(a, a, make("float32", size), make("float32", size))

    def attention(dtype):
        for count, head, causal in ((tokens, 64, False), (tokens, 64, True), (tokens, 128, False), (tokens, 128, True), (1024, 256, True), (256, 64, True)):
            yield (f"attention {dtype} {count} x {head}{' causal' * causal}",
                   lambda: attend.attention(*(make(dtype, 1, heads, count, head) for _ in range(3)), causal, 0.1))

    def attention_backward(dtype):

        def call(head):
            q, k, v = (make(dtype, 1, heads, 1024, head) for _ in range(3))
            attend.attention_backward(q, k, v, q, sums(dtype, 1, heads, 1024) + 5, v, True, 0.1)

        for head in (64, 128, 256):
            yield f"attention backward {dtype} {head}", lambda: call(head)

    def of_rows(dtype):
        for count, columns in ((4096, 4096), (4096, 1024), (512, 32768), (64, 1024)):

            def matrix():
                return make(dtype, count, columns)

            def row():
                return make(dtype, columns)

            def column():
                return sums(dtype, count)

            def target():
                return torch.randint(0, columns, (count,), device=device)

            name = f"{dtype} {count} x {columns}"
            yield f"softmax {name}", lambda: rows.softmax(matrix())
            yield f"layer_norm {name}", lambda: rows.layer_norm(matrix(), row(), row(), 1e-5)
            yield f"rms_norm {name}", lambda: rows.rms_norm(matrix(), row(), 1e-6)
            yield f"cross_entropy {name}", lambda: rows.cross_entropy(matrix(), target(), -100, 0.0)
            yield f"softmax backward {name}", lambda: rows.softmax_backward(matrix(), matrix())
            yield f"layer_norm backward {name}", lambda: rows.layer_norm_backward(matrix(), matrix(), row(), column(), column())
            yield f"rms_norm backward {name}", lambda: rows.rms_norm_backward(matrix(), matrix(), row(), column())
            yield f"cross_entropy backward {name}", lambda: rows.cross_entropy_backward(matrix(), target(), column(), column(), -100, 0.0)
        # Longer than one block of softmax.py.
        yield f"online softmax {dtype}", lambda: rows.softmax(make(dtype, 256, 32768))

    def flat(dtype):
        for count in (1 << 24, 1 << 20, 1 << 16):

            def some(number):
                return (make(dtype, count) for _ in range(number))

            name = f"{dtype} {count}"
            yield f"gelu {name}", lambda: elementwise.activation(*some(1), "gelu", 0.01)
            yield f"swiglu {name}", lambda: elementwise.swiglu(*some(2))
            yield f"multiply_add_sqrt {name}", lambda: elementwise.multiply_add_sqrt(*some(3))
            yield f"dropout {name}", lambda: elementwise.dropout(*some(1), 0.5, 1)
            yield f"gelu backward {name}", lambda: elementwise.activation_backward(*some(2), "gelu", 0.01)
            yield f"swiglu backward {name}", lambda: elementwise.swiglu_backward(*some(3))
        yield f"rotary {dtype}", lambda: elementwise.rotary(make(dtype, 4, 1024, 32, 64), make(dtype, 1024, 32), make(dtype, 1024, 32), False, False)

    def pictures(dtype):
        for height, width in ((4096, 4096), (1080, 1920), (256, 256)):

            def picture():
                if dtype == "uint8":
                    return torch.randint(0, 255, (3, height, width), device=device, dtype=torch.uint8)
                return make(dtype, 3, height, width)

            name = f"{dtype} {height} x {width}"
            if dtype != "uint8":
                yield f"greyscale {name}", lambda: elementwise.greyscale(picture())
                yield f"sepia {name}", lambda: elementwise.sepia(picture())
            for side in (3, 5):
                yield f"filter2d {name} by {side} x {side}", lambda: elementwise.filter2d(picture(), make("float32", side, side), "zero", -1, -1)

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
