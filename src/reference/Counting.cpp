// Counts accesses and operations of launches; one at a time, for all threads of the process.
#include "reference/Counting.h"

#include "ir/Tile.h"
#include "reference/Checked.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Interfaces/CastInterfaces.h"

#include <algorithm>
#include <mutex>

using namespace mlir;

namespace tilewise::reference {

std::atomic<bool> isCounting{false};

static std::mutex mutex;
static Counts counts;

void startCounting() {
  std::lock_guard lock(mutex);
  counts = {};
  isCounting = true;
}

Counts stopCounting() {
  std::lock_guard lock(mutex);
  isCounting = false;
  return std::move(counts);
}

void countLaunch(uint64_t programs) {
  std::lock_guard lock(mutex);
  ++counts.launches;
  counts.programs += programs;
}

/// The counts of the argument whose memory holds the address; null for memory of unknown size.
static ArgumentCounts *argumentOf(const AccessSite &site, uint64_t address, const Frame &frame) {
  for (unsigned argument : site.origins.arguments) {
    const ArgumentSpan &span = frame.launch->span(argument);
    if (!span.isKnown() || !span.holds(address, site.bytes))
      continue;
    const std::string name = argument < frame.launch->names.size() ? frame.launch->names[argument] : "";
    auto isIt = [&](const ArgumentCounts &each) { return each.begin == span.begin && each.name == name; };
    auto found = std::find_if(counts.arguments.begin(), counts.arguments.end(), isIt);
    if (found != counts.arguments.end())
      return &*found;
    ArgumentCounts &fresh = counts.arguments.emplace_back();
    fresh.name = name;
    fresh.begin = span.begin;
    fresh.elementBytes = site.bytes;
    fresh.read.resize(span.end - span.begin);
    fresh.written.resize(span.end - span.begin);
    return &fresh;
  }
  return nullptr;
}

/// How many of the bytes are new in `seen`, which has them afterwards.
static uint64_t mark(std::vector<bool> &seen, uint64_t first, unsigned bytes) {
  uint64_t fresh = 0;
  for (uint64_t at = first; at < first + bytes && at < seen.size(); ++at) {
    fresh += !seen[at];
    seen[at] = true;
  }
  return fresh;
}

void countAccess(const AccessSite &site, size_t count, const Frame &frame) {
  const uint64_t *pointer = frame.at<uint64_t>(site.pointer);
  const uint8_t *mask = site.mask == kNoSlot ? nullptr : frame.at<uint8_t>(site.mask);
  const bool loads = site.verb != "store", stores = site.verb != "load";
  std::vector<uint64_t> sectors;
  std::lock_guard lock(mutex);
  ArgumentCounts *argument = nullptr;
  for (size_t k = 0; k < count; ++k) {
    if (mask && !mask[k])
      continue;
    if (!argument && !(argument = argumentOf(site, pointer[k], frame)))
      return;
    if (pointer[k] < argument->begin || pointer[k] - argument->begin >= argument->read.size())
      continue; // Outside of it: the access fails.
    const uint64_t at = pointer[k] - argument->begin;
    if (loads) {
      argument->loaded += site.bytes;
      argument->distinctLoaded += mark(argument->read, at, site.bytes);
    }
    if (stores) {
      argument->stored += site.bytes;
      argument->distinctStored += mark(argument->written, at, site.bytes);
    }
    sectors.push_back(pointer[k] / kSectorBytes);
  }
  std::sort(sectors.begin(), sectors.end());
  const uint64_t moved = uint64_t(std::unique(sectors.begin(), sectors.end()) - sectors.begin()) * kSectorBytes;
  if (argument && loads)
    argument->loadedSectors += moved;
  if (argument && stores)
    argument->storedSectors += moved;
}

void countOperations(const Instruction &instruction) {
  std::lock_guard lock(mutex);
  counts.operations += instruction.operations;
  if (instruction.isDot)
    counts.dotOperations += instruction.operations;
}

uint64_t operationsOf(Operation *op) {
  auto isFloat = [](Type type) { return isa<FloatType>(tile::elementTypeOf(type)); };
  auto elementsOf = [](Value value) { return uint64_t(elementCountOf(value.getType())); };
  if (auto dot = dyn_cast<tile::DotOp>(op)) {
    const ArrayRef<int64_t> left = tile::shapeOf(dot.getOperand(0).getType());
    return 2 * elementsOf(dot.getResult()) * uint64_t(left.back());
  }
  if (op->getNumResults() == 0 || !isFloat(op->getResult(0).getType()))
    return 0;
  if (isa<tile::CombinesAlong>(op))
    return elementsOf(op->getOperand(0));
  if (!tile::isElementwise(op) || isa<CastOpInterface, tile::HintOp>(op))
    return 0;
  if (op->getNumOperands() != 0 && !isFloat(op->getOperand(op->getNumOperands() - 1).getType()))
    return 0; // A conversion of ints.
  return elementsOf(op->getResult(0)) * (isa<math::FmaOp>(op) ? 2 : 1);
}

} // namespace tilewise::reference
