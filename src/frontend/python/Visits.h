// Which places of the text an elaboration came by, for one that asks what became of an error: see
// Blame.h.
#pragma once

#include "support/SourceLoc.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/Hashing.h"

#include <optional>

namespace tilewise::frontend {

struct Visits {
  llvm::DenseSet<size_t> places;      ///< Of lines, by `placeOf`.
  std::optional<size_t> last, failed; ///< The latest, and that of the first error.
  uint64_t steps = 0, stepsToFailure = 0;
  /// What the first error is about: any argument, those that are None, or the text alone, though
  /// other arguments may hide it.
  enum class About { Arguments, None, Text } about = About::Arguments;
  /// The argument that is nothing for any kernel: text that cannot be read, a block of three rows.
  std::optional<size_t> refused;

  static size_t placeOf(SourceLoc loc) {
    return llvm::hash_combine(loc.file ? loc.file->path() : llvm::StringRef(), loc.line);
  }
  void come(SourceLoc loc, uint64_t taken) {
    places.insert(*(last = placeOf(loc)));
    steps += taken;
  }
  void fail(SourceLoc loc, About what) {
    if (failed)
      return;
    about = what;
    failed = places.contains(placeOf(loc)) ? placeOf(loc) : last;
    stepsToFailure = steps;
  }
};

} // namespace tilewise::frontend
