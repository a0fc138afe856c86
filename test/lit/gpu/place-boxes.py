# Loads that are boxes of tensors go by the copy engine: what the launch knows is in the map's plan, what the program knows is the box's place.
# RUN: %tilewise emit --stage=placed %s:tiles --signature "*fp16:16, *fp16:16, *fp16:16, i32, i32, i32, i32:16, 1, i32:16, 1, i32:16, 128, 64, 64" | FileCheck %s --check-prefix=TILES
# RUN: %tilewise emit --stage=placed %s:tiles --signature "*fp16:16, *fp16:16, *fp16:16, i32, i32, i32, 1, i32:16, 1, i32:16, i32:16, 128, 64, 64" | FileCheck %s --check-prefix=ACROSS
# RUN: %tilewise emit --stage=placed %s:heads --signature "*fp16:16, *fp16:16, i32, i32:16, i32:16, i32:16, 64, 64" | FileCheck %s --check-prefix=HEADS
# RUN: %tilewise emit --stage=placed %s:written --signature "*fp16:16, *fp16:16, i32, 64" | FileCheck %s --check-prefix=WRITTEN
# RUN: %tilewise emit --stage=placed -Wperf -Wno-unmasked-access %s:tiles --signature "*fp16:16, *fp16:16, *fp16:16, i32, i32, i32, i32:4, 1, i32:16, 1, i32:16, 128, 64, 64" 2>&1 >/dev/null | FileCheck %s --check-prefix=WHY
# RUN: %tilewise emit --stage=placed --checked %s:tiles --signature "*fp16:16, *fp16:16, *fp16:16, i32, i32, i32, i32:16, 1, i32:16, 1, i32:16, 128, 64, 64" | FileCheck %s --check-prefix=CHECKED
# RUN: %tilewise emit --stage=placed --target=cuda:80 %s:tiles --signature "*fp16:16, *fp16:16, *fp16:16, i32, i32, i32, i32:16, 1, i32:16, 1, i32:16, 128, 64, 64" | FileCheck %s --check-prefix=THREADS
# RUN: %tilewise emit --stage=ptx %s:tiles --signature "*fp16:16, *fp16:16, *fp16:16, i32, i32, i32, i32:16, 1, i32:16, 1, i32:16, 128, 64, 64" | FileCheck %s --check-prefix=PTX
import triton
import triton.language as tl


