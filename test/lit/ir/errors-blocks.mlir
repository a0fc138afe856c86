// Dot, reduce, scan and histogram refuse operands and regions that do not fit.
// RUN: %tilewise-opt %s --split-input-file --verify-diagnostics

func.func @dot_shape(%a: tensor<16x32xf16>, %b: tensor<16x8xf16>, %c: tensor<16x8xf32>) {
  // expected-error @below {{needs [M, K] @ [K, N] -> [M, N]}}
  %0 = tile.dot %a, %b, %c : tensor<16x32xf16>, tensor<16x8xf16> -> tensor<16x8xf32>
  return
}

// -----

func.func @dot_rank(%a: tensor<16xf16>, %b: tensor<16x8xf16>, %c: tensor<16x8xf32>) {
  // expected-error @below {{needs blocks of rank 2}}
  %0 = tile.dot %a, %b, %c : tensor<16xf16>, tensor<16x8xf16> -> tensor<16x8xf32>
  return
}

// -----

func.func @dot_operands(%a: tensor<16x32xf16>, %b: tensor<32x8xbf16>, %c: tensor<16x8xf32>) {
  // expected-error @below {{needs operands of one element type}}
  %0 = tile.dot %a, %b, %c : tensor<16x32xf16>, tensor<32x8xbf16> -> tensor<16x8xf32>
  return
}

// -----

func.func @dot_kinds(%a: tensor<16x32xi8>, %b: tensor<32x8xi8>, %c: tensor<16x8xf32>) {
  // expected-error @below {{of floats gives floats, of integers gives integers}}
  %0 = tile.dot %a, %b, %c : tensor<16x32xi8>, tensor<32x8xi8> -> tensor<16x8xf32>
  return
}

// -----

func.func @reduce_axis(%x: tensor<16xf32>) {
  // expected-error @below {{axis 1 is outside rank 1}}
  %0 = tile.reduce(%x) along 1 {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  } : (tensor<16xf32>) -> f32
  return
}

// -----

func.func @reduce_result(%x: tensor<16x8xf32>) {
  // expected-error @below {{along 0 of 'tensor<16x8xf32>' cannot give 'tensor<16xf32>'}}
  %0 = tile.reduce(%x) along 0 {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  } : (tensor<16x8xf32>) -> tensor<16xf32>
  return
}

// -----

func.func @reduce_arguments(%x: tensor<16xf32>) {
  // expected-error @below {{combines 2 values, the region takes 1}}
  %0 = tile.reduce(%x) along 0 {
  ^bb0(%a: f32):
    tile.yield %a : f32
  } : (tensor<16xf32>) -> f32
  return
}

// -----

func.func @reduce_element(%x: tensor<16xf32>) {
  // expected-error @below {{region argument 1 must be one element of its block}}
  %0 = tile.reduce(%x) along 0 {
  ^bb0(%a: f32, %b: f16):
    tile.yield %a : f32
  } : (tensor<16xf32>) -> f32
  return
}

// -----

func.func @scan_type(%x: tensor<16xf32>) {
  // expected-error @below {{keeps the type 'tensor<16xf32>', got 'tensor<8xf32>'}}
  %0 = tile.scan(%x) along 0 {
  ^bb0(%a: f32, %b: f32):
    tile.yield %a : f32
  } : (tensor<16xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @histogram(%x: tensor<16x2xi32>) {
  // expected-error @below {{needs blocks of rank 1}}
  %0 = tile.histogram %x : tensor<16x2xi32> -> tensor<4xi32>
  return
}

// -----

func.func @dot_batch(%a: tensor<2x16x32xf16>, %b: tensor<4x32x8xf16>, %c: tensor<2x16x8xf32>) {
  // expected-error @below {{needs [M, K] @ [K, N] -> [M, N]}}
  %0 = tile.dot %a, %b, %c : tensor<2x16x32xf16>, tensor<4x32x8xf16> -> tensor<2x16x8xf32>
  return
}

// -----

func.func @map_pack(%x: tensor<16xf32>) {
  // expected-error @below {{region must take 2 elements of each block}}
  %0 = tile.map (%x) pack 2 {
  ^bb0(%a: f32):
    tile.yield %a : f32
  } : (tensor<16xf32>) -> tensor<16xf32>
  return
}

// -----

func.func @hint_rank(%x: tensor<16x16xi32>) {
  // expected-error @below {{needs one number per dimension}}
  %0 = tile.hint %x divisibility [16] : tensor<16x16xi32>
  return
}

// -----

func.func @extern_shape(%x: tensor<16xf32>) {
  // expected-error @below {{needs operands and results of one shape}}
  %0 = tile.extern_call "asin"(%x) : (tensor<16xf32>) -> f32
  return
}
