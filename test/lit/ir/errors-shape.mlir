// Shape ops refuse shapes that do not follow.
// RUN: %tilewise-opt %s --split-input-file --verify-diagnostics

func.func @empty_range() {
  // expected-error @below {{needs end > start, got 4 to 4}}
  %r = tile.range 4 to 4 : tensor<1xi32>
  return
}

// -----

func.func @range_length() {
  // expected-error @below {{of length 8 cannot give 'tensor<16xi32>'}}
  %r = tile.range 0 to 8 : tensor<16xi32>
  return
}

// -----

func.func @expand_axis(%x: tensor<8xi32>) {
  // expected-error @below {{axis 2 is outside the result's rank 2}}
  %r = tile.expand_dims %x at 2 : tensor<8xi32> -> tensor<8x1xi32>
  return
}

// -----

func.func @expand_shape(%x: tensor<8xi32>) {
  // expected-error @below {{at 0 of 'tensor<8xi32>' cannot give 'tensor<8x1xi32>'}}
  %r = tile.expand_dims %x at 0 : tensor<8xi32> -> tensor<8x1xi32>
  return
}

// -----

func.func @expand_element(%x: tensor<8xi32>) {
  // expected-error @below {{must keep the element type}}
  %r = tile.expand_dims %x at 0 : tensor<8xi32> -> tensor<1x8xi64>
  return
}

// -----

func.func @broadcast_rank(%x: tensor<8xi32>) {
  // expected-error @below {{must keep the rank, got 'tensor<8xi32>' to 'tensor<8x8xi32>'}}
  %r = tile.broadcast %x : tensor<8xi32> -> tensor<8x8xi32>
  return
}

// -----

func.func @broadcast_extent(%x: tensor<8x2xi32>) {
  // expected-error @below {{can stretch only extents of 1}}
  %r = tile.broadcast %x : tensor<8x2xi32> -> tensor<8x4xi32>
  return
}

// -----

func.func @reshape(%x: tensor<8x2xi32>) {
  // expected-error @below {{must keep the elements}}
  %r = tile.reshape %x : tensor<8x2xi32> -> tensor<8xi32>
  return
}

// -----

func.func @permute_twice(%x: tensor<8x2xi32>) {
  // expected-error @below {{needs each dimension of 'tensor<8x2xi32>' once}}
  %r = tile.permute %x by [0, 0] : tensor<8x2xi32> -> tensor<8x8xi32>
  return
}

// -----

func.func @permute_shape(%x: tensor<8x2xi32>) {
  // expected-error @below {{cannot give 'tensor<8x2xi32>' from 'tensor<8x2xi32>'}}
  %r = tile.permute %x by [1, 0] : tensor<8x2xi32> -> tensor<8x2xi32>
  return
}

// -----

func.func @join(%x: tensor<8xi32>) {
  // expected-error @below {{of two 'tensor<8xi32>' cannot give 'tensor<16xi32>'}}
  %r = tile.join %x, %x : tensor<8xi32> -> tensor<16xi32>
  return
}

// -----

func.func @split(%x: tensor<8x4xi32>) {
  // expected-error @below {{needs a last dimension of extent 2, got 'tensor<8x4xi32>'}}
  %a, %b = tile.split %x : tensor<8x4xi32> -> tensor<8xi32>
  return
}

// -----

func.func @gather_extent(%x: tensor<8x4xf32>, %i: tensor<4x4xi32>) {
  // expected-error @below {{needs equal extents off the axis}}
  %r = tile.gather %x[%i] along 1 : tensor<8x4xf32>, tensor<4x4xi32> -> tensor<4x4xf32>
  return
}

// -----

func.func @gather_axis(%x: tensor<8x4xf32>, %i: tensor<8x4xi32>) {
  // expected-error @below {{needs indices of the source's rank and an axis inside it}}
  %r = tile.gather %x[%i] along 2 : tensor<8x4xf32>, tensor<8x4xi32> -> tensor<8x4xf32>
  return
}
