"""What the Python tests share: the engines for host memory, and the kernels of kernels/ both read as files and imported as live functions."""

import importlib.util
import os
import pathlib
import sys

import pytest

# What tests compile stays out of the user's cache: ctest names the folder, a run by hand has one beside the package.
os.environ.setdefault("TILEWISE_CACHE_DIR", os.path.join(os.environ.get("PYTHONPATH", ".").split(os.pathsep)[0], "test-cache"))

import tilewise  # noqa: E402

ROOT = pathlib.Path(os.environ.get("TILEWISE_TEST_ROOT", pathlib.Path(__file__).parents[2]))


@pytest.fixture(params=["reference", "cpu"])
def host_engine(request):
    with tilewise.engine(request.param):
        yield request.param


@pytest.fixture(autouse=True)
def functions_run_with_what_is_known(request, monkeypatch):
    """Tests of the library's values time nothing: on a device that no results ship for, every size of theirs would be tuned."""
    if request.module.__name__.startswith("test_ops"):
        monkeypatch.setenv("TILEWISE_TUNE", "never")


def import_kernel(name):
    """kernels/NAME.py imported as a module, with Tilewise in the place of Triton."""
    replaced = {"triton": tilewise, "triton.language": tilewise.language}
    saved = {module: sys.modules.get(module) for module in replaced}
    sys.modules.update(replaced)
    try:
        spec = importlib.util.spec_from_file_location(f"kernels_{name}", ROOT / "kernels" / f"{name}.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        for key, value in saved.items():
            if value is None:
                del sys.modules[key]
            else:
                sys.modules[key] = value
    return getattr(module, name)


@pytest.fixture(params=["file", "live"])
def get_kernel(request):
    if request.param == "live":
        return import_kernel
    return lambda name: tilewise.load(ROOT / "kernels" / f"{name}.py", name)


def pytest_configure(config):
    config.addinivalue_line("markers", "gpu: needs an NVIDIA GPU and torch with CUDA")
