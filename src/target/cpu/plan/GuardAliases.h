// Loads in danger: a store of the same nest may overwrite what a later chunk still has to load.
//
// Blocks are loaded whole before they are stored; a nest does it chunk by chunk. The two differ
// only when a load's memory overlaps a store's at other indices, as in `store(p + i + 1, load(p +
// i))`. Which pointers a launch passes is not known here, so the nest asks at run time: it compares
// the boxes of load and store. When they overlap and are not the same box, the blocks of all loads
// that may be in danger are first copied to scratch, and the nest reads them there: same loop,
// other starts and strides. That costs a few scalar instructions per nest.
//
// A load of rows whose numbers were loaded has no box, but each of its rows has: `w + row[:, None]
// * n + column[None, :]`. Where the first of them starts and the last one ends is found before the
// nest, by a loop over the rows.
//
// Nor has a load at clamped offsets, `x + min(max(i + di, 0), h - 1) * w + ..`, as of an image
// filter at the border. But along each dimension its addresses only rise or only fall, so that the
// least and the greatest are at corners of the block.
//
// Stores of one nest to different addresses are a second danger: where two of them overlap, the
// later one must win. Then, or when a load of such a nest overlaps any of them, everything runs one
// after another: all loads into scratch, then each store in a nest of its own. Nests that take rows
// together (ShareRows.h) or load rows by their numbers are treated in the same way: their addresses
// stay what the kernel said, and share registers.
//
// Where that can be at all is known before the run, from the addresses of a nest's loads and
// stores. The pass `cpu-guard-aliases` writes it down: loads that are `cpu.tested`, loads that are
// `cpu.copied` always since nobody knows their box, and nests that run as they are
// `unless_overlapping`, or `one_by_one` always. NestAliasing.cpp emits tests and copies.
#pragma once

#include "target/cpu/plan/NestSurvey.h"

namespace tilewise::cpu {

/// On a load of a nest: its block is copied first if its box meets a store's; or in any case.
inline constexpr char kTestedAttr[] = "cpu.tested", kCopiedAttr[] = "cpu.copied";

/// Whether addresses, or integers, only rise or only fall along each dimension.
bool isMonotone(tile::AccessInference &inference, mlir::Value block);

/// Known before the run: load and store of a nest go through the same addresses at the same
/// indices.
bool sameElements(const NestSurvey &survey, const LoadAt &load, tile::StoreOp store);

} // namespace tilewise::cpu
