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

void collectPlaces(Location loc, SmallVectorImpl<TextRange> &places) {
  if (std::optional<TextRange> range = textRangeOf(loc)) {
    places.push_back(*range);
  } else if (auto call = dyn_cast<CallSiteLoc>(loc)) {
    collectPlaces(call.getCallee(), places);
    collectPlaces(call.getCaller(), places);
  } else if (auto name = dyn_cast<NameLoc>(loc)) {
    collectPlaces(name.getChildLoc(), places);
  } else if (auto fused = dyn_cast<FusedLoc>(loc)) {
    // Ops that became one: the first of them stands for all.
    for (Location part : fused.getLocations())
      if (size_t before = places.size(); collectPlaces(part, places), places.size() > before)
        return;
  }
}

SmallVector<TextRange> userPlaces(Location loc) {
  // Where functions of the library live, see frontend/builtins/Stdlib.cpp.
  static constexpr llvm::StringLiteral kLibrary = "<tilewise>/";
  SmallVector<TextRange> places;
  collectPlaces(loc, places);
  auto *first = llvm::find_if(
      places, [](const TextRange &range) { return !range.start.getFilename().strref().starts_with(kLibrary); });
  places.erase(places.begin(), first);
  return places;
}

} // namespace tilewise::tile
