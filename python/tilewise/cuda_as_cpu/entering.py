"""A mode of torch's is one thread's, and off while torch answers a call: here it is entered wherever the program's own code runs."""

import contextlib
import functools
import threading
import types


def enter_everywhere(torch, mode):
    """In this thread, in those started from now on, and in what autograd calls back."""
    mode.__enter__()
    start = threading.Thread.start

    @functools.wraps(start)
    def start_with_mode(self):
        run = self.run

        def run_with_mode():
            with mode:
                run()

        self.run = run_with_mode
        start(self)

    threading.Thread.start = start_with_mode

    def calls_back(function):
        """A function that torch calls, or that calls the program's, while the mode is off: during the calls that the mode is asked about."""

        @functools.wraps(function)
        def with_mode(*arguments, **named):
            with contextlib.nullcontext() if mode in torch.overrides._get_current_function_mode_stack() else mode:
                return function(*arguments, **named)

        return with_mode

    for module in (torch.autograd, torch.autograd.graph):
        module._engine_run_backward = calls_back(torch.autograd.graph._engine_run_backward)
    hooks = torch.autograd.graph.saved_tensors_hooks
    init = hooks.__init__
    hooks.__init__ = lambda self, pack_hook, unpack_hook: init(self, calls_back(pack_hook), calls_back(unpack_hook))
    impl = torch.library.Library.impl

    @functools.wraps(impl)
    def impl_on_host(self, op_name, fn, dispatch_key="", *arguments, **named):
        # An operator's kernel for the GPU is called with tensors of the CPU; torch's own operators have one for each.
        module = getattr(fn, "__module__", None) or ""
        if "CUDA" in dispatch_key and (not module.startswith("torch.") or module == "torch._library.custom_ops"):
            dispatch_key, named = dispatch_key.replace("CUDA", "CPU"), {**named, "allow_override": True}
        if dispatch_key != "Meta" and isinstance(fn, types.FunctionType) and fn is not torch.library.fallthrough_kernel:
            fn = calls_back(fn)
        return impl(self, op_name, fn, dispatch_key, *arguments, **named)

    torch.library.Library.impl = impl_on_host
    context = torch.utils._device.DeviceContext
    inner = context.__torch_function__

    def on_host(self, func, types, args=(), kwargs=None):  # noqa: A002 (torch's name)
        # A default device is what the mode makes of it: it has been asked, or it comes next.
        asked = mode not in torch.overrides._get_current_function_mode_stack()
        return func(*args, **(kwargs or {})) if asked and self.device.type == "cuda" else inner(self, func, types, args, kwargs)

    context.__torch_function__ = on_host
