# -Wperf -Wno-unmasked-access on a GPU: why a dot has no faster instruction, a load is not copied ahead, a loop's copies are fewer iterations ahead than asked for.
# RUN: %tilewise emit --stage=placed --target=cuda:90 %s:multiply -Wperf -Wno-unmasked-access --signature "*fp16:16, *fp16:16, *fp32:16, i32:16, i32:16, 128, 64" 2>&1 >/dev/null | count 0
# RUN: %tilewise emit --stage=placed --target=cuda:90 %s:multiply -Wno-unmasked-access --signature "*fp16, *fp16, *fp32, i32, i32, 32, 64" 2>&1 >/dev/null | count 0
#
# RUN: %tilewise emit --stage=placed --target=cuda:90 %s:multiply -Wperf -Wno-unmasked-access --num-warps=2 --signature "*fp16:16, *fp16:16, *fp32:16, i32:16, i32:16, 128, 64" 2>&1 >/dev/null | FileCheck %s --check-prefix=WARPS
# WARPS: [[@LINE+32]]:15: warning: [perf] this dot is multiplied by m16n8k16.f16: wgmma is given by four warps together; num_warps is 2 [-Wperf]
# RUN: %tilewise emit --stage=placed --target=cuda:90 %s:multiply -Wperf -Wno-unmasked-access --signature "*fp16:16, *fp16:16, *fp32:16, i32:16, i32:16, 32, 64" 2>&1 >/dev/null | FileCheck %s --check-prefix=ROWS
# ROWS: this dot is multiplied by m16n8k16.f16: wgmma takes 64 rows or more, this has 32
# RUN: %tilewise emit --stage=placed --target=cuda:90 %s:multiply -Wperf -Wno-unmasked-access --signature "*fp16:16, *fp16:16, *fp32:16, i32:16, i32:16, 256, 64" 2>&1 >/dev/null | FileCheck %s --check-prefix=SUMS
# SUMS: its sums take 512 registers of a thread, 223 are left for them; take a smaller block or more warps
# RUN: %tilewise emit --stage=placed --target=cuda:90 %s:multiply -Wperf -Wno-unmasked-access --signature "*fp32:16, *fp32:16, *fp32:16, i32:16, i32:16, 128, 32" 2>&1 >/dev/null | count 0
# RUN: %tilewise emit --stage=placed --target=cuda:90 %s:across -Wperf -Wno-unmasked-access --signature "*fp32:16, *fp32:16, *fp32:16, i32:16, i32:16, 128, 32" 2>&1 >/dev/null | FileCheck %s --check-prefix=ACROSS
# ACROSS: this dot is multiplied by m16n8k8.tf32: wgmma reads tf32 along k, and memory holds neither operand so; store one of them transposed
# RUN: %tilewise emit --stage=placed --target=cuda:90 %s:multiply -Wperf -Wno-unmasked-access --signature "*fp64:16, *fp64:16, *fp64:16, i32:16, i32:16, 64, 32" 2>&1 >/dev/null | FileCheck %s --check-prefix=TYPES
# TYPES: this dot is multiplied by FMAs: there is no instruction of tensor cores for its types
# RUN: %tilewise emit --stage=placed --target=cuda:75 %s:multiply -Wperf -Wno-unmasked-access --signature "*fp16:16, *fp16:16, *fp32:16, i32:16, i32:16, 64, 32" 2>&1 >/dev/null | FileCheck %s --check-prefix=OLD
# OLD: this dot is multiplied by FMAs: tensor cores are used from compute capability 8.0 on
#
# RUN: %tilewise emit --stage=placed --target=cuda:90 %s:multiply -Wperf -Wno-unmasked-access --signature "*fp16, *fp16:16, *fp32:16, i32, i32:16, 128, 64" 2>&1 >/dev/null | FileCheck %s --check-prefix=BYTES
# BYTES: [[@LINE+16]]:16: warning: [perf] this load is not copied ahead into shared memory: a thread can only move 2 bytes of it at once, too few for a copy; let the elements of a row be neighbours, and strides and addresses multiples of 16, or say so with tl.multiple_of [-Wperf]
# RUN: %tilewise emit --stage=placed --target=cuda:90 %s:multiply -Wperf -Wno-unmasked-access --num-warps=8 --num-stages=6 --signature "*fp16:16, *fp16:16, *fp32:16, i32:16, i32:16, 128, 128" 2>&1 >/dev/null | FileCheck %s --check-prefix=ROOM
# ROOM: [[@LINE+13]]:5: warning: [perf] copies of this loop run 2 iterations ahead instead of 5: an iteration copies 65536 bytes, and shared memory has room for {{[0-9]+}} [-Wperf]
# ROOM: note: take smaller blocks, or a smaller num_stages
# RUN: %tilewise emit --stage=placed --target=cuda:90 %s:also_summed -Wperf -Wno-unmasked-access --signature "*fp16:16, *fp16:16, *fp32:16, i32, 64" 2>&1 >/dev/null | FileCheck %s --check-prefix=ALSO
# ALSO: this load is not copied ahead into shared memory: it is used by more than dots of the same iteration
import triton
import triton.language as tl


@triton.jit
def multiply(a, b, c, K, N, BLOCK: tl.constexpr, DEPTH: tl.constexpr):
    i = tl.arange(0, BLOCK)
    j = tl.arange(0, DEPTH)
    acc = tl.zeros((BLOCK, BLOCK), tl.float32)
    for k in range(0, K, DEPTH):
        left = tl.load(a + i[:, None] * K + k + j[None, :])
        right = tl.load(b + (k + j[:, None]) * N + i[None, :])
        acc = tl.dot(left, right, acc.to(tl.float64) if a.dtype.element_ty == tl.float64 else acc).to(tl.float32)
    tl.store(c + i[:, None] * BLOCK + i[None, :], acc)


@triton.jit
def also_summed(a, b, c, steps, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    at = i[:, None] * BLOCK + i[None, :]
    acc = tl.zeros((BLOCK, BLOCK), tl.float32)
    for k in range(steps):
        left = tl.load(a + k * BLOCK * BLOCK + at)
        acc = tl.dot(left, tl.load(b + at), acc) + left
    tl.store(c + at, acc)


@triton.jit
def across(a, b, c, K, N, BLOCK: tl.constexpr, DEPTH: tl.constexpr):
    """Both operands lie in memory across k."""
    i = tl.arange(0, BLOCK)
    j = tl.arange(0, DEPTH)
    acc = tl.zeros((BLOCK, BLOCK), tl.float32)
    for k in range(0, K, DEPTH):
        left = tl.load(a + i[:, None] + (k + j[None, :]) * N)
        acc = tl.dot(left, tl.load(b + (k + j[:, None]) * N + i[None, :]), acc)
    tl.store(c + i[:, None] * BLOCK + i[None, :], acc)
