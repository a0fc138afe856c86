# RUN: %tilewise emit --stage=ptx %s --signature "*i32:16, *i64:16" | FileCheck %s
import triton
import triton.language as tl


# Instructions as programs expect to find them in `kernel.asm["ptx"]`; the order of an atomic's modifiers is free, and differs between the two.
# CHECK: mov.u32 %r{{[0-9]+}}, %smid;
# CHECK: mov.u64 %rd{{[0-9]+}}, %globaltimer;
# CHECK: atom.global.acquire.cta.cas.b32
# CHECK: atom.global.gpu.release.add.u32
@triton.jit
def k(p, time):
    tl.store(p, tl.extra.cuda.smid())
    tl.store(time, tl.extra.cuda.globaltimer())
    tl.atomic_cas(p + 1, 0, 1, sem="acquire", scope="cta")
    tl.atomic_add(p + 2, 1, sem="release")
