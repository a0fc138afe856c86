// Decoded kernels: a list of instructions over preallocated buffers, made once per kernel and run
// once per program.
//
// Every SSA value has a buffer of its own at a fixed offset (its slot) of a thread's frame, one
// element after another. An instruction is a function pointer, chosen at decoding by op and element
// type, that loops over whole buffers; so the cost of decoding and dispatch is paid per block, not
// per element, and the loops vectorise. Regions (loops, branches, combine functions) are Codes
// inside an instruction's details. Vector add over 2^24 floats in blocks of 1024 runs at more than
// 1 GB/s per core this way.
#pragma once

#include "artifact/ArgumentSpan.h"
#include "reference/Counting.h"
#include "reference/Element.h"
#include "reference/ProcessMemory.h"
#include "support/Error.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tilewise::reference {

struct OverflowSite; // Checked.h

/// Offset in bytes of a value's buffer in the frame.
using Slot = uint32_t;
inline constexpr Slot kNoSlot = ~Slot(0);

/// What all programs of a launch share.
struct LaunchContext {
  /// One per parameter, those of numbers unused; none means that no size is known.
  llvm::ArrayRef<ArgumentSpan> spans;
  llvm::ArrayRef<std::string> names; ///< The parameters'.
  llvm::ArrayRef<std::shared_ptr<OverflowSite>> overflowSites;
  std::function<void(llvm::StringRef)> print;
  std::function<bool()> interrupted; ///< Whether the launch should end; null means never.

  const ArgumentSpan &span(unsigned argument) const {
    static const ArgumentSpan unknown;
    return argument < spans.size() ? spans[argument] : unknown;
  }
  /// "'x'"
  std::string name(unsigned argument) const {
    return argument < names.size() ? "'" + names[argument] + "'" : "argument " + std::to_string(argument);
  }
};
/// No sizes, no names, and prints go to standard output.
const LaunchContext &plainLaunch(); // Reference.cpp

/// The latest overflow of an arithmetic op, for the message if one of its lanes reaches memory.
struct Overflow {
  int64_t left = 0, right = 0;
  size_t lane = 0;
};

/// Where one thread runs programs, one after another.
struct Frame {
  std::byte *memory = nullptr;
  std::array<uint32_t, 3> program{}, grid{};
  const LaunchContext *launch = &plainLaunch();
  std::array<Overflow, 256> overflows; ///< By the number of the op, see Checked.h.
  std::optional<Failure> failure;      ///< Set by the instruction that failed; ends the program.
  uint32_t trips = 0;                  ///< Of loops, all counted together.
  ProcessMemory process;               ///< For pointers of unknown size.

  /// Once per trip of a loop, so that a kernel that waits for ever can be ended: true after the
  /// program has failed for that reason.
  bool isInterrupted() {
    // A trip takes some 100 ns at least, a question about as long.
    constexpr uint32_t kTripsPerQuestion = 64;
    if (++trips % kTripsPerQuestion != 0 || !launch->interrupted || !launch->interrupted())
      return false;
    failure = launchFailure("the launch was interrupted");
    return true;
  }

  template <typename T> T *at(Slot slot) const { return reinterpret_cast<T *>(memory + slot); }
};

/// What an instruction needs beyond slots and a count.
struct Details {
  virtual ~Details() = default;
};

struct Instruction {
  void (*execute)(const Instruction &, Frame &) = nullptr;
  size_t count = 1; ///< Elements that the loop runs over.
  llvm::SmallVector<Slot, 4> in;
  llvm::SmallVector<Slot, 2> out;
  std::unique_ptr<Details> details;
  uint64_t operations = 0; ///< On floats, see Counting.h.
  bool isDot = false;

  template <typename T> const T &as() const { return static_cast<const T &>(*details); }
};

struct Code {
  std::vector<Instruction> instructions;

  /// False when an instruction failed.
  bool run(Frame &frame) const {
    for (const Instruction &instruction : instructions) {
      if (instruction.operations != 0 && isCounting.load(std::memory_order_relaxed))
        countOperations(instruction);
      instruction.execute(instruction, frame);
      if (frame.failure)
        return false;
    }
    return true;
  }
};

struct Buffer {
  Slot slot = kNoSlot;
  size_t bytes = 0;
};

