# RUN: %tilewise emit --stage=tile %s:k --signature "*fp32, *i32, i32" | FileCheck %s --check-prefixes=CHECK,PLAIN
# RUN: %tilewise emit --stage=tile %s:k --signature "*fp32, *i32, i32" --debug | FileCheck %s --check-prefixes=CHECK,DEBUG
# RUN: %tilewise emit --stage=tile %s:k --signature "*fp32, *i32, i32" --target=cuda:90 --num-warps=8 | FileCheck %s --check-prefix=CUDA
import triton
import triton.language as tl
from triton.language import target_info
from triton.language.extra.cuda import num_threads

@triton.jit
def branchy(x, y):
    if x > y:
        return x
    return y * 2

@triton.jit
def k(p, q, n):
    o = tl.arange(0, 16)
    x = tl.load(p + o)
# CHECK: tile.hint {{.*}}divisibility {{.*}}8{{.*}} : tensor<16xi32>
# CHECK: tile.hint {{.*}}contiguity {{.*}}16{{.*}} : tensor<16xi32>
    o = tl.max_contiguous(tl.multiple_of(o, 8), 16)
# CHECK: tile.assume
    tl.assume(n > 0)
# CHECK: tile.map({{.*}}) {
# CHECK: scf.if
# CHECK: tile.yield
# CHECK: } : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
    x = tl.map_elementwise(branchy, x, 1.0)
# CHECK: tile.inline_asm "shl.b32 $0, $1, 3;", "=r,r"({{.*}}) pack 4{{.*}} : (tensor<16xi8>) -> tensor<16xi8>
    y = tl.inline_asm_elementwise("shl.b32 $0, $1, 3;", "=r,r", [o.to(tl.int8)], dtype=tl.int8, is_pure=True, pack=4)
# CHECK: tile.inline_asm "mov.u32 $0, %clock;", "=r"() impure{{.*}} : () -> i32
    c = tl.inline_asm_elementwise("mov.u32 $0, %clock;", "=r", [], dtype=tl.int32, is_pure=False, pack=1)
# CHECK: scf.for
# CHECK: } {tile.disallow_acc_multi_buffer, tile.flatten, tile.loop_unroll_factor = 2 : i32, tile.num_stages = 4 : i32}
    for i in tl.range(0, n, num_stages=4, loop_unroll_factor=2, flatten=True, disallow_acc_multi_buffer=True):
        x += 1.0
# Python's own range takes the options and leaves them.
# CHECK: scf.for
# CHECK-NOT: tile.flatten
    for i in range(0, n, flatten=True, num_stages=2):
        x += 2.0
# PLAIN-NOT: tile.assert
# DEBUG: tile.assert {{.*}} "not negative" mask
    tl.device_assert(x >= 0, "not negative", mask=o < n)
# DEBUG: tile.assert {{.*}} "some programs"
    assert n > 0, "some programs"
# DEBUG: tile.assert {{.*}} "int32 overflow detected for operation add"
    m = n + 1
# CHECK: tile.extern_call "globaltimer"() impure
    t = tl.extra.cuda.globaltimer()
    tl.extra.cuda.gdc_wait()
    if target_info.is_cuda() and target_info.cuda_capability_geq(9):
# CUDA: tile.store {{.*}} : !tile.ptr<i32>, i32
        tl.store(q + 1, num_threads())
    tl.store(p + o, x + y + c + m + t)
