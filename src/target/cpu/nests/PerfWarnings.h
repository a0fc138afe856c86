// -Wperf: says of a load or store why its lanes are not moved as one vector, and what would let
// them be.
#pragma once

#include "target/cpu/nests/KernelEmitter.h"

namespace tilewise::cpu {

/// `op` is a load or store that was emitted for many lanes at once, which lie along dimension
/// `laneDim` of its block. Warns when its lanes have addresses of their own, or a mask of their
/// own.
void warnOfLanes(KernelEmitter &kernel, tile::MemoryAccess op, unsigned laneDim);

} // namespace tilewise::cpu
