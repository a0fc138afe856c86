// RUN: %tilewise-opt --tile-to-cpu --cpu-to-llvm-dialect %s | FileCheck %s

// CHECK-LABEL: llvm.func @mark(
// CHECK-SAME: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: i64, %{{.*}}: i64)
// CHECK: llvm.cond_br
// CHECK: llvm.store %{{.*}} : i32, !llvm.ptr
// CHECK: llvm.return
func.func @mark(%x: !tile.ptr<i32>) attributes {tile.kernel} {
  %pid = tile.program_id 0
  tile.store %x, %pid : !tile.ptr<i32>, i32
  return
}
