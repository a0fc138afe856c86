// RUN: %tilewise-opt --cpu-verify-stage --split-input-file --verify-diagnostics %s

func.func @block_left(%x: i32) {
  // expected-error @+1 {{internal: 'tile.splat' is left after tile-to-cpu-nests}}
  %y = tile.splat %x : tensor<16xi32>
  return
}

// -----

func.func @libm_call(%x: vector<16xf32>) -> vector<16xf32> {
  // expected-error @+1 {{internal: 'math.atan' is left after cpu-expand-math: LLVM would call libm}}
  %y = math.atan %x : vector<16xf32>
  return %y : vector<16xf32>
}

// -----

func.func @narrow(%x: vector<16xbf16>) -> vector<16xbf16> {
  // expected-error @+1 {{internal: 'arith.addf' computes in a narrow float after cpu-expand-narrow-floats}}
  %y = arith.addf %x, %x : vector<16xbf16>
  return %y : vector<16xbf16>
}

// -----

func.func @wide(%x: f32) -> vector<4096xf32> {
  // expected-error @+1 {{internal: 'vector.splat' has a vector of more than 64 registers}}
  %y = vector.splat %x : vector<4096xf32>
  return %y : vector<4096xf32>
}
