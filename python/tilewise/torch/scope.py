"""`with scope():` Inductor sees Tilewise as `triton`; outside, it sees what it saw before.

Entered around every compile of a graph, of which torch runs one at a time. What is compiled inside needs no scope later: its kernels import
the copies of inductor.py."""

import contextlib
import functools
import sys

import tilewise

from .. import redirect
from . import inductor

_LOOKED_AT = ("torch._inductor", "torch._dynamo", "torch._functorch", "torch._higher_order_ops")
_WRITTEN = "torch._inductor.runtime.compile_tasks."  # files that Inductor wrote: they import what they mean
_depth = 0


def _attributes(divisible_by_16=None, equal_to_1=None, pointer_range_32=None):
    """What Inductor says of arguments: those that 16 divides."""
    return {(at,): [["tt.divisibility", 16]] for at in divisible_by_16 or ()}


def _without_narrow_atomics(function):
    """A question of Inductor whether a scatter must be torch's own: yes for integers that no atomic adds."""
    import torch

    @functools.wraps(function)
    def asked(*arguments, **named):
        narrow = (torch.int8, torch.uint8, torch.int16, torch.uint16)
        return any(value in narrow for value in (*arguments, *named.values()) if isinstance(value, torch.dtype)) or function(*arguments, **named)

    return asked


def _no_flexible_attention(*_, **__):
    raise NotImplementedError("torch.compile(backend=\"tilewise\"): on CPU tensors torch's flex_attention is C++ that torch compiles itself; "
                              "use torch.nn.functional.scaled_dot_product_attention, or leave the call out of the compiled part "
                              "by torch.compiler.disable")


@functools.cache
def _twins():
    """{id of what Inductor has: (that, what it has inside the scope)}"""
    from torch._inductor import codecache, utils
    from torch._inductor.codegen import triton
    from torch._inductor.kernel.flex import flex_cpu
    from torch._inductor.runtime import hints
    pairs = []
    for name, copy in inductor.copies.items():
        original = sys.modules[name]
        pairs.append((original, copy))
        pairs += [(value, vars(copy)[key]) for key, value in vars(original).items()
                  if getattr(value, "__module__", None) == name and key in vars(copy)]
    # Functions that remember what they once found out about triton.
    for function in (utils.get_backend_num_stages, utils._triton_supported_fp8_dtypes, triton.gen_attr_descriptor_import):
        pairs.append((function, functools.cache(function.__wrapped__)))
    for function in (utils.needs_fallback_due_to_atomic_add_limitations, utils.use_scatter_fallback):
        pairs.append((function, _without_narrow_atomics(function)))
    pairs.append((flex_cpu.lower_cpu, _no_flexible_attention))
    newest = utils.TritonAttrsDescriptorVersion.V4_DICT
    pairs += [(utils.get_triton_attrs_descriptor_version, lambda: newest), (hints.AttrsDescriptorWrapper, _attributes),
              (codecache.triton_key, inductor.copies["torch._inductor.runtime.triton_compat"].triton_key)]
    return {id(original): (original, twin) for original, twin in pairs}


def _swapped(modules, twins):
    """[(module's dict, name, what to put there)] for the names that are bound to one of a pair."""
    return [(vars(module), name, twins[id(value)][1]) for module in modules for name, value in list(vars(module).items()) if id(value) in twins]


def _torch_modules():
    return {name: module for name, module in list(sys.modules.items())
            if name.startswith(_LOOKED_AT) and not name.startswith(_WRITTEN) and hasattr(module, "__dict__")}


def _common_imports(original):
    """The first lines of a kernel's file say whose it is, so that no cache takes one for upstream's."""

    @functools.cache
    def gen_common_triton_imports(cls):
        return (original(cls).replace("import triton\n", "import tilewise as triton\n").replace("import triton.", "import tilewise.")
                .replace("from torch._inductor.runtime import triton_h", "from tilewise.torch.inductor import triton_h"))

    return classmethod(gen_common_triton_imports)


@functools.cache
def _class_attributes():
    """[(class, attribute, value inside the scope)]"""
    from torch._inductor import codecache
    from torch._inductor.codegen.cpu_device_op_overrides import CpuDeviceOpOverrides
    from torch._inductor.codegen.triton import TritonKernel
    imports = TritonKernel.__dict__["gen_common_triton_imports"].__func__.__wrapped__
    return [(TritonKernel, "gen_common_triton_imports", _common_imports(imports)),
            # In one line: torch puts it into an indented text, which its own three lines break.
            (CpuDeviceOpOverrides, "import_get_raw_stream_as", lambda self, name: f"{name} = lambda _: 0"),
            (codecache.CacheBase, "get_system", staticmethod(functools.cache(codecache.CacheBase.get_system.__wrapped__)))]


def _names():
    """[(module, name, value inside the scope)] where a stand-in for a missing triton tells nothing."""
    from torch._inductor.kernel import mm
    from torch._inductor.runtime import autotune_cache
    from torch._inductor.template_heuristics import triton
    return [(vars(triton), "TritonConfig", tilewise.Config), (vars(autotune_cache), "Config", tilewise.Config), (vars(mm), "has_triton", True),
            (vars(mm), "triton_version", type(mm.triton_version)(redirect.VERSION.partition("+")[0]))]


@contextlib.contextmanager
def _modules_of_triton():
    """sys.modules and the import system with Tilewise as `triton`, and the copies for the copied."""
    finder = redirect.Finder()
    outside = {name: module for name, module in sys.modules.items() if name.partition(".")[0] == "triton"}
    copied = {name: sys.modules[name] for name in inductor.copies}
    version = tilewise.__version__

    def place(modules):
        for name, module in modules.items():
            sys.modules[name] = module
            package, _, attribute = name.rpartition(".")
            setattr(sys.modules[package], attribute, module)

    for name in outside:
        del sys.modules[name]
    sys.meta_path.insert(0, finder)
    sys.modules["triton"] = tilewise
    tilewise.__version__ = redirect.VERSION
    place(inductor.copies)
    try:
        yield
    finally:
        place(copied)
        tilewise.__version__ = version
        sys.meta_path.remove(finder)
        for name in [name for name in sys.modules if name.partition(".")[0] == "triton"]:
            del sys.modules[name]
        sys.modules.update(outside)


@contextlib.contextmanager
def scope():
    global _depth
    if _depth or inductor.is_redirected():
        yield
        return
    import torch._inductor.compile_fx  # noqa: F401 (what it imports binds torch's own)
    twins = _twins()
    before = _torch_modules()
    places = _swapped(before.values(), twins) + _names()
    saved = [(names, name, names[name]) for names, name, _ in places]
    attributes = [(kind, name, kind.__dict__[name]) for kind, name, _ in _class_attributes()]
    _depth += 1
    try:
        with _modules_of_triton():
            for names, name, value in places:
                names[name] = value
            for kind, name, value in _class_attributes():
                setattr(kind, name, value)
            yield
    finally:
        _depth -= 1
        for names, name, value in saved:
            names[name] = value
        for kind, name, value in attributes:
            setattr(kind, name, value)
        # What was first imported inside has bound what it found there.
        back = {id(twin): (twin, original) for original, twin in twins.values()}
        new = [module for name, module in _torch_modules().items() if before.get(name) is not module and name not in inductor.copies]
        for names, name, value in _swapped(new, back):
            names[name] = value
