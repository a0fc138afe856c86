// What the dialect's own attributes and types must be.
// RUN: %tilewise-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{a tile.kernel has no results}}
func.func @results() -> i32 attributes {tile.kernel} {
  %c = arith.constant 0 : i32
  return %c : i32
}

// -----

// expected-error @below {{only a func.func can be a tile.kernel}}
module attributes {tile.kernel} {
}

// -----

// expected-error @below {{tile.divisibility must be a power of two}}
func.func @divisibility(%n: i32 {tile.divisibility = 12 : i64}) attributes {tile.kernel} {
  return
}

// -----

// expected-error @below {{tile.name must be a string}}
func.func @name(%n: i32 {tile.name = 3 : i32}) attributes {tile.kernel} {
  return
}

// -----

// expected-error @below {{unknown argument attribute "tile.unknown"}}
func.func @unknown(%n: i32 {tile.unknown}) attributes {tile.kernel} {
  return
}

// -----

// expected-error @below {{a tile.ptr points to an integer, a float or a pointer, got 'tensor<4xf32>'}}
func.func @pointee(%p: !tile.ptr<tensor<4xf32>>) {
  return
}
