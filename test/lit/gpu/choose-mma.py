# gpu-choose-mma: the instruction of a dot by its type, and by how its operands lie in memory.
# RUN: %tilewise emit --stage=nvidia --target=cuda:90 %s:product --signature "*fp16:16, *fp16:16, *fp32:16, i32:16, 1, i32:16, 1" | FileCheck %s --check-prefix=HALF
# HALF: gpu.mma "wgmma.m64n64k16.f16"
# RUN: %tilewise emit --stage=nvidia --target=cuda:80 %s:product --signature "*fp16:16, *fp16:16, *fp32:16, i32:16, 1, i32:16, 1" | FileCheck %s --check-prefix=AMPERE
# AMPERE: tile.dot {{.*}}gpu.mma = "m16n8k16.f16"
#
# tf32 is read along k only: where memory holds both operands so, straight from there.
# RUN: %tilewise emit --stage=nvidia --target=cuda:90 %s:product --signature "*fp32:16, *fp32:16, *fp32:16, i32:16, 1, 1, i32:16" | FileCheck %s --check-prefix=ALONG
# ALONG: gpu.mma "wgmma.m64n64k8.tf32" %{{[0-9]+}}, %{{[0-9]+}}, {{.*}} : !tile{{[0-9]*}}, !tile{{[0-9]*}}
# A left operand that lies across k comes through registers, from its tile in a loop,
# RUN: %tilewise emit --stage=nvidia --target=cuda:90 %s:product --signature "*fp32:16, *fp32:16, *fp32:16, 1, i32:16, 1, i32:16" | FileCheck %s --check-prefix=LEFT
# RUN: %tilewise emit --stage=nvidia --target=cuda:90 %s:looped --signature "*fp32:16, *fp32:16, *fp32:16, 1, i32:16, 1, i32:16, i32" | FileCheck %s --check-prefix=LOOP
# LEFT-NOT: tile.permute
# LOOP: %[[READ:.*]] = gpu.read
# LOOP: gpu.mma "wgmma.m64n64k8.tf32" %[[READ]], {{.*}} : tensor<64x64xf32, {{.*}}>, !tile
# LOOP-NOT: tile.permute
# LEFT: gpu.mma "wgmma.m64n64k8.tf32" {{.*}} : tensor<64x64xf32, {{.*}}>, !tile
# and a right one likewise in the transposed dot, whose sums a loop carries as they are.
# RUN: %tilewise emit --stage=nvidia --target=cuda:90 %s:product --signature "*fp32:16, *fp32:16, *fp32:16, i32:16, 1, i32:16, 1" | FileCheck %s --check-prefix=RIGHT
# RIGHT: gpu.mma "wgmma.m64n64k8.tf32" {{.*}} : tensor<64x64xf32, {{.*}}>, !tile
# RIGHT: tile.permute
# RUN: %tilewise emit --stage=nvidia --target=cuda:90 %s:looped --signature "*fp32:16, *fp32:16, *fp32:16, i32:16, 1, i32:16, 1, i32" | FileCheck %s --check-prefix=CARRIED
# CARRIED: gpu.beside
# CARRIED: gpu.await_release
# CARRIED: scf.for
# CARRIED: scf.for {{.*}} iter_args(%[[SUMS:[a-z0-9]+]] =
# CARRIED: %[[TILE:.*]] = gpu.transpose
# CARRIED: %[[READ:.*]] = gpu.read
# CARRIED: %[[BEGUN:.*]] = gpu.mma "wgmma.m64n64k8.tf32" %[[READ]], %{{.*}}, %[[SUMS]]
# CARRIED: %[[SUM:.*]] = gpu.mma_wait 0 %[[BEGUN]]
# CARRIED: scf.yield %[[SUM]],
# CARRIED: tile.permute
# Where both lie across k, there is mma.sync.
# RUN: %tilewise emit --stage=nvidia --target=cuda:90 %s:product --signature "*fp32:16, *fp32:16, *fp32:16, 1, i32:16, i32:16, 1" | FileCheck %s --check-prefix=ACROSS
# ACROSS: tile.dot {{.*}}gpu.mma = "m16n8k8.tf32"
#
# Bytes that memory holds across k are turned around on the way to shared memory.
# RUN: %tilewise emit --stage=nvidia --target=cuda:90 %s:product --signature "*i8:16, *i8:16, *i32:16, i32:16, 1, i32:16, 1" | FileCheck %s --check-prefix=BYTES
# BYTES: gpu.mma "wgmma.m64n64k32.s8"
#
# Doubles have no instruction that is used.
# RUN: %tilewise emit --stage=nvidia --target=cuda:90 %s:product --signature "*fp64:16, *fp64:16, *fp64:16, i32:16, 1, i32:16, 1" | FileCheck %s --check-prefix=DOUBLE
# DOUBLE-NOT: gpu.mma =
# DOUBLE: tile.dot
import triton
import triton.language as tl


@triton.jit
def product(a, b, c, am, ak, bk, bn):
    r = tl.arange(0, 64)
    left = a + r[:, None] * am + r[None, :] * ak
    right = b + r[:, None] * bk + r[None, :] * bn
    tl.store(c + r[:, None] * 64 + r[None, :], tl.dot(tl.load(left), tl.load(right)))


@triton.jit
def looped(a, b, c, am, ak, bk, bn, n):
    r = tl.arange(0, 64)
    left = a + r[:, None] * am + r[None, :] * ak
    right = b + r[:, None] * bk + r[None, :] * bn
    sums = tl.zeros((64, 64), tl.float32)
    for k in range(0, n):
        sums = tl.dot(tl.load(left + k * 64 * ak), tl.load(right + k * 64 * bk), sums)
    tl.store(c + r[:, None] * 64 + r[None, :], sums)
