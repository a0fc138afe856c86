// What a device can do at most, as far as a kernel can tell: measured once, and kept in the disk
// cache for every process of the machine.
#pragma once

#include "support/Error.h"
#include "tilewise/tilewise.h"

#include <optional>

namespace tilewise::bench {

struct Ceilings {
  double gigabytesPerSecond = 0; ///< Reading and writing, of memory that no cache holds.
  double gigaflops = 0;          ///< Of a matrix product in fp32.
};

/// What an earlier measurement left; nothing where there was none.
std::optional<Ceilings> knownCeilings(tw_device device);
/// Measures, which takes some seconds, and keeps it.
Result<Ceilings> measureCeilings(tw_device device);

} // namespace tilewise::bench
