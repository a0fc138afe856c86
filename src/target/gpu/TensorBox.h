// From a load of a block to a box of a tensor, as a copy engine takes it.
//
// Access inference (passes/AccessInference.h) gives the load as pointer, first element, strides and
// bounds. A copy engine wants the tensor itself, known when the kernel is launched, and the box's
// place in it, known to the program:
//
//     a + first*sm + step*BK + sm*i0 + i1,   i0 < M - first,  i1 < K - step*BK
//
//     tensor: a, strides [1, sm], extents [K, M]        box: at [step*BK, first]
//
// A bound tells both: what of it depends on the program is the place, the rest the extent. What
// then is left of the first element's offset is dealt to the dimensions whose strides it has, then
// to further ones: `batch * sb` is a dimension of stride sb. A pointer that the loop carries is
// what it began with and so many steps.
//
// A box begins at a multiple of 16 bytes of its row: the engine ends the kernel with an illegal
// instruction elsewhere.
//
// The engine clips at both ends of a dimension, a kernel only where its mask says so. A bound from
// above counts as said of both: what lies below index 0 of a dimension that ends at M is no row of
// it. Elsewhere the place must be known not to be negative, and there is no end. Places are often
// quotients of extents, `tile // tiles_n`, which are not negative as long as the extents are above
// zero: the launch looks at these arguments, and takes plain copies when they are not.
#pragma once

#include "artifact/TensorMap.h"
#include "passes/AccessInference.h"

#include <string>

namespace tilewise::gpu {

struct TensorBox {
  struct Dim {
    llvm::SmallVector<tile::ScalarExpr, 1> extents; ///< Of arguments alone; none: no end.
    tile::ScalarExpr stride;                        ///< Likewise, in elements.
    tile::ScalarExpr at;                            ///< Of the program's scalars.
  };
  mlir::Value pointer; ///< The kernel's argument.
  tile::ScalarExpr offset;
  /// The neighbours' first, the block's other one second.
  llvm::SmallVector<Dim, 4> dims;
  llvm::SmallVector<mlir::Value, 1> conditions;     ///< Zeros unless all hold.
  llvm::SmallVector<tile::ScalarExpr, 1> positives; ///< And all of these are above 0.
  /// Arguments that the launch must find above 0.
  llvm::SmallVector<unsigned> sizes;
};

/// The box that a load reads, in a loop's body whose iterations `counter` counts from 0, or, where
/// it is null, as scalars are when the load is reached; nothing, and `why`, where there is none.
/// `minor` is the dimension of neighbours.
std::optional<TensorBox> boxOf(tile::LoadOp load, unsigned minor, mlir::Value counter, tile::AccessInference &inference,
                               std::string &why);

/// An expression over the kernel's arguments as the launch works it out.
LaunchExpr launchExpr(const tile::ScalarExpr &expr);

} // namespace tilewise::gpu
