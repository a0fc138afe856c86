// What does not belong in tile IR trips the stage check, at its place.
// RUN: %tilewise-opt --tile-verify-stage --verify-diagnostics --split-input-file %s

func.func @good(%p: !tile.ptr<f32>) attributes {tile.kernel} {
  %x = tile.load %p : !tile.ptr<f32> -> f32
  tile.store %p, %x : !tile.ptr<f32>, f32
  return
}

// -----

func.func @partial(%a: i32, %b: i32, %p: !tile.ptr<i32>) attributes {tile.kernel} {
  // expected-error @below {{op 'arith.divsi' does not belong in tile IR}}
  %q = arith.divsi %a, %b : i32
  tile.store %p, %q : !tile.ptr<i32>, i32
  return
}

// -----

func.func @index(%a: i32) attributes {tile.kernel} {
  // expected-error @below {{tile IR has no values of type 'index'}}
  %q = arith.index_cast %a : i32 to index
  return
}

// -----

func.func @odd() attributes {tile.kernel} {
  // expected-error @below {{the extents of a block must be powers of two, got 'tensor<24xi32>'}}
  %r = tile.range 0 to 24 : tensor<24xi32>
  return
}

// -----

func.func @rank0(%a: i32) attributes {tile.kernel} {
  // expected-error @below {{a block of rank 0 is a scalar, got 'tensor<i32>'}}
  %r = tile.splat %a : tensor<i32>
  return
}

// -----

// expected-error @below {{tile IR has no layouts yet, got 'tensor<8xi32, "layout">'}}
func.func @layout(%a: tensor<8xi32, "layout">) attributes {tile.kernel} {
  return
}

// -----

// expected-error @below {{a module of tile IR holds one function, the kernel, got 2}}
module {
  func.func @kernel() attributes {tile.kernel} {
    return
  }
  func.func @other() {
    return
  }
}
