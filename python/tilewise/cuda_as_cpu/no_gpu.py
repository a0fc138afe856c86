"""A program that wants a GPU where torch has none: the line that names the way out, for whoever shows the program's error."""

import re
import sys

WAY_OUT = ("this machine has no GPU that torch can use; TILEWISE_CUDA_AS_CPU=1 or 'python -m tilewise --device=cpu SCRIPT' runs programs written "
           "for one on the CPU")
# How torch says that there is no GPU: "Torch not compiled with CUDA enabled", "Found no NVIDIA driver", "module 'torch._C' has no attribute
# '_cuda_setDevice'", "Cannot access accelerator device when none is available", "Tried to instantiate dummy base class Stream".
_COMPLAINT = re.compile(r"cuda|NVIDIA driver|accelerator device|dummy base class (Stream|Event|CUDAGraph|_CUDAGraph)", re.IGNORECASE)


def is_missed(text):
    """Whether an error with this text may be torch's complaint that there is no GPU."""
    torch = sys.modules.get("torch")
    return torch is not None and hasattr(torch, "cuda") and not torch.cuda.is_available() and bool(_COMPLAINT.search(text))
