// RUN: %tilewise-opt --split-input-file --tile-to-cpu-nests --cse %s | FileCheck %s
// RUN: %tilewise-opt --split-input-file --tile-to-cpu-nests=vector-bytes=32 --cse %s | FileCheck %s --check-prefix=NARROW

// Beside each chunk of the row stands a prefetch of the next program's, which lies as far on as the next program's id times the stride says; in
// the last nest that loads the row, for the second-level cache (locality 2). The weights are the same in every program.
// What the next program stores is asked for, to be written (rw = 1), in the nest before: the first three quarters of it (48 of 64 bytes per
// chunk). The last quarter is left to the nest that stores, unless that streams.
// CHECK-LABEL: func.func @scaled_by_top(
// CHECK: scf.for
// CHECK: %[[NEXT:.*]] = arith.select %{{.*}} : i32
// CHECK: %[[THERE:.*]] = arith.muli %[[NEXT]], %{{.*}} : i32
// CHECK: scf.for
// CHECK-NOT: rw = 0
// CHECK: arith.muli %{{.*}}, %c3_i64 : i64
// CHECK: "llvm.intr.prefetch"(%[[STEP:.*]]) <{cache = 1 : i32, hint = 3 : i32, rw = 1 : i32}>
// CHECK: %[[SECOND:.*]] = llvm.getelementptr %[[STEP]][48]
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
// CHECK: llvm.store {{.*}} nontemporal
// CHECK: scf.for %[[CHUNK:.*]] =
// CHECK: arith.andi %[[CHUNK]], %{{.*}} : i64
// CHECK: prefetch{{.*}} rw = 1
// CHECK: prefetch{{.*}} rw = 0
// CHECK-NOT: prefetch
// CHECK: llvm.store
// Three quarters of a chunk of 32 bytes are less than half a line: every second chunk asks.
// NARROW-LABEL: func.func @scaled_by_top(
// NARROW: arith.muli %{{.*}}, %c3_i64 : i64
// NARROW: "llvm.intr.prefetch"(%[[STEP:.*]]) <{cache = 1 : i32, hint = 3 : i32, rw = 1 : i32}>
// NARROW: %[[THIRD:.*]] = llvm.getelementptr %[[STEP]][48]
// NARROW: "llvm.intr.prefetch"(%[[THIRD]]) <{cache = 1 : i32, hint = 3 : i32, rw = 1 : i32}>
// NARROW-NOT: rw = 1
// NARROW: scf.yield
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

// -----

// A row that no nest loads after the sum: its last quarter is asked for by the nest that stores, from three quarters of the row on.
// CHECK-LABEL: func.func @weights(
// CHECK: scf.for %[[CHUNK:.*]] = %c0_i64 to %c1024_i64 step %c16_i64
// CHECK: arith.muli %[[CHUNK]], %c3_i64 : i64
// CHECK: prefetch{{.*}} hint = 3 : i32, rw = 0
// CHECK: prefetch{{.*}} hint = 3 : i32, rw = 1
// CHECK: math.exp
// CHECK: %[[LAST:.*]] = llvm.getelementptr %{{.*}}[3072]
// CHECK: scf.for %[[CHUNK:.*]] =
// CHECK: %[[AHEAD:.*]] = llvm.getelementptr %[[LAST]][%[[CHUNK]]]
// CHECK: "llvm.intr.prefetch"(%[[AHEAD]]) <{cache = 1 : i32, hint = 3 : i32, rw = 0 : i32}>
// CHECK-NOT: prefetch
// CHECK: llvm.store {{.*}} nontemporal
// CHECK: scf.for
// CHECK: prefetch{{.*}} rw = 0
// CHECK: prefetch{{.*}} rw = 1
func.func @weights(%in: !tile.ptr<f32>, %out: !tile.ptr<f32>, %stride: i32) attributes {tile.kernel} {
  %id = tile.program_id 0
  %row = arith.muli %id, %stride : i32
  %r = tile.range 0 to 1024 : tensor<1024xi32>
  %first = tile.splat %row : tensor<1024xi32>
  %at = arith.addi %first, %r : tensor<1024xi32>
  %ins = tile.splat %in : tensor<1024x!tile.ptr<f32>>
  %inp = tile.ptr_add %ins, %at : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %x = tile.load %inp : tensor<1024x!tile.ptr<f32>> -> tensor<1024xf32>
  %e = math.exp %x : tensor<1024xf32>
  %sum = "tile.reduce"(%e) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  }) : (tensor<1024xf32>) -> f32
  %sums = tile.splat %sum : tensor<1024xf32>
  %y = arith.divf %e, %sums : tensor<1024xf32>
  %outs = tile.splat %out : tensor<1024x!tile.ptr<f32>>
  %outp = tile.ptr_add %outs, %at : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  tile.store %outp, %y : tensor<1024x!tile.ptr<f32>>, tensor<1024xf32>
  return
}
