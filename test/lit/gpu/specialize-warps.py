# Warps of their own ask for the boxes of loops that say so; the others run the kernel without its copies.
# RUN: %tilewise emit --stage=placed %S/../../unit/nvidia/specialized_kernels.py:product --signature "*fp16:16, *fp16:16, *fp32:16, 0, i32:8, 128, 64, 64, False" | FileCheck %s
# RUN: %tilewise emit --stage=nvidia %S/../../unit/nvidia/specialized_kernels.py:product --signature "*fp16:16, *fp16:16, *fp32:16, 0, i32:8, 128, 64, 64, False" | FileCheck %s --check-prefix=LATER
# RUN: %tilewise emit --stage=placed --num-warps=8 %S/../../unit/nvidia/specialized_kernels.py:product --signature "*fp16:16, *fp16:16, *fp32:16, 0, i32:8, 128, 64, 64, False" | FileCheck %s --check-prefix=SHARES
# RUN: %tilewise emit --stage=placed --num-warps=8 --max-registers=128 %S/../../unit/nvidia/specialized_kernels.py:product --signature "*fp16:16, *fp16:16, *fp32:16, 0, i32:8, 128, 64, 64, False" | FileCheck %s --check-prefix=KEEPS
# RUN: %tilewise emit --stage=ptx --num-warps=8 %S/../../unit/nvidia/specialized_kernels.py:product --signature "*fp16:16, *fp16:16, *fp32:16, 0, i32:8, 128, 64, 64, False" | FileCheck %s --check-prefix=PTX
# RUN: %tilewise emit --stage=placed %S/../../unit/nvidia/specialized_kernels.py:persistent --signature "*fp16:16, *fp16:16, *fp32:16, i32, i32:8, 64, 32" | FileCheck %s --check-prefix=TILES
# RUN: %tilewise emit --stage=placed --num-warps=8 %S/../../unit/nvidia/specialized_kernels.py:attention --signature "*fp16:16, *fp16:16, *fp16:16, *fp16:16, i32, i32:16, 64, 128, 64, True" | FileCheck %s --check-prefix=CHAIN
#
# What keeps a kernel as it is.
# RUN: %tilewise emit --stage=placed -Wperf -Wno-unmasked-access %S/../../unit/nvidia/specialized_kernels.py:waits_first --signature "*fp16:16, *fp16:16, *fp32:16, *i32:16, i32:8, 64" 2>&1 >/dev/null | FileCheck %s --check-prefix=WAITS
# WAITS: warning: [perf] no warps of their own ask for copies: the kernel waits for other programs, or its threads for each other
# RUN: %tilewise emit --stage=placed -Wperf -Wno-unmasked-access --target=cuda:80 %S/../../unit/nvidia/specialized_kernels.py:product --signature "*fp16:16, *fp16:16, *fp32:16, 0, i32:8, 128, 64, 64, False" 2>&1 >/dev/null | FileCheck %s --check-prefix=OLD
# OLD: no warps of their own ask for copies: this GPU has no warps that ask for copies beside others
# RUN: %tilewise emit --stage=placed -Wperf -Wno-unmasked-access %S/../../unit/nvidia/specialized_kernels.py:gathered_tiles --signature "*fp16, *fp16, *fp32:16, *i32:16, i32, i32, 64, 32" 2>&1 >/dev/null | FileCheck %s --check-prefix=THREADS
# THREADS: no warps of their own ask for copies: the GPU's copy engine copies nothing in a loop of the kernel
# RUN: %tilewise emit --stage=placed -Wperf -Wno-unmasked-access %s:by_a_block --signature "*fp16:16, *fp16:16, *i32:16, *fp32:16, i32:8, 64" 2>&1 >/dev/null | FileCheck %s --check-prefix=FOLLOWS
# FOLLOWS: no warps of their own ask for copies: where the boxes lie follows from a block
# RUN: %tilewise emit --stage=placed -Wperf -Wno-unmasked-access %s:in_a_branch --signature "*fp16:16, *fp16:16, *fp32:16, i32:8, 64" 2>&1 >/dev/null | FileCheck %s --check-prefix=BRANCH
# BRANCH: no warps of their own ask for copies: it stands in a branch
import triton
import triton.language as tl

