# -Wperf says how the CPU engine executes each access, and why; it is off by default, and silent about accesses that are vectors.
# RUN: %tilewise emit --stage=cpu %s:accesses -Wperf --signature "*fp32:16,*i32:16,*fp32:16,i32,i32,1024" 2>&1 >/dev/null | FileCheck %s
# RUN: %tilewise emit --stage=cpu %s:transposed -Wperf --signature "*fp32:16,*fp32:16,64" 2>&1 >/dev/null | FileCheck %s --check-prefix=TURNED
# RUN: %tilewise emit --stage=cpu %s:accesses --signature "*fp32:16,*i32:16,*fp32:16,i32,i32,1024" 2>&1 >/dev/null | count 0
# RUN: %tilewise emit --stage=cpu %s:dense -Wperf --signature "*fp32:16,*fp32:16,i32,i32,1024" 2>&1 >/dev/null | count 0
# RUN: %tilewise emit --stage=cpu %kernels/softmax.py -Wperf --signature "*fp32:16,*fp32:16,i32:16,i32:16,i32,1024" 2>&1 >/dev/null | count 0
# RUN: sh -c '%tilewise emit --stage=cpu %s:transposed -Wperf -Werror --signature "*fp32:16,*fp32:16,64" >/dev/null; echo exit $?' 2>&1 | FileCheck %s --check-prefix=ERROR
import triton
import triton.language as tl


@triton.jit
def accesses(x, index, y, s, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    rows = tl.load(index + i)
    # CHECK-DAG: perf.py:[[@LINE+3]]:9: warning: [perf] this load is executed lane by lane: its addresses are computed from loaded values [-Wperf]
    # CHECK-DAG: | a = tl.load(x + rows)
    # CHECK-DAG: note: the values were loaded here; {{.*}}: {{.*}}perf.py:[[@LINE-3]]:12
    a = tl.load(x + rows)
    # CHECK-DAG: perf.py:[[@LINE+1]]:9: warning: [perf] this load is executed lane by lane: its addresses are divided or wrapped element by element
    b = tl.load(x + i // 3)
    # CHECK-DAG: perf.py:[[@LINE+1]]:9: warning: [perf] this load is executed lane by lane: adjacent lanes are 4 elements apart in memory
    c = tl.load(x + i * 4)
    # CHECK-DAG: perf.py:[[@LINE+1]]:9: warning: [perf] this load is executed lane by lane unless its stride, which is known only at run time, is 1
    d = tl.load(x + i * s)
    # CHECK-DAG: perf.py:[[@LINE+1]]:9: warning: [perf] this load masks every vector: its mask is not a range of indices
    e = tl.load(x + i, mask=(rows > 3), other=0.0)
    # CHECK-DAG: perf.py:[[@LINE+1]]:9: warning: [perf] this load is executed lane by lane: its addresses have no fixed stride
    f = tl.load(x + (i ^ 5))
    # CHECK-DAG: perf.py:[[@LINE+1]]:5: warning: [perf] this store is executed lane by lane: adjacent lanes are 2 elements apart
    tl.store(y + i * 2, a + b + c + d + e + f, mask=i < n)


# TURNED: perf.py:[[@LINE+7]]:5: warning: [perf] this store is executed lane by lane: adjacent lanes are 64 elements apart
# TURNED: note: memory is contiguous along dimension 0 of the block, but it is vectorized along dimension 1 with the ops around it; use the same order
# TURNED-NOT: warning:
@triton.jit
def transposed(x, y, B: tl.constexpr):
    i = tl.arange(0, B)
    a = tl.load(x + i[:, None] * B + i[None, :])
    tl.store(y + i[:, None] + i[None, :] * B, a)


# ERROR: error: [perf] this store is executed lane by lane: adjacent lanes are 64 elements apart
# ERROR: exit 1


# A row and a scalar: one is vectors, the other has no lanes.
@triton.jit
def dense(x, y, n, s, BLOCK: tl.constexpr):
    row = tl.program_id(0) * s
    i = tl.arange(0, BLOCK)
    scalar = tl.load(x + row)
    tl.store(y + row + i, tl.load(x + row + i, mask=i < n, other=0.0) + scalar, mask=i < n)
