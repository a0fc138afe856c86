"""Compiling by hand and looking at what was compiled: `compile`, `ASTSource`, `CompiledKernel`."""

import ast
import collections
import os
import re
import time
import weakref

from .. import _native, knobs
from .._utils import sha256, type_canonicalisation_dict
from ..backends.compiler import GPUTarget
from ..engines import host_engine
from ..language.types import constexpr, dtype, unwrap
from ..lazy import lazy
from ..literals import Text, text as literal_text
from ..options import Options

# The attribute that says "16 divides it", as upstream spells it.
_DIVISIBLE = ["tt.divisibility", 16]


class ASTSource:
    """A jit function with the types of its arguments and the values of its constants."""

    ext = "tile"

    def __init__(self, fn, signature, constexprs=None, attrs=None):
        self.fn = fn
        self.language = "tilewise"
        self.name = fn.__name__
        self.signature = {self._name(key): value for key, value in signature.items()}
        self._paths = {}
        for key, value in (constexprs or {}).items():
            path = (fn.arg_names.index(key),) if isinstance(key, str) else key if isinstance(key, tuple) else (key,)
            self._paths[path] = value
        self.attrs = attrs or {}
        for name, value in self.signature.items():
            if not isinstance(value, (str, tuple)):
                raise TypeError(f"Signature keys must be string, and values types: '{name}' has {value!r}")

    @property
    def constexprs(self):
        """The constants by their place: (2,) for the third argument."""
        return self._paths

    @property
    def constants(self):
        """The constants by name."""
        return {self.fn.arg_names[path[0]]: value for path, value in self._paths.items() if len(path) == 1}

    def _name(self, key):
        return self.fn.arg_names[key] if isinstance(key, int) else key

    @classmethod
    def of_launch(cls, fn, text, bound):
        """From the signature of a launch, as the compiler writes it, and its arguments by name."""
        source = cls(fn, {})
        arguments = _native.read_signature(text)
        source._parts = [piece if divisor == 1 else f"{piece}:{divisor}" for piece, _, divisor in arguments[len(fn.arg_names):]]
        for index, (name, (piece, is_constant, divisor)) in enumerate(zip(fn.arg_names, arguments)):
            source.signature[name] = "constexpr" if is_constant else piece
            if is_constant:
                source._paths[(index,)] = unwrap(bound.get(name))
            elif divisor != 1:
                source.attrs[(index,)] = [_DIVISIBLE]
        source._text = text
        return source

    _text = None
    _parts = ()  # the types of the runtime values in tuples, which the tuples name __part0, __part1, ...

    @property
    def text(self):
        """The signature as the compiler reads it: "*fp32:16, i32, 1024"."""
        if self._text is not None:
            return self._text
        pieces = []
        for index, name in enumerate(self.fn.arg_names):
            kind = self.signature.get(name, "constexpr")
            if kind == "constexpr" or (index,) in self._paths:
                if (index,) in self._paths:
                    pieces.append(literal_text(self._paths[(index,)]))
                elif name in self.fn._defaults:
                    pieces.append(literal_text(self.fn._defaults[name]))
                else:
                    raise ValueError(f"'{self.name}' is given no value for its constant '{name}'")
            else:
                divisible = any(list(attr) == _DIVISIBLE for attr in self.attrs.get((index,), ()))
                pieces.append(f"{kind}:16" if divisible else str(kind))
        return ", ".join([*pieces, *self._parts])

    def stand_ins(self):
        """Arguments of a launch that this source serves, by name: what a launch would conclude from them is what is known here."""
        named = {}
        names = [*self.fn.arg_names, *(f"__part{index}" for index in range(len(self._parts)))]
        for index, (name, (piece, is_constant, divisor)) in enumerate(zip(names, _native.read_signature(self.text))):
            named[name] = _stand_in(piece, divisor) if not is_constant else (
                self._paths[(index,)] if index < len(self.fn.arg_names) else ast.literal_eval(piece))
        return named

    def hash(self):
        return sha256(f"{self.fn.cache_key}-{self.text}")

    def parse_options(self):
        return {}

    def make_ir(self, target, options, codegen_fns, module_map, context):
        """What the kernel loads and stores, in the form in which torch reads it."""
        from ..runtime.jit import guarded
        from .accesses import ModuleOfAccesses
        names = []
        for index, name in enumerate(self.fn.arg_names):
            kind = self.signature.get(name, "constexpr")
            if kind != "constexpr" and (index,) not in self._paths:
                rank = kind.count(",") + 1 if kind.startswith("tensordesc") else 0
                names += [name, *(f"{name} {what} {i}" for what in ("stride", "size") for i in range(rank))]
        text = guarded(self.fn.native.emit)("accesses", self.text, _target_text(target), options.native)
        return ModuleOfAccesses(self.name, names, text)

    def serialize(self, options, key):
        """What `preload` reads: all that a compile depends on, as JSON."""

        def plain(value):
            if isinstance(value, constexpr):
                return {"constexpr": value.value}
            if isinstance(value, dtype):
                return value.name
            if isinstance(value, Text):
                return {"text": value.text}
            if hasattr(value, "source_of_call"):
                return {"jit_function": f"{value.fn.__module__}:{value.fn.__qualname__}"}
            return value

        given = {name: value for name, value in vars(options).items() if value != getattr(Options, name, None)}
        import json
        return json.dumps({
            "name": self.fn._fn_name, "signature": self.signature, "constant_keys": [list(path) for path in self._paths],
            "constant_vals": [plain(value) for value in self._paths.values()], "attrs_keys": [list(path) for path in self.attrs],
            "attrs_vals": list(self.attrs.values()), "options": given, "key": key, "target": vars(current_target()),
            "parts": list(self._parts),
        }, default=repr)

    @classmethod
    def deserialize(cls, fn, text):
        import json
        data = json.loads(text)
        if data["name"] != fn._fn_name:
            raise RuntimeError(f"Specialization data is for {data['name']} but trying to preload for {fn._fn_name}")
        if data["target"] != json.loads(json.dumps(vars(current_target()))):
            raise RuntimeError(f"Specialization data is for {data['target']} but trying to preload for {current_target()}")

        def value_of(value):
            if isinstance(value, str) and dtype.is_dtype(value):
                return dtype(value)
            if isinstance(value, dict) and "constexpr" in value:
                return constexpr(as_tuple(value["constexpr"]))
            if isinstance(value, dict) and "text" in value:
                return Text(value["text"])
            if isinstance(value, dict) and "jit_function" in value:
                return _jit_function_named(value["jit_function"])
            return as_tuple(value)

        def as_tuple(value):
            return tuple(map(as_tuple, value)) if isinstance(value, list) else value

        constants = dict(zip(map(tuple, data["constant_keys"]), map(value_of, data["constant_vals"])))
        attrs = dict(zip(map(tuple, data["attrs_keys"]), data["attrs_vals"]))
        signature = {name: as_tuple(kind) for name, kind in data["signature"].items()}
        source = cls(fn, signature, constants, attrs)
        source._parts = data["parts"]
        return source, {name: as_tuple(value) for name, value in data["options"].items()}


