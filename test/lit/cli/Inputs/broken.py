# tilewise repro 0.1.0
# run it again: tilewise repro THIS_FILE
# error: stage 'passes' failed: <unknown>:0:0: error: op 'arith.divsi' does not belong in tile IR
# kernel: broken
# target: cpu:haswell
# features:
# signature: *i32:16, i32
# parts: 0
# options: 4 3 1 0 0 1
# warnings: all
# path: broken.py
# line: 1
# tile:
# |module {
# |  func.func @broken(%arg0: !tile.ptr<i32> {tile.divisibility = 16 : i32, tile.name = "x"}, %arg1: i32 {tile.name = "n"}) attributes {tile.kernel} {
# |    %0 = tile.range 0 to 16 : tensor<16xi32>
# |    %1 = tile.splat %arg0 : tensor<16x!tile.ptr<i32>>
# |    %2 = tile.ptr_add %1, %0 : tensor<16x!tile.ptr<i32>>, tensor<16xi32>
# |    %c0 = arith.constant 0 : i32
# |    %c1 = arith.constant 1 : i32
# |    %init = tile.load %2 : tensor<16x!tile.ptr<i32>> -> tensor<16xi32>
# |    %sum = scf.for %i = %c0 to %arg1 step %c1 iter_args(%acc = %init) -> (tensor<16xi32>) : i32 {
# |      %3 = tile.splat %i : tensor<16xi32>
# |      %4 = arith.addi %acc, %3 : tensor<16xi32>
# |      %5 = arith.divsi %4, %0 : tensor<16xi32>
# |      %6 = arith.muli %5, %5 : tensor<16xi32>
# |      scf.yield %6 : tensor<16xi32>
# |    }
# |    %7 = arith.addi %sum, %0 : tensor<16xi32>
# |    tile.store %2, %7 : tensor<16x!tile.ptr<i32>>, tensor<16xi32>
# |    tile.store %2, %0 : tensor<16x!tile.ptr<i32>>, tensor<16xi32>
# |    return
# |  }
# |}
# text:
import triton
import triton.language as tl


@triton.jit
def broken(x, n):
    at = tl.arange(0, 16)
    acc = tl.load(x + at)
    for i in range(n):
        acc = (acc + i) // at
        acc = acc * acc
    tl.store(x + at, acc + at)
    tl.store(x + at, at)
