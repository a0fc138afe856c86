// RUN: %tilewise-opt --cpu-verify-plan --split-input-file --verify-diagnostics %s

func.func @effect_outside(%p: tensor<64x!tile.ptr<f32>>, %x: tensor<64xf32>) attributes {tile.kernel} {
  // expected-error @+1 {{internal: 'tile.store' of a block stands outside of nests}}
  tile.store %p, %x : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
  return
}

// -----

func.func @reduction_outside(%x: tensor<64xf32>) attributes {tile.kernel} {
  // expected-error @+1 {{internal: 'tile.reduce' of a block stands outside of nests}}
  %sum = tile.reduce(%x) along 0 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  } : (tensor<64xf32>) -> f32
  return
}

// -----

func.func @keep_outside(%x: tensor<64xf32>) attributes {tile.kernel} {
  %room = cpu.scratch : <tensor<64xf32>>
  // expected-error @+1 {{internal: 'cpu.keep' stands outside of nests, and keeps no dot's result}}
  cpu.keep %x into %room : tensor<64xf32>
  return
}

// -----

func.func @prefetch_outside(%p: tensor<64x!tile.ptr<f32>>) attributes {tile.kernel} {
  // expected-error @+1 {{internal: 'cpu.prefetch' stands outside of nests}}
  cpu.prefetch all %p : tensor<64x!tile.ptr<f32>>
  return
}

// -----

func.func @whole_inside(%x: tensor<16x16xf32>, %p: tensor<16x16x!tile.ptr<f32>>) attributes {tile.kernel} {
  cpu.nest over [16, 16] {
    // expected-error @+1 {{internal: 'tile.dot' stands in a nest, which computes chunk by chunk}}
    %y = tile.dot %x, %x, %x : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
    tile.store %p, %y : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xf32>
  }
  return
}

// -----

func.func @region_inside(%c: i1, %x: tensor<64xf32>, %p: tensor<64x!tile.ptr<f32>>) attributes {tile.kernel} {
  cpu.nest over [64] {
    // expected-error @+1 {{internal: 'scf.if' stands in a nest, which computes chunk by chunk}}
    scf.if %c {
    }
    tile.store %p, %x : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
  }
  return
}

// -----

func.func @nest_inside(%x: tensor<64xf32>, %p: tensor<64x!tile.ptr<f32>>) attributes {tile.kernel} {
  cpu.nest over [64] {
    // expected-error @+1 {{internal: 'cpu.nest' stands in a nest, which computes chunk by chunk}}
    cpu.nest over [64] {
      tile.store %p, %x : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
    }
  }
  return
}

// -----

func.func @other_shape(%x: tensor<64xf32>, %p: tensor<64x!tile.ptr<f32>>) attributes {tile.kernel} {
  cpu.nest over [32] {
    // expected-error @+1 {{internal: 'tile.store' has another shape than its nest}}
    tile.store %p, %x : tensor<64x!tile.ptr<f32>>, tensor<64xf32>
  }
  return
}

// -----

func.func @two_axes(%x: tensor<8x8xf32>) attributes {tile.kernel} {
  %rows = cpu.scratch : <tensor<8xf32>>
  cpu.nest over [8, 8] {
    %down = tile.reduce(%x) along 0 {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    } : (tensor<8x8xf32>) -> tensor<8xf32>
    cpu.keep %down into %rows : tensor<8xf32>
    // expected-error @+1 {{internal: 'tile.reduce' reduces another dimension than the one before it in its nest}}
    %across = tile.reduce(%x) along 1 {
    ^bb0(%a: f32, %b: f32):
      %c = arith.addf %a, %b : f32
      tile.yield %c : f32
    } : (tensor<8x8xf32>) -> tensor<8xf32>
  }
  return
}

// -----

func.func @for_nothing(%x: tensor<64xf32>) attributes {tile.kernel} {
  // expected-error @+1 {{internal: 'cpu.nest' computes nothing that anybody sees}}
  cpu.nest over [64] {
    %y = arith.addf %x, %x : tensor<64xf32>
  }
  return
}

// -----

func.func @no_plan(%x: tensor<16x16xf32>) attributes {tile.kernel} {
  // expected-error @+1 {{internal: 'tile.dot' has no plan, see cpu-plan-dots}}
  %y = tile.dot %x, %x, %x : tensor<16x16xf32>, tensor<16x16xf32> -> tensor<16x16xf32>
  return
}

// -----

func.func @carried(%n: i32, %x: tensor<64xf32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-error @+1 {{internal: 'scf.for' carries a block, which should lie in scratch}}
  %y = scf.for %i = %c0 to %n step %c1 iter_args(%z = %x) -> (tensor<64xf32>) : i32 {
    scf.yield %z : tensor<64xf32>
  }
  return
}

// -----

// The reshape stands for the sake of addresses that are known without it.
func.func @addresses(%p: !tile.ptr<f32>, %x: tensor<4x16xf32>) attributes {tile.kernel} {
  %r = tile.range 0 to 64 : tensor<64xi32>
  cpu.nest over [4, 16] {
    %at = tile.reshape %r : tensor<64xi32> -> tensor<4x16xi32>
    %ps = tile.splat %p : tensor<4x16x!tile.ptr<f32>>
    %q = tile.ptr_add %ps, %at : tensor<4x16x!tile.ptr<f32>>, tensor<4x16xi32>
    tile.store %q, %x : tensor<4x16x!tile.ptr<f32>>, tensor<4x16xf32>
  }
  return
}

// -----

func.func @gathered(%p: tensor<64x!tile.ptr<i32>>) attributes {tile.kernel} {
  %r = tile.range 0 to 64 : tensor<64xi32>
  cpu.nest over [64] {
    // expected-error @+1 {{internal: 'tile.gather' takes elements of a block that does not lie in scratch}}
    %x = tile.gather %r[%r] along 0 : tensor<64xi32>, tensor<64xi32> -> tensor<64xi32>
    tile.store %p, %x : tensor<64x!tile.ptr<i32>>, tensor<64xi32>
  }
  return
}