def _stand_in(kind, divisor):
    """A value of a type in signatures that `divisor`, and no larger power of two up to 16, divides."""
    from ..runtime.tensors import MockTensor
    if kind.startswith("*"):
        element = kind.lstrip("*").removeprefix("k")
        names = {short: name for name, short in type_canonicalisation_dict.items() if dtype.is_dtype(name)}
        mock = MockTensor(dtype(names[element]))
        mock.data_ptr = lambda: divisor
        return mock
    if kind.startswith(("fp", "bf")):
        return 0.5
    if kind.startswith("tensordesc"):
        raise NotImplementedError("a descriptor's stand-in")
    if kind in ("i1", "u1"):
        return True
    bits = int(kind.lstrip("ui"))
    large = (1 << (63 if kind == "u64" else 32)) if bits == 64 else 0
    return large + (divisor if divisor > 1 else 3)


def _jit_function_named(text):
    from ..runtime.callable import _functions_of_file
    module, _, name = text.partition(":")
    for functions in _functions_of_file.values():
        for function in reversed(functions):
            if (function.fn.__module__, function.fn.__qualname__) == (module, name):
                return function
    raise RuntimeError(f"Unable to resolve JITFunction {text} for preload")


class IRSource:
    """Kernels as IR files are upstream's; Tilewise compiles kernel text only."""

    def __init__(self, *_):
        raise NotImplementedError("Tilewise compiles kernel text, not files of upstream's IR")


def current_target():
    """What kernels are compiled for."""
    from ..runtime.driver import driver
    return getattr(driver.active, "get_compile_target", driver.active.get_current_target)()


class LazyDict:
    """A dict of which a part is computed when it is asked for."""

    def __init__(self, data):
        self.data = data
        self.extras = []

    def add(self, function, arguments):
        self.extras.append((function, arguments))

    def get(self):
        for function, arguments in self.extras:
            self.data = self.data | function(*arguments)
        self.extras.clear()
        return self.data


