// RUN: %tilewise-opt --tile-to-cpu-nests --cse %s | FileCheck %s

// One program's block is one nest: a main loop of plain vectors up to where the mask ends, and a masked rest.
// CHECK-LABEL: func.func @add(
// CHECK-SAME: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64)
// The block of x is copied aside when it overlaps what is written at other indices.
// CHECK: scf.if
// CHECK: %[[END:.*]] = arith.andi %{{.*}}, %c-16_i64
// With stores that pass the caches by, when the launch asks for it and the row starts at a register's boundary, or without.
// CHECK: %[[STREAMED:.*]] = arith.select %{{.*}}, %[[END]], %c0_i64
// CHECK: scf.for %{{.*}} = %c0_i64 to %[[STREAMED]] step %c16_i64
// CHECK: llvm.store %{{.*}} {alignment = 64 : i64, nontemporal} : vector<16xf32>
// CHECK: scf.for %{{.*}} = %[[STREAMED]] to %[[END]] step %c16_i64
// CHECK-NOT: masked
// CHECK: llvm.load %{{.*}} -> vector<16xf32>
// CHECK: arith.addf %{{.*}} : vector<16xf32>
// CHECK: llvm.store %{{.*}} : vector<16xf32>
// CHECK: scf.for %{{.*}} = %[[END]] to %{{.*}} step %c16_i64
// CHECK: llvm.intr.masked.load
// CHECK: llvm.intr.masked.store
func.func @add(%x: !tile.ptr<f32>, %z: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %r = tile.range 0 to 1024 : tensor<1024xi32>
  %ns = tile.splat %n : tensor<1024xi32>
  %inside = arith.cmpi slt, %r, %ns : tensor<1024xi32>
  %xs = tile.splat %x : tensor<1024x!tile.ptr<f32>>
  %xp = tile.ptr_add %xs, %r : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %v = tile.load %xp mask %inside : tensor<1024xi1> : tensor<1024x!tile.ptr<f32>> -> tensor<1024xf32>
  %sum = arith.addf %v, %v : tensor<1024xf32>
  %zs = tile.splat %z : tensor<1024x!tile.ptr<f32>>
  %zp = tile.ptr_add %zs, %r : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  tile.store %zp, %sum mask %inside : tensor<1024xi1> : tensor<1024x!tile.ptr<f32>>, tensor<1024xf32>
  return
}
