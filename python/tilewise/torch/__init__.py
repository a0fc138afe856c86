"""`torch.compile(model, backend="tilewise")`: Inductor's kernels compiled by Tilewise, on CPU tensors without a C++ compiler.

torch finds the backend by the package's entry point `torch_dynamo_backends`; nothing else of Tilewise imports this package.

    backend.py      the backend: Inductor, called with its settings for Tilewise
    inductor.py     Inductor's modules that hold on to `triton`, once more, holding on to Tilewise
    launching.py    launches that look at their tensors once
    timing.py       how long their candidates for block sizes take on the CPU
    scope.py        ... in the places of the others while a graph is compiled"""

from .backend import backend

__all__ = ["backend"]
