"""`triton.set_allocator`: where upstream's kernels get scratch memory from. Ours bring their own; the setting is kept for programs that read it."""

import contextvars


class NullAllocator:
    """No allocator was set."""

    def __call__(self, size, alignment, stream):
        raise RuntimeError("Kernel requires a runtime memory allocation, but no allocator was set. "
                           "Use triton.set_allocator to specify an allocator.")


_NULL_ALLOCATOR = NullAllocator()
_allocator = contextvars.ContextVar("_allocator", default=_NULL_ALLOCATOR)
_profile_allocator = contextvars.ContextVar("_profile_allocator", default=_NULL_ALLOCATOR)


def set_allocator(allocator):
    """`allocator(size, alignment, stream)` gives an object with `data_ptr()`."""
    _allocator.set(allocator)


def set_profile_allocator(allocator):
    _profile_allocator.set(allocator or _NULL_ALLOCATOR)


def has_profile_allocator():
    return not isinstance(_profile_allocator.get(), NullAllocator)
