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


def native_tool():
    """The native tool of this copy of Tilewise: in the package of a wheel, in a build tree, or below an installed prefix."""
    package = os.path.dirname(os.path.abspath(_native.__file__))
    for up in ("", "../..", "../../../.."):
        path = os.path.normpath(os.path.join(package, up, "bin", "tilewise"))
        if os.access(path, os.X_OK):
            return path
    raise RuntimeError(f"there is no bin/tilewise in, beside or above {package}")


def _is_python(words):
    """Whether a command is one of those that are written in Python."""
    from .__main__ import COMMANDS
    return words[0] in COMMANDS and (words[0] != "tune" or any(word.partition("=")[0] == "--ray" for word in words))


def main():
    from .__main__ import run_command
    if sys.argv[1:] and _is_python(sys.argv[1:]):
        # In this Python, which has the package: the native tool would look for one in the PATH.
        sys.exit(run_command(sys.argv[1], sys.argv[2:]))
    os.execv(native_tool(), ["tilewise", *sys.argv[1:]])
