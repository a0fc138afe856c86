// A misspelt name and those there are -> the nearest.
#include "support/DidYouMean.h"

#include <algorithm>
#include <vector>

namespace tilewise {

/// How many letters to add, leave out, replace, or swap with their neighbour, the mistake that
/// quick hands make most: 'laod' is one edit from 'load'.
static unsigned editsBetween(llvm::StringRef a, llvm::StringRef b) {
  // Of the table of prefixes: two rows up, one row up, this one.
  std::vector<unsigned> before, row(b.size() + 1), next(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j)
    row[j] = unsigned(j);
  for (size_t i = 1; i <= a.size(); ++i) {
    next[0] = unsigned(i);
    for (size_t j = 1; j <= b.size(); ++j) {
      next[j] = std::min({row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        next[j] = std::min(next[j], before[j - 2] + 1);
    }
    before = row;
    std::swap(row, next);
  }
  return row.back();
}

std::string nearestName(llvm::StringRef name, llvm::ArrayRef<std::string> candidates) {
  // Two edits for a long name, one for a short one, none for a letter or two: more would be
  // guessing.
  if (name.size() < 3)
    return {};
  unsigned best = name.size() > 4 ? 3 : 2;
  std::string result;
  for (const std::string &candidate : candidates) {
    if (std::max(candidate.size(), name.size()) - std::min(candidate.size(), name.size()) >= best)
      continue;
    unsigned distance = editsBetween(name, candidate);
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