class AsmDict(collections.abc.Mapping):
    """The kernel's text at each stage, made when it is asked for."""

    def __init__(self, src, target, options, stages):
        self._src = src
        self._target = target
        self._options = options
        self._stages = stages
        self._made = {}

    def _emit(self, stage):
        text = self._src.fn.native.emit(stage, self._src.text, self._target, self._options)
        return _with_names(text) if stage == "tile" else text

    def __getitem__(self, name):
        # Machine code as text takes two programs of NVIDIA's, so it is not among what the dict lists.
        stage = "sass" if name == "sass" and "ptx" in self._stages else self._stages.get(name)
        if stage is None:
            raise KeyError(f"Unknown key: '{name}'; there are {', '.join(self._stages)}")
        if name not in self._made:
            if self._src.fn.fn is None:
                raise KeyError(f"'{name}' of a kernel that came from another process without its Python function")
            self._made[name] = self._emit(stage)
        return self._made[name]

    def __iter__(self):
        return iter(self._stages)

    def __len__(self):
        return len(self._stages)


# What a kernel's `asm` offers per kind of target: name -> the compiler's stage. "ttir" is tile IR as the front end made it, under upstream's
# name for the text at that place.
_STAGES = {
    "reference": {"ttir": "tile", "tile": "opt"},
    "cpu": {"ttir": "tile", "tile": "opt", "llir": "llvm", "asm": "asm"},
    "cuda": {"ttir": "tile", "tile": "opt", "llir": "llvm", "ptx": "ptx"},
}


def _with_names(text):
    """Tile IR in which the kernel's arguments have their parameters' names."""
    names = dict(re.findall(r'(%arg\d+): [^{,]*\{[^}]*tile\.name = "(\w+)"', text))
    return re.sub(r"%arg\d+", lambda found: f"%{names[found[0]]}" if found[0] in names else found[0], text)


def _metadata(values):
    return collections.namedtuple("KernelMetadata", sorted(values))(**values)


# Of compiled kernels that have been run by `run`, not in their own `__dict__`: Inductor pickles that as it is.
_runners = weakref.WeakKeyDictionary()


