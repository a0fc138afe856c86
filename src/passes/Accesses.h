// A kernel -> the list of its accesses by argument, a line each, in the order of the text.
//
//     load x_ptr
//     store y_ptr
//     store a_ptr b_ptr     through a pointer that is one or the other
//     load ?                through a pointer that is not an argument's, as one that was loaded
//     assembly              inline assembly that may touch anything
#pragma once

#include "ir/Tile.h"

namespace tilewise::tile {

/// Of tile IR as the front end made it: what is not used is in the list, too.
std::string listAccesses(mlir::func::FuncOp kernel);

} // namespace tilewise::tile
