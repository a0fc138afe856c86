"""torch's own table of operators (OpInfo) through torch.compile(backend="tilewise"), each compared with eager torch.

usage: opinfo.py [--dtype float32] [--every N] [--filter TEXT] [--samples N] [--list]

An operator is run on its first samples, compiled alone (`fullgraph`). `passed`: all agree with eager. `fell back`: they agree, and Inductor wrote
no kernel, as for convolutions. `not applicable`: eager torch itself, or torch's tracer, refuses the samples, also with plain eager tracing."""

import argparse
import collections
import logging
import time
import warnings

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--dtype", default="float32")
parser.add_argument("--every", type=int, default=1, help="only every Nth operator")
parser.add_argument("--filter", default="", help="only operators whose name contains the text")
parser.add_argument("--samples", type=int, default=1, help="samples of each operator (default: 1)")
parser.add_argument("--list", action="store_true", help="also list the operators that agree or do not apply")
options = parser.parse_args()

import torch  # noqa: E402
from torch._inductor.utils import run_and_get_code  # noqa: E402
from torch.testing._internal.common_methods_invocations import op_db  # noqa: E402

warnings.simplefilter("ignore")
logging.disable(logging.ERROR)
torch._dynamo.config.cache_size_limit = 1000


def run(function, sample):
    torch.manual_seed(0)
    return function(sample.input, *sample.args, **sample.kwargs)


def outcome(op, dtype):
    """(what became of it, a text)"""
    if "empty" in op.name:
        return "not applicable", "its values are undefined"
    samples = []
    for sample in op.sample_inputs("cpu", dtype, requires_grad=False):
        samples.append(sample)
        if len(samples) == options.samples:
            break
    if not samples:
        return "not applicable", "no samples"
    kernels = 0
    for sample in samples:

        def function(*arguments, **named):
            return op.op(*arguments, **named)

        torch._dynamo.reset()
        try:
            expected = run(function, sample)
            traced = run(torch.compile(function, backend="aot_eager_decomp_partition", fullgraph=True), sample)
            torch.testing.assert_close(traced, expected, rtol=1e-3, atol=1e-3, equal_nan=True)
        except Exception as error:
            return "not applicable", f"{type(error).__name__} without Tilewise"
        torch._dynamo.reset()
        try:
            compiled = torch.compile(function, backend="tilewise", fullgraph=True, options={"fallback_random": True, "fx_graph_cache": False})
            got, texts = run_and_get_code(lambda: run(compiled, sample))
        except Exception as error:
            return "failed", f"{type(error).__name__}: {str(error).strip().splitlines()[0][:160]}"
        kernels += sum("import tilewise as triton" in text for text in texts)
        try:
            torch.testing.assert_close(got, expected, rtol=2e-3, atol=2e-3, equal_nan=True)
        except AssertionError as error:
            return "failed", "values: " + " ".join(str(error).split())[:160]
    return ("passed" if kernels else "fell back"), ""


def main():
    dtype = getattr(torch, options.dtype)
    ops = [op for op in op_db if dtype in op.supported_dtypes("cpu") and options.filter in op.name][::options.every]
    counts, start = collections.Counter(), time.time()
    for number, op in enumerate(ops):
        name = op.name + (f".{op.variant_test_name}" if op.variant_test_name else "")
        what, why = outcome(op, dtype)
        counts[what] += 1
        if options.list or what == "failed":
            print(f"{what}: {name}{': ' + why if why else ''}", flush=True)
        if number % 25 == 24:
            print(f"  {number + 1} of {len(ops)}, {time.time() - start:.0f} s", flush=True)
    print(f"{options.dtype}: {len(ops)} operators, " + ", ".join(f"{count} {what}" for what, count in sorted(counts.items())))
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    raise SystemExit(main())