# CHECK-LABEL: func.func @product
# CHECK: %[[A:.*]] = gpu.ring signalled released : <4, !tile>
# CHECK: %[[B:.*]] = gpu.ring signalled released : <4, !tile1>
# CHECK: gpu.beside warps 4 {
# CHECK: scf.for {{.*}} iter_args(%[[N:.*]] = %c0_i32{{.*}}) -> (i32)
# CHECK-NOT: tensor
# CHECK: gpu.await_release %[[A]][%[[N]]]
# CHECK: gpu.fill_box %[[A]][%[[N]]]
# CHECK: gpu.await_release %[[B]][%[[N]]]
# CHECK: gpu.fill_box %[[B]][%[[N]]]
# CHECK: scf.for
# CHECK-NOT: gpu.fill_box
# CHECK: gpu.await_box %[[A]][%[[M:.*]]] :
# CHECK: gpu.await_box %[[B]][%[[M]]] :
# CHECK: gpu.mma
# CHECK: gpu.mma_wait 0
# CHECK-DAG: gpu.release %[[A]][%[[M]]] :
# CHECK-DAG: gpu.release %[[B]][%[[M]]] :
# CHECK: gpu.ahead = 0

# The sums of an iteration are waited for in the next one, which releases the slots that they were made of.
# LATER: gpu.beside warps 4 {
# LATER: gpu.await_box %[[A:.*]][%[[M:.*]]] :
# LATER: gpu.mma
# LATER-NOT: gpu.barrier
# LATER: gpu.mma_wait 1
# LATER: %[[BEFORE:.*]] = arith.subi %[[M]], %
# LATER: gpu.release %{{.*}}[%[[BEFORE]]] if
# LATER: gpu.release %{{.*}}[%[[BEFORE]]] if
# LATER: scf.yield
# LATER: gpu.mma_wait 0
# LATER: gpu.release {{.*}} if
# LATER: gpu.release {{.*}} if

# SHARES: gpu.beside warps 4 registers 24 leaving 240 {
# KEEPS: gpu.beside warps 4 {

# PTX: .reqntid 384, 1, 1
# PTX: .minnctapersm 1
# PTX: mbarrier.init.shared::cta.b64 [{{.*}}], 8;
# PTX: setmaxnreg.dec.sync.aligned.u32 24;
# PTX: setmaxnreg.inc.sync.aligned.u32 240;

# One pair of rings for all tiles, and turns that are counted on from one to the next.
# TILES-COUNT-2: gpu.ring signalled released
# TILES-NOT: gpu.ring
# TILES: gpu.beside
# TILES: scf.for {{.*}} iter_args(%[[TURNS:.*]] = %c0_i32{{.*}}) -> (i32)
# TILES: scf.for {{.*}} iter_args(%[[STEP:.*]] = %c0_i32{{.*}}) -> (i32)
# TILES: %[[N:.*]] = arith.addi %[[TURNS]], %[[STEP]]
# TILES: gpu.fill_box %{{.*}}[%[[N]]]

# One program does several of the kernel. Both loops use the same rings; the queries have one of their own, which is filled once in each program and
# released behind both loops.
# CHAIN: %[[Q:.*]] = gpu.ring signalled released : <1,
# CHAIN-COUNT-2: gpu.ring signalled released : <4,
# CHAIN: gpu.beside
# CHAIN: scf.for {{.*}} iter_args(%[[PROGRAM:[a-z0-9]+]] =
# CHAIN: gpu.await_release %[[Q]][%[[PROGRAM]]]
# CHAIN: gpu.fill_box %[[Q]][%[[PROGRAM]]]
# CHAIN-COUNT-4: gpu.fill_box
# CHAIN-NOT: gpu.fill_box
# CHAIN: scf.for {{.*}} iter_args(%[[AGAIN:[a-z0-9]+]] =
# CHAIN: gpu.await_box %[[Q]][%[[AGAIN]]]
# CHAIN: gpu.release %[[Q]][%[[AGAIN]]]
# CHAIN: tile.store
# CHAIN: } {gpu.programs}

