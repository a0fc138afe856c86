"""Choosing among configurations by timing them, and computing constants from arguments: `autotune`, `Config`, `heuristics`."""

import inspect
import os
import threading
import time
import warnings

from .. import _native, knobs
from .._utils import canonicalize_dtype, sha256
from ..engines import active_backend
from ..lazy import lazy
from . import ranks
from .driver import driver
from .errors import AutotunerError, OutOfResources, PTXASError
from .jit import JITFunction, KernelInterface

_NEVER = [float("inf")] * 3

# Held by the thread that tunes: samples of two at once would disturb each other. A child that is forked meanwhile has nobody to wait for.
_turn = threading.RLock()
os.register_at_fork(after_in_child=_turn._at_fork_reinit)


class Config:
    """One way to launch a kernel: values of its constants, and options of the compiler."""

    _OPTIONS = ("num_warps", "num_ctas", "num_stages", "maxnreg", "ir_override")

    def __init__(self, kwargs, num_warps=4, num_stages=3, num_ctas=1, maxnreg=None, pre_hook=None, ir_override=None):
        self.kwargs = kwargs
        self.num_warps = num_warps
        self.num_ctas = num_ctas
        self.num_stages = num_stages
        self.maxnreg = maxnreg
        self.pre_hook = pre_hook
        self.ir_override = ir_override

    def all_kwargs(self):
        """Everything that is passed to the launch."""
        options = {name: getattr(self, name) for name in self._OPTIONS}
        return {**self.kwargs, **{name: value for name, value in options.items() if value is not None}}

    def __str__(self):
        options = [f"{name}: {getattr(self, name)}" for name in ("num_warps", "num_ctas", "num_stages", "maxnreg")]
        if self.ir_override is not None:
            options.append(f"ir_override: {self.ir_override}")
        return ", ".join([*(f"{name}: {value}" for name, value in self.kwargs.items()), *options])

    def parts_in_file(self):
        """Its parts, sorted, as a tuning file has them."""
        return sorted([*(f"{name}: {value}" for name, value in self.kwargs.items()), f"num_warps: {self.num_warps}", f"num_stages: {self.num_stages}"])

    def __repr__(self):
        return f"Config({self})"

    def _identity(self):
        return (*self.all_kwargs().items(), self.pre_hook)

    def __hash__(self):
        return hash(self._identity())

    def __eq__(self, other):
        return isinstance(other, Config) and self._identity() == other._identity()


def _jit_function_of(fn):
    while not isinstance(fn, JITFunction):
        fn = fn.fn
    return fn


class _OfThread(threading.local):
    nargs = None

    def __reduce__(self):
        return _OfThread, ()  # A copy of a tuner is in no launch.


