// RUN: %tilewise-opt --tile-to-cpu-nests --cse %s | FileCheck %s

// Beside each chunk of the row stands a prefetch of the next program's, which lies as far on as the next program's id times the stride says; in
// the last nest that loads the row, for the second-level cache (locality 2). The weights are the same in every program.
// What the next program stores is asked for in the nest before, to be written (rw = 1).
// CHECK-LABEL: func.func @scaled_by_top(
// CHECK: scf.for
// CHECK: %[[NEXT:.*]] = arith.select %{{.*}} : i32
// CHECK: %[[THERE:.*]] = arith.muli %[[NEXT]], %{{.*}} : i32
// CHECK: scf.for
// CHECK-NOT: rw = 0
// CHECK: "llvm.intr.prefetch"(%[[STEP:.*]]) <{cache = 1 : i32, hint = 3 : i32, rw = 1 : i32}>
// CHECK: %[[SECOND:.*]] = llvm.getelementptr %[[STEP]][64]
// CHECK: "llvm.intr.prefetch"(%[[SECOND]]) <{cache = 1 : i32, hint = 3 : i32, rw = 1 : i32}>
// CHECK-NOT: rw = 0
// CHECK: arith.maxnumf
// CHECK-NOT: rw = 0
// CHECK: %[[DISTANCE:.*]] = arith.subi %{{.*}}, %{{.*}} : i64
// CHECK: %[[START:.*]] = llvm.getelementptr %{{.*}}[%[[DISTANCE]]]
// CHECK: scf.for
// CHECK: %[[AHEAD:.*]] = llvm.getelementptr %[[START]][%{{.*}}]
// CHECK: "llvm.intr.prefetch"(%[[AHEAD]]) <{cache = 1 : i32, hint = 2 : i32, rw = 0 : i32}>
// CHECK-NEXT: llvm.load %{{.*}} -> vector<16xf32>
// CHECK-NOT: prefetch
// CHECK: llvm.store
func.func @scaled_by_top(%in: !tile.ptr<f32>, %weights: !tile.ptr<f32>, %out: !tile.ptr<f32>, %stride: i32) attributes {tile.kernel} {
  %id = tile.program_id 0
  %row = arith.muli %id, %stride : i32
  %r = tile.range 0 to 1024 : tensor<1024xi32>
  %first = tile.splat %row : tensor<1024xi32>
  %at = arith.addi %first, %r : tensor<1024xi32>
  %ins = tile.splat %in : tensor<1024x!tile.ptr<f32>>
  %inp = tile.ptr_add %ins, %at : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %x = tile.load %inp : tensor<1024x!tile.ptr<f32>> -> tensor<1024xf32>
  %top = "tile.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %m = arith.maxnumf %a, %b : f32
    tile.yield %m : f32
  }) : (tensor<1024xf32>) -> f32
  %tops = tile.splat %top : tensor<1024xf32>
  %ws = tile.splat %weights : tensor<1024x!tile.ptr<f32>>
  %wp = tile.ptr_add %ws, %r : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %w = tile.load %wp : tensor<1024x!tile.ptr<f32>> -> tensor<1024xf32>
  %scaled = arith.mulf %x, %tops : tensor<1024xf32>
  %y = arith.mulf %scaled, %w : tensor<1024xf32>
  %outs = tile.splat %out : tensor<1024x!tile.ptr<f32>>
  %outp = tile.ptr_add %outs, %at : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  tile.store %outp, %y : tensor<1024x!tile.ptr<f32>>, tensor<1024xf32>
  return
}
