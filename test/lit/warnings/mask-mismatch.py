# RUN: %tilewise emit --stage=opt -Wmask-mismatch %s:beyond --signature "*fp32, *fp32, i32, 64" 2>&1 >%t | FileCheck %s --check-prefix=BEYOND
# RUN: %tilewise emit --stage=opt -Wmask-mismatch %s:before --signature "*fp32, *fp32, i32, 64" 2>&1 >%t | FileCheck %s --check-prefix=BEFORE
# RUN: %tilewise emit --stage=opt -Wmask-mismatch %s:local --signature "*fp32, *fp32, i32, 64" 2>&1 >%t | FileCheck %s --check-prefix=LOCAL
# RUN: %tilewise emit --stage=opt -Wmask-mismatch %s:or_equal --signature "*fp32, *fp32, i32, 64" 2>&1 >%t | FileCheck %s --check-prefix=EQUAL
# RUN: %tilewise emit --stage=opt -Wmask-mismatch %s:right --signature "*fp32, *i32, *fp32, i32, 64" 2>&1 >%t | count 0
# RUN: %tilewise emit --stage=opt %s:beyond --signature "*fp32, *fp32, i32, 64" 2>&1 >%t | count 0
import triton
import triton.language as tl

@triton.jit
def beyond(p, q, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < n
# BEYOND: mask-mismatch.py:[[#@LINE+1]]:33: warning: this load goes 1 element beyond 'n', where its mask ends: the mask compares other offsets than those of the address; write mask=offsets + 1 < n [-Wmask-mismatch]
    x = tl.load(p + at, mask) + tl.load(p + at + 1, mask)
    tl.store(q + at, x, mask)
# BEYOND-NOT: : warning:

@triton.jit
def before(p, q, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
# BEFORE: mask-mismatch.py:[[#@LINE+1]]:9: warning: this load begins 2 elements before the tensor in the first program: its mask has no lower bound; write mask=(offsets >= 0) & (offsets < n) [-Wmask-mismatch]
    x = tl.load(p + at - 2, at < n)
    tl.store(q + at, x, at < n)
# BEFORE-NOT: : warning:

@triton.jit
def local(p, q, n, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    at = tl.program_id(0) * BLOCK + i
# LOCAL: mask-mismatch.py:[[#@LINE+2]]:9: warning: this load goes on by whole blocks with the program id, but its mask compares places inside a block with 'n': the same lanes in every program; compare the whole offset, as in program_id * BLOCK + arange < n [-Wmask-mismatch]
# LOCAL: mask-mismatch.py:[[#@LINE+2]]:5: warning: this store goes on
    x = tl.load(p + at, i < n)
    tl.store(q + at, x, i < n)

@triton.jit
def or_equal(p, q, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
# EQUAL: mask-mismatch.py:[[#@LINE+1]]:9: warning: the mask of this load holds at 'n' itself, one beyond the last of n elements; write < in place of <= [-Wmask-mismatch]
    x = tl.load(p + at, at <= n)
    tl.store(q + at, x, at < n)
# EQUAL-NOT: : warning:

# What bounds its own offsets; row starts, of which there is one more than rows; n + 1 that is written out.
@triton.jit
def right(p, starts, q, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(p + at + 1, at + 1 < n) + tl.load(p + at - 1, (at >= 1) & (at < n + 1))
    x += tl.load(starts + at + 1, at < n) - tl.load(starts + at, at < n)
    tl.store(q + at, x, at < n + 1)
