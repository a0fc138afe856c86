// What gpu-insert-barriers leaves is found right; without its barriers it is not.
// RUN: %tilewise-opt %s --split-input-file --gpu-assign-layouts --gpu-allocate-shared --gpu-insert-barriers --gpu-check-barriers -o /dev/null
// RUN: %tilewise-opt %s --split-input-file --verify-diagnostics --gpu-assign-layouts --gpu-allocate-shared --gpu-check-barriers -o /dev/null

// An iteration writes operands that a thread of the one before still reads.
func.func @loop(%n: i32, %p: !tile.ptr<f32>) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %a = arith.constant dense<1.0> : tensor<16x16xf32>
  %sum = scf.for %i = %zero to %n step %one iter_args(%acc = %a) -> (tensor<16x16xf32>) : i32 {
    // expected-error@+1 {{internal error: tile.dot may meet tile.dot in shared memory: no barrier is between them}}
    %next = tile.dot %a, %a, %acc : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
    scf.yield %next : tensor<16x16xf32>
  }
  %ps = tile.splat %p : tensor<16x16x!tile.ptr<f32>>
  tile.store %ps, %sum : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xf32>
  return
}

// -----

// A neighbour's element is read after it was written, behind a branch.
func.func @neighbours(%p: !tile.ptr<i32>, %c: i1) attributes {tile.kernel} {
  %at = tile.range 0 to 128 : tensor<128xi32>
  %next = tile.range 1 to 129 : tensor<128xi32>
  %ps = tile.splat %p : tensor<128x!tile.ptr<i32>>
  %here = tile.ptr_add %ps, %at : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  %there = tile.ptr_add %ps, %next : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  scf.if %c {
    tile.store %here, %at : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  }
  // expected-error@+1 {{internal error: tile.load may meet tile.store in global memory: no barrier is between them}}
  %x = tile.load %there : tensor<128x!tile.ptr<i32>> -> tensor<128xi32>
  tile.store %there, %x : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  return
}

// -----

// A thread's own elements, and those of another argument, need none.
func.func @own(%p: !tile.ptr<i32>, %q: !tile.ptr<i32>) attributes {tile.kernel} {
  %at = tile.range 0 to 128 : tensor<128xi32>
  %ps = tile.splat %p : tensor<128x!tile.ptr<i32>>
  %qs = tile.splat %q : tensor<128x!tile.ptr<i32>>
  %here = tile.ptr_add %ps, %at : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  %other = tile.ptr_add %qs, %at : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  %x = tile.load %here : tensor<128x!tile.ptr<i32>> -> tensor<128xi32>
  tile.store %here, %x : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  %y = tile.load %other : tensor<128x!tile.ptr<i32>> -> tensor<128xi32>
  tile.store %other, %y : tensor<128x!tile.ptr<i32>>, tensor<128xi32>
  return
}