# Products alone, with all of a multiprocessor's registers: programs are repeated, in turns that go back and forth. A bound that lies in memory is
# against it, and small blocks, of which several programs fit.
# RUN: %tilewise emit --stage=placed --num-warps=8 %s:plain --signature "*fp16:16, *fp16:16, *fp16:16, *i32, i32:16, 128, 256, False" | FileCheck %s --check-prefix=REPEATED
# RUN: %tilewise emit --stage=placed --num-warps=8 %s:plain --signature "*fp16:16, *fp16:16, *fp16:16, *i32, i32:16, 128, 256, True" | FileCheck %s --check-prefix=ONCE
# RUN: %tilewise emit --stage=placed --num-warps=4 %s:plain --signature "*fp16:16, *fp16:16, *fp16:16, *i32, i32:16, 64, 64, False" | FileCheck %s --check-prefix=ONCE
# REPEATED: gpu.repeats
# REPEATED: func.func @plain({{.*}}, %[[X:[a-z0-9]+]]: i32, %[[Y:[a-z0-9]+]]: i32, %[[Z:[a-z0-9]+]]: i32)
# REPEATED: gpu.beside
# REPEATED: %[[OWN:.*]] = tile.program_id 0
# REPEATED: %[[ALL:.*]] = tile.num_programs 0
# REPEATED: scf.for {{.*}} iter_args(%[[TURN:[a-z0-9]+]] =
# REPEATED: %[[BEFORE:.*]] = arith.muli %[[TURN]], %[[ALL]]
# REPEATED: %[[PLACE:.*]] = arith.select
# REPEATED: %[[N:.*]] = arith.addi %[[BEFORE]], %[[PLACE]]
# REPEATED: tile.rem_u %[[N]], %[[X]]
# REPEATED: gpu.fill_box
# REPEATED: } {gpu.programs}
# ONCE-NOT: gpu.repeats
# ONCE: tile.program_id 1
# ONCE-NOT: gpu.programs


@triton.jit
def by_a_block(a, b, which, c, K, BLOCK: tl.constexpr):
    r = tl.arange(0, BLOCK)
    row = tl.max(tl.load(which + r), 0)
    acc = tl.zeros((BLOCK, BLOCK), tl.float32)
    for first in tl.range(0, K, BLOCK, warp_specialize=True):
        m = row * BLOCK + r
        x = tl.load(a + m[:, None] * K + (first + r)[None, :], mask=m[:, None] < K)
        y = tl.load(b + (first + r)[:, None] * BLOCK + r[None, :])
        acc = tl.dot(x, y, acc)
    tl.store(c + r[:, None] * BLOCK + r[None, :], acc)


@triton.jit
def plain(a, b, c, lengths, K, ROWS: tl.constexpr, COLUMNS: tl.constexpr, VARIES: tl.constexpr):
    m = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    n = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    k = tl.arange(0, 64)
    acc = tl.zeros((ROWS, COLUMNS), tl.float32)
    for first in range(0, tl.load(lengths) if VARIES else K, 64):
        x = tl.load(a + m[:, None] * K + (first + k)[None, :])
        y = tl.load(b + (first + k)[:, None] * 4096 + n[None, :])
        acc = tl.dot(x, y, acc)
    tl.store(c + m[:, None] * 4096 + n[None, :], acc.to(tl.float16))


@triton.jit
def in_a_branch(a, b, c, K, BLOCK: tl.constexpr):
    r = tl.arange(0, BLOCK)
    if tl.program_id(0) > 0:
        acc = tl.zeros((BLOCK, BLOCK), tl.float32)
        for first in tl.range(0, K, BLOCK, warp_specialize=True):
            x = tl.load(a + r[:, None] * K + (first + r)[None, :])
            y = tl.load(b + (first + r)[:, None] * BLOCK + r[None, :])
            acc = tl.dot(x, y, acc)
        tl.store(c + r[:, None] * BLOCK + r[None, :], acc)
