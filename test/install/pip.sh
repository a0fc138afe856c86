#!/usr/bin/env bash
# pip.sh BUILD WORK PYTHON: pip install ., pip install -e . and uv pip install -e ., each into an environment of its own, of what BUILD made.
#
# All but the compiler runs as it does without TILEWISE_BUILT: the build backend, CMake's install rules, the hook that finds an editable package.
# PYTHON has the backend (dev/setup --torch); exit code 77 where it does not.
set -euo pipefail
build=$1 work=$2 python=$3
root=$(cd "$(dirname "$0")/../.." && pwd)
unset PYTHONPATH LD_LIBRARY_PATH
# Not the build tree's: its folder may be in PYTHON's path.
backend=$(cd / && "$python" -c 'import pathlib, scikit_build_core; print(pathlib.Path(scikit_build_core.__file__).parents[1])') || exit 77
uv=$(dirname "$python")/uv
export TILEWISE_CACHE_DIR=$work/cache UV_CACHE_DIR=$work/uv

cat <<'PROGRAM' >"$work.py"
import pathlib
import subprocess
import sys

import tilewise
import tilewise.language as tl
from tilewise.learn import course


@tilewise.jit
def answer(out_ptr):
    tl.store(out_ptr, 42)


class Array:
    def __init__(self):
        self.values = (__import__("ctypes").c_int32 * 1)()
        self.__array_interface__ = {"data": (__import__("ctypes").addressof(self.values), False), "shape": (1,), "typestr": "<i4", "version": 3}


out = Array()
answer[(1,)](out)
assert out.values[0] == 42
source = pathlib.Path(tilewise.__file__)
assert (pathlib.Path(sys.argv[1]) / "python" in source.parents) == (sys.argv[2] == "editable"), source
assert list(pathlib.Path(tilewise.get_cmake_dir()).glob("TilewiseConfig.cmake"))
assert len(list(course.STEPS_DIR.iterdir())) > 10, course.STEPS_DIR
told = subprocess.run([pathlib.Path(sys.prefix) / "bin" / "tilewise", "--version"], capture_output=True, text=True, check=True).stdout
assert told == f"tilewise {tilewise.__version__}\n", told
print(sys.argv[2], "works")
PROGRAM

# check KIND COMMAND...: with an environment in $work that sees the backend, and nothing of it afterwards.
check() {
  local kind=$1
  shift
  rm -rf "$work" && /usr/bin/python3 -m venv "$work"
  local seen=("$work"/lib/python3*/site-packages)
  echo "$backend" >"${seen[0]}/backend.pth"
  "$@" --config-settings=build-dir="$work/build" --config-settings=cmake.define.TILEWISE_BUILT="$build"
  rm "${seen[0]}/backend.pth"
  (cd / && "$work/bin/python" "$work.py" "$root" "$kind")
}
offline=(--quiet --no-index --no-deps --no-build-isolation)
check plain "$work/bin/pip" install "${offline[@]}" --disable-pip-version-check "$root"
check editable "$work/bin/pip" install "${offline[@]}" --disable-pip-version-check -e "$root"
if [[ -x $uv ]]; then
  check plain "$uv" pip install "${offline[@]}" --offline --python "$work/bin/python" "$root"
fi
rm -rf "$work" "$work.py"
