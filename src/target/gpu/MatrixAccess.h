// How a warp reads or writes parts of a tile as whole matrices.
//
// A machine's matrix load takes up to four matrices of 8 rows, 16 bytes each, from shared memory;
// its matrix store puts them there, from where a load would have put them.
// The rows may lie anywhere: lane 8 m + r gives the address of row r of matrix m. Each lane gets a
// word of 4 bytes of each matrix. Read *along* the rows, lane l gets bytes 4 (l % 4) to 4 (l % 4) +
// 3 of row l / 4. Read *across* them, which elements of 2 bytes can be, it gets column l / 4 of
// rows 2 (l % 4) and 2 (l % 4) + 1.
//
// A block's layout suits when its bits move through the tile in this way. Of a left operand of
// 16 x 16 halves with rows along k, as byte offsets into rows of 128 bytes without their swizzle:
//
//     register = [2, 1024, 16], lane = [4, 8, 128, 256, 512]
//
// Register bit 0 and lane bits 0 and 1 walk through 16 bytes of a row, lane bits 2 to 4 through
// eight rows; the other register bits lead to the next matrices. So one load gives all eight
// registers, where lane bits 3 and 4 of an address stand for them:
//
//     lane = [128, 256, 512, 1024, 16]
#pragma once

#include "ir/LinearLayout.h"

#include <optional>

namespace tilewise::gpu {

struct MatrixAccess {
  unsigned matrices = 1;  ///< 1, 2 or 4.
  unsigned registers = 1; ///< That one access moves: an aligned group.
  bool across = false;
  LinearLayout addresses; ///< What a lane must give: bytes from the tile's start.
};

/// `offsets` is a block's layout with byte offsets for element numbers. Nothing when it does not
/// suit.
std::optional<MatrixAccess> matrixAccessFor(const LinearLayout &offsets, unsigned elementBytes);

} // namespace tilewise::gpu
