"""`triton.profiler`: how long launches take, by scope, under the names of upstream's Proton.

    proton.start("run")
    with proton.scope("layer", {"flops": 2e9}):
        kernel[grid](...)
    proton.finalize()                   # run.hatchet; proton.viewer prints it

What is measured is each launch from its start to its end, by the host's clock: on a GPU the device is waited for before and after it, so that launches
overlap with nothing while a session is active. Nothing inside a kernel is seen (backend "instrumentation", pc sampling)."""

import contextlib
import functools
import json
import numbers
import threading
import time
import traceback

from .. import knobs
from ..engines import active_backend

DEFAULT_PROFILE_NAME = "proton"

_SUFFIXES = {"tree": "hatchet", "trace": "chrome_trace"}
_sessions = {}
_lock = threading.Lock()
_local = threading.local()


class _Node:
    """A scope, or a kernel inside one."""

    def __init__(self, name):
        self.name = name
        self.metrics = {}
        self.children = {}

    def child(self, name):
        return self.children.setdefault(name, _Node(name))

    def add(self, metrics):
        for name, value in metrics.items():
            self.metrics[name] = self.metrics.get(name, 0) + value

    def as_json(self):
        kind = {"device_id": "0", "device_type": _device_type()} if "count" in self.metrics else {}
        return {"frame": {"name": self.name, "type": "function"}, "metrics": {**self.metrics, **kind},
                "children": [child.as_json() for child in self.children.values()]}


class _Session:

    def __init__(self, name, context, data, hook):
        self.name, self.context, self.data, self.hook = name, context, data, hook
        self.is_active = True
        self.clear()

    def clear(self):
        self.root = _Node("ROOT")
        self.events = []

    def node(self, path):
        node = self.root
        for name in (_python_frames() if self.context == "python" else ()):
            node = node.child(name)
        for name in path:
            node = node.child(name)
        return node

    def database(self):
        if self.data == "trace":
            return {"traceEvents": self.events}
        return [self.root.as_json(), {_device_type(): {"0": {}}}]


def _device_type():
    return "CUDA" if active_backend() == "cuda" else "CPU"


def _python_frames():
    """The program's own frames, outermost first."""
    return [f"{frame.filename}:{frame.name}@{frame.lineno}" for frame in traceback.extract_stack() if "/tilewise/" not in frame.filename]


def _path():
    """This thread's scopes, outermost first."""
    return _local.__dict__.setdefault("path", [])


def _active():
    return [session for session in _sessions.values() if session.is_active]


def _wait():
    if active_backend() == "cuda":
        from ..runtime.driver import driver
        driver.active.get_device_interface().synchronize()


def _launch_begins(told):
    _wait()
    _local.began = time.perf_counter_ns()


def _launch_ends(told):
    _wait()
    began = _local.__dict__.pop("began", None)
    if began is None:  # profiling was switched on inside a launch
        return
    took = time.perf_counter_ns() - began
    data = told.get() if any(session.hook for session in _active()) else told.data
    with _lock:
        for session in _active():
            name = data["name"] if session.hook else told.data["name"]
            given = {key: value for key, value in data.items() if isinstance(value, numbers.Number)} if session.hook else {}
            session.node([*_path(), name]).add({"count": 1, "time (ns)": took, **given})
            if session.data == "trace":
                session.events.append({"name": name, "cat": "kernel", "ph": "X", "ts": began / 1e3, "dur": took / 1e3, "pid": 0,
                                       "tid": threading.get_ident(), "args": {"scope": "/".join(_path())}})


def start(name=None, *, context="shadow", data="tree", backend=None, mode=None, hook=None):
    """Begins a session and gives its number; None where TRITON_PROTON_DISABLE is set."""
    if knobs.proton.disable:
        return None
    if context not in ("shadow", "python"):
        raise ValueError(f"Unknown context: {context!r}; there are 'shadow' and 'python'")
    if data not in _SUFFIXES:
        raise ValueError(f"Unknown data: {data!r}; there are 'tree' and 'trace'")
    if hook not in (None, "triton"):
        raise ValueError(f"Unsupported hook: {hook!r}")
    if backend == "instrumentation" or mode is not None:
        raise NotImplementedError(f"Tilewise's profiler measures launches, and nothing inside a kernel, got backend={backend!r} and mode={mode!r}; "
                                  "leave both out")
    number = max(_sessions, default=-1) + 1
    if not _sessions:
        knobs.runtime.launch_enter_hook.add(_launch_begins)
        knobs.runtime.launch_exit_hook.add(_launch_ends)
    _sessions[number] = _Session(name or DEFAULT_PROFILE_NAME, context, data, hook)
    return number


