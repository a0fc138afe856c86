// Rows taken together: where neighbouring rows of a nest load the same elements, the main loop
// computes several of them at once.
//
// A stencil of 3 x 3 loads nine chunks for one of its result, and the rows that it needs for the
// next result's row are mostly those it had:
//
//     row y        loads rows y, y + 1, y + 2                  9 loads per chunk, 36 for four rows
//     rows y..y+3  load rows y .. y + 5, each once             18 loads for four rows
//
// Which loads those are is told by their forms: two of them, with one pointer and the same strides,
// whose bases are apart by a multiple of the stride of dimension d, load one another's rows of d; a
// few elements more or less are an offset in the instruction. The nest's loop over d then counts in
// steps of `rows`, and inside the main loop a load of row u stands for all that have the same
// address. What the masks do not allow in all of these rows is left to the rest loop, which takes
// one row after another.
//
// Loads are what bounds a stencil: two per cycle, and one that crosses a cache line, as those one
// column to the right do, counts twice. Measured on one core of an Ice Lake server, a convolution
// of 3 x 3, as a share of memcpy: 0.70 with one row, 0.88 with two, 0.95 with four.
//
// A transposed copy is the other case: its loads have neighbours along the rows, and its stores
// along the lanes. A load of one row would be a gather, of as many cache lines as lanes. As many
// rows as there are lanes are a square instead, loaded by vectors along its columns, and turned
// over in registers: 64 shuffles for 256 elements. 1024 x 1024 floats take 0.3 ms so, and 1.1 by
// gathers.
//
// The pass `cpu-share-rows` says so on the nest, `rows 4 along 0`; NestRows.cpp emits it.
#pragma once

#include "target/cpu/plan/NestSurvey.h"

namespace tilewise::cpu {

struct RowLoad {
  mlir::Operation *first; ///< Of the loads that are the same but for where they start.
  int64_t shift, offset;  ///< So many rows, and elements, further on than that one.
};
using RowLoads = llvm::DenseMap<mlir::Operation *, RowLoad>;

/// The loads that share elements with those of neighbouring rows along `dim`, in vectors along
/// `vectorDim`.
RowLoads sharedLoads(const NestSurvey &survey, int vectorDim, unsigned dim);

/// Whether elements of the load are neighbours along `dim`, and not along `vectorDim`: several rows
/// are loaded by columns.
bool isTransposed(const NestSurvey &survey, const LoadAt &load, int vectorDim, unsigned dim);

} // namespace tilewise::cpu
