# gpu-choose-mma: the instruction of a dot by its type, and by how its operands lie in memory.
# RUN: %tilewise emit --stage=nvidia --target=cuda:90 %s --signature "*fp16:16, *fp16:16, *fp32:16, i32:16, 1, i32:16, 1" | FileCheck %s --check-prefix=HALF
# HALF: gpu.mma "wgmma.m64n64k16.f16"
# RUN: %tilewise emit --stage=nvidia --target=cuda:80 %s --signature "*fp16:16, *fp16:16, *fp32:16, i32:16, 1, i32:16, 1" | FileCheck %s --check-prefix=AMPERE
# AMPERE: tile.dot {{.*}}gpu.mma = "m16n8k16.f16"
#
# tf32 is read along k only: where memory holds both operands so, straight from there.
# RUN: %tilewise emit --stage=nvidia --target=cuda:90 %s --signature "*fp32:16, *fp32:16, *fp32:16, i32:16, 1, 1, i32:16" | FileCheck %s --check-prefix=ALONG
# ALONG: gpu.mma "wgmma.m64n64k8.tf32"
# RUN: %tilewise emit --stage=nvidia --target=cuda:90 %s --signature "*fp32:16, *fp32:16, *fp32:16, i32:16, 1, i32:16, 1" | FileCheck %s --check-prefix=ACROSS
# RUN: %tilewise emit --stage=nvidia --target=cuda:90 %s --signature "*fp32:16, *fp32:16, *fp32:16, 1, i32:16, 1, i32:16" | FileCheck %s --check-prefix=ACROSS
# ACROSS: tile.dot {{.*}}gpu.mma = "m16n8k8.tf32"
#
# Bytes that memory holds across k are turned around on the way to shared memory.
# RUN: %tilewise emit --stage=nvidia --target=cuda:90 %s --signature "*i8:16, *i8:16, *i32:16, i32:16, 1, i32:16, 1" | FileCheck %s --check-prefix=BYTES
# BYTES: gpu.mma "wgmma.m64n64k32.s8"
#
# Doubles have no instruction that is used.
# RUN: %tilewise emit --stage=nvidia --target=cuda:90 %s --signature "*fp64:16, *fp64:16, *fp64:16, i32:16, 1, i32:16, 1" | FileCheck %s --check-prefix=DOUBLE
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
