// RUN: %tilewise-opt --cpu-form-nests --cpu-choose-lanes --cpu-share-rows %s | FileCheck %s --check-prefix=PLAN
// RUN: %tilewise-opt --tile-to-cpu-nests --cse %s | FileCheck %s

// PLAN: cpu.nest over [4, 256] lanes 16 along 1 rows 4 along 0 {

// Each result is the sum of the elements above and below. Four rows at once load six rows once each, instead of eight: rows 0 and 2, 1 and 3, then
// 4 and 5, which rows 2 and 3 share with nobody. The mask begins at column 3, so the main loop starts at the next whole chunk.
// CHECK-LABEL: func.func @neighbours(
// What overlaps is copied first.
// CHECK: scf.if
// CHECK: scf.for %[[ROW:.*]] = %c0_i64{{.*}} to %[[FOUR:.*]] step %[[FOUR]]
// CHECK: %[[UP:.*]] = arith.andi %{{.*}}, %c-16_i64{{.*}} : i64
// CHECK: %[[START:.*]] = arith.andi %{{.*}}, %c-16_i64{{.*}} : i64
// CHECK: %[[END:.*]] = arith.maxsi %[[UP]], %[[START]] : i64
// CHECK: scf.for %{{.*}} = %[[START]] to %{{.*}} step %c16_i64
// CHECK-COUNT-6: llvm.load %{{.*}} -> vector<16xf32>
// CHECK-NOT: llvm.load
// CHECK-COUNT-4: llvm.store %{{.*}} : vector<16xf32>
// The chunks on either side, one row after another.
// CHECK: %[[GAP:.*]] = arith.subi %[[END]], %[[START]] : i64
// CHECK: scf.for %{{.*}} = %[[ROW]] to
// CHECK: scf.for %[[COLUMN:.*]] =
// CHECK: %[[BEHIND:.*]] = arith.cmpi sge, %[[COLUMN]], %[[START]] : i64
// CHECK: arith.select %[[BEHIND]], %[[GAP]], %{{.*}} : i64
// CHECK: llvm.intr.masked.load
func.func @neighbours(%in: !tile.ptr<f32>, %out: !tile.ptr<f32>, %width: i32) attributes {tile.kernel} {
  %r = tile.range 0 to 4 : tensor<4xi32>
  %c = tile.range 0 to 256 : tensor<256xi32>
  %y = tile.expand_dims %r at 1 : tensor<4xi32> -> tensor<4x1xi32>
  %x1 = tile.expand_dims %c at 0 : tensor<256xi32> -> tensor<1x256xi32>
  %x = tile.broadcast %x1 : tensor<1x256xi32> -> tensor<4x256xi32>
  %w = tile.splat %width : tensor<4x1xi32>
  %yw = arith.muli %y, %w : tensor<4x1xi32>
  %rows = tile.broadcast %yw : tensor<4x1xi32> -> tensor<4x256xi32>
  %at = arith.addi %rows, %x : tensor<4x256xi32>
  %three = arith.constant dense<3> : tensor<4x256xi32>
  %mask = arith.cmpi sge, %x, %three : tensor<4x256xi32>
  %ins = tile.splat %in : tensor<4x256x!tile.ptr<f32>>
  %above = tile.ptr_add %ins, %at : tensor<4x256x!tile.ptr<f32>>, tensor<4x256xi32>
  %two = arith.constant 2 : i32
  %w2 = arith.muli %width, %two : i32
  %down = tile.splat %w2 : tensor<4x256xi32>
  %atBelow = arith.addi %at, %down : tensor<4x256xi32>
  %below = tile.ptr_add %ins, %atBelow : tensor<4x256x!tile.ptr<f32>>, tensor<4x256xi32>
  %zero = arith.constant dense<0.0> : tensor<4x256xf32>
  %a = tile.load %above mask %mask : tensor<4x256xi1> other %zero : tensor<4x256xf32> : tensor<4x256x!tile.ptr<f32>> -> tensor<4x256xf32>
  %b = tile.load %below mask %mask : tensor<4x256xi1> other %zero : tensor<4x256xf32> : tensor<4x256x!tile.ptr<f32>> -> tensor<4x256xf32>
  %sum = arith.addf %a, %b : tensor<4x256xf32>
  %outs = tile.splat %out : tensor<4x256x!tile.ptr<f32>>
  %outp = tile.ptr_add %outs, %at : tensor<4x256x!tile.ptr<f32>>, tensor<4x256xi32>
  tile.store %outp, %sum : tensor<4x256x!tile.ptr<f32>>, tensor<4x256xf32>
  return
}
