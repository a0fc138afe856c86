# Waiting for other programs, in the language itself.

# True when the value was seen, False when the time, in nanoseconds, ran out before.
@triton.jit
def atomic_poll(pointer, expected_value, sem: tl.constexpr = None, scope: tl.constexpr = None, timeout_ns=None):
    tl.static_assert(pointer.dtype.is_ptr(), f"Unsupported ptr type {pointer.dtype} in `tl.atomic_poll`")
    tl.static_assert(len(pointer.shape) == 0, "atomic_poll only supports a pointer to a scalar")
    element: tl.constexpr = pointer.dtype.element_ty
    tl.static_assert(element.is_int() and element.primitive_bitwidth >= 16,
                     "atomic_poll only supports integer elements with width {16, 32, 64}")
    tl.static_assert(sem is None or sem == "acquire" or sem == "relaxed", "atomic_poll only supports acquire and relaxed semantics")
    order: tl.constexpr = "acquire" if sem is None else sem
    expected = tl.to_tensor(expected_value)
    tl.static_assert(len(expected.shape) == 0, "Expected value argument cannot be block type")
    wanted = expected.to(element)
    # An exchange of the wanted value for itself is a load with an order, on every width.
    seen = tl.atomic_cas(pointer, wanted, wanted, sem=order, scope=scope) == wanted
    if timeout_ns is None:
        while not seen:
            seen = tl.atomic_cas(pointer, wanted, wanted, sem=order, scope=scope) == wanted
    else:
        limit = tl.to_tensor(timeout_ns)
        tl.static_assert(len(limit.shape) == 0 and limit.dtype.is_int(), "atomic_poll timeout_ns must be a scalar integer")
        start = tl.extra.cuda.globaltimer()
        while (not seen) & (tl.extra.cuda.globaltimer() - start < limit.to(tl.int64)):
            seen = tl.atomic_cas(pointer, wanted, wanted, sem=order, scope=scope) == wanted
    return seen
