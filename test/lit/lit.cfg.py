# lit over test/lit/<topic>/: `lit.py --param build=build/release test/lit/<topic>`, as ctest runs it.
import os
import shutil
import subprocess

import lit.formats

root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
build = os.path.abspath(lit_config.params.get("build", os.path.join(root, "build", "release")))
llvm = lit_config.params.get("llvm", "/usr/lib/llvm-19/bin")

config.name = "tilewise"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".py", ".test"]
config.excludes = ["Inputs", "lit.cfg.py", "lit.local.cfg"]
config.test_source_root = os.path.join(root, "test", "lit")
config.test_exec_root = os.path.join(build, "test", "lit")

config.environment["PATH"] = os.pathsep.join([os.path.join(build, "bin"), llvm, os.environ.get("PATH", "")])
for name in ("HOME", "ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "TILEWISE_NUM_THREADS"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

# Not the user's; tests of the cache itself name a folder of their own.
config.environment["TILEWISE_CACHE_DIR"] = os.path.join(build, "test", "cache")

# Longer names first: a substitution replaces text wherever it finds it. \b keeps %tilewise out of %tilewise-opt.
config.substitutions.append(("%tilewise-opt", os.path.join(build, "bin", "tilewise-opt")))
config.substitutions.append((r"%tilewise\b", os.path.join(build, "bin", "tilewise")))
config.substitutions.append(("%kernels", os.path.join(root, "kernels")))
config.substitutions.append(("%root", root))

# Programs for AArch64 can be linked, and run in an emulator: dev/setup --cross.
if shutil.which("aarch64-linux-gnu-gcc") and shutil.which("qemu-aarch64"):
    config.available_features.add("aarch64")

# A debugger that may debug: some containers forbid it. A sanitizer's leak check wants to be the one that does.
if shutil.which("gdb") and os.path.basename(build) not in ("asan", "tsan"):
    probe = subprocess.run(["gdb", "-nx", "-batch", "-ex", "run", "/bin/true"], capture_output=True, text=True)
    if "exited normally" in probe.stdout:
        config.available_features.add("gdb")
