// Checked mode, which is always on in this engine: an access outside the memory of its argument,
// and a 32-bit offset that overflowed on its way to an address, stop the launch with the line, the
// argument, the program, the lane and the distance.
//
// Whose memory? An address is made from pointer arguments by steps that carry it along: pointer
// arithmetic, shape ops, selects, loops. `originsOf` walks back through them. A lane may touch the
// memory of the arguments found and nothing else, so that an access made from `x` that lands in `y`
// is an error although the memory is the launch's own. A raw pointer's size is unknown and all
// memory of the process is allowed; so it is for an address that was loaded from memory or made
// from an integer.
//
// What does it cost? Per access one pass over the addresses for their least and greatest; only when
// these are not inside one argument are single lanes looked at.
//
// Overflow. `offs = row * stride + col` in 32 bits wraps when the tensor has more than 2^31
// elements, and the kernel reads the wrong place, perhaps inside the tensor. But many lanes may
// overflow without harm, when a mask turns them off (an index loaded with `other=INT_MAX`), so an
// overflow is no error where it happens: the lane is tainted, the taint follows the value, and an
// access by a tainted lane is the error.
//
//     row     : [3, 70000]          offs = row * 40000        tainted: [no, yes]     (2.8e9 wraps to -1494967296)
//     ptrs    = x + offs            tainted: [no, yes]
//     load(ptrs, mask=[1, 0])       fine
//     load(ptrs)                    error: 70000 * 40000 does not fit in 32 bits
//
// Only sums, differences and products are followed. Behind a remainder, a shift, a bit operation or
// an unsigned extension a wrap is most often meant (hashes, random numbers). A taint is one flag
// for the whole value and, read only where the flag is set, a byte per lane: the number of the
// arithmetic op it comes from. While nothing overflows an instruction costs a look at its operands'
// flags.
#pragma once

#include "passes/Origins.h"
#include "reference/Code.h"

namespace tilewise::reference {

/// An op's place in the kernel's text, kept for messages of a launch.
struct Place {
  std::string file, text; ///< `text` is the line itself, empty when it is not known.
  uint32_t line = 0, column = 0, length = 0;
  std::vector<std::string> callers; ///< From the innermost: "k.py:7:5".

  std::string str() const;
};
/// The innermost place in the user's own text; library functions are the business of their caller.
Place placeIn(mlir::Operation *op);
/// An error at `place` as a person reads it, with the line, a caret and notes.
Failure failureAt(const Place &place, std::string message, std::vector<std::string> notes = {});

/// "(0, 3)"
std::string tupleOf(llvm::ArrayRef<int64_t> values);
std::string programOf(const Frame &frame);
llvm::SmallVector<int64_t> indexOf(size_t position, llvm::ArrayRef<int64_t> shape);
/// "program (1, 0, 0), lane (3)"
std::string laneOf(size_t lane, llvm::ArrayRef<int64_t> shape, const Frame &frame);

using tile::carriedFrom;
using tile::findOffsets;
using tile::Origins;
using tile::originsOf;

/// An addition, subtraction or multiplication of 32 bits whose result may become part of an
/// address.
struct OverflowSite {
  Place place;
  char sign = '+';
  llvm::SmallVector<int64_t> shape;
};

/// Where a taint lies: a flag byte in a line of its own, then a byte per lane.
inline constexpr size_t kTaintHead = 64;

/// What every access knows of itself.
struct AccessSite {
  Place place;
  llvm::StringRef verb; ///< "load", "store", "atomic".
  unsigned bytes = 1;   ///< Of one element.
  llvm::SmallVector<int64_t> shape;
  Origins origins;
  Slot pointer = kNoSlot, mask = kNoSlot, taint = kNoSlot;
};
AccessSite siteOf(mlir::Operation *op, llvm::StringRef verb, mlir::Value pointer, mlir::Value mask, Decoder &decoder);

/// Whether a pointer of unknown size may be followed to these bytes.
inline bool isMemory(const AccessSite &site, uint64_t address, uint64_t bytes, Frame &frame) {
  return address >= ArgumentSpan::kFirstPage && frame.process.holds(address, bytes, site.verb != "load");
}

/// Looks at lanes one by one; false, with the frame's failure set, when one of them may not do its
/// access.
bool checkLanes(const AccessSite &site, size_t count, Frame &frame);
/// Reports the overflow `number` that a lane's address has come from.
void failOverflow(const AccessSite &site, size_t lane, uint8_t number, Frame &frame);

/// Whether all lanes that are on may do their access; else the frame has failed.
inline bool mayAccess(const AccessSite &site, size_t count, Frame &frame) {
  if (isCounting.load(std::memory_order_relaxed))
    countAccess(site, count, frame);
  const uint64_t *__restrict pointer = frame.at<uint64_t>(site.pointer);
  uint64_t least = UINT64_MAX, greatest = 0;
  if (site.mask == kNoSlot) {
    for (size_t k = 0; k < count; ++k) {
      least = std::min(least, pointer[k]);
      greatest = std::max(greatest, pointer[k]);
    }
  } else {
    const uint8_t *__restrict mask = frame.at<uint8_t>(site.mask);
    for (size_t k = 0; k < count; ++k) {
      least = std::min(least, mask[k] ? pointer[k] : UINT64_MAX);
      greatest = std::max(greatest, mask[k] ? pointer[k] : 0);
    }
  }
  if (least > greatest)
    return true; // No lane is on.
  bool tainted = site.taint != kNoSlot && *frame.at<uint8_t>(site.taint);
  bool mayRoam = site.origins.foreign;
  if (!tainted)
    for (unsigned argument : site.origins.arguments) {
      const ArgumentSpan &span = frame.launch->span(argument);
      if (span.isKnown() && span.holds(least, site.bytes) && span.holds(greatest, site.bytes))
        return true;
      mayRoam |= !span.isKnown();
    }
  if (!tainted && mayRoam && isMemory(site, least, greatest - least + site.bytes, frame))
    return true;
  return checkLanes(site, count, frame);
}

} // namespace tilewise::reference
