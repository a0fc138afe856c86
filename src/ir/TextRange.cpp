// Places with a length, and back.
#include "ir/TextRange.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace tilewise::tile {

Location withLength(Location start, uint32_t length) {
  return FusedLoc::get(start.getContext(), start, Builder(start.getContext()).getI32IntegerAttr(int32_t(length)));
}

std::optional<TextRange> textRangeOf(Location loc) {
  if (auto place = dyn_cast<FileLineColLoc>(loc))
    return TextRange{place};
  auto fused = dyn_cast<FusedLoc>(loc);
  auto length = fused ? dyn_cast_or_null<IntegerAttr>(fused.getMetadata()) : IntegerAttr();
  auto start = length ? dyn_cast<FileLineColLoc>(fused.getLocations().front()) : FileLineColLoc();
  return start ? std::optional<TextRange>({start, uint32_t(length.getInt())}) : std::nullopt;
}

} // namespace tilewise::tile