/// A region of scalars run on many lanes at once: every op is total, so that lanes beyond the last
/// one wanted do no harm.
struct LaneCode {
  /// Spreads scalars of outside to all lanes; runs once before `body` runs any number of times.
  Code captures;
  Code body;
  llvm::SmallVector<Slot, 4> arguments, yields;
};

std::optional<Kind> kindOf(mlir::Type type);
size_t elementCountOf(mlir::Type type);
/// "kernel.py:3:7: ", or nothing when the op has no place in a file.
std::string placeOf(mlir::Operation *op);

/// Turns ops into instructions. Each op family has a `decode...` function below that either adds an
/// instruction and returns true, or knows nothing of the op.
class Decoder {
public:
  /// Instructions that fill constants; run once per frame.
  Code prologue;
  bool hasAtomics = false, hasMessages = false;

  Slot slotOf(mlir::Value value);
  Buffer bufferOf(mlir::Value value);
  /// Makes `value` live where `other` does.
  void alias(mlir::Value value, mlir::Value other) {
    slots_[value] = slotOf(other);
    if (isOffset(value))
      taints_[value] = taintOf(other);
  }
  Slot allocate(size_t bytes);
  size_t frameBytes() const { return frameBytes_; }

  /// Elements of a value's buffer: those of its type, or `lanes` for a scalar inside a combine
  /// region.
  size_t countOf(mlir::Value value) const {
    return mlir::isa<mlir::RankedTensorType>(value.getType()) ? elementCountOf(value.getType()) : lanes_;
  }

  /// A new instruction at the end of the code being decoded, with slots of the op's operands and
  /// results.
  Instruction &append(mlir::Operation *op);
  Instruction &appendConstant();
  /// A new instruction at the end of the code being decoded.
  Instruction &appendPlain() { return current_->instructions.emplace_back(); }

  Result<Code> decode(mlir::Block &block);
  /// A combine region over `lanes` elements at once.
  Result<LaneCode> decodeLanes(mlir::Block &block, size_t lanes);
  /// What made decoding fail inside an op's own regions.
  void fail(Failure failure) { failure_ = std::move(failure); }

  /// The values whose overflow is followed, see Checked.h; scalars that run on many lanes at once
  /// are not.
  void follow(llvm::DenseSet<mlir::Value> offsets) { offsets_ = std::move(offsets); }
  bool isOffset(mlir::Value value) const { return !laneRegion_ && offsets_.contains(value); }
  Slot taintOf(mlir::Value value);
  std::vector<std::shared_ptr<OverflowSite>> overflowSites;

private:
  Result<void> decodeOp(mlir::Operation *op);

  llvm::DenseMap<mlir::Value, Slot> slots_, taints_;
  llvm::DenseSet<mlir::Value> offsets_;
  size_t frameBytes_ = 0;
  Code *current_ = nullptr;
  size_t lanes_ = 1;
  mlir::Region *laneRegion_ = nullptr;
  Code *captures_ = nullptr;
  std::optional<Failure> failure_;
};

bool decodeIntegers(mlir::Operation *op, Decoder &decoder);  // Integers.cpp
bool decodeFloats(mlir::Operation *op, Decoder &decoder);    // Floats.cpp
bool decodeMath(mlir::Operation *op, Decoder &decoder);      // Math.cpp
bool decodeCasts(mlir::Operation *op, Decoder &decoder);     // Casts.cpp
bool decodeShapes(mlir::Operation *op, Decoder &decoder);    // Shapes.cpp
bool decodeMemory(mlir::Operation *op, Decoder &decoder);    // Memory.cpp
bool decodeAtomics(mlir::Operation *op, Decoder &decoder);   // Atomics.cpp
bool decodeDot(mlir::Operation *op, Decoder &decoder);       // Dot.cpp
bool decodeLibdevice(mlir::Operation *op, Decoder &decoder); // Libdevice.cpp
bool decodeCombines(mlir::Operation *op, Decoder &decoder);  // Combines.cpp
bool decodeControl(mlir::Operation *op, Decoder &decoder);   // Control.cpp
bool decodeOpaque(mlir::Operation *op, Decoder &decoder);    // Opaque.cpp
bool decodeMessages(mlir::Operation *op, Decoder &decoder);  // Messages.cpp
/// Behind the instruction of an op, what checked mode wants to know of it, see Checked.h.
void decodeTaint(mlir::Operation *op, Decoder &decoder);

} // namespace tilewise::reference
