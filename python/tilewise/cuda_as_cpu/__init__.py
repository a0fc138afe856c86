"""TILEWISE_CUDA_AS_CPU: programs written for a GPU run without one. `cuda` is a second place in the host's memory.

Loaded only when it is asked for, by the variable or by `python -m tilewise --device=cpu`; nothing else of Tilewise knows of it. It registers itself
with what the others offer: `engines.keep_to_host`, `runtime.driver.replace_default`, `runtime.recording.recorder`.

    torch_import.py     waits for the program's own `import torch`: Tilewise never imports it
    places.py           where a tensor is said to be: a mark at its storage
    torch_calls.py      every call of torch with a device: done on the CPU, the result marked
    entering.py         ... in every thread and callback
    replacements.py     functions of torch that mean the GPU without being told a device
    torch_cuda.py       torch.cuda
    graphs.py           CUDA graphs
    driver.py           `triton.runtime.driver.active`
    no_gpu.py           without the switch and without a GPU: the line that names the switch

Tensors stay plain CPU tensors: kernels run on the host's engine, everything else in torch's CPU code."""

from .torch_import import watch

__all__ = ["watch"]
