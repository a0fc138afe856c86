"""The command `tilewise` of a wheel: the native tool, which lies in the package; and where CMake finds the library."""

import os
import sys

from . import _native


def _installed(*parts):
    # Beside the native module: in an editable install the Python files are elsewhere.
    path = os.path.join(os.path.dirname(os.path.abspath(_native.__file__)), *parts)
    if not os.path.exists(path):
        raise RuntimeError(f"there is no {path}: this copy of Tilewise was not installed from a wheel; cmake --install puts the same under its prefix")
    return path


def get_cmake_dir():
    """For CMake's search: cmake -DCMAKE_PREFIX_PATH=$(python -c "import tilewise; print(tilewise.get_cmake_dir())")."""
    return _installed("lib", "cmake", "Tilewise")


def main():
    from .__main__ import COMMANDS, run_command
    if sys.argv[1:2] and sys.argv[1] in COMMANDS:
        # In this Python, which has the package: the native tool would look for one in the PATH.
        sys.exit(run_command(sys.argv[1], sys.argv[2:]))
    tool = _installed("bin", "tilewise")
    os.execv(tool, ["tilewise", *sys.argv[1:]])
