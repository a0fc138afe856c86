# Module-level code that asks torch for a GPU is answered by the target.
# RUN: %tilewise emit --stage=tile %s:k --signature "*i32" | FileCheck %s --check-prefix=CPU
# RUN: %tilewise emit --stage=tile --target=cuda:89 %s:k --signature "*i32" | FileCheck %s --check-prefix=CUDA
import warnings

import torch
import triton
import triton.language as tl


def platform():
    try:
        return torch.cuda.get_device_capability(0)
    except Exception:
        warnings.warn("no GPU")
        return (0, 0)


HAS_GPU = tl.constexpr(torch.cuda.is_available() and torch.cuda.device_count() > 0 and torch.version.cuda is not None)
MAJOR, MINOR = platform()
LEVEL = tl.constexpr(MAJOR * 10 + MINOR)


@triton.jit
def k(p):
    tl.store(p, LEVEL + (100 if HAS_GPU else 0))
# CPU: arith.constant 0 : i32
# CUDA: arith.constant 189 : i32
