// Inline assembly as ops, for the engines without a GPU.
//
// Arithmetic, comparisons, conversions, moves and the approximate functions of PTX become ops; a
// predicated instruction is a `select` between the new value and the old one, a barrier is nothing:
//
//     { .reg .pred p; setp.gt.f32 p, $1, 20.0; @p mov.f32 $0, $1; @!p ex2.approx.f32 $0, $1; }
//     p = cmpf ogt x, 20;  select(p, x, exp2(x))
//
// With `pack` above 1 the elements of a pack must be treated alike and not meet; elements of 16
// bits may be two to a register, as f16x2 instructions take them. Text with anything else in it
// (memory, other lanes, special registers) stays, for the engine to refuse.
#pragma once

#include "mlir/IR/Operation.h"

namespace tilewise::tile {

/// One `tile.inline_asm` => the ops that mean the same; false, and the op stays, when its text is
/// not understood.
bool expandAssembly(mlir::Operation *op);

} // namespace tilewise::tile
