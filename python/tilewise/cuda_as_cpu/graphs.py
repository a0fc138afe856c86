"""CUDA graphs without a GPU: what a program does during a capture is noted, and done at each replay.

Operations of torch are seen below autograd (by a TorchDispatchMode), launches of kernels by being the recorder that launchers look at. As on a GPU, a
capture writes nothing that was there before: what makes a new tensor is run for the tensor's sake, what writes to one is only noted.

    y = x * 2           run, noted          replay: the same again, copied into this y
    y += 1              noted               replay: y += 1
    kernel[grid](y)     compiled, noted     replay: the launch
    z = y.view(-1)      run: a view sees what is replayed
    y.sum().item()      an error: there is no value yet

Tensors that the program has on the CPU take no part in it."""

import functools
import itertools
import sys

from ..runtime import recording


def _torch():
    return sys.modules["torch"]


def _tensors(values):
    """All tensors in arguments or results, in lists too."""
    kind = _torch().Tensor
    for value in values:
        if isinstance(value, kind):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from _tensors(value)


class _Capture:
    """The steps of one graph, in their order."""

    def __init__(self, on_host):
        self.on_host = on_host
        self.steps = []
        self.mode = _make_mode(self)

    def launch(self, run, arguments, grid, named):
        self.steps.append(functools.partial(run, *arguments, grid=grid, **named))
        return run(*arguments, grid=grid, warmup=True, **named)

    def operation(self, func, args, kwargs):
        """One operation of torch -> its results as the program sees them."""
        torch = _torch()
        schema = func._schema
        given = list(_tensors((*args, *kwargs.values())))
        if given and all(map(self.on_host, given)):
            return func(*args, **kwargs)
        if func is torch.ops.aten._local_scalar_dense.default:
            raise RuntimeError("operation not permitted when stream is capturing: a number is read from a tensor on the GPU, which has no value "
                               "before the graph is replayed")
        named = {**dict(zip((argument.name for argument in schema.arguments), args)), **kwargs}
        aliases = [returned.alias_info for returned in schema.returns]
        # Replays are no business of autograd's: neither what they read nor that they write.
        plain, plain_named = torch.utils._pytree.tree_map_only(torch.Tensor, lambda tensor: tensor.data, (args, kwargs))
        if schema.is_mutable and all(aliases):
            self.steps.append(functools.partial(func, *plain, **plain_named))
            written = [named[argument.name] for argument in schema.arguments
                       if argument.alias_info is not None and argument.alias_info.is_write and argument.name in named]
            return written[0] if len(aliases) == 1 else tuple(written[:len(aliases)]) if aliases else None
        results = func(*args, **kwargs)
        if not any(aliases) and "empty" not in schema.name:
            made = [tensor.data for tensor in _tensors((results,))]
            self.steps.append(functools.partial(self._again, func, plain, plain_named, made))
        return results

    @staticmethod
    def _again(func, args, kwargs, made):
        for old, new in zip(made, _tensors((func(*args, **kwargs),)), strict=True):
            old.copy_(new)

    def replay(self):
        torch = _torch()
        with torch.inference_mode(), torch._C.DisableTorchFunction():
            for step in self.steps:
                step()


def _make_mode(owner):
    from torch.utils._python_dispatch import TorchDispatchMode

    class Recording(TorchDispatchMode):

        def __torch_dispatch__(self, func, types, args=(), kwargs=None):  # noqa: A002 (torch's name)
            with _torch()._C.DisableTorchFunction():
                return owner.operation(func, args, kwargs or {})

    return Recording()


class CUDAGraph:
    """torch.cuda.CUDAGraph."""

    on_host = staticmethod(lambda tensor: False)
    _numbers = itertools.count(1)

    def __init__(self, keep_graph=False):
        self._capture = None
        self._pool = (0, next(self._numbers))

    def capture_begin(self, pool=None, capture_error_mode="global", **_):
        if recording.recorder is not None:
            raise RuntimeError("one graph is being captured already")
        self._pool = pool or self._pool
        self._capture = recording.recorder = _Capture(self.on_host)
        self._capture.mode.__enter__()

    def capture_end(self):
        if self._capture is None or self._capture is not recording.recorder:
            raise RuntimeError("capture_end() without capture_begin() of the same graph")
        self._capture.mode.__exit__(None, None, None)
        recording.recorder = None

    def instantiate(self):
        """Nothing is left to be done."""

    def replay(self):
        if self._capture is None or self._capture is recording.recorder:
            raise RuntimeError("replay() needs a captured graph")
        self._capture.replay()

    def reset(self):
        self._capture = None

    def pool(self):
        return self._pool

    def enable_debug_mode(self):
        """Steps are always kept."""

    def debug_dump(self, debug_path):
        with open(debug_path, "w") as file:
            for step in self._capture.steps if self._capture else ():
                print(step.args[0] if step.func is _Capture._again else step.func, file=file)


def graph_pool_handle():
    return (0, next(CUDAGraph._numbers))


def is_current_stream_capturing():
    return recording.recorder is not None
