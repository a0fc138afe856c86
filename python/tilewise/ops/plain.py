"""Which calls need nothing of torch's dispatcher, and so may go past it: for a small tensor it is a third of a call's time."""

import torch
from torch._C import DispatchKey, DispatchKeySet

try:
    from torch._C import _dispatch_keys, _dispatch_tls_local_include_set, _len_torch_function_stack
    from torch.autograd import _profiler_enabled, forward_ad
except ImportError:  # Of a torch that has other names for them: then no call is plain.
    _dispatch_keys = None

_TYPES = frozenset((torch.Tensor, torch.nn.Parameter))


def _all_but(*names):
    """The bits of all other keys."""
    bits = 0
    for name in names:
        bits |= DispatchKeySet(getattr(DispatchKey, name)).raw_repr()
    return ~bits


# What the dispatcher would do with a tensor beyond finding the launch: it is sparse, nested, negated lazily, without values, wrapped by a transform of
# functions, on another device, ...
_MORE = _all_but("CPU", "CUDA", "ADInplaceOrView", "AutogradCPU", "AutogradCUDA", "AutocastCPU", "AutocastCUDA")
# And with any call of this thread: a mode, a tracer, ...; these two are always there.
_MODES = _all_but("BackendSelect", "ADInplaceOrView")


def is_plain(arguments):
    """Whether a function of these arguments may be called at once: no gradient is asked for, nobody looks on, and every tensor is memory as it is. Not asked
    while torch.compile traces."""
    if _dispatch_keys is None:
        return False
    keeps = torch.is_grad_enabled()
    for each in arguments:
        if isinstance(each, torch.Tensor) and (type(each) not in _TYPES or keeps and each.requires_grad or _dispatch_keys(each).raw_repr() & _MORE):
            return False
    return (_dispatch_tls_local_include_set().raw_repr() & _MODES == 0 and _len_torch_function_stack() == 0 and not _profiler_enabled()
            and forward_ad._current_level < 0)
