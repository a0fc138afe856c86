# gpu-note-exchanges: what a sorting network exchanges in pairs, by registers and shuffles within a warp.
# RUN: %tilewise emit --stage=nvidia %s:pairs --signature "*fp32:16, *fp32:16, 64, 8" --num-warps=1 -Wno-all | FileCheck %s --check-prefix=ROWS
# RUN: %tilewise emit --stage=ptx %s:pairs --signature "*fp32:16, *fp32:16, 64, 8" --num-warps=1 -Wno-all | FileCheck %s --check-prefix=PTX
import triton
import triton.language as tl


# Of 64 elements lane l has 2l and 2l + 1. Neighbours change places in their registers, elements 8 apart by a shuffle over lane bit 4.
# ROWS: tile.gather {{.*}} {gpu.exchange = 1 : i64}
# ROWS: tile.gather {{.*}} {gpu.exchange = 8 : i64}
# PTX-NOT: st.shared
# PTX: shfl.sync.bfly.b32 {{.*}}, 4, 31, -1;
# PTX: shfl.sync.bfly.b32 {{.*}}, 4, 31, -1;
# PTX-NOT: shfl
# PTX-NOT: st.shared
@triton.jit
def pairs(x_ptr, y_ptr, N: tl.constexpr, FAR: tl.constexpr):
    at = tl.arange(0, N)
    x = tl.load(x_ptr + at)
    x = tl.gather(x, at ^ 1, 0)
    tl.store(y_ptr + at, tl.gather(x, at ^ FAR, 0))


# Across warps through shared memory, as with any other indices.
# RUN: %tilewise emit --stage=nvidia %s:pairs --signature "*fp32:16, *fp32:16, 256, 128" --num-warps=4 -Wno-all | FileCheck %s --check-prefix=WARPS
# WARPS: tile.gather {{.*}} {gpu.exchange = 1 : i64}
# WARPS: tile.gather {{.*}} {gpu.exchange = 128 : i64, gpu.shared = 0 : i32}


# Down the columns of a block the numbers of a pair are a row apart.
# RUN: %tilewise emit --stage=nvidia %s:columns --signature "*fp32:16, *fp32:16, 16" --num-warps=1 -Wno-all | FileCheck %s --check-prefix=COLUMNS
# COLUMNS: tile.gather {{.*}} {gpu.exchange = 64 : i64}
# COLUMNS: tile.gather
# COLUMNS-NOT: gpu.exchange
# COLUMNS-SAME: gpu.shared
@triton.jit
def columns(x_ptr, y_ptr, N: tl.constexpr):
    row = tl.broadcast_to(tl.arange(0, N)[:, None], (N, N))
    at = tl.arange(0, N)[:, None] * N + tl.arange(0, N)[None, :]
    x = tl.load(x_ptr + at)
    x = tl.gather(x, row ^ 4, 0)
    tl.store(y_ptr + at, tl.gather(x, row // 2, 0))
