"""Launches from Inductor's code on the CPU, past its launcher in Python (python/native/GraphLauncher.cpp)."""

import functools
import types

from .. import _native


def _over(tuner, launcher):
    """A native launcher that does what Inductor's `launcher` does; None where it cannot."""
    import torch
    from torch.autograd import profiler
    from torch.utils._debug_mode import _mode
    pointer = getattr(torch._C._dynamo.guards, "_torchinductor_pyobject_tensor_data_ptr", None)
    names = launcher.__globals__
    kernel = getattr(names.get("runner"), "__self__", None)
    hooks = [hook for hook in (names.get("launch_enter_hook"), names.get("launch_exit_hook")) if hook is not None]
    if pointer is None or not isinstance(kernel, _native.Kernel) or not all(hasattr(hook, "calls") for hook in hooks):
        return None
    code = launcher.__code__
    given = code.co_varnames[:code.co_argcount - 1]  # without the stream
    passed = [name for name, is_constexpr, *_ in kernel.parameters() if not is_constexpr]
    if not set(passed) <= set(given):
        return None
    watched = (vars(profiler), "_is_profiler_enabled"), (vars(_mode), "_ACTIVE_DEBUG_MODE_COUNT")
    made = _native.graph_launcher(kernel, functools.partial(type(tuner).run, tuner), launcher, tuple(given.index(name) for name in passed),
                                  watched, tuple(hook.calls for hook in hooks), (torch.Tensor, torch.nn.Parameter), pointer)
    if made is None:
        return None
    made.plan_with(types.FunctionType(code, {**names, "runner": made.plan}))
    return made.launch


def _build(original):

    @functools.wraps(original)
    def _build_fast_launcher(self, launcher):
        return _over(self, launcher) if self.device_props.type == "cpu" else original(self, launcher)

    return _build_fast_launcher


def _cached(self):
    return vars(self)["_cached_launcher"]


def _cache(self, launcher):
    """What is called from a kernel's second launch on; None: it is to be looked at again. A native one is called without its tuner."""
    vars(self)["_cached_launcher"] = launcher
    vars(self).pop("run", None)
    if isinstance(getattr(launcher, "__self__", None), _native.GraphLauncher):
        vars(self)["run"] = launcher


def launch_directly(tuner):
    """Gives Inductor's class CachingAutotuner native launchers on the CPU."""
    tuner._build_fast_launcher = _build(tuner._build_fast_launcher)
    tuner._cached_launcher = property(_cached, _cache)
