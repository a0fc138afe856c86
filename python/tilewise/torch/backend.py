"""The backend "tilewise" of torch.compile: Inductor with kernels of Tilewise, on the CPU, too."""

import functools

from .. import torch_threads
from .scope import scope

# Inductor's settings that this backend stands on.
_SETTINGS = {
    "cpu_backend": "triton",
    "cpp_wrapper": False,  # it needs a C++ compiler
    "fx_wrapper": False,
    "compile_threads": 1,  # a kernel takes milliseconds: worker processes take seconds to start
    "use_static_triton_launcher": False,  # it takes upstream's files for GPUs
}
# ... on the CPU, for which torch has no timing of kernels while it fuses.
_CPU_SETTINGS = {"benchmark_fusion": False, "benchmark_epilogue_fusion": False}


def _settings(mode, options, on_gpu):
    import torch._inductor
    fixed = _SETTINGS | ({} if on_gpu else _CPU_SETTINGS)
    given = {name.replace("-", "_"): value for name, value in (options or {}).items()}
    known = torch._inductor.config.get_config_copy()
    for name, value in given.items():
        if name not in known:
            raise ValueError(f"torch.compile(backend=\"tilewise\") takes the options of Inductor, which has none called {name!r}: "
                             "torch._inductor.list_options() lists them")
        if fixed.get(name, value) != value:
            raise ValueError(f"torch.compile(backend=\"tilewise\") sets Inductor's option {name!r} to {fixed[name]!r}, and the options say {value!r}; "
                             "leave it out")
    settings = {**(torch._inductor.list_mode_options(mode) if mode else {}), **given}
    for name in ("max_autotune_gemm_backends", "max_autotune_conv_backends"):
        # Templates in C++ need its compiler.
        chosen = [one for one in settings.get(name, known[name]).split(",") if one.strip().upper() != "CPP"]
        settings[name] = ",".join(chosen) or "TRITON"
    return settings | fixed


def backend(graph, inputs, mode=None, options=None):
    """Compiles a graph that torch's Dynamo has traced. `mode` and `options` mean what they mean to the backend "inductor"."""
    torch_threads.share()  # timing.py sets another number of threads for a while
    settings = _settings(mode, options, any(getattr(value, "is_cuda", False) for value in inputs))
    with scope():
        from torch._inductor.compile_fx import compile_fx, compile_fx_inner

        @functools.wraps(compile_fx_inner)
        def inner(*arguments, **named):
            # The graph of a backward pass comes here when it first runs.
            with scope():
                return compile_fx_inner(*arguments, **named)

        return compile_fx(graph, inputs, inner_compile=inner, config_patches=settings)
