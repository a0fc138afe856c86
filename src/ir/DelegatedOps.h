// Single ops of a kernel that compiled code has the reference engine run, on blocks that lie in the
// code's own memory: prints, assertions, checks of accesses. So what a person reads is the same
// whichever engine runs the kernel.
//
// They travel as a module of tile IR with one function per op, in order; its arguments are the op's
// operands. A function with the attribute `tile.verb` stands for the check of an access: it
// computes and returns the addresses and the mask, and the attributes say whose memory these may
// touch:
//
//     func.func @op0(%x: tensor<64xf32>) { tile.print "x" %x }
//     func.func @op1(%p: tensor<64x!tile.ptr<f32>>) -> tensor<64x!tile.ptr<f32>> attributes {tile.verb = "load", tile.origins = [0]}
#pragma once

#include "llvm/ADT/StringRef.h"

namespace tilewise::tile {

/// Of a check: "load", "store" or "atomic".
inline constexpr llvm::StringLiteral kVerbAttr = "tile.verb";
/// The kernel's arguments that the addresses are made from, and whether they may come from
/// elsewhere.
inline constexpr llvm::StringLiteral kOriginsAttr = "tile.origins", kForeignAttr = "tile.foreign";

} // namespace tilewise::tile