# Rows that wrap around are rows below M: nothing else is stored. Argument 0, elements of 2 bytes, rows of 128 bytes, no offset, two dimensions: boxes of
# 64 along k, which ends at K (argument 5), and of 128 along m, in steps of argument 6, which ends at M (argument 3). No argument must be above zero for this.
# TILES: gpu.tensor_maps = [array<i64: 0, 2, 128, 0, 0, 2, 64, 1, 0, 1, 0, 1, 1, 1, 5, 128, 0, 1, 1, 1, 6, 1, 0, 1, 1, 1, 3, 0>
# TILES-LABEL: func.func @tiles
# TILES-SAME: %[[A:arg[0-9]+]]: !tile.ptr<f16>
# TILES-SAME: %[[MAP:arg[0-9]+]]: !gpu.map, %[[OTHER:arg[0-9]+]]: !gpu.map
# TILES: %[[RING:.*]] = gpu.ring signalled
# TILES: gpu.ring signalled
# TILES: scf.for
# TILES: %[[K:.*]] = arith.muli %[[N:arg[0-9]+]], %c64_i32_
# TILES: gpu.fill_box %[[RING]][%[[N]]], %[[MAP]] of %[[A]] at[%[[K]], %{{[^,]*}}] : <4, !tile>
# TILES: gpu.await_box %[[RING]]
# TILES: gpu.fill_box {{.*}}%[[OTHER]] of
# TILES-NOT: gpu.fill %
# ACROSS: gpu.tensor_maps = [array<i64: 0, 2, 128, 0, 0, 2, 64, 1, 0, 1, 0, 1, 1, 1, 3,
# WHY: warning: [perf] threads copy this load, not the GPU's copy engine: addresses and strides are not known to be multiples of 16 bytes
# CHECKED-NOT: gpu.fill_box
# CHECKED: gpu.check
# THREADS-NOT: gpu.fill_box
# THREADS: gpu.fill %
# PTX: .param .align 64 .b8 tiles_param_{{[0-9]+}}[128]
# PTX: cvta.param.u64
# PTX: mbarrier.init.shared::cta.b64
# PTX: mbarrier.arrive.expect_tx.shared::cta.b64 _, [{{.*}}], 16384;
# PTX: cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes
# PTX: mbarrier.try_wait.parity.shared::cta.b64
@triton.jit
def tiles(a_ptr, b_ptr, c_ptr, M, N, K, am, ak, bk, bn, cm, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    row, column = tl.program_id(0), tl.program_id(1)
    m = (row * BM + tl.arange(0, BM)) % M
    n = (column * BN + tl.arange(0, BN)) % N
    k = tl.arange(0, BK)
    a_ptrs = a_ptr + m[:, None] * am + k[None, :] * ak
    b_ptrs = b_ptr + k[:, None] * bk + n[None, :] * bn
    acc = tl.zeros((BM, BN), tl.float32)
    for step in range(tl.cdiv(K, BK)):
        a = tl.load(a_ptrs, mask=k[None, :] < K - step * BK, other=0.0)
        b = tl.load(b_ptrs, mask=k[:, None] < K - step * BK, other=0.0)
        acc = tl.dot(a, b, acc)
        a_ptrs += BK * ak
        b_ptrs += BK * bk
    m = row * BM + tl.arange(0, BM)
    n = column * BN + tl.arange(0, BN)
    tl.store(c_ptr + m[:, None] * cm + n[None, :], acc.to(tl.float16), mask=(m[:, None] < M) & (n[None, :] < N))


# What the offset has beside rows and columns are dimensions of their own: batch and head.
# HEADS: gpu.tensor_maps = [array<i64: 0, 2, 128, 0, 0, 4,
# HEADS: gpu.fill_box {{.*}} at[%{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}] :
@triton.jit
def heads(k_ptr, out_ptr, tokens, batch_stride, head_stride, token_stride, HEAD: tl.constexpr, N: tl.constexpr):
    batch, head = tl.program_id(1) // 8, tl.program_id(1) % 8
    base = k_ptr + batch.to(tl.int64) * batch_stride + head * head_stride
    d = tl.arange(0, HEAD)
    n = tl.arange(0, N)
    acc = tl.zeros((N, N), tl.float32)
    for first in range(0, tokens, N):
        k = tl.load(base + (first + n)[:, None] * token_stride + d[None, :], mask=(first + n)[:, None] < tokens, other=0.0)
        acc = tl.dot(k, tl.trans(k), acc)
    tl.store(out_ptr + n[:, None] * N + n[None, :], acc.to(tl.float16))


# The engine does not see what the kernel itself has just stored.
# WRITTEN-NOT: gpu.fill_box
# WRITTEN: gpu.mma
@triton.jit
def written(a_ptr, out_ptr, steps, N: tl.constexpr):
    n = tl.arange(0, N)
    at = n[:, None] * N + n[None, :]
    acc = tl.zeros((N, N), tl.float32)
    for step in range(steps):
        a = tl.load(a_ptr + step * N * N + at)
        acc = tl.dot(a, a, acc)
    tl.store(a_ptr + at, acc.to(tl.float16))


# The engine's boxes begin at multiples of 16 bytes of a row, 4 floats: not so where every program begins 3 columns later than the one before.
# RUN: %tilewise emit --stage=nvidia %s:shifted --signature "*fp32:16, *fp32:16, i32, 4, 32" -Wno-all | FileCheck %s --check-prefix=WHOLE
# WHOLE: gpu.fill_box
# RUN: %tilewise emit --stage=nvidia %s:shifted --signature "*fp32:16, *fp32:16, i32, 3, 32" -Wno-all | FileCheck %s --check-prefix=SHIFTED
# RUN: %tilewise emit --stage=placed --target=cuda:90 %s:shifted --signature "*fp32:16, *fp32:16, i32, 3, 32" -Wno-all -Wperf 2>&1 | FileCheck %s --check-prefix=UNEVEN
# SHIFTED-NOT: gpu.fill_box
# UNEVEN: threads copy this load, not the GPU's copy engine: its rows are not known to begin at multiples of 16 bytes in those of the tensor
@triton.jit
def shifted(a_ptr, out_ptr, steps, SHIFT: tl.constexpr, N: tl.constexpr):
    n = tl.arange(0, N)
    at = n[:, None] * N + n[None, :]
    acc = tl.zeros((N, N), tl.float32)
    for step in range(steps):
        a = tl.load(a_ptr + tl.program_id(0) * SHIFT + step * N * N + at)
        acc = tl.dot(a, a, acc, input_precision="tf32")
    tl.store(out_ptr + at, acc)