class Autotuner(KernelInterface):
    """A kernel with configurations; the fastest is found per key, then used."""

    @property
    def nargs(self):
        """The arguments of this thread's launch by name, None outside of one."""
        return self._of_thread.nargs

    @nargs.setter
    def nargs(self, named):
        self._of_thread.nargs = named

    def __init__(self, fn, arg_names, configs, key, reset_to_zero, restore_value, pre_hook=None, post_hook=None, prune_configs_by=None,
                 warmup=None, rep=None, use_cuda_graph=False, do_bench=None, cache_results=False):
        self._of_thread = _OfThread()
        self._has_told = False
        self.fn = fn
        self.base_fn = fn
        while not inspect.isfunction(self.base_fn):
            self.base_fn = self.base_fn.fn
        self.configs = configs or [Config({})]
        self.keys = key
        self.arg_names = arg_names
        self.cache = {}
        self.cache_results = bool(cache_results or knobs.autotuning.cache) and not knobs.runtime.interpret
        self.reset_to_zero = list(reset_to_zero or ())
        self.restore_value = list(restore_value or ())
        self.user_defined_pre_hook = bool(pre_hook)
        self.user_defined_post_hook = bool(post_hook)
        self.pre_hook = pre_hook or self._prepare_tensors
        self.post_hook = post_hook or self._restore_tensors
        self.restore_copies = {}
        prune = prune_configs_by or {}
        self.perf_model = prune.get("perf_model")
        self.configs_top_k = prune.get("top_k", 1.0)
        self.early_config_prune = prune.get("early_config_prune")
        self.num_warmups = warmup
        self.num_reps = rep
        self.use_cuda_graph = use_cuda_graph
        self._do_bench = do_bench
        if warmup is not None or rep is not None or use_cuda_graph:
            warnings.warn("warmup, rep, and use_cuda_graph parameters are deprecated; give do_bench", DeprecationWarning, stacklevel=3)
            self._do_bench = self._bench_as_told

    def _bench_as_told(self, call, quantiles):
        from ..testing import do_bench, do_bench_cudagraph
        rep = 100 if self.num_reps is None else self.num_reps
        if self.use_cuda_graph:
            return do_bench_cudagraph(call, rep=rep, quantiles=quantiles)
        return do_bench(call, warmup=25 if self.num_warmups is None else self.num_warmups, rep=rep, quantiles=quantiles)

    @lazy
    def do_bench(self):
        return self._do_bench or driver.active.get_benchmarker()

    def _prepare_tensors(self, arguments, reset_only=False):
        for name in self.reset_to_zero:
            if arguments[name] is not None:
                arguments[name].zero_()
        if not reset_only:
            self.restore_copies = {name: arguments[name].clone() for name in self.restore_value if arguments[name] is not None}

    def _restore_tensors(self, arguments, exception=None):
        for name, copy in self.restore_copies.items():
            arguments[name].copy_(copy)
        self.restore_copies = {}

    def _bench(self, *arguments, config, bench=None, **meta):
        from ..compiler.errors import CompileTimeAssertionFailure
        if knobs.autotuning.print and bench is None:
            print(f"Autotuning kernel {self.base_fn.__name__} with config {config}")
        if conflicts := meta.keys() & config.kwargs.keys():
            raise ValueError(f"Conflicting meta-parameters: {', '.join(sorted(conflicts))}."
                             " Make sure that you don't re-define auto-tuned symbols.")
        current = {**meta, **config.all_kwargs()}
        everything = {**self.nargs, **current}

        def call():
            if config.pre_hook:
                config.pre_hook(everything)
            self.pre_hook(everything)
            try:
                self.fn.run(*arguments, **current)
            except Exception as error:
                self.post_hook(everything, exception=error)
                raise
            self.post_hook(everything, exception=None)

        try:
            return (bench or self.do_bench)(call, quantiles=(0.5, 0.2, 0.8))
        except (OutOfResources, CompileTimeAssertionFailure, PTXASError) as error:
            if knobs.autotuning.print:
                print(f"Autotuning failed with {error}")
            return _NEVER

    def _key_of(self, named):
        given = {name: value for name, value in {**self.nargs, **named}.items() if name in self.arg_names}
        values = [given[name] for name in self.keys if name in given]
        return tuple(values + [str(value.dtype) for value in given.values() if hasattr(value, "dtype")])

    def _race(self, configs, arguments, named):
        """Times the configs against each other, as the library's own tuner does; {config: milliseconds, three times}.

        On the host the compiler's options have no effect: of configs that differ only in them one is timed."""
        twins = {}
        for config in configs:
            twins.setdefault((*config.kwargs.items(), config.pre_hook), []).append(config)
        groups = list(twins.values())
        failed = {}

        def run(index, calls):
            taken = []

            def bench(call, quantiles):
                for _ in range(calls):
                    begin = time.perf_counter()
                    call()
                    taken.append(time.perf_counter() - begin)

            if index in failed or self._bench(*arguments, config=groups[index][0], bench=bench, **named) is _NEVER:
                failed[index] = True
                return -1.0
            return sum(taken)

        seconds, _ = _native.race(run, len(groups), 0.1)
        of_group = {id(config): seconds[i] for i, group in enumerate(groups) for config in group}
        return {config: [of_group[id(config)] * 1e3] * 3 for config in configs}

    def _tune(self, key, configs, arguments, named):
        start = time.time()
        timings = {}
        if self._do_bench is None and active_backend() != "cuda" and not knobs.autotuning.quick:
            timings = self._race(configs, arguments, named)
        else:
            for config in configs:
                timings[config] = self._bench(*arguments, config=config, **named)
                if knobs.autotuning.quick and timings[config] is not _NEVER:
                    break
        self.bench_time = time.time() - start
        self.cache[key] = min(timings, key=timings.get)
        self.pre_hook({**self.nargs, **named, **self.cache[key].all_kwargs()}, reset_only=True)
        self.configs_timings = timings

    def _name_of(self, key, configs):
        """What a result belongs to."""
        from .cache import triton_key
        function = _jit_function_of(self.fn)
        return sha256("-".join([triton_key(), str(driver.active.get_current_target()), function.cache_key, str(key), *map(str, configs)]))

    def _tune_as_one(self, key, configs, arguments, named):
        """Tunes, or takes what another rank of a distributed program found; True if nothing was timed here."""
        found = False

        def tune():
            nonlocal found
            found = self._tune_with_file(key, configs, arguments, named) if self.cache_results else self._tune(key, configs, arguments, named)
            return [self.configs_timings.get(config) for config in configs]

        timings, was_told = ranks.agreed(lambda: f"autotune/{self._name_of(key, configs)}", tune)
        if was_told:
            self.configs_timings = {config: timing for config, timing in zip(configs, timings) if timing is not None}
            self.cache[key] = min(self.configs_timings, key=self.configs_timings.get)
        return found or was_told

    def _kept_in(self, key, configs):
        """Where the cache folder keeps the result; None for what it does not keep."""
        from .cache import get_cache_manager
        if not key or any(config.pre_hook for config in configs):
            return None
        try:
            return get_cache_manager(self._name_of(key, configs)), f"{_jit_function_of(self.fn).__name__[:150]}.autotune.json"
        except OSError as error:
            return self._tell(f"cannot keep tuning results: {error}")

    def _tell(self, problem):
        """A cache folder that cannot be used is no reason not to launch; told once."""
        if not self._has_told:
            warnings.warn(f"kernel '{self.base_fn.__name__}': {problem}", stacklevel=2)
        self._has_told = True

    def _recall(self, key, configs):
        """Takes the result that the cache folder has; False if it has none."""
        kept = self._kept_in(key, configs)
        path = kept and kept[0].get_file(kept[1])
        if not path:
            return False
        import json
        try:
            with open(path) as file:
                timings = {Config(**config): [float(time) for time in timing] for config, timing in json.load(file)["configs_timings"]}
            self.cache[key] = min(timings, key=timings.get)
        except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
            self._tell(f"the tuning result '{path}' is damaged, and is made anew: {type(error).__name__}: {error}")
            return False
        self.configs_timings = timings
        return True

    def _tune_with_file(self, key, configs, arguments, named):
        """As _tune, with the result kept in the cache folder; True if it was found there."""
        if self._recall(key, configs):
            return True
        self._tune(key, configs, arguments, named)
        if kept := self._kept_in(key, configs):
            import json
            timings = [(vars(config), timing) for config, timing in self.configs_timings.items()]
            try:
                kept[0].put(json.dumps({"key": key, "configs_timings": timings}), kept[1], binary=False)
            except OSError as error:
                self._tell(f"cannot keep tuning results: {error}")
        return False

    def _shipped(self, named):
        """The text of the config that TILEWISE_TUNING_FILE has for these arguments, and what they are to it: "n=512, x_ptr: fp32"."""
        given = {**self.nargs, **named}
        key = [f"{name}={given[name]}" for name in self.keys if name in given and not hasattr(given[name], "dtype")]
        key += [f"{name}: {canonicalize_dtype(given[name].dtype)}" for name in self.arg_names if hasattr(given.get(name), "dtype")]
        device = f"cuda:{driver.active.get_current_device()}" if active_backend() == "cuda" else "cpu"
        key = ", ".join(key)
        return _native.shipped_config(_jit_function_of(self.fn).__name__, device, key), key

    def _untimed(self, key, configs, named):
        """The config that needs no timing: the shipped one, or with TILEWISE_TUNE=never what the cache folder has, else the first."""
        never = knobs.autotuning.mode == "never"
        if not never and not knobs.autotuning.file:
            return None
        shipped, told = self._shipped(named)
        for config in configs:
            if shipped and config.parts_in_file() == sorted(shipped.split(", ")):
                return config
        if not never:
            return None
        if self._recall(key, configs):
            return self.cache[key]
        warnings.warn(f"kernel '{self.base_fn.__name__}' is not tuned for {told}, and TILEWISE_TUNE=never: it runs with {configs[0]}",
                      stacklevel=2)
        return configs[0]

    def _choose(self, arguments, named):
        key = self._key_of(named)
        if key in self.cache:
            return self.cache[key]
        with _turn:
            return self._choose_anew(key, arguments, named)

    def _choose_anew(self, key, arguments, named):
        if key not in self.cache:  # Another thread may have put it there meanwhile.
            configs = self.prune_configs(named)
            if len(configs) == 1:
                self.cache[key] = configs[0]
                return configs[0]
            untimed = self._untimed(key, configs, named)
            if untimed is not None:
                self.cache[key] = untimed
                return untimed
            found = self._tune_as_one(key, configs, arguments, named)
            if knobs.autotuning.listener is not None:
                knobs.autotuning.listener(fn=_jit_function_of(self.fn), key=key, best_config=self.cache[key],
                                          configs_timings=self.configs_timings, duration=None if found else self.bench_time,
                                          cache_hit=bool(found))
            if knobs.autotuning.print and not found:
                for config, timing in self.configs_timings.items():
                    print(f"  {config}: {timing[0]:.4f} ms")
                print(f"Triton autotuning for function {self.base_fn.__name__},\nwith key as {key},\n"
                      f"finished after {self.bench_time:.2f}s,\nbest config selected: {self.cache[key]};")
        return self.cache[key]

    def run(self, *arguments, **named):
        self.nargs = dict(zip(self.arg_names, arguments))
        config = self._choose(arguments, named) if len(self.configs) > 1 else self.configs[0]
        self.best_config = config
        if config.pre_hook is not None:
            config.pre_hook({**self.nargs, **named, **config.all_kwargs()})
        result = _launch(self.fn, arguments, {**named, **config.all_kwargs()})
        self.nargs = None
        return result

    def prune_configs(self, named):
        configs = self.configs
        if self.early_config_prune:
            configs = list(self.early_config_prune(configs, self.nargs, **named) or ())
            if not configs:
                raise AutotunerError("No valid autotuner configs after pruning. "
                                     "`early_config_prune` should return at least one config.")
        if self.perf_model:
            count = self.configs_top_k
            if isinstance(count, float) and count <= 1.0:
                count = max(1, int(len(configs) * count))
            elif not isinstance(count, int):
                raise TypeError("Error while pruning configs, top_k must be either 1) a float <= 1.0 or 2) an int")
            if len(configs) > count:
                estimate = {config: self.perf_model(**self.nargs, **named, **config.all_kwargs()) for config in configs}
                configs = sorted(estimate, key=estimate.get)[:count]
        return configs

    def warmup(self, *arguments, **named):
        self.nargs = dict(zip(self.arg_names, arguments))
        result = [self.fn.warmup(*arguments, **named, **config.all_kwargs()) for config in self.prune_configs(named)]
        self.nargs = None
        return result


