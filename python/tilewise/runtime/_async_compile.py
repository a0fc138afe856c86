"""Compiling on other threads: inside `with AsyncCompileMode(executor):` a launch or warmup gives a FutureKernel."""

import contextvars

active_mode = contextvars.ContextVar("active_async_compile_mode", default=None)


class FutureKernel:
    """A kernel that is being compiled."""

    def __init__(self, finalize, future):
        self.finalize = finalize
        self.future = future
        self.kernel = None

    def result(self, ignore_errors=False):
        if self.kernel is None:
            try:
                self.kernel = self.future.result()
            except Exception:
                if ignore_errors:
                    return None
                raise
            self.finalize(self.kernel)
        return self.kernel

    def __getattr__(self, name):
        return getattr(self.result(), name)


class AsyncCompileMode:
    """Compiles asked for inside the `with` block go to the executor, each key once, and are waited for at its end."""

    def __init__(self, executor, *, ignore_errors=False):
        self.executor = executor
        self.ignore_errors = ignore_errors
        self.future_kernels = {}

    def submit(self, key, compile, finalize):
        if key not in self.future_kernels:
            self.future_kernels[key] = FutureKernel(finalize, self.executor.submit(compile))
        return self.future_kernels[key]

    def __enter__(self):
        if active_mode.get() is not None:
            raise RuntimeError("Another AsyncCompileMode is already active")
        self._token = active_mode.set(self)
        return self

    def __exit__(self, *_):
        active_mode.reset(self._token)
        for kernel in self.future_kernels.values():
            kernel.result(self.ignore_errors)
