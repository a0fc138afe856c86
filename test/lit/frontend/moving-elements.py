# RUN: %tilewise emit --stage=tile %s:k --signature "*fp32, *fp32, *i32, i32, 64" | FileCheck %s
import triton
import triton.language as tl

@triton.jit
def k(p, q, lock, n, B: tl.constexpr):
    o = tl.arange(0, B)
    x = tl.load(p + o)
    m = tl.reshape(x, (B // 4, 4))
# CHECK: tile.reshape {{.*}} : tensor<64xf32> -> tensor<16x4xf32>
    t = m.T
# CHECK: tile.permute {{.*}} by [1, 0]
    y = tl.trans(t).ravel()
    a, b = tl.split(tl.reshape(y, [B // 2, 2]))
    z = tl.interleave(a, b)
# CHECK: %[[A:.*]], %[[B:.*]] = tile.split
# CHECK: %[[J:.*]] = tile.join %[[A]], %[[B]]
# CHECK: tile.reshape %[[J]] : tensor<32x2xf32> -> tensor<64xf32>
    c = tl.cat(a, b)
    c2 = tl.cat(m, m, dim=1)
# CHECK: tile.permute {{.*}} by [0, 2, 1] : tensor<16x4x2xf32> -> tensor<16x2x4xf32>
    d = tl.flip(x) + x.cumsum(0) + tl.cumprod(x, 0, reverse=True)
# CHECK: arith.subi
# CHECK: tile.gather
# CHECK: tile.scan({{.*}}) along 0 {
# CHECK: tile.scan({{.*}}) along 0 reverse {
    h = tl.histogram(o, 16)
# CHECK: tile.histogram {{.*}} -> tensor<16xi32>
    g = tl.gather(x, o ^ 1, 0)
    tl.atomic_add(q + o, x, mask=o < n)
# CHECK: tile.atomic_rmw {{.*}}fadd {{.*}} mask
    tl.atomic_max(q, x.max())
# CHECK: tile.atomic_rmw {{.*}}max_s
# CHECK: tile.atomic_rmw {{.*}}min_u
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
# CHECK: scf.while
# CHECK: tile.atomic_cas
    tl.debug_barrier()
# CHECK: tile.barrier
    tl.atomic_xchg(lock, 0)
    tl.device_print("x", x, n, hex=True)
    print("n", n)
# CHECK: tile.print "x"{{.*}}hex
# CHECK: tile.print "n"
    tl.store(q + o, z + c + d + g + tl.reshape(c2, [2 * B]).sum())
    tl.store(q, h.sum() + tl.expand_dims(x.sum(), 0).item() + tl.squeeze(x.sum(keep_dims=True), 0))
    addr = q.to(tl.int64)
    r = addr.to(tl.pointer_type(tl.float16))
# CHECK: tile.ptr_to_int
# CHECK: tile.int_to_ptr
    tl.store(r, 1)