def autotune(configs, key, prune_configs_by=None, reset_to_zero=None, restore_value=None, pre_hook=None, post_hook=None, warmup=None,
             rep=None, use_cuda_graph=False, do_bench=None, cache_results=False):
    """Times the configurations at the first launch with new values of the arguments named in `key`, and keeps the fastest."""

    def decorate(fn):
        return Autotuner(fn, fn.arg_names, configs, key, reset_to_zero, restore_value, pre_hook=pre_hook, post_hook=post_hook,
                         prune_configs_by=prune_configs_by, warmup=warmup, rep=rep, use_cuda_graph=use_cuda_graph, do_bench=do_bench,
                         cache_results=cache_results)

    return decorate


def _launch(kernel, arguments, named):
    """What `run` is asked for, of the kernel inside: by `kernel[grid]`, which may not need `run` any more."""
    if named.get("warmup"):
        return kernel.run(*arguments, **named)
    grid = named.pop("grid")
    named.pop("warmup", None)
    return kernel[grid](*arguments, **named)


class Heuristics(KernelInterface):
    """A kernel some of whose constants are computed from its other arguments."""

    def __init__(self, fn, arg_names, values):
        self.fn = fn
        self.values = values
        self.arg_names = arg_names

    def run(self, *arguments, **named):
        for name, function in self.values.items():
            named[name] = function({**dict(zip(self.arg_names, arguments)), **named})
        return _launch(self.fn, arguments, named)


def heuristics(values):
    """`{"EVEN": lambda arguments: arguments["n"] % arguments["BLOCK"] == 0}`: constants from arguments, at each launch."""

    def decorate(fn):
        return Heuristics(fn, fn.arg_names, values)

    return decorate
