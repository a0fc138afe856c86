"""Settings by environment variable or by assignment, grouped and named as upstream's: `knobs.runtime.debug = True`."""

import contextlib
import dataclasses
import importlib
import os
import warnings

# Whether an assignment is also written to the process's environment, for its children.
propagate_env = True


class Env:
    """Assigned to a knob, it means: the environment's value again."""


env = Env()


def _truth(key, fallback):
    text = os.environ.get(key)
    if text is None:
        return fallback
    return text.strip().lower() in ("1", "true", "on", "yes", "y")


def setenv(key, value):
    if propagate_env:
        if value is None:
            os.environ.pop(key, None)
        else:
            os.environ[key] = value


class env_base:
    """A knob: the value assigned to it, else that of its environment variable, else its default."""

    def __init__(self, key, default=None):
        self.key = key
        self.default = default

    def __set_name__(self, owner, name):
        self.name = name

    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        if self.name in instance.__dict__:
            return self.transform(instance.__dict__[self.name])
        return self.get()

    def __set__(self, instance, value):
        if isinstance(value, Env):
            instance.__dict__.pop(self.name, None)
            return
        instance.__dict__[self.name] = value
        if value is None or isinstance(value, (bool, int, str)):
            setenv(self.key, None if value is None else str(int(value)) if isinstance(value, bool) else str(value))

    def __delete__(self, instance):
        instance.__dict__.pop(self.name, None)

    def get(self):
        return os.environ.get(self.key, self.default)

    def transform(self, value):
        return value


class env_str(env_base):
    pass


class env_opt_str(env_base):
    pass


class env_str_callable_default(env_base):

    def get(self):
        return os.environ[self.key] if self.key in os.environ else self.default()


# What lies under os.environ, and how a name is written there.
_VARIABLES, _encoded = getattr(os.environ, "_data", os.environ), getattr(os.environ, "encodekey", str)


class env_bool(env_base):

    def __init__(self, key, default=False):
        super().__init__(key, default)
        self._encoded = _encoded(key)

    def get(self):
        # Two of these are read at each launch, and os.environ.get takes 0.5 us.
        return _truth(self.key, self.default) if self._encoded in _VARIABLES else self.default


class env_interpret(env_bool):
    """Interpreter mode, also under the name that tutorials print."""

    told = False

    def get(self):
        if not super().get() and _truth("TRITON_INTERPRETER", False):
            if not env_interpret.told:
                env_interpret.told = True
                warnings.warn("TRITON_INTERPRETER is taken as TRITON_INTERPRET, which is the variable's name", stacklevel=2)
            return True
        return super().get()


class env_opt_bool(env_base):

    def get(self):
        return _truth(self.key, None)


class env_int(env_base):

    def __init__(self, key, default=0):
        super().__init__(key, default)

    def get(self):
        text = os.environ.get(self.key)
        if text is None:
            return self.default
        try:
            return int(text)
        except ValueError as error:
            raise RuntimeError(f"Unable to use {self.key}={text}: expected int") from error


class env_class(env_base):
    """A class as MODULE:CLASS, which must derive from one of the given name."""

    def __init__(self, key, type):
        super().__init__(key)
        self.type = type

    def get(self):
        text = os.environ.get(self.key)
        if text is None:
            return None
        module, colon, name = text.partition(":")
        if not colon:
            raise RuntimeError(f"Unable to read {self.key}: '{text}' isn't of the form MODULE:CLASS")
        found = getattr(importlib.import_module(module), name)
        if not any(base.__name__ == self.type for base in found.mro()):
            raise RuntimeError(f"Unable to use '{text}' from {self.key}: not of type '{self.type}'")
        return found


@dataclasses.dataclass
class NvidiaTool:
    """A program of the CUDA toolkit."""
    path: str
    version: str

    @staticmethod
    def from_path(path):
        import re
        import subprocess
        try:
            told = subprocess.check_output([path, "--version"], stderr=subprocess.STDOUT, text=True)
        except (OSError, subprocess.CalledProcessError):
            return None
        version = re.search(r"release (\d+\.\d+)", told)
        return NvidiaTool(path, version[1]) if version else None


class env_nvidia_tool(env_base):

    def __init__(self, binary):
        super().__init__(f"TRITON_{binary.upper().replace('-', '_')}_PATH")
        self.binary = binary

    def get(self):
        return self.transform(os.environ.get(self.key))

    def transform(self, path):
        for candidate in (path, self.binary):
            if candidate and (tool := NvidiaTool.from_path(candidate)):
                return tool
        raise RuntimeError(f"Cannot find {self.binary}")


