// The slow path of an access, and what it says: which lane, how far outside, of which argument.
#include "reference/Checked.h"

#include "ir/Tile.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace tilewise::reference {

AccessSite siteOf(Operation *op, llvm::StringRef verb, Value pointer, Value mask, Decoder &decoder) {
  AccessSite site;
  site.place = placeIn(op);
  site.verb = verb;
  site.bytes = bytesOf(*kindOf(cast<tile::PtrType>(tile::elementTypeOf(pointer.getType())).getPointee()));
  ArrayRef<int64_t> shape = tile::shapeOf(pointer.getType());
  site.shape.assign(shape.begin(), shape.end());
  site.origins = originsOf(pointer);
  site.pointer = decoder.slotOf(pointer);
  if (mask)
    site.mask = decoder.slotOf(mask);
  if (decoder.isOffset(pointer))
    site.taint = decoder.taintOf(pointer);
  return site;
}

static std::string counted(uint64_t count, const char *what) {
  return std::to_string(count) + ' ' + what + (count == 1 ? "" : "s");
}

/// "24 bytes (6 elements)"
static std::string distanceOf(uint64_t bytes, unsigned element) {
  std::string text = counted(bytes, "byte");
  return bytes % element ? text : text + " (" + counted(bytes / element, "element") + ")";
}

static std::string maskAdvice(const AccessSite &site) {
  std::string call = site.verb == "load"    ? "tl.load(pointers, mask="
                     : site.verb == "store" ? "tl.store(pointers, values, mask="
                                            : "tl.atomic_add(pointers, values, mask=";
  std::string advice = "leave such lanes out by a mask, as in " + call + "offsets < n)";
  return site.mask == kNoSlot ? advice : "the mask lets this lane through: " + advice;
}

/// "'x'", or "'x' or 'y'"
static std::string namesOf(const Origins &origins, const Frame &frame) {
  std::string text;
  for (unsigned argument : origins.arguments)
    text += (text.empty() ? "" : " or ") + frame.launch->name(argument);
  return text;
}

static void failOutside(const AccessSite &site, size_t lane, uint64_t address, Frame &frame) {
  std::string where = laneOf(lane, site.shape, frame), verb = site.verb.str();
  std::vector<std::string> notes;
  // Of several arguments, the distance is told from the first whose size is known.
  const ArgumentSpan *span = nullptr;
  for (unsigned argument : site.origins.arguments)
    if (frame.launch->span(argument).isKnown() && !span)
      span = &frame.launch->span(argument);
  std::string names = namesOf(site.origins, frame);
  if (!span || span->pointer == 0) {
    std::string through = names.empty() ? "" : " made from " + names;
    if (!span && address >= ArgumentSpan::kFirstPage)
      frame.failure = failureAt(site.place,
                                verb + " at the address 0x" + llvm::utohexstr(address, /*LowerCase=*/true) + through +
                                    ", where this process has no memory" +
                                    (site.verb == "load" ? "" : " that can be written") + ", in " + where,
                                {maskAdvice(site)});
    else if (address < ArgumentSpan::kFirstPage)
      frame.failure = failureAt(site.place, verb + " through a null pointer" + through + ", in " + where,
                                {site.mask == kNoSlot ? maskAdvice(site) : "the mask lets this lane through"});
    else
      frame.failure = failureAt(site.place, verb + " outside of " + names + ", which has no memory, in " + where,
                                {maskAdvice(site)});
    return;
  }
  bool before = address < span->begin;
  uint64_t distance = before ? span->begin - address : address - (span->end - site.bytes);
  int64_t element = int64_t(address - span->pointer);
  std::string which = element % int64_t(site.bytes) ? "byte " + std::to_string(element)
                                                    : "element " + std::to_string(element / int64_t(site.bytes));
  std::string message = verb + " outside of " + names + ": " + which + " lies " + distanceOf(distance, site.bytes) +
                        (before ? " before the first one" : " after the last one") + ", in " + where;
  notes.push_back(names + " has " + counted((span->end - span->begin) / site.bytes, "element") + "; " +
                  maskAdvice(site));
  for (auto [number, other] : llvm::enumerate(frame.launch->spans))
    if (other.isKnown() && other.holds(address, site.bytes) && !llvm::is_contained(site.origins.arguments, number))
      notes.push_back("the address belongs to " + frame.launch->name(unsigned(number)));
  frame.failure = failureAt(site.place, std::move(message), std::move(notes));
}

bool checkLanes(const AccessSite &site, size_t count, Frame &frame) {
  const uint64_t *pointer = frame.at<uint64_t>(site.pointer);
  const uint8_t *mask = site.mask == kNoSlot ? nullptr : frame.at<uint8_t>(site.mask);
  const uint8_t *taint = site.taint == kNoSlot ? nullptr : frame.at<uint8_t>(site.taint);
  for (size_t k = 0; k < count; ++k) {
    if (mask && !mask[k])
      continue;
    if (taint && taint[0] && taint[kTaintHead + k]) {
      failOverflow(site, k, taint[kTaintHead + k], frame);
      return false;
    }
    bool allowed = false, mayRoam = site.origins.foreign;
    for (unsigned argument : site.origins.arguments) {
      const ArgumentSpan &span = frame.launch->span(argument);
      allowed |= span.isKnown() && span.holds(pointer[k], site.bytes);
      mayRoam |= !span.isKnown();
    }
    if (allowed || (mayRoam && isMemory(site, pointer[k], site.bytes, frame)))
      continue;
    failOutside(site, k, pointer[k], frame);
    return false;
  }
  return true;
}

} // namespace tilewise::reference
