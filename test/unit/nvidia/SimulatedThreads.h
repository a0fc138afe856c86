// The simulator's state and its parts: ThreadSimulator.cpp steps through the LLVM dialect,
// SimulatedPtx.cpp does what PTX and the device library do.
#pragma once

#include "SharedRaces.h"
#include "ThreadSimulator.h"

#include "target/gpu/Gpu.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/MapVector.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <deque>
#include <functional>
#include <optional>
#include <utility>

namespace tilewise::nvidiatest {

using namespace mlir;

/// The bits of a scalar, or of the elements of a vector or struct.
using Bits = llvm::SmallVector<uint64_t, 4>;

inline uint64_t mask(uint64_t value, unsigned width) {
  return width >= 64 ? value : value & ((uint64_t(1) << width) - 1);
}
inline int64_t extend(uint64_t value, unsigned width) { return int64_t(value << (64 - width)) >> (64 - width); }
inline unsigned widthOf(Type type) {
  if (auto vector = dyn_cast<VectorType>(type))
    type = vector.getElementType();
  return isa<LLVM::LLVMPointerType>(type) ? 64 : type.getIntOrFloatBitWidth();
}

inline double toDouble(uint64_t bits, unsigned width) {
  if (width == 64)
    return std::bit_cast<double>(bits);
  if (width == 32)
    return std::bit_cast<float>(uint32_t(bits));
  return double(std::bit_cast<_Float16>(uint16_t(bits)));
}

inline uint64_t fromDouble(double value, unsigned width) {
  if (width == 64)
    return std::bit_cast<uint64_t>(value);
  if (width == 32)
    return std::bit_cast<uint32_t>(float(value));
  return std::bit_cast<uint16_t>(_Float16(value));
}

inline uint16_t roundToBf16(float value) {
  if (std::isnan(value))
    return 0x7fff;
  uint32_t bits = std::bit_cast<uint32_t>(value);
  return uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/// a + b, cut towards zero, with the last digit set where digits were lost: rounding that to fewer
/// digits is rounding the sum once.
inline double stickySum(double a, double b) {
  double sum = a + b, part = sum - a, lost = (a - (sum - part)) + (b - part);
  if (!std::isfinite(sum) || lost == 0)
    return sum;
  if ((lost < 0) == (sum > 0))
    sum = std::nextafter(sum, 0.0);
  return std::bit_cast<double>(std::bit_cast<uint64_t>(sum) | 1);
}

inline uint16_t roundOnceToBf16(double value) {
  float cut = float(value);
  if (!std::isfinite(cut) || double(cut) == value)
    return roundToBf16(cut);
  if (std::fabs(cut) > std::fabs(value))
    cut = std::nextafter(cut, 0.0f);
  return roundToBf16(std::bit_cast<float>(std::bit_cast<uint32_t>(cut) | 1));
}

/// The greater or the lesser of two numbers; +0 is greater than -0, and a NaN gives the other.
inline double minOrMax(double a, double b, bool isMax) {
  if (a == 0 && b == 0)
    return std::signbit(a) == isMax ? b : a;
  return isMax ? std::fmax(a, b) : std::fmin(a, b);
}

inline float fromBf16(uint64_t bits) { return std::bit_cast<float>(uint32_t(bits) << 16); }

/// Work that goes on behind the back of those who began it, in groups: done at once, or as late as
/// it may be.
struct Asynchronous {
  std::vector<std::function<void()>> open;
  std::deque<std::vector<std::function<void()>>> groups;

  void commit() { groups.push_back(std::exchange(open, {})); }
  /// Until no more than `pending` groups are left.
  void wait(size_t pending) {
    for (; groups.size() > pending; groups.pop_front())
      for (auto &work : groups.front())
        work();
  }
};

/// An mbarrier: the half it is in, and what the half still waits for.
struct Signal {
  explicit Signal(unsigned givers = 1) : givers(givers), arrivals(givers) {}

  unsigned half = 0, givers, arrivals;
  int64_t bytes = 0;
  /// Of a warp that gives the signal, the lanes that are there.
  llvm::DenseMap<unsigned, unsigned> lanes;
  std::vector<std::function<void()>> copies; ///< Under way, and not done yet.

  void turn() {
    if (arrivals || bytes)
      return;
    half ^= 1;
    arrivals = givers;
  }
};

struct Thread {
  unsigned id = 0;
  Operation *next = nullptr;
  llvm::DenseMap<Value, Bits> values;
  bool done = false;
  Asynchronous copies;
};

class Machine {
public:
  Machine(Simulation &simulation) : simulation_(simulation) {
    ModuleOp module = simulation.module;
    threads_ = 32 * gpu::allWarpsOf(module);
    computing_ = 32 * gpu::numWarpsOf(module);
    describeTensors();
    shared_.resize(gpu::sharedBytesOf(module) + kSharedAlignment);
    races_.emplace(shared_.size());
    for (auto function : module.getOps<LLVM::LLVMFuncOp>())
      if (!function.isExternal())
        function_ = function;
  }

  std::string run() {
    // Programs that go through those of the grid are fewer, so that each does more than one.
    constexpr uint32_t kMultiprocessors = 2;
    if (gpu::repeatsPrograms(simulation_.module))
      blocks_ = {std::min(simulation_.grid[0] * simulation_.grid[1] * simulation_.grid[2], kMultiprocessors), 1, 1};
    for (uint32_t z = 0; z < blocks_[2]; ++z)
      for (uint32_t y = 0; y < blocks_[1]; ++y)
        for (uint32_t x = 0; x < blocks_[0] && error_.empty(); ++x) {
          program_ = {x, y, z};
          runProgram();
        }
    return error_;
  }

private:
  void fail(const llvm::Twine &what) {
    if (error_.empty())
      error_ = what.str();
  }

  static constexpr size_t kSharedAlignment = 1024;
  uint8_t *sharedBase() {
    return reinterpret_cast<uint8_t *>((uintptr_t(shared_.data()) + kSharedAlignment - 1) & ~(kSharedAlignment - 1));
  }
  /// Shared addresses in PTX have 32 bits: offsets from where the program's memory begins, as
  /// sharedAddress made them.
  uint64_t sharedPointer(uint64_t word) {
    auto base = uint64_t(uintptr_t(sharedBase()));
    return base + uint32_t(word - uint32_t(base));
  }

  void runProgram() {
    // What was there before is anything but zero.
    std::memset(shared_.data(), 0xcd, shared_.size());
    std::vector<Thread> threads(threads_);
    multiplications_.assign(threads_ / 128 + 1, {});
    promised_.clear();
    signals_.clear();
    locals_.clear();
    races_->meet();
    for (unsigned id = 0; id < threads_; ++id) {
      threads[id].id = id;
      threads[id].next = &function_.getBody().front().front();
      for (auto [index, argument] : llvm::enumerate(function_.getArguments()))
        if (index < simulation_.arguments.size()) // Tensor maps are read where they lie.
          threads[id].values[argument] = {mask(simulation_.arguments[index], widthOf(argument.getType()))};
        else if (size_t behind = simulation_.arguments.size() + tensors_.size(); index >= behind)
          threads[id].values[argument] = {simulation_.grid[index - behind]};
    }
    while (error_.empty()) {
      for (unsigned i = 0; i < threads_ && error_.empty(); ++i)
        advance(threads[simulation_.backwards ? threads_ - 1 - i : i]);
      if (!error_.empty() || llvm::all_of(threads, [](Thread &thread) { return thread.done; }))
        return;
      // Those who wait for a signal that has been given meanwhile go on first.
      bool anyWaits = false, anyGoesOn = false;
      for (Thread &thread : threads)
        if (!thread.done && isAwait(thread.next)) {
          anyWaits = true;
          anyGoesOn |= !waits(thread);
        }
      if (!anyGoesOn && !meet(threads, anyWaits))
        return fail("threads wait for a signal that nobody gives");
    }
  }

  static bool isBarrier(Operation *op) {
    auto call = dyn_cast<LLVM::CallIntrinsicOp>(op);
    return (call && call.getIntrin() == "llvm.nvvm.barrier0") || isBarrierOfSome(op);
  }
  /// Of the threads that compute, without those beside them.
  static bool isBarrierOfSome(Operation *op) {
    auto assembly = dyn_cast<LLVM::InlineAsmOp>(op);
    return assembly && assembly.getAsmString().starts_with("bar.sync 1, ");
  }
  static bool isShuffle(Operation *op) {
    auto call = dyn_cast<LLVM::CallIntrinsicOp>(op);
    return call && (call.getIntrin().starts_with("llvm.nvvm.shfl") || isBarrierOfWarp(op));
  }
  static bool isBarrierOfWarp(Operation *op) {
    auto call = dyn_cast<LLVM::CallIntrinsicOp>(op);
    return call && call.getIntrin() == "llvm.nvvm.bar.warp.sync";
  }

  static bool isMma(Operation *op) {
    auto assembly = dyn_cast<LLVM::InlineAsmOp>(op);
    return assembly && assembly.getAsmString().starts_with("mma.sync");
  }
  static bool isMatrixLoad(Operation *op) {
    auto assembly = dyn_cast<LLVM::InlineAsmOp>(op);
    return assembly && (assembly.getAsmString().starts_with("ldmatrix") || isMatrixStore(op));
  }
  static bool isMatrixStore(Operation *op) {
    auto assembly = dyn_cast<LLVM::InlineAsmOp>(op);
    return assembly && assembly.getAsmString().starts_with("stmatrix");
  }
  static bool isWgmma(Operation *op) {
    auto assembly = dyn_cast<LLVM::InlineAsmOp>(op);
    return assembly && assembly.getAsmString().contains("wgmma.");
  }
  static bool isAwait(Operation *op) {
    auto assembly = dyn_cast<LLVM::InlineAsmOp>(op);
    return assembly && assembly.getAsmString().contains("mbarrier.try_wait");
  }
  /// Whether the thread's next op is a wait for a signal that has not been given.
  bool waits(Thread &thread);
  /// The copy engine, SimulatedCopies.cpp.
  void describeTensors();
  uint64_t whichTensor(StringRef text);
  bool copyEngine(Thread &thread, LLVM::InlineAsmOp op, StringRef text);
  /// To shared memory, with the signal there told of what has come.
  void copyBox(const TensorMap &map, const SmallVector<int64_t> &first, uint64_t to, uint64_t where);
  /// What four warps do together.
  void multiplyTiles(llvm::MutableArrayRef<Thread> group, LLVM::InlineAsmOp op);
  void waitForTiles(llvm::MutableArrayRef<Thread> group, LLVM::InlineAsmOp op);
  void loadMatrices(llvm::MutableArrayRef<Thread> warp, LLVM::InlineAsmOp op);
  void storeMatrices(llvm::MutableArrayRef<Thread> warp, LLVM::InlineAsmOp op);
  /// One warp's matrix instruction.
  void multiply(llvm::MutableArrayRef<Thread> warp, LLVM::InlineAsmOp op);

  /// What threads do together: false when nobody goes on, for which there must be an excuse.
  bool meet(std::vector<Thread> &threads, bool someWait) {
    bool shuffled = false;
    for (unsigned first = 0; first + 128 <= threads_; first += 128) {
      Operation *op = threads[first].next;
      auto group = llvm::MutableArrayRef<Thread>(threads).slice(first, 128);
      if (threads[first].done || !isWgmma(op) || !llvm::all_of(group, [&](Thread &each) { return each.next == op; }))
        continue;
      shuffled = true;
      auto assembly = cast<LLVM::InlineAsmOp>(op);
      assembly.getAsmString().starts_with("wgmma.wait") ? waitForTiles(group, assembly)
                                                        : multiplyTiles(group, assembly);
      for (Thread &thread : group)
        thread.next = op->getNextNode();
    }
    for (unsigned first = 0; first < threads_; first += 32) {
      Operation *op = threads[first].next;
      if (threads[first].done || (!isShuffle(op) && !isMma(op) && !isMatrixLoad(op)))
        continue;
      shuffled = true;
      for (unsigned lane = 0; lane < 32; ++lane)
        if (threads[first + lane].next != op) {
          fail("lanes of a warp are at different shuffles");
          return true;
        }
      if (isBarrierOfWarp(op)) {
        for (unsigned lane = 0; lane < 32; ++lane)
          threads[first + lane].next = op->getNextNode();
        races_->meet(first / 32);
        continue;
      }
      if (auto assembly = dyn_cast<LLVM::InlineAsmOp>(op)) {
        auto warp = llvm::MutableArrayRef<Thread>(threads).slice(first, 32);
        isMma(op)           ? multiply(warp, assembly)
        : isMatrixStore(op) ? storeMatrices(warp, assembly)
                            : loadMatrices(warp, assembly);
        continue;
      }
      std::vector<uint64_t> given, result;
      for (unsigned lane = 0; lane < 32; ++lane)
        given.push_back(threads[first + lane].values[op->getOperand(1)][0]);
      bool isXor = cast<LLVM::CallIntrinsicOp>(op).getIntrin().contains("bfly");
      for (unsigned lane = 0; lane < 32; ++lane) {
        uint64_t source = threads[first + lane].values[op->getOperand(2)][0];
        result.push_back(given[(isXor ? lane ^ source : source) & 31]);
      }
      for (unsigned lane = 0; lane < 32; ++lane) {
        threads[first + lane].values[op->getResult(0)] = {result[lane]};
        threads[first + lane].next = op->getNextNode();
      }
    }
    if (shuffled)
      return true;
    const bool areAll = threads[0].done || !isBarrierOfSome(threads[0].next);
    auto meeting = llvm::MutableArrayRef<Thread>(threads).take_front(areAll ? threads_ : computing_);
    for (Thread &thread : meeting)
      if (thread.done || thread.next != threads[0].next) {
        if (!someWait)
          fail("threads are at different barriers");
        return !someWait;
      }
    if (isAwait(threads[0].next))
      return false;
    for (Thread &thread : meeting)
      thread.next = thread.next->getNextNode();
    races_->meet();
    return true;
  }

  void advance(Thread &thread) {
    who_ = int(thread.id);
    while (!thread.done && error_.empty() && !isBarrier(thread.next) && !isShuffle(thread.next) &&
           !isMma(thread.next) && !isMatrixLoad(thread.next) && !isWgmma(thread.next) &&
           !(isAwait(thread.next) && waits(thread)))
      step(thread);
  }

  void jump(Thread &thread, Block *block, ValueRange operands) {
    llvm::SmallVector<Bits> passed;
    for (Value operand : operands)
      passed.push_back(thread.values[operand]);
    for (auto [argument, value] : llvm::zip(block->getArguments(), passed))
      thread.values[argument] = value;
    thread.next = &block->front();
  }

  uint8_t *address(uint64_t value, size_t size) {
    auto *at = reinterpret_cast<uint8_t *>(value);
    if (value % size)
      fail("misaligned access of " + llvm::Twine(size) + " bytes");
    uint8_t *shared = sharedBase();
    if (at >= shared && at + size <= shared + shared_.size() - kSharedAlignment)
      return at;
    for (auto &[global, bytes] : tables_)
      if (at >= bytes.data() && at + size <= bytes.data() + bytes.size())
        return at;
    for (const auto &room : locals_)
      if (at >= room.data() && at + size <= room.data() + room.size())
        return at;
    for (const Span &span : simulation_.memory)
      if (at >= span.begin && at + size <= static_cast<const uint8_t *>(span.begin) + span.bytes)
        return at;
    fail("access out of bounds");
    return nullptr;
  }

  /// Whether memory is the program's shared one, and if so where in it.
  std::optional<size_t> sharedOffset(const uint8_t *at) {
    const uint8_t *begin = sharedBase();
    if (at < begin || at >= begin + shared_.size() - kSharedAlignment)
      return std::nullopt;
    return size_t(at - begin);
  }
  void noteRead(const uint8_t *at, size_t bytes) {
    if (std::optional<size_t> offset = sharedOffset(at))
      races_->read(who_, *offset, bytes);
    if (!races_->error().empty())
      fail(races_->error());
  }
  void noteWrite(const uint8_t *at, size_t bytes, const void *values) {
    if (std::optional<size_t> offset = sharedOffset(at))
      races_->write(who_, *offset, bytes, at, static_cast<const uint8_t *>(values));
    if (!races_->error().empty())
      fail(races_->error());
  }

  Bits loadFrom(uint64_t where, unsigned bytes, unsigned count) {
    uint8_t *at = address(where, size_t(bytes) * count);
    if (at)
      noteRead(at, size_t(bytes) * count);
    Bits result(count, 0);
    for (unsigned i = 0; at && i < count; ++i)
      std::memcpy(&result[i], at + i * bytes, bytes);
    return result;
  }

  void storeTo(uint64_t where, unsigned bytes, llvm::ArrayRef<uint64_t> values) {
    uint8_t *at = address(where, bytes * values.size());
    for (unsigned i = 0; at && i < values.size(); ++i) {
      noteWrite(at + i * bytes, bytes, &values[i]);
      std::memcpy(at + i * bytes, &values[i], bytes);
    }
  }

  /// The bytes of a constant table.
  uint8_t *tableOf(LLVM::GlobalOp global) {
    std::vector<uint8_t> &bytes = tables_[global];
    if (auto text = dyn_cast<StringAttr>(*global.getValue()); text && bytes.empty())
      bytes.assign(text.getValue().begin(), text.getValue().end());
    if (bytes.empty()) {
      auto values = cast<DenseElementsAttr>(*global.getValue());
      unsigned width = widthOf(values.getElementType()) / 8;
      for (Attribute value : values.getValues<Attribute>()) {
        APInt bits = isa<FloatAttr>(value) ? cast<FloatAttr>(value).getValue().bitcastToAPInt()
                                           : cast<IntegerAttr>(value).getValue();
        for (unsigned byte = 0; byte < width; ++byte)
          bytes.push_back(uint8_t(bits.extractBitsAsZExtValue(8, byte * 8)));
      }
    }
    return bytes.data();
  }

  void step(Thread &thread);
  Bits assembly(Thread &thread, LLVM::InlineAsmOp op);
  Bits intrinsic(Thread &thread, LLVM::CallIntrinsicOp op);
  Bits library(Thread &thread, LLVM::CallOp op);
  /// What the driver does for a thread; false for what is none of it.
  bool hostCall(Thread &thread, LLVM::CallOp op);
  std::optional<Bits> roundedArithmetic(StringRef head, llvm::ArrayRef<uint64_t> operands);
  Bits atomic(StringRef head, uint64_t where, llvm::ArrayRef<uint64_t> values);

  Simulation &simulation_;
  LLVM::LLVMFuncOp function_;
  unsigned threads_ = 0, computing_ = 0;
  std::vector<uint8_t> shared_;
  std::optional<SharedRaces> races_;
  int who_ = 0; ///< Whose accesses these are.
  llvm::MapVector<Operation *, std::vector<uint8_t>> tables_;
  std::deque<std::vector<uint8_t>> locals_; ///< Threads' own memory.
  std::array<uint32_t, 3> program_{}, blocks_ = simulation_.grid;
  std::vector<Asynchronous> multiplications_; ///< Of each four warps.
  /// Sums that are not there yet are numbers that stand for them, until somebody has waited.
  llvm::DenseMap<uint64_t, uint64_t> promised_;
  llvm::DenseMap<uint64_t, Signal> signals_; ///< By their addresses.
  std::vector<TensorMap> tensors_;           ///< Of the last of the kernel's arguments.
  std::string error_;
};

} // namespace tilewise::nvidiatest