@dataclasses.dataclass(frozen=True)
class CompileTimes:
    """What a compile took, in microseconds."""
    ir_initialization: int
    lowering_stages: list
    store_results: int

    @property
    def total_lowering(self):
        return sum(time for _, time in self.lowering_stages)

    @property
    def total(self):
        return self.ir_initialization + self.total_lowering + self.store_results


class HookChain:
    """Functions called one after the other, in their order or against it."""

    def __init__(self, reversed=False):
        self.calls = []
        self.reversed = reversed

    def add(self, function):
        if function not in self.calls:
            self.calls.append(function)

    def remove(self, function):
        if function in self.calls:
            self.calls.remove(function)

    def __call__(self, *arguments, **named):
        for call in self.calls[::-1] if self.reversed else self.calls:
            call(*arguments, **named)


class base_knobs:
    """A group of knobs."""

    @property
    def knob_descriptors(self):
        return {name: knob for name, knob in type(self).__dict__.items() if isinstance(knob, env_base)}

    @property
    def knobs(self):
        return {name: getattr(self, name) for name in self.knob_descriptors}

    def copy(self):
        result = type(self)()
        result.__dict__.update(self.__dict__)
        return result

    def reset(self):
        for name in self.knob_descriptors:
            delattr(self, name)
        return self

    @contextlib.contextmanager
    def scope(self):
        """Everything assigned inside the `with` block is forgotten at its end."""
        keys = [knob.key for knob in self.knob_descriptors.values()]
        environment = {key: os.environ.get(key) for key in keys}
        values = dict(self.__dict__)
        try:
            yield
        finally:
            self.__dict__.clear()
            self.__dict__.update(values)
            for key, text in environment.items():
                if text is None:
                    os.environ.pop(key, None)
                else:
                    os.environ[key] = text


class build_knobs(base_knobs):
    cc = env_opt_str("CC")
    cudacrt_path = env_opt_str("TRITON_CUDACRT_PATH")
    cudart_path = env_opt_str("TRITON_CUDART_PATH")
    impl = None

    @property
    def backend_dirs(self):
        return {path for path in (self.cudacrt_path, self.cudart_path) if path is not None}


class redis_knobs(base_knobs):
    key_format = env_str("TRITON_REDIS_KEY_FORMAT", "triton:{key}:{filename}")
    host = env_str("TRITON_REDIS_HOST", "localhost")
    port = env_int("TRITON_REDIS_PORT", 6379)


class cache_knobs(base_knobs):
    home_dir = env_str("TRITON_HOME", os.path.expanduser("~/"))
    dump_dir = env_str_callable_default("TRITON_DUMP_DIR", lambda: cache.get_triton_dir("dump"))
    override_dir = env_str_callable_default("TRITON_OVERRIDE_DIR", lambda: cache.get_triton_dir("override"))
    dir = env_str_callable_default("TRITON_CACHE_DIR", lambda: cache.get_triton_dir("cache"))
    manager_class = env_class("TRITON_CACHE_MANAGER", "CacheManager")
    remote_manager_class = env_class("TRITON_REMOTE_CACHE_BACKEND", "RemoteCacheBackend")

    def get_triton_dir(self, dirname):
        return os.path.join(self.home_dir, ".triton", dirname)


class compilation_knobs(base_knobs):
    override = env_bool("TRITON_KERNEL_OVERRIDE")
    dump_ir = env_bool("TRITON_KERNEL_DUMP")
    dump_ir_extract_di_local_variables = env_bool("LLVM_EXTRACT_DI_LOCAL_VARIABLES")
    store_binary_only = env_bool("TRITON_STORE_BINARY_ONLY")
    always_compile = env_bool("TRITON_ALWAYS_COMPILE")
    use_ir_loc = env_opt_str("USE_IR_LOC")
    enable_asan = env_bool("TRITON_ENABLE_ASAN")
    disable_line_info = env_bool("TRITON_DISABLE_LINE_INFO")
    front_end_debugging = env_bool("TRITON_FRONT_END_DEBUGGING")
    allow_non_constexpr_globals = env_bool("TRITON_ALLOW_NON_CONSTEXPR_GLOBALS")
    instrumentation_mode = env_str("TRITON_INSTRUMENTATION_MODE", "")
    fpsan_homomorphic_casts = env_bool("TRITON_FPSAN_HOMOMORPHIC_CASTS")
    listener = None


