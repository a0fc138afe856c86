// How much of a line an op comes from: MLIR's places have a start only, so the length rides beside
// it in a fused location.
//
//     loc(fused<7 : i32>["k.py":3:9])      7 characters from line 3, column 9
#pragma once

#include "mlir/IR/Location.h"

#include <optional>

namespace tilewise::tile {

struct TextRange {
  mlir::FileLineColLoc start;
  uint32_t length = 0; ///< 0 where it is not known.
};

mlir::Location withLength(mlir::Location start, uint32_t length);

/// The range that a location is; nothing when it is something else, as a call or several places.
std::optional<TextRange> textRangeOf(mlir::Location loc);

/// The places of a location, innermost first: where an op was written, then each call that led
/// there.
void collectPlaces(mlir::Location loc, llvm::SmallVectorImpl<TextRange> &places);

/// The same without those in the language's own library: these are the business of their caller.
llvm::SmallVector<TextRange> userPlaces(mlir::Location loc);

} // namespace tilewise::tile
