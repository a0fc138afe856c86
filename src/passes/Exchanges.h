// Gathers that exchange elements in pairs, as sorting networks do.
#pragma once

#include "passes/AccessInference.h"

#include <optional>

namespace tilewise::tile {

/// The constant c of a gather whose indices are `position along the axis ^ c`, which stay inside
/// of an axis of 2^n elements: every element changes places with the one whose position differs in
/// the bits of c.
std::optional<int64_t> exchangeOf(GatherOp gather, AccessInference &inference);

} // namespace tilewise::tile