class autotuning_knobs(base_knobs):
    cache = env_bool("TRITON_CACHE_AUTOTUNING")
    print = env_bool("TRITON_PRINT_AUTOTUNING")
    quick = env_bool("TILEWISE_QUICK_BENCH")
    file = env_opt_str("TILEWISE_TUNING_FILE")
    mode = env_opt_str("TILEWISE_TUNE")
    listener = None


class runtime_knobs(base_knobs):
    interpret = env_interpret("TRITON_INTERPRET")
    debug = env_bool("TRITON_DEBUG")
    cuda_as_cpu = env_bool("TILEWISE_CUDA_AS_CPU")
    profile = env_opt_str("TILEWISE_PROFILE")
    override_arch = env_opt_str("TRITON_OVERRIDE_ARCH")
    launch_enter_hook = HookChain()
    launch_exit_hook = HookChain(reversed=True)
    kernel_load_start_hook = HookChain()
    kernel_load_end_hook = HookChain(reversed=True)
    kernel_unload_hook = HookChain()
    jit_cache_hook = None
    jit_post_compile_hook = None
    add_stages_inspection_hook = None


class language_knobs(base_knobs):
    fp32_default = env_opt_str("TRITON_F32_DEFAULT")
    default_fp_fusion = env_bool("TRITON_DEFAULT_FP_FUSION", True)


class nvidia_knobs(base_knobs):
    cuobjdump = env_nvidia_tool("cuobjdump")
    nvdisasm = env_nvidia_tool("nvdisasm")
    ptxas = env_nvidia_tool("ptxas")
    ptxas_blackwell = env_nvidia_tool("ptxas-blackwell")
    dump_nvptx = env_bool("NVPTX_ENABLE_DUMP")
    disable_ptxas_opt = env_bool("DISABLE_PTXAS_OPT")
    ptxas_options = env_opt_str("PTXAS_OPTIONS")
    mock_ptx_version = env_opt_str("TRITON_MOCK_PTX_VERSION")
    dump_ptxas_log = env_bool("TRITON_DUMP_PTXAS_LOG")
    libdevice_path = env_opt_str("TRITON_LIBDEVICE_PATH")
    libcuda_path = env_opt_str("TRITON_LIBCUDA_PATH")


class amd_knobs(base_knobs):
    use_buffer_ops = env_bool("AMDGCN_USE_BUFFER_OPS", True)
    use_buffer_atomics = env_bool("AMDGCN_USE_BUFFER_ATOMICS", True)
    buffer_ops_analyze_small_tensor_range = env_bool("AMDGCN_ANALYZE_SMALL_TENSOR_RANGE")
    dump_amdgcn = env_bool("AMDGCN_ENABLE_DUMP")
    libhip_path = env_opt_str("TRITON_LIBHIP_PATH")
    use_block_pingpong = env_opt_bool("TRITON_HIP_USE_BLOCK_PINGPONG")
    use_in_thread_transpose = env_opt_bool("TRITON_HIP_USE_IN_THREAD_TRANSPOSE")
    use_async_copy = env_opt_bool("TRITON_HIP_USE_ASYNC_COPY")
    scalarize_packed_fops = env_bool("AMDGCN_SCALARIZE_PACKED_FOPS")


class proton_knobs(base_knobs):
    disable = env_bool("TRITON_PROTON_DISABLE")
    cupti_lib_dir = env_str("TRITON_CUPTI_LIB_PATH", "")
    enable_nvtx = env_bool("TRITON_ENABLE_NVTX", True)
    enable_hw_trace = env_bool("TRITON_ENABLE_HW_TRACE")


build = build_knobs()
redis = redis_knobs()
cache = cache_knobs()
compilation = compilation_knobs()
autotuning = autotuning_knobs()
runtime = runtime_knobs()
language = language_knobs()
nvidia = nvidia_knobs()
amd = amd_knobs()
proton = proton_knobs()


def launches_are_hooked():
    """Whether there is a hook to be told of launches: a chain is there even when it is empty."""
    return any(hook is not None and getattr(hook, "calls", True) for hook in (runtime.launch_enter_hook, runtime.launch_exit_hook))


def refresh_knobs():
    """Nothing is kept that would have to be read again."""
