"""Where a tensor is said to be: a mark at its storage, so that views agree."""

import contextlib

MARK = "tilewise_on_host"


def kind_of(device):
    """A device as programs name it -> "cuda", "cpu" or another kind."""
    if isinstance(device, str):
        return device.partition(":")[0]
    return "cuda" if isinstance(device, int) else device.type


def is_on_host(tensor):
    """Whether the tensor is said to be on the CPU, rather than on the GPU."""
    try:
        return getattr(tensor.untyped_storage(), MARK, False)
    except (NotImplementedError, RuntimeError):  # it has no storage
        return False


def mark(tensor, on_host=True):
    with contextlib.suppress(NotImplementedError, RuntimeError):
        setattr(tensor.untyped_storage(), MARK, on_host)


def address_of(tensor):
    try:
        return tensor.untyped_storage().data_ptr()
    except (NotImplementedError, RuntimeError):
        return None


