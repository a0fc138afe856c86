# RUN: %tilewise emit --stage=nvidia %s:multiply --signature "*fp16:8, *fp16:8, *fp32:16, i32, 64" | FileCheck %s --check-prefix=PLAIN
# RUN: %tilewise emit --stage=nvidia %s:chain --signature "*fp16:8, *fp16:8, *fp32:16, i32, 64" | FileCheck %s --check-prefix=CHAIN
# RUN: %tilewise emit --stage=nvidia %s:changes --signature "*fp16:8, *fp16:8, i32, 64" | FileCheck %s --check-prefix=CHANGES
# RUN: %tilewise emit --stage=nvidia %s:calls --signature "*fp16:8, *fp16:8, *fp32:16, i32, 64" | FileCheck %s --check-prefix=CALLS
# RUN: %tilewise emit --stage=nvidia %s:waits --signature "*fp16:8, *fp16:8, *fp32:16, i32, 64" | FileCheck %s --check-prefix=WAITS
# RUN: %tilewise emit --stage=nvidia %s:pointers --signature "*fp16:8, *fp16:8, *fp32:16, i32, 64" | FileCheck %s --check-prefix=POINTERS
# RUN: %tilewise emit --stage=ptx %s:chooses --signature "*fp16:16, *fp16:16, *i64:16, *fp16:16, i32, i32, i32:16, 64" | FileCheck %s --check-prefix=BEHIND
import triton
import triton.language as tl
from triton.language.extra import libdevice


# Copies of two iterations begin before the loop; in it they are two ahead, of an instruction that is waited for in the iteration after.
# PLAIN-LABEL: func.func @multiply
# PLAIN-COUNT-4: gpu.fill {{.*}} if
# PLAIN: scf.for
# PLAIN: gpu.await 1
# PLAIN: gpu.fill {{.*}} if {{.*}}guarded
# PLAIN: gpu.fill {{.*}} if {{.*}}guarded
# PLAIN: gpu.commit
# PLAIN: gpu.mma
# PLAIN-NOT: gpu.barrier
# PLAIN: gpu.mma_wait 1
# PLAIN: scf.yield
# PLAIN: gpu.mma_wait 0
@triton.jit
def multiply(a, b, out, steps, N: tl.constexpr):
    r = tl.arange(0, N)
    at = r[:, None] * N + r[None, :]
    acc = tl.zeros((N, N), tl.float32)
    for i in range(steps):
        acc = tl.dot(tl.load(a + i * N * N + at), tl.load(b + i * N * N + at), acc)
    tl.store(out + at, acc)


# The second dot adds to what the loop carries, and follows from the first: it is an iteration behind.
# CHAIN-LABEL: func.func @chain
# CHAIN: gpu.mma {{.*}} : !tile, !tile
# CHAIN: gpu.mma_wait 0
# CHAIN: scf.for
# CHAIN: %[[FIRST:.*]] = gpu.mma {{.*}} : !tile, !tile
# CHAIN: %[[SECOND:.*]] = gpu.mma {{.*}} : tensor
# CHAIN: gpu.fill
# CHAIN: gpu.mma_wait 1 %[[FIRST]]
# CHAIN: math.exp2
# CHAIN: gpu.mma_wait 0 %[[SECOND]]
@triton.jit
def chain(a, b, out, steps, N: tl.constexpr):
    r = tl.arange(0, N)
    at = r[:, None] * N + r[None, :]
    left = tl.load(a + at)
    acc = tl.zeros((N, N), tl.float32)
    for i in range(steps):
        block = tl.load(b + i * N * N + at)
        weights = tl.exp2(tl.dot(left, tl.trans(block)))
        acc = tl.dot(weights.to(tl.float16), block, acc)
    tl.store(out + at, acc)


