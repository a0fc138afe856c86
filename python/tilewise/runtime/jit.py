"""`jit`: a live Python function as a kernel. Its text is compiled; the names in it resolve through its globals and closure."""

import contextlib
import functools
import importlib
import inspect
import os
import sys
import time

from .. import _native, knobs
from .._utils import type_canonicalisation_dict
from ..compiler import errors as compiler_errors
from ..engines import host_engine
from ..kernel import Kernel
from ..language.functions import Builtin
from ..literals import Text, flatten
from ..language.types import dtype, pointer_type
from ..options import Options
from ..options import are_parameters as options_are_parameters
from . import recording
from ._async_compile import FutureKernel, active_mode
from .callable import JITCallable, function_at, is_unchanged
from .constexpr_function import ConstexprFunction, constexpr_function  # noqa: F401
from .specialize import mangle_type, native_specialize_impl  # noqa: F401

# What a launch may still conclude from an argument's value: nothing, or only that it is 1.
_NOTHING, _ONLY_ONE = 0, 1

# The compiler's report becomes the exception that programs expect.
guarded = compiler_errors.guarded(function_at)


def _normalize(annotation):
    """An annotation -> the name of a type in signatures, "constexpr", "const", or whatever it says."""
    if isinstance(annotation, str):
        annotation = annotation.strip()
        if annotation.startswith("const ") and annotation.endswith("*"):
            return "*k" + _normalize(annotation[len("const "):-1])
        if annotation.endswith("*"):
            return "*" + _normalize(annotation[:-1])
        if annotation.startswith("*k"):
            return "*k" + _normalize(annotation[2:])
        if annotation.startswith("*"):
            return "*" + _normalize(annotation[1:])
        annotation = annotation.removeprefix("triton.language.").removeprefix("tl.")
    elif isinstance(annotation, pointer_type):
        return ("*k" if annotation.const else "*") + _normalize(annotation.element_ty)
    elif isinstance(annotation, dtype):
        annotation = annotation.name
    elif isinstance(annotation, (type, Builtin)):
        annotation = annotation.__name__
    else:
        annotation = str(annotation)
    return type_canonicalisation_dict.get(annotation.replace("_t", ""), annotation)


class KernelParam:
    """One parameter of a jit function."""

    def __init__(self, num, param, do_not_specialize, do_not_specialize_on_alignment):
        self.num = num
        self.name = param.name
        self._param = param
        self.do_not_specialize = do_not_specialize
        self.do_not_specialize_on_alignment = do_not_specialize_on_alignment
        empty = param.annotation is inspect.Parameter.empty or not param.annotation
        self.annotation = "" if empty else _normalize(param.annotation)
        element = self.annotation.removeprefix("*k") if self.annotation.startswith("*k") else self.annotation.removeprefix("*")
        self.annotation_type = self.annotation if element in type_canonicalisation_dict.values() else ""
        self.is_constexpr = "constexpr" in self.annotation
        self.is_const = not self.is_constexpr and ("const" in self.annotation or self.annotation.startswith("*k"))

    @property
    def default(self):
        return self._param.default

    @property
    def has_default(self):
        return self._param.default is not inspect.Parameter.empty


class KernelInterface:
    """What can be launched: `f[grid](...)`."""

    def __getitem__(self, grid):
        return _native.launcher(functools.partial(self.run, warmup=False), grid)

    def warmup(self, *arguments, grid, **named):
        """Compiles for these arguments without launching; a torch dtype stands for a tensor of it."""
        return self.run(*map(MockTensor.wrap_dtype, arguments), grid=grid, warmup=True, **named)

    warmup = _native.shield(warmup)

    def run(self, *arguments, grid, warmup, **named):
        raise NotImplementedError("run not implemented")


class JitFunctionInfo:
    """What hooks are told about a function."""

    def __init__(self, module, name, jit_function):
        self.module = module
        self.name = name
        self.jit_function = jit_function


def _max_variants():
    text = os.environ.get("TILEWISE_MAX_VARIANTS", "")
    return int(text) if text.isdecimal() and int(text) else 4096


_MAX_VARIANTS = _max_variants()


def named_kernel(module, qualname):
    """The kernel of that name, or what is around it (an autotuner), in a module that is imported for it."""
    return functools.reduce(getattr, qualname.split("."), importlib.import_module(module))


def _is_found_by_name(kernel):
    try:
        return named_kernel(kernel.__module__, kernel.__qualname__) is kernel
    except (AttributeError, ImportError, TypeError):
        return False


def _torch_profiler():
    """What marks a launch for torch's profiler while it is on; None where torch is not loaded, too."""
    profiler = sys.modules.get("torch.autograd.profiler")
    return sys.modules["torch"]._C._profiler._RecordFunctionFast if profiler is not None and profiler._is_profiler_enabled else None