class CompiledKernel:
    """One kernel compiled for one signature and one set of options."""

    def __init__(self, src, engine, options, target=None):
        target = target or current_target()
        self.src = src
        self.name = src.fn.__name__ if src.fn._repr is None else src.fn.repr(src)
        self._engine = engine
        self._options = options
        self._target_text = _target_text(target)
        self.key = f"({src.text}){options}{self._target_text}"
        self.asm = AsmDict(src, self._target_text, options.native, _STAGES[target.backend])
        self.metadata_group = {}
        self.module = None
        self.function = None
        self._process = None
        self._target = target

    @lazy
    def hash(self):
        return sha256(f"{self.src.fn.cache_key}{self.key}")

    def _taken(self, device=None):
        """What the code takes of a GPU: registers and spills of code that is loaded into a device. Programs divide a multiprocessor's registers and
        shared memory by these, so that host engines, which have neither, answer with what a kernel of a GPU takes at least, and not 0."""
        if self._target.backend != "cuda":
            return {"shared": 1024, "registers": 32, "spilled": 0, "max_threads": 1024}
        return self.src.fn.native.resources(self.src.text, self._target_text, self._options.native, device)

    @lazy
    def _loaded(self):
        from ..runtime.driver import driver
        self._init_handles()
        return self._taken(f"cuda:{driver.active.get_current_device()}")

    @property
    def n_regs(self):
        return self._loaded["registers"]

    @property
    def n_spills(self):
        # Of 4 bytes each.
        return self._loaded["spilled"] // 4

    @property
    def n_max_threads(self):
        return self._loaded["max_threads"]

    @lazy
    def metadata(self):
        from .. import triton_version
        values = {**vars(self._options), "name": self.name, "hash": self.hash, "target": self._target, "shared": self._taken()["shared"], "tmem_size": 0,
                  "global_scratch_size": 0, "global_scratch_align": 1, "profile_scratch_size": 0, "profile_scratch_align": 1,
                  "triton_version": triton_version}
        return _metadata(values)

    @property
    def packed_metadata(self):
        return (self.metadata.num_warps, self.metadata.num_ctas, self.metadata.shared)

    @lazy
    def kernel(self):
        """The code with its launch plan, as bytes: all that `run` needs, in this process or another."""
        from ..runtime import messages
        with messages.silence_for(self.src.fn.module):
            return self.src.fn.native.artifact(self.src.text, self._target_text, self._options.native)

    def _init_handles(self):
        """Before the first launch. The code itself is loaded when it is first run; hooks are told here, as they expect."""
        if self.module is not None:
            return
        self._tell(knobs.runtime.kernel_load_start_hook)
        self.module = self.function = self.hash
        self._process = os.getpid()
        self._tell(knobs.runtime.kernel_load_end_hook)

    @property
    def run(self):
        """Launches with upstream's arguments: run(grid_0, grid_1, grid_2, stream, function, packed_metadata, launch_metadata, enter_hook,
        exit_hook, *arguments)."""
        runner = _runners.get(self)
        if runner is None:
            self._init_handles()
            runner = self._run_by_text if self.src._parts else _native.kernel_from_artifact(
                self.kernel, self._engine, self._options.native).run
            _runners[self] = runner
        return runner

    def _run_by_text(self, grid_0, grid_1, grid_2, stream, function, packed_metadata, launch_metadata, enter_hook, exit_hook, *arguments):
        """`run` for kernels that take tuples, which are not launched from an artifact; hooks are those of the knobs."""
        self[(grid_0, grid_1, grid_2)](*arguments)

    def __getstate__(self):
        # The code goes along. A class made on the fly, as that of the metadata, cannot.
        return {**self.__dict__, "kernel": self.kernel, "hash": self.hash, "metadata": self.metadata._asdict(), "module": None, "function": None}

    def __setstate__(self, state):
        self.__dict__.update(state, metadata=_metadata(state["metadata"]))

    def tell_listener(self, seconds, is_recalled):
        """Tells knobs.compilation.listener of the compile."""
        knobs.compilation.listener(src=self.src, metadata=self.metadata._asdict(), metadata_group={}, cache_hit=is_recalled,
                                   times=knobs.CompileTimes(0, [("tile", int(seconds * 1e6))], 0))

    def _tell(self, hook):
        if hook is not None and getattr(hook, "calls", True):
            hook(self.module, self.function, self.name, self.metadata_group, self.hash)

    def __del__(self):
        # A forked child has its parent's kernels, but did not load them.
        if getattr(self, "module", None) is not None and self._process == os.getpid():
            self._tell(knobs.runtime.kernel_unload_hook)
            self.module = None

    def launch_metadata(self, grid, stream, *arguments):
        if not knobs.launches_are_hooked():
            return None
        told = LazyDict({"name": self.name, "function": self.function, "stream": stream})
        if self.src.fn.launch_metadata is not None:
            told.add(self.src.fn.launch_metadata, (grid, self.metadata, dict(zip(self.src.fn.arg_names, arguments))))
        return told

    def __getitem__(self, grid):

        def run(*arguments, grid, stream=None):
            named = {}
            parameters = self.src.fn.params
            if len(arguments) < len(parameters) and len(arguments) == sum(not param.is_constexpr for param in parameters):
                # Without the constants, as Triton 2 and programs that still know it have it.
                given = iter(arguments)
                constants = {index: value for (index, *_), value in self.src.constexprs.items()}
                arguments = tuple(constants[param.num] if param.is_constexpr else next(given) for param in parameters)
            for (index, *_), value in self.src.constexprs.items():
                if index >= len(arguments):
                    named[self.src.fn.arg_names[index]] = value
            given = self.src.fn.arg_names[:len(arguments)]
            options = {name: value for name, value in vars(self._options).items() if value != getattr(Options, name) and name not in given}
            if self.src.fn.fn is None:  # from another process, without the text
                grid = (*grid, 1, 1)[:3]
                return self.run(*grid, stream or 0, self.function, None, None, None, None, *arguments)
            return self.src.fn.run(*arguments, grid=grid, **named, **options)

        return _native.launcher(run, grid)


def _target_text(target):
    if target.backend == "cuda":
        return f"cuda:{target.arch}"
    processor = os.environ.get("TILEWISE_CPU") if target.backend == "cpu" else None
    return f"cpu:{processor}" if processor else target.backend


def compile(src, target=None, options=None, _env_vars=None):
    """Compiles a source for a target (by default the current one) without launching."""
    from ..runtime.jit import guarded
    start = time.perf_counter()
    target = target or current_target()
    assert isinstance(target, GPUTarget), "target must be of GPUTarget type"
    if not isinstance(src, ASTSource):
        src = IRSource(src)
    options = Options(**{name: value for name, value in (options or {}).items() if name in Options.__dataclass_fields__})
    kernel = CompiledKernel(src, host_engine(), options, target)
    recalled = _native.compile_counts()[1]
    guarded(lambda: kernel.kernel)()
    if knobs.compilation.listener:
        kernel.tell_listener(time.perf_counter() - start, _native.compile_counts()[1] > recalled)
    return kernel


compile = _native.shield(compile)


def make_backend(target):
    from ..backends import backends
    return backends["tilewise"].compiler(target)


def get_cache_key(src, backend=None, options=None, env_vars=None):
    return f"{src.hash()}-{options}"


def max_shared_mem(device):
    from ..runtime.driver import driver
    return driver.active.utils.get_device_properties(device)["max_shared_mem"]