def _chosen(session):
    if session is None:
        return list(_sessions)
    if session not in _sessions:
        raise ValueError(f"there is no profiling session {session}")
    return [session]


def activate(session=None):
    """Goes on with a session, or with all of them."""
    for number in _chosen(session):
        _sessions[number].is_active = True


def deactivate(session=None, flushing=False):
    """Stops recording; what has been recorded stays."""
    for number in _chosen(session):
        _sessions[number].is_active = False


def finalize(session=None, output_format=""):
    """Ends a session, or all, and writes NAME.hatchet, or NAME.chrome_trace for data="trace"."""
    for number in _chosen(session):
        ended = _sessions.pop(number)
        suffix = _SUFFIXES[ended.data]
        if output_format not in ("", None, suffix):
            raise ValueError(f"data={ended.data!r} is written as {suffix}, got output_format={output_format!r}")
        with open(f"{ended.name}.{suffix}", "w") as file:
            json.dump(ended.database(), file)
    if not _sessions:
        knobs.runtime.launch_enter_hook.remove(_launch_begins)
        knobs.runtime.launch_exit_hook.remove(_launch_ends)


def profile(func=None, *, name=None, context="shadow", data="tree", backend=None, mode=None, hook=None):
    """A function whose calls are each a session."""
    if func is None:
        return functools.partial(profile, name=name, context=context, data=data, backend=backend, mode=mode, hook=hook)

    @functools.wraps(func)
    def profiled(*arguments, **named):
        session = start(name, context=context, data=data, backend=backend, mode=mode, hook=hook)
        try:
            return func(*arguments, **named)
        finally:
            if session is not None:
                deactivate(session)

    return profiled


def _add_metrics(metrics):
    values = {name: value.item() if hasattr(value, "item") else value for name, value in (metrics or {}).items()}
    if values:
        with _lock:
            for session in _active():
                session.node(_path()).add(values)


def enter_scope(name, *, metrics=None):
    if not _sessions:
        return None
    _path().append(name)
    _add_metrics(metrics)
    return len(_path()) - 1


def exit_scope(name=None, *, metrics=None):
    if not _sessions or not _path():
        return None
    if name and name != _path()[-1]:
        raise ValueError(f"Scope name mismatch: {name} != {_path()[-1]}")
    _add_metrics(metrics)
    _path().pop()
    return len(_path())


class scope(contextlib.ContextDecorator):
    """`with scope("layer", {"flops": n}):`, or above a function."""

    def __init__(self, name, metrics=None):
        self.name, self.metrics = name, metrics
        self.depths = []

    def __enter__(self):
        self.depths.append(enter_scope(self.name, metrics=self.metrics))
        return self

    def __exit__(self, *_):
        if self.depths.pop() is not None:
            exit_scope()


class cpu_timed_scope(scope):
    """A scope with the time it took itself."""

    def __init__(self, name, metrics=None):
        if metrics and "cpu_time" in metrics:
            raise ValueError("The metric name 'cpu_time' is reserved.")
        super().__init__(name, metrics)
        self.began = []

    def __enter__(self):
        self.began.append(time.perf_counter_ns())
        return super().__enter__()

    def __exit__(self, *_):
        took = time.perf_counter_ns() - self.began.pop()
        if self.depths[-1] is not None:
            _add_metrics({"cpu_time (ns)(exc)": took})
        super().__exit__()


class state(scope):
    """A scope by another name: launches inside are below it."""

    def __init__(self, name):
        super().__init__(name)


def enter_state(name):
    enter_scope(name)


def exit_state():
    exit_scope()


def metadata_state(kernel_name=None):
    return state("__proton_launch_metadata" if kernel_name is None else f"__proton_launch_metadata:{kernel_name}")


from . import context, data  # noqa: E402, F401


def __getattr__(name):
    # Imported when it is asked for: `python -m triton.profiler.viewer` runs it as a program.
    if name == "viewer":
        import importlib
        return importlib.import_module(".viewer", __name__)
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