def _steady_engine():
    """The engine of launches that nobody wants to hear of and no setting changes; None where there are such."""
    hooked = recording.recorder is not None or knobs.runtime.debug or not knobs.language.default_fp_fusion or knobs.launches_are_hooked()
    return None if hooked or _torch_profiler() is not None else host_engine()


_native.set_steady(_steady_engine)


class _Compiled(dict):
    """What a function has been compiled for: CompiledKernel by key, and by the number of the compile."""

    def __init__(self, function):
        super().__init__()
        self._function = function
        self.numbers = {}
        self.ready = {}  # those that have been launched before
        self._number_of = {}

    def add(self, number, kernel):
        # What the runtime let go and compiled again has a new number.
        before = self._number_of.get(kernel.key, number)
        if before != number:
            self.numbers.pop(before, None)
            self.ready.pop(before, None)
        self._number_of[kernel.key] = number
        self.numbers[number] = self[kernel.key] = kernel
        # No more here than the runtime keeps: the oldest go, and come back by a look-up there.
        while len(self._number_of) > _MAX_VARIANTS:
            oldest = next(iter(self._number_of))
            before = self._number_of.pop(oldest)
            self.numbers.pop(before, None)
            self.ready.pop(before, None)
            self.pop(oldest, None)

    def clear(self):
        self._function._forget()


class _DeviceCaches:
    """As upstream's `device_caches`: per device (there is one table for all), what has been compiled, and for which target."""

    def __init__(self, function):
        self._function = function

    def __getitem__(self, device):
        from ..compiler.compiler import current_target
        return self._function._compiled, {}, current_target(), None, None

    def clear(self):
        self._function._forget()


