// A misspelt name and those there are -> the nearest.
#include "support/DidYouMean.h"

namespace tilewise {

std::string nearestName(llvm::StringRef name, llvm::ArrayRef<std::string> candidates) {
  // Two edits for a long name, one for a short one, none for a letter or two: more would be
  // guessing.
  if (name.size() < 3)
    return {};
  unsigned best = name.size() > 4 ? 3 : 2;
  std::string result;
  for (const std::string &candidate : candidates) {
    unsigned distance = name.edit_distance(candidate, /*AllowReplacements=*/true, best);
    if (distance < best && candidate != name) {
      best = distance;
      result = candidate;
    }
  }
  return result;
}

std::string didYouMean(llvm::StringRef name, llvm::ArrayRef<std::string> candidates) {
  std::string nearest = nearestName(name, candidates);
  return nearest.empty() ? "" : "; did you mean '" + nearest + "'?";
}

} // namespace tilewise
