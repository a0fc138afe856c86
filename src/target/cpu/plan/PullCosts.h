// What it costs to compute a chunk again instead of reading it from scratch: the one table of the
// numbers that nest forming weighs.
//
// The unit is a vector instruction per register of results. The numbers need only be right in their
// order: a block is kept or not, and between "three instructions" and "an exponential" there is
// little that is common.
#pragma once

#include "passes/AccessInference.h"

namespace tilewise::cpu {

struct PullCosts {
  /// Splats, broadcasts, permutations, constants: another index, no instruction.
  static constexpr unsigned kMoved = 0;
  /// Arithmetic that is one instruction.
  static constexpr unsigned kPlain = 1;
  /// A load of neighbours: its address, its mask, the load, from the first-level cache when it was
  /// loaded before.
  static constexpr unsigned kLoad = 3;
  /// A load lane by lane: an address and a load for each of 16 lanes.
  static constexpr unsigned kGather = 30;
  /// A division: 8 to 16 cycles of a unit of which there is one, where a product takes half a
  /// cycle.
  static constexpr unsigned kDivision = 8;
  /// exp, log, sin: reduction of the argument and a polynomial (MathFunctions.cpp), 15 to 25
  /// instructions.
  static constexpr unsigned kFunction = 20;
  /// Functions of the mathematics library: the same several times, or a call per lane.
  static constexpr unsigned kLibrary = 100;
  /// Sums stop here: they only have to be large.
  static constexpr unsigned kMost = 1000;

  /// Scratch costs its writer a store with its address, and each reader a load with its: about 4
  /// either way. A block that two nests pull is kept when computing it costs more than both.
  static constexpr unsigned kKeepBeyond = 8;
  /// Of a block that a loop inside pulls, which may be many times: a loop has data of its own in
  /// the first-level cache, so reading costs more.
  static constexpr unsigned kKeepForRegionsBeyond = 12;

  /// Of the op alone, without what it pulls.
  static unsigned of(tile::AccessInference &inference, mlir::Operation *op);
};

} // namespace tilewise::cpu
