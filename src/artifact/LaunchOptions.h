// What a launch may ask for beyond its types: the same structure from the API down to the back
// ends.
//
// `tw_options` (include/tilewise/tilewise.h) is what of it crosses the C interface;
// api/KernelApi.cpp reads one into the other.
#pragma once

#include "support/Warnings.h"

#include <cstdint>

namespace tilewise {

/// An engine ignores what means nothing to it.
struct LaunchOptions {
  uint32_t numWarps = 4;
  uint32_t numStages = 3;
  uint32_t maxRegisters = 0; ///< That a thread of a GPU may have; 0: as the assembler likes.
  bool fpFusion = true;
  bool debug = false; ///< Assertions are part of the code.
  /// Among them, that integers do not overflow.
  bool overflowChecks = true;
  /// Accesses are checked against the memory of the arguments; the reference engine always does.
  bool checked = false;
  /// They are where -Wunmasked-access warns of the kernel: the launch compiles once more then.
  bool checkedIfWarned = false;
  /// A GPU's threads copy by themselves what its copy engine could: a launch whose strides that
  /// cannot take compiles once more then.
  bool plainCopies = false;
  /// All programs live at once. Of the launch alone: the code is the same.
  bool cooperative = false;

  // Of a compile alone, the same for every launch of a process.
  /// Code says which line it comes from, see target/LineTables.h.
  bool lineTables = true;
  WarningSet warnings = {};

  bool operator==(const LaunchOptions &) const = default;
};

} // namespace tilewise
