// RUN: %tilewise-opt --split-input-file --verify-diagnostics %s

func.func @rows() attributes {tile.kernel} {
  // expected-error@+1 {{cannot take 3 rows at once along dimension 0}}
  cpu.nest over [4, 256] rows 3 along 0 {
  }
  return
}

// -----

func.func @results(%x: i32) attributes {tile.kernel} {
  // expected-error@+1 {{gives other scalars than it yields}}
  %0 = cpu.nest over [64] {
    cpu.yield %x : i32
  } -> f32
  return
}

// -----

func.func @lanes(%x: i32) attributes {tile.kernel} {
  // expected-error@+1 {{cannot take 4 x 32 lanes along dimension 0}}
  cpu.nest over [64] lanes 32 along 0 copies 4 {
  }
  return
}
