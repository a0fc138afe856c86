"""Compiles every kernel in two processes and compares the artifacts byte by byte: `compile_twice.py LIBRARY KERNELS_FOLDER`."""

import ctypes
import hashlib
import os
import pathlib
import subprocess
import sys

FLOATS = ["fp32", "fp16", "bf16"]
TARGETS = ["reference", "cpu", "cpu:x86-64", "cuda:80", "cuda:90"]


def signatures():
    """(file, kernel, signature) for each kernel and element type."""
    for t in FLOATS:
        p = f"*{t}:16"
        yield "vector_add.py", "vector_add", f"{p}, {p}, {p}, i32, 1024"
        yield "softmax.py", "softmax", f"{p}, {p}, i32:16, i32:16, i32, 2048"
        yield "greyscale.py", "greyscale", f"{p}, {p}, i32, i32:16, 16, 64"
        yield "matmul.py", "matmul", f"{p}, {p}, {p}, i32, i32, i32, i32:16, 1, i32:16, 1, i32:16, 1, 32, 64, 32"


def digests(library, folder):
    os.environ["TILEWISE_CACHE_MB"] = "0"  # both are to compile
    lib = ctypes.CDLL(library)
    lib.tw_last_error.restype = ctypes.c_char_p

    def check(status, what):
        if status != 0:
            raise SystemExit(f"{what}: {lib.tw_last_error().decode()}")

    for file, name, signature in signatures():
        source, kernel = ctypes.c_void_p(), ctypes.c_void_p()
        check(lib.tw_source_open(str(pathlib.Path(folder, file)).encode(), ctypes.byref(source)), file)
        check(lib.tw_kernel_create(source, name.encode(), ctypes.byref(kernel)), name)
        for target in TARGETS:
            data, length = ctypes.c_void_p(), ctypes.c_size_t()
            check(
                lib.tw_kernel_artifact(
                    kernel, signature.encode(), target.encode(), None, ctypes.byref(data), ctypes.byref(length)
                ),
                f"{name} for {target}",
            )
            digest = hashlib.sha256(ctypes.string_at(data, length.value)).hexdigest()
            print(f"{name} {target} {signature.split(',')[0]} {length.value} {digest}")
            lib.tw_free(data)
        lib.tw_kernel_destroy(kernel)
        lib.tw_source_destroy(source)


def main():
    if sys.argv[-1] == "--print":
        digests(*sys.argv[1:3])
        return 0
    command = [sys.executable, __file__, *sys.argv[1:3], "--print"]
    first, second = (subprocess.run(command, capture_output=True, text=True, check=True).stdout for _ in range(2))
    lines = first.splitlines()
    expected = len(list(signatures())) * len(TARGETS)
    if first != second or len(lines) != expected:
        print(f"expected {expected} equal lines; first process:\n{first}\nsecond process:\n{second}")
        return 1
    print(f"{len(lines)} artifacts, the same bytes in two processes")
    return 0


sys.exit(main())
