// What it costs to compute a chunk again instead of reading it from scratch: the one table of the
// numbers that nest forming weighs.
//
// The unit is an addition of a register of fp32, 0.2 ns on the machine measured (an AMD EPYC with
// AVX-512): `bench/pull_costs.py` measures all of them, and the figures below are its. Rounded,
// since a block is kept or not, and between a few instructions and an exponential there is little
// that is common: what matters is on which side of `kKeepBeyond` a row is.
#pragma once

#include "passes/AccessInference.h"

namespace tilewise::cpu {

struct PullCosts {
  /// Splats, broadcasts, permutations, constants: another index, no instruction.
  static constexpr unsigned kMoved = 0;
  /// Arithmetic that is one instruction.
  static constexpr unsigned kPlain = 1;
  /// A load of neighbours. Measured 0.7 from the first-level cache; but it is loaded again after
  /// another nest, which may have taken the cache for its own.
  static constexpr unsigned kLoad = 3;
  /// A load lane by lane: measured 34, about two for each of 16 lanes.
  static constexpr unsigned kGather = 34;
  /// A division of floats, or of integers by a constant, which is a product: measured 5.3 and 4.3.
  static constexpr unsigned kDivision = 5;
  /// Of integers by what is known only at run time: measured 13 by one scalar for all lanes, 83 by
  /// another block, since no machine divides vectors of integers.
  static constexpr unsigned kIntegerDivision = 13;
  /// exp, log, sin (MathFunctions.cpp): measured 12, 29 and 45.
  static constexpr unsigned kFunction = 20;
  /// Functions of the mathematics library: measured 110 for a formula in fp64, 800 for a call per
  /// lane.
  static constexpr unsigned kLibrary = 100;
  /// Sums stop here: they only have to be large.
  static constexpr unsigned kMost = 1000;

  /// A block that two nests pull is kept when computing it costs more than this. Measured: a load
  /// and n additions, 3 + n here, take as long either way at n = 2 while everything stays in the
  /// first-level cache, and at n = 3.5 where the block and its scratch outgrow it.
  static constexpr unsigned kKeepBeyond = 6;
  /// Of a block that a loop inside pulls, which may be many times: a loop has data of its own in
  /// the first-level cache, so reading costs more. Not measured: twice as much.
  static constexpr unsigned kKeepForRegionsBeyond = 12;

  /// Of the op alone, without what it pulls.
  static unsigned of(tile::AccessInference &inference, mlir::Operation *op);
};

} // namespace tilewise::cpu
