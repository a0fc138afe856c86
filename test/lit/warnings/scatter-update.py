# RUN: %tilewise emit --stage=opt -Wscatter-update %s:lost --signature "*i32, *fp32, i32, 64" 2>&1 >%t | FileCheck %s
# RUN: %tilewise emit --stage=opt -Wscatter-update %s:kept --signature "*i32, *fp32, i32, 64" 2>&1 >%t | count 0
import triton
import triton.language as tl

@triton.jit
def lost(bins, counts, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    bin = tl.load(bins + at, at < n, 0)
# CHECK: scatter-update.py:[[#@LINE+2]]:5: warning: this store writes updated values to addresses that several lanes may share, so that updates are lost; write tl.atomic_add, unless no address occurs twice [-Wscatter-update]
# CHECK: note: it was loaded here: {{.*}}scatter-update.py:[[#@LINE+1]]:28
    tl.store(counts + bin, tl.load(counts + bin) + 1, at < n)

# An atomic; a store elsewhere; an update of a place that the program owns.
@triton.jit
def kept(bins, counts, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    bin = tl.load(bins + at, at < n, 0)
    tl.atomic_add(counts + bin, 1, at < n)
    tl.store(counts + bin, tl.load(counts + at, at < n), at < n)
    tl.store(counts + at, tl.load(counts + at, at < n) + 1, at < n)
