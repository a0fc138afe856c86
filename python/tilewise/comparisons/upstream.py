"""Upstream Triton as a competitor, where it is installed and a GPU is there: the kernels of same_kernels.py under it."""

import importlib.metadata
import importlib.util
import pathlib
import sys


def installed():
    """Upstream's version, or None: Tilewise under its name does not count."""
    if importlib.util.find_spec("triton") is None:
        return None
    try:
        version = importlib.metadata.version("triton")
    except importlib.metadata.PackageNotFoundError:
        return None
    return None if "tilewise" in version else version


def kernels(triton=None):
    """same_kernels.py, imported with `triton` in its place; with none given, upstream's."""
    replaced = {"triton": triton, "triton.language": triton.language} if triton else {}
    saved = {name: sys.modules.get(name) for name in replaced}
    sys.modules.update(replaced)
    try:
        path = pathlib.Path(__file__).with_name("same_kernels.py")
        spec = importlib.util.spec_from_file_location(f"tilewise_same_kernels_{'given' if triton else 'upstream'}", path)
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
        return module
    finally:
        for name, before in saved.items():
            if before is None:
                sys.modules.pop(name, None)
            else:
                sys.modules[name] = before


def _power_of_two(n):
    return 1 << (n - 1).bit_length()


def launches(module):
    """Name of a comparison -> function(inputs, out) that launches upstream's kernel."""

    def multiply_add_sqrt(inputs, out):
        n = out.numel() if hasattr(out, "numel") else out.size
        module.multiply_add_sqrt[(-(-n // 1024),)](inputs["a"], inputs["b"], inputs["c"], out, n, BLOCK=1024)
        return out

    def softmax(inputs, out):
        rows, columns = out.shape
        module.softmax[(rows,)](inputs["x"], out, columns, columns, BLOCK=_power_of_two(columns))
        return out

    def layer_norm(inputs, out):
        rows, columns = out.shape
        module.layer_norm[(rows,)](inputs["x"], inputs["weight"], inputs["bias"], out, columns, columns, 1e-5, BLOCK=_power_of_two(columns))
        return out

    return {"multiply_add_sqrt": multiply_add_sqrt, "softmax": softmax, "layer_norm": layer_norm}
