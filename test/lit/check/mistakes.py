# Every mistake of the course's pitfalls in one file, found without types given; in SARIF, too.
# RUN: not %tilewise check %s --size 3000000000 --sarif %t.sarif > %t.txt
# RUN: FileCheck %s < %t.txt
# RUN: FileCheck %s --check-prefix=SARIF < %t.sarif
# RUN: not %tilewise check %s:half --sarif - 2>%t.err | FileCheck %s --check-prefix=OUT
# RUN: FileCheck %s --check-prefix=ERR < %t.err
# RUN: %tilewise check %s:half -Wno-half-accumulator | FileCheck %s --check-prefix=NONE
# RUN: %tilewise check %kernels/vector_add.py %kernels/softmax.py %kernels/matmul.py %kernels/layer_norm_training.py | FileCheck %s --check-prefix=CLEAN
# RUN: cp %s "%t with ü.py" && not %tilewise check "%t with ü.py:half" --sarif - 2>/dev/null | FileCheck %s --check-prefix=URI
# RUN: not %tilewise check %s:nothing 2>&1 | FileCheck %s --check-prefix=NOTHING
# RUN: not %tilewise check 2>&1 | FileCheck %s --check-prefix=USAGE
# RUN: not %tilewise check --size many %s 2>&1 | FileCheck %s --check-prefix=SIZE
import triton
import triton.language as tl


@triton.jit
def no_mask(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at)
    tl.store(y_ptr + at, x, mask=at < n)
# CHECK-DAG: mistakes.py:[[#@LINE-2]]:9: warning: {{.*}}[-Wunmasked-access]
# CHECK-DAG: mistakes.py:[[#@LINE-4]]:10: warning: this product has 32 bits{{.*}}[-Woffset-width]


@triton.jit
def no_mask_at_all(x_ptr, y_ptr, a, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y_ptr + at, a * tl.load(x_ptr + at))
# CHECK-DAG: mistakes.py:[[#@LINE-1]]:5: warning: {{.*}}[-Wunmasked-access]


@triton.jit
def no_program_id(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    tl.store(y_ptr + at, tl.load(x_ptr + at, mask=at < n), mask=at < n)
# CHECK-DAG: mistakes.py:[[#@LINE-1]]:5: warning: every program stores to the same addresses{{.*}}[-Wsame-address-store]


@triton.jit
def no_constexpr(x_ptr, n, BLOCK):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + at, at, mask=at < n)
# CHECK-DAG: mistakes.py:[[#@LINE-2]]:50: error: tl.arange's arguments must be of type tl.constexpr


@triton.jit
def half(x_ptr, y_ptr, columns, BLOCK: tl.constexpr):
    acc = tl.zeros((BLOCK,), dtype=tl.float16)
    for first in range(0, columns, BLOCK):
        at = first + tl.arange(0, BLOCK)
        acc += tl.load(x_ptr + at, mask=at < columns, other=0.0).to(tl.float16)
    tl.store(y_ptr + tl.program_id(0), tl.sum(acc, axis=0))
# CHECK-DAG: mistakes.py:[[#@LINE-2]]:9: warning: {{.*}}[-Whalf-accumulator]


@triton.jit
def overlap(x_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) + tl.arange(0, BLOCK)
    tl.store(x_ptr + at, at, mask=at < n)
# CHECK-DAG: mistakes.py:[[#@LINE-1]]:5: warning: neighbouring programs store to the same addresses{{.*}}[-Woverlapping-store]


@triton.jit
def typing_error(x_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOC)
    tl.store(x_ptr + at, at, mask=at < n)
# CHECK-DAG: mistakes.py:[[#@LINE-2]]:50: error: 'BLOC' is not defined; did you mean 'BLOCK'?


@triton.jit
def no_such_function(x_ptr):
    tl.store(x_ptr, tl.sqroot(tl.load(x_ptr)))
# CHECK-DAG: mistakes.py:[[#@LINE-1]]:24: error: tl has no 'sqroot'; did you mean 'sqrt'?


@triton.jit
def unfinished(x_ptr, n, BLOCK: tl.constexpr):
    at = ...
    tl.store(x_ptr + at, 1.0, mask=at < n)
# CHECK-DAG: mistakes.py:[[#@LINE-2]]:10: error: '...' is not part of the kernel language; write out what it stands for
# CHECK: 9 kernels, {{[0-9]+}} found

# SARIF: "results":
# SARIF-DAG: "ruleId": "half-accumulator"
# SARIF-DAG: "ruleId": "unmasked-access"
# SARIF-DAG: "ruleId": "overlapping-store"
# SARIF-DAG: "ruleId": "error"
# SARIF: "version": "2.1.0"
# OUT: "ruleId": "half-accumulator"
# ERR: [-Whalf-accumulator]
# ERR: 1 kernel, 1 found
# URI: "uri": "file:///{{.*}}%20with%20%C3%BC.py"
# NONE: 1 kernel, 0 found
# CLEAN: 6 kernels, 0 found
# NOTHING: has no kernel 'nothing'
# USAGE: a kernel file is missing
# SIZE: --size is a number of elements, got 'many'