# The loop writes what it loads: no copy may run ahead of the store.
# CHANGES-LABEL: func.func @changes
# CHANGES-NOT: gpu.fill
# CHANGES: scf.for
# CHANGES: gpu.fill
# CHANGES: gpu.await 0
# CHANGES: gpu.mma_wait 0
# CHANGES: tile.store
@triton.jit
def changes(a, b, steps, N: tl.constexpr):
    r = tl.arange(0, N)
    at = r[:, None] * N + r[None, :]
    for i in range(steps):
        product = tl.dot(tl.load(a + at), tl.load(b + at))
        tl.store(a + at, product.to(tl.float16))


# A function of the library touches no memory: copies run ahead of it.
# CALLS-LABEL: func.func @calls
# CALLS-COUNT-4: gpu.fill {{.*}} if
# CALLS: scf.for
# CALLS: gpu.fill {{.*}} if {{.*}}guarded
# CALLS: tile.extern_call "cbrtf"
@triton.jit
def calls(a, b, out, steps, N: tl.constexpr):
    r = tl.arange(0, N)
    at = r[:, None] * N + r[None, :]
    acc = tl.zeros((N, N), tl.float32)
    for i in range(steps):
        acc += libdevice.cbrt(tl.dot(tl.load(a + i * N * N + at), tl.load(b + i * N * N + at)))
    tl.store(out + at, acc)


# Machine text that is not pure may wait for what is loaded: no copy runs ahead of it.
# WAITS-LABEL: func.func @waits
# WAITS-NOT: gpu.fill
# WAITS: scf.for
# WAITS: tile.inline_asm
# WAITS: gpu.fill
# WAITS: gpu.await 0
@triton.jit
def waits(a, b, out, steps, N: tl.constexpr):
    r = tl.arange(0, N)
    at = r[:, None] * N + r[None, :]
    acc = tl.zeros((N, N), tl.float32)
    for i in range(steps):
        tl.inline_asm_elementwise("nanosleep.u32 $1; mov.u32 $0, 0;", "=r,r", [i], dtype=tl.int32, is_pure=False, pack=1)
        acc = tl.dot(tl.load(a + i * N * N + at), tl.load(b + i * N * N + at), acc)
    tl.store(out + at, acc)


# What the loop carries to its next copies follows from the induction variable alone. It is computed with the copies, so many iterations ahead.
# POINTERS-LABEL: func.func @pointers
# POINTERS-COUNT-4: gpu.fill {{.*}} if
# POINTERS: scf.for
# POINTERS: gpu.fill {{.*}} if {{.*}}guarded
@triton.jit
def pointers(a, b, out, steps, N: tl.constexpr):
    r = tl.arange(0, N)
    at = r[:, None] * N + r[None, :]
    acc = tl.zeros((N, N), tl.float32)
    left, right = a + at, b + at
    for i in range(steps):
        acc = tl.dot(tl.load(left), tl.load(right), acc)
        left = a + (i + 1) * N * N + at
        right = b + (i + 1) * N * N + at
    tl.store(out + at, acc)


# Behind the loop nothing stands before the wait: ptxas would do all multiplications of the loop one after the other.
# BEHIND: wgmma.wait_group.sync.aligned 1;
# BEHIND: bra [[LOOP:.*]];
# BEHIND-NEXT: $L__
# BEHIND-NEXT: begin inline asm
# BEHIND-NEXT: wgmma.wait_group.sync.aligned 0;
@triton.jit
def chooses(a, b, rows, out, steps, n, stride, N: tl.constexpr):
    r = tl.arange(0, N)
    at = r[:, None] * stride + r[None, :]
    acc = tl.zeros((N, N), tl.float32)
    for i in range(steps):
        acc += tl.dot(tl.load(a + i * N * N + at), tl.load(b + i * N * N + at))
    of = tl.load(rows + tl.program_id(0) * N + r, mask=r < n, other=-1)
    acc = tl.where(of[:, None] == of[None, :], acc, 0.0)
    tl.store(out + at, acc.to(tl.float16), mask=r[:, None] < n)
