// The pass tile-warn: each warning at its op, switched by name; the kernel stays as it is.
// RUN: %tilewise-opt --tile-warn %s -verify-diagnostics | FileCheck %s
// RUN: %tilewise-opt --tile-warn=flags=no-all %s 2>&1 | FileCheck %s --check-prefix=QUIET
// QUIET-NOT: warning

// CHECK-LABEL: func.func @kernel
// CHECK: tile.program_id 0
func.func @kernel(%p: !tile.ptr<f16>, %q: !tile.ptr<f16>, %n: i32) attributes {tile.kernel} {
  // expected-note @below {{the program id is read here}}
  %pid = tile.program_id 0
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<8xf16>
  %ps = tile.splat %p : tensor<8x!tile.ptr<f16>>
  %r = tile.range 0 to 8 : tensor<8xi32>
  %ptrs = tile.ptr_add %ps, %r : tensor<8x!tile.ptr<f16>>, tensor<8xi32>
  %ns = tile.splat %n : tensor<8xi32>
  %inside = arith.cmpi slt, %r, %ns : tensor<8xi32>
  // expected-warning @below {{the masked-off elements of this load are 0 where they are reduced, which changes the result; give other=-float('inf') [-Wmask-other]}}
  %x = tile.load %ptrs mask %inside : tensor<8xi1> : tensor<8x!tile.ptr<f16>> -> tensor<8xf16>
  // expected-note @below {{the reduction is here}}
  %max = tile.reduce(%x) along 0 {
  ^bb0(%a: f16, %b: f16):
    %m = arith.maxnumf %a, %b : f16
    tile.yield %m : f16
  } : (tensor<8xf16>) -> f16
  // expected-note @below {{the loop is here}}
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<8xf16>) : i32 {
    // expected-warning @below {{this sum is kept in fp16 over a loop}}
    %next = arith.addf %acc, %x : tensor<8xf16>
    scf.yield %next : tensor<8xf16>
  }
  %qs = tile.splat %q : tensor<8x!tile.ptr<f16>>
  %qtrs = tile.ptr_add %qs, %r : tensor<8x!tile.ptr<f16>>, tensor<8xi32>
  // expected-warning @below {{every program stores to the same addresses}}
  tile.store %qtrs, %sum : tensor<8x!tile.ptr<f16>>, tensor<8xf16>
  %mine = tile.ptr_add %q, %pid : !tile.ptr<f16>, i32
  tile.store %mine, %max : !tile.ptr<f16>, f16
  return
}