class JITFunction(JITCallable, KernelInterface, Kernel):
    """A function marked with `jit`: launched from Python as `f[grid](...)`, or called by other kernels."""

    def __init__(self, fn, version=None, do_not_specialize=None, do_not_specialize_on_alignment=None, debug=None, noinline=None,
                 repr=None, launch_metadata=None, source=None):
        super().__init__(fn, source)
        self.module = fn.__module__
        self.version = version
        self.do_not_specialize = do_not_specialize = list(do_not_specialize or ())
        self.do_not_specialize_on_alignment = on_alignment = list(do_not_specialize_on_alignment or ())
        self.debug = debug
        self.noinline = noinline
        self._repr = repr
        self.launch_metadata = launch_metadata
        self.params = []
        for i, param in enumerate(self.signature.parameters.values()):
            keep = i in do_not_specialize or param.name in do_not_specialize
            keep_alignment = i in on_alignment or param.name in on_alignment
            self.params.append(KernelParam(i, param, keep, keep_alignment))
        self._set_parameters([(param.name,) for param in self.params])
        self._defaults = {param.name: param.default for param in self.params if param.has_default}
        self.constexprs = [param.num for param in self.params if param.is_constexpr]
        # The place of `*args`, which takes all positional arguments from there on.
        self._rest = next((i for i, param in enumerate(self.signature.parameters.values())
                           if param.kind is inspect.Parameter.VAR_POSITIONAL), None)
        self.pre_run_hooks = []
        self._native = None
        self._compiled = _Compiled(self)
        self._steady = None  # what SteadyLaunch.cpp launches by
        self.device_caches = _DeviceCaches(self)

    def __getitem__(self, grid):
        # A `run` that somebody has put in the place of ours is called each time.
        is_ours = type(self).run is _RUN and "run" not in self.__dict__
        return _native.launcher(self.run, grid, self) if is_ours else _native.launcher(self.run, grid)

    def __repr__(self):
        return f"JITFunction({self.module}:{self.__qualname__})"

    def __reduce_ex__(self, protocol):
        """By name where that finds it, as functions are pickled. Else by value, as Inductor's compile workers send it: without the Python
        function, which they take out; what was compiled for it (CompiledKernel) goes along by itself."""
        return (named_kernel, (self.__module__, self.__qualname__)) if _is_found_by_name(self) else super().__reduce_ex__(protocol)

    def __getstate__(self):
        left_out = ("_source", "_native", "_compiled", "_steady", "device_caches")
        return {**{name: value for name, value in self.__dict__.items() if name not in left_out}, "pre_run_hooks": []}

    def __setstate__(self, state):
        self.__dict__.update(state, _source=None, _native=None, _compiled=_Compiled(self), _steady=None, device_caches=_DeviceCaches(self))

    def __call__(self, *arguments, **named):
        raise RuntimeError(f"Cannot call @triton.jit'd outside of the scope of a kernel; launch it as {self.__name__}[grid](...)")

    __call__ = _native.shield(__call__)

    def repr(self, specialization):
        return self.__name__ if self._repr is None else self._repr(specialization)

    def is_gluon(self):
        return False

    def add_pre_run_hook(self, hook):
        assert callable(hook)
        self.pre_run_hooks.append(hook)

    def _unsafe_update_src(self, new_src):
        super()._unsafe_update_src(new_src)
        self._forget()

    def _forget(self):
        """What was compiled so far is compiled again when it is launched again."""
        self._native = self._steady = None
        self._compiled.numbers.clear()
        self._compiled.ready.clear()
        self._compiled._number_of.clear()
        dict.clear(self._compiled)

    @property
    def native(self):
        if self._native is None:
            native = _native.create_kernel(self.native_source, self.text_name)
            for param in self.params:
                if param.is_constexpr and (param.do_not_specialize or param.do_not_specialize_on_alignment):
                    raise compiler_errors.CompilationError(
                        self._src, self.parse().body[0], f"{param.name} marked as constexpr and listed in "
                        "do_not_specialize/do_not_specialize_on_alignment")
                if param.do_not_specialize:
                    native.specialize(param.num, _NOTHING)
                elif param.do_not_specialize_on_alignment:
                    native.specialize(param.num, _ONLY_ONE)
                if param.annotation:
                    native.annotate(param.num, param.annotation)
            self._native = native
        return self._native

    @guarded
    def run(self, *arguments, grid, warmup=False, **named):
        """The launch behind `f[grid](...)`. With `warmup` it only compiles. Gives the compiled kernel."""
        if recording.recorder is not None and not warmup:
            return recording.recorder.launch(self.run, arguments, grid, named)
        if self.debug is not None:
            named.setdefault("debug", self.debug)
        if knobs.runtime.debug:
            named["debug"] = True
        for hook in self.pre_run_hooks:
            hook(*arguments, **named)
        asked = tuple(part for item in named.items() if item[0] not in self._names for part in item)
        options = Options.take(named, self._names, self.__name__)
        self._add_defaults(arguments, named)
        if callable(grid):
            grid = grid(self._bind(arguments, named))
        if self._rest is not None or _native.has_tuple(arguments, named):
            arguments, named = self._flatten_tuples(arguments, named)
        native, engine = self.native, host_engine()
        enter, leave = knobs.runtime.launch_enter_hook, knobs.runtime.launch_exit_hook
        hooked = knobs.launches_are_hooked()
        if self.used_global_vals:
            self._check_globals()
        profiler = _torch_profiler()
        if not warmup and not hooked and profiler is None:
            kernel = native.launch_ready(engine, grid, arguments, named, options.native, self._compiled.ready)
            if kernel is not None:
                self._remember(asked, options)
                return kernel
        number = native.find(engine, arguments, named, options.native)
        kernel = self._compiled.numbers.get(number)
        if kernel is None:
            kernel = self._compile(engine, arguments, named, options, warmup)
            if kernel is None:
                return None
            if self.used_global_vals:
                self._check_globals()
        if warmup:
            return kernel
        if kernel.module is None:
            kernel._init_handles()
        if number >= 0:
            self._compiled.ready[number] = kernel
        told = kernel.launch_metadata(grid, None, *self._bind(arguments, named).values()) if hooked else None
        if told is not None and enter is not None:
            enter(told)
        with profiler(self.__name__) if profiler is not None else contextlib.nullcontext():
            native.launch(engine, grid, arguments, named, options.native)
        if told is not None and leave is not None:
            leave(told)
        return kernel

    def _remember(self, asked, options):
        """That launches with these options need nothing of `run` from now on: see SteadyLaunch.cpp."""
        if self.used_global_vals or self._rest is not None or options_are_parameters(self._names) or not knobs.language.default_fp_fusion or knobs.runtime.debug:
            return
        if self._steady is None:
            self._steady = (self.native, self._compiled.ready, self._names, tuple(self.arg_names), {})
        with contextlib.suppress(TypeError):  # a value that is no key
            self._steady[-1][asked] = options.native

    def _flatten_tuples(self, arguments, named):
        """Tuples of runtime values as texts that name their parts; those of constexpr parameters are constants whole."""
        if self._rest is not None and len(arguments) > self._rest:
            arguments = (*arguments[:self._rest], arguments[self._rest:])
        elif self._rest is not None:
            named.setdefault(self.arg_names[self._rest], ())
        constant = {param.name for param in self.params if param.is_constexpr}
        parts = {}

        def flat(name, value):
            return Text(flatten(value, parts)) if isinstance(value, tuple) and name not in constant else value

        arguments = tuple(flat(name, value) for name, value in zip(self.arg_names, arguments)) + arguments[len(self.arg_names):]
        named = {name: flat(name, value) for name, value in named.items()}
        return arguments, {**named, **parts}

    def _check_globals(self):
        missing = object()
        for (name, _), (value, scope) in self.used_global_vals.items():
            now = scope.get(name, missing)
            if not is_unchanged(value, now):
                raise RuntimeError(f"Global variable {name} has changed since we compiled this kernel, from {value} to {now}")

    def _compile(self, engine, arguments, named, options, warmup):
        from ..compiler.compiler import ASTSource, CompiledKernel
        bound = self._bind(arguments, named)
        kernel = CompiledKernel(ASTSource.of_launch(self, self.native.signature(arguments, named), bound), engine, options)
        pending = self._compiled.get(kernel.key)
        if isinstance(pending, FutureKernel):
            return pending if warmup else pending.result()
        if self._call_hook(knobs.runtime.jit_cache_hook, kernel, options, warmup):
            return None
        self.cache_key  # noqa: B018 (refuses functions that kernels cannot call, and notes the globals in use)

        def prepare():
            start, recalled = time.perf_counter(), _native.compile_counts()[1]
            self._compiled.add(self.native.prepare(engine, arguments, named, options.native), kernel)
            if knobs.compilation.listener:
                kernel.tell_listener(time.perf_counter() - start, _native.compile_counts()[1] > recalled)
            return kernel

        def finish(kernel):
            self._call_hook(knobs.runtime.jit_post_compile_hook, kernel, options, warmup)

        mode = active_mode.get()
        if mode is not None:
            future = self._compiled[kernel.key] = mode.submit((self, kernel.key), guarded(prepare), finish)
            return future if warmup else future.result()
        prepare()
        finish(kernel)
        return kernel

    def _call_hook(self, hook, kernel, options, warmup):
        if not hook:
            return None
        source = kernel.src
        told = ", ".join(f"{name}: {text}" for name, text in source.signature.items())
        shown = ", ".join(f"{name}={getattr(options, name)}"
                          for name in ("num_warps", "num_ctas", "num_stages", "enable_fp_fusion", "launch_cooperative_grid"))
        compile = {
            "key": kernel.key, "signature": source.signature, "device": 0, "constants": source.constexprs,
            "num_warps": options.num_warps, "num_ctas": options.num_ctas, "num_stages": options.num_stages,
            "enable_fp_fusion": options.enable_fp_fusion, "launch_cooperative_grid": options.launch_cooperative_grid,
            "extern_libs": options.extern_libs, "configs": [source.attrs],
            "specialization_data": source.serialize(options, kernel.key), "is_warmup": warmup,
        }
        return hook(key=kernel.key, repr=f"{self.fn.__qualname__}[{shown}]({told})",
                    fn=JitFunctionInfo(self.fn.__module__, self.fn.__qualname__, self), compile=compile, is_manual_warmup=warmup,
                    already_compiled=False)

    @guarded
    def preload(self, specialization_data):
        """Compiles for what a hook was told as `specialization_data`."""
        from ..compiler.compiler import ASTSource, CompiledKernel, compile
        source, options = ASTSource.deserialize(self, specialization_data)
        if any(str(kind).startswith("tensordesc") for kind in source.signature.values()):
            return compile(source, options=options)  # compiled again by the launch
        options, engine = Options(**options), host_engine()
        kernel = CompiledKernel(source, engine, options)
        self.cache_key  # noqa: B018 (as in _compile)
        self._compiled.add(self.native.prepare(engine, (), source.stand_ins(), options.native), kernel)
        return kernel

    preload = _native.shield(preload)


_RUN = JITFunction.run


def jit(fn=None, *, version=None, repr=None, launch_metadata=None, do_not_specialize=None, do_not_specialize_on_alignment=None,
        debug=None, noinline=None, interpret=None, source=None):
    """Marks a function as a kernel, or as a function that kernels call. `source` is its text, where Python cannot find it."""

    def decorate(function):
        options = dict(version=version, repr=repr, launch_metadata=launch_metadata, do_not_specialize=do_not_specialize,
                       do_not_specialize_on_alignment=do_not_specialize_on_alignment, debug=debug, noinline=noinline)
        if knobs.runtime.interpret if interpret is None else interpret:
            from .interpreter import InterpretedFunction
            return InterpretedFunction(function, source=source, **options)
        return JITFunction(function, source=source, **options)

    return _native.shield(decorate) if fn is None else decorate(fn)


jit = _native.shield(jit)

from .tensors import MockTensor, TensorWrapper, reinterpret  # noqa: E402,F401
