# RUN: %tilewise emit --stage=tile %s:k --signature "*fp32, i32, 64" | FileCheck %s
import triton
import triton.language as tl


@triton.constexpr_function
def bits(n):
    count = 0
    while n > 1:
        n = n // 2
        count += 1
    return count


@triton.jit
def early(x):
    if x > 3:
        return x * 2
    y = x + 1
    if y == 2:
        return y
    return 7


@triton.jit
def k(p, n, B: tl.constexpr):
    acc = tl.zeros([B], dtype=tl.float32)
    count = 0
    for i in range(10, 0, -2):
        acc += i
        count += 1
# CHECK: %[[DISTANCE:.*]] = arith.subi %{{.*}}, %{{.*}} : i32
# CHECK: %[[LOOP:.*]]:2 = scf.for %[[J:.*]] = %{{.*}} to %[[DISTANCE]] step %{{.*}} -> (tensor<64xf32>, i32)
# CHECK-NEXT: arith.subi %{{.*}}, %[[J]] : i32
    for i in tl.static_range(bits(B)):
        acc = acc + i
# CHECK: arith.constant dense<5.000000e+00> : tensor<64xf32>
    while count > 0:
        count -= 1
        acc *= 2.0
# CHECK: scf.while (%{{.*}} = %[[LOOP]]#1, %{{.*}} = %{{.*}}) : (i32, tensor<64xf32>)
    t = acc if n == 0 else acc * 2
# CHECK: scf.if %{{.*}} -> (tensor<64xf32>) {
    if n > 5:
        t = t + 1
        only_here = 5
    elif n > 3:
        t = t - 1
# CHECK: scf.if %{{.*}} -> (tensor<64xf32>) {
# CHECK: } else {
# CHECK: scf.if %{{.*}} -> (tensor<64xf32>) {
    tl.store(p + tl.arange(0, B), t + early(n))
# CHECK: scf.if %{{.*}} -> (i32) {
# CHECK: } else {
# CHECK: %[[SEVEN:.*]] = arith.constant 7 : i32
# CHECK: scf.if %{{.*}} -> (i32) {
# CHECK: scf.yield %[[SEVEN]] : i32
