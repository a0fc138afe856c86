# A debugger stops at a line of a kernel and names it, in a function that the kernel calls too.
# REQUIRES: gdb
# RUN: rm -rf %t && mkdir %t && cp %s %t/lines.py
# RUN: %tilewise run %S/../cli/Inputs/iota.py --grid=4 out:%t/x.npy:fp32[4000] 4000 0.5 1024
# RUN: cd %t && gdb -nx -q -batch -ex "set breakpoint pending on" -ex "break lines.py:15" -ex run -ex bt --args %tilewise run lines.py:lines --grid=4 x.npy out:y.npy:fp32[4000] 4000 1024 2>&1 | FileCheck %s --check-prefix=CALLED
# RUN: cd %t && gdb -nx -q -batch -ex "set breakpoint pending on" -ex "break lines.py:22" -ex run -ex bt --args %tilewise run lines.py:lines --grid=4 x.npy out:y.npy:fp32[4000] 4000 1024 2>&1 | FileCheck %s --check-prefix=KERNEL
import triton
import triton.language as tl


# CALLED: Breakpoint 1, {{.*}} at lines.py:15
# CALLED-NEXT: 15{{.*}}return tl.load(
@triton.jit
def loaded(p, i, n):
    return tl.load(p + i, mask=i < n, other=0.0)  # line 15


@triton.jit
def lines(p, q, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = loaded(p, i, n)
    tl.store(q + i, x + tl.sum(x, 0), mask=i < n)  # line 22


# CALLED-NEXT: #0 {{.*}}loaded () at lines.py:15
# CALLED-NEXT: #1 {{.*}}lines () at lines.py:21
# CALLED-NEXT: #2 {{.*}} in tilewise::
# KERNEL: Breakpoint 1, lines () at lines.py:22
# KERNEL: #0 {{.*}}lines () at lines.py:22
# KERNEL-NEXT: #1 {{.*}} in tilewise::
