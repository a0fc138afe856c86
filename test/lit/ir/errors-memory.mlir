// Loads, stores and atomics refuse values, masks and kinds that do not fit their pointers.
// RUN: %tilewise-opt %s --split-input-file --verify-diagnostics

func.func @load_type(%p: tensor<4x!tile.ptr<f32>>) {
  // expected-error @below {{gives 'tensor<4xf32>', not 'tensor<4xf16>'}}
  %v = tile.load %p : tensor<4x!tile.ptr<f32>> -> tensor<4xf16>
  return
}

// -----

func.func @load_mask(%p: tensor<4x!tile.ptr<f32>>, %m: tensor<8xi1>) {
  // expected-error @below {{mask must be 'tensor<4xi1>', got 'tensor<8xi1>'}}
  %v = tile.load %p mask %m : tensor<8xi1> : tensor<4x!tile.ptr<f32>> -> tensor<4xf32>
  return
}

// -----

func.func @load_other(%p: tensor<4x!tile.ptr<f32>>, %m: tensor<4xi1>, %o: f32) {
  // expected-error @below {{other must be 'tensor<4xf32>', got 'f32'}}
  %v = tile.load %p mask %m : tensor<4xi1> other %o : f32 : tensor<4x!tile.ptr<f32>> -> tensor<4xf32>
  return
}

// -----

func.func @load_other_without_mask(%p: !tile.ptr<f32>, %o: f32) {
  // expected-error @below {{has `other` without a mask}}
  %v = tile.load %p other %o : f32 : !tile.ptr<f32> -> f32
  return
}

// -----

func.func @store_value(%p: !tile.ptr<f32>, %v: f16) {
  // expected-error @below {{value must be 'f32', got 'f16'}}
  tile.store %p, %v : !tile.ptr<f32>, f16
  return
}

// -----

func.func @atomic_kind(%p: !tile.ptr<f32>, %v: f32) {
  // expected-error @below {{of kind add cannot work on 'f32'}}
  %o = tile.atomic_rmw add %p, %v : !tile.ptr<f32>, f32 -> f32
  return
}

// -----

func.func @atomic_float(%p: !tile.ptr<i32>, %v: i32) {
  // expected-error @below {{of kind fadd cannot work on 'i32'}}
  %o = tile.atomic_rmw fadd %p, %v : !tile.ptr<i32>, i32 -> i32
  return
}
