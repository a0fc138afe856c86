// One kernel on its way to the LLVM dialect: what one thread does, register by register.
//
// A laid-out block becomes the registers that one thread holds, in order; a scalar becomes one
// value that is the same in every thread. `Lowering` keeps that mapping and the thread's
// coordinates; the files Lower*.cpp each lower one family of ops through it, with the machine's
// instructions. Floats that LLVM's back ends have no registers for (bf16, 8-bit formats) are kept
// as their bits.
#pragma once

#include "target/gpu/Gpu.h"
#include "target/gpu/Machine.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/ScopeExit.h"

#include <map>
#include <utility>
#include <vector>

namespace tilewise::gpu {

class Lowering {
public:
  Lowering(mlir::func::FuncOp kernel, mlir::ModuleOp module, const Machine &machine);

  /// Replaces the kernel by an llvm.func.
  mlir::LogicalResult run();

  // LowerControl.cpp
  mlir::LogicalResult lowerBlock(mlir::Block &block);
  mlir::LogicalResult lower(mlir::Operation *op);
  /// A region on single elements, as reductions, scans and maps have: what it yields for these
  /// arguments; nothing, with the error reported, when it cannot be lowered.
  std::optional<llvm::SmallVector<mlir::Value, 2>> lowerBody(mlir::Region &region,
                                                             llvm::ArrayRef<mlir::Value> arguments);

  // LowerElementwise.cpp: one element of an elementwise op; null, with the error reported, when
  // there is no lowering.
  mlir::Value lowerElement(mlir::Operation *op, mlir::ValueRange operands);
  mlir::LogicalResult lowerElementwise(mlir::Operation *op);
  // Each op of the list, in the file that it names.
#define TILEWISE_LOWERING(OP, FUNCTION) mlir::LogicalResult FUNCTION(OP op);
#include "target/gpu/Lowering.def"
  // LowerShapes.cpp: expand_dims, broadcast, reshape, permute
  mlir::LogicalResult lowerRearranged(mlir::Operation *op);
  // LowerMma.cpp
  mlir::LogicalResult lowerMma(tile::DotOp op, const MatrixInstruction &instruction);

  // Values
  const Registers &registersOf(mlir::Value value) const { return values_.find(value)->second; }
  mlir::Value scalarOf(mlir::Value value) const { return registersOf(value).front(); }
  void set(mlir::Value value, Registers registers) { values_[value] = std::move(registers); }
  /// The type of one register that holds an element.
  mlir::Type registerType(mlir::Type element) const;
  /// The type of an element in shared or global memory: bools take a byte.
  mlir::Type memoryType(mlir::Type element) const;
  mlir::Value toMemory(mlir::Value value, mlir::Type element);
  mlir::Value fromMemory(mlir::Value value, mlir::Type element);

  // Thread
  /// The element number of register 0 in this thread; made once per layout, at the kernel's start.
  mlir::Value threadElement(const LinearLayout &layout);
  /// The element number of register `reg`, given `threadElement`.
  mlir::Value elementAt(const LinearLayout &layout, mlir::Value thread, uint32_t reg);
  /// `value ^ constant`, as an addition where the bits cannot meet: that folds into addresses.
  mlir::Value xorConstant(mlir::Value value, uint32_t bits, uint32_t constant);
  /// Element bits that the thread's lane and warp can set.
  static uint32_t threadBits(const LinearLayout &layout);
  /// The element number of each register.
  llvm::SmallVector<mlir::Value> elementsOf(const LinearLayout &layout);
  /// True in the one thread that speaks for all copies; null when there are no copies.
  mlir::Value ownerOf(const LinearLayout &layout);
  /// True in thread 0.
  mlir::Value isFirstThread();
  /// True in all threads of the warp that asks for boxes; null where no other one comes by.
  mlir::Value isAskingWarp();
  /// `lane` or `warp` taken at the bits `positions`, packed together.
  mlir::Value gatherBits(mlir::Value value, llvm::ArrayRef<unsigned> positions);

  /// Room in the thread's own memory, 8-byte aligned: what one call needs until it returns.
  mlir::Value threadMemory(unsigned bytes);
  /// The address of a constant text with a zero behind it.
  mlir::Value textAddress(llvm::StringRef text);

  // Shared memory
  /// The address of byte `offset` of the program's shared memory.
  mlir::Value sharedAddress(uint32_t offset);
  /// `bytes` behind an address.
  mlir::Value advance(mlir::Value address, mlir::Value bytes);
  void barrier();

  /// Runs `make` at the end of the kernel's first block, so that its values can be used everywhere.
  mlir::Value atStart(llvm::function_ref<mlir::Value()> make);

  /// The offset of an op's scratch.
  static uint32_t scratchOffset(mlir::Operation *op);
  /// The slot of a ring that turn `n` uses.
  mlir::Value slotOf(RingType type, mlir::Value ring, mlir::Value n);
  enum class RingSignal { Full, Released };
  mlir::Value signalOf(RingOp ring, mlir::Value n, RingSignal which);
  /// Until the slot of turn `n` is full, or free of what it held before.
  void awaitSignal(RingOp ring, mlir::Value n, RingSignal which, mlir::Value enabled);

  // Control
  /// An empty block at the function's end.
  mlir::Block *newBlock();
  /// `values` where `condition` is false, else what `make` gives: a branch around it. Without
  /// values only its effects count.
  Registers branchAround(mlir::Value condition, Registers values, llvm::function_ref<Registers()> make);

  // Shorthands at `loc`
  mlir::Value i32(int64_t value);
  mlir::Value constant(mlir::Type type, int64_t value);
  mlir::Value floatConstant(mlir::Type type, double value);
  /// A register that holds an element of zeros.
  mlir::Value zero(mlir::Type element);
  mlir::Value call(llvm::StringRef intrinsic, mlir::Type result, mlir::ValueRange operands);
  /// A function that the module is linked with; null when its type, `result`, is void.
  mlir::Value callFunction(llvm::StringRef name, mlir::Type result, mlir::ValueRange operands);
  /// Inline machine text. With `effects` it keeps its place among other memory accesses.
  mlir::Value assembly(llvm::StringRef text, llvm::StringRef constraints, mlir::Type result, mlir::ValueRange operands,
                       bool effects);
  template <typename Op, typename... Args> mlir::Value make(Args &&...args) {
    return builder.create<Op>(loc, std::forward<Args>(args)...);
  }
  mlir::Value compare(mlir::LLVM::ICmpPredicate predicate, mlir::Value a, mlir::Value b) {
    return make<mlir::LLVM::ICmpOp>(predicate, a, b);
  }
  mlir::Value both(mlir::Value a, mlir::Value b) { return a && b ? make<mlir::LLVM::AndOp>(a, b) : a ? a : b; }
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b) {
    return make<mlir::LLVM::SelectOp>(condition, a, b);
  }

  mlir::func::FuncOp kernel;
  mlir::ModuleOp module;
  mlir::OpBuilder builder;
  mlir::Location loc;
  const Machine &machine;
  mlir::Value lane, warp;

private:
  mlir::LLVM::LLVMFuncOp createFunction();

  mlir::LLVM::LLVMFuncOp function_;
  mlir::Block *start_ = nullptr;
  mlir::LLVM::GlobalOp shared_;
  unsigned constants_ = 0;
  llvm::DenseMap<mlir::Value, Registers> values_;
  /// By the bases of lane and warp, all that they depend on.
  std::map<std::pair<std::vector<uint32_t>, std::vector<uint32_t>>, mlir::Value> threadElements_;
  llvm::DenseMap<std::pair<unsigned, unsigned>, mlir::Value> owners_;
  llvm::StringMap<mlir::LLVM::GlobalOp> texts_;
  llvm::DenseMap<unsigned, mlir::Value> threadMemories_;
  mlir::Value firstThread_, firstWarp_;
  /// Inside of a `gpu.beside`, and behind one.
  bool isBeside_ = false, hasBeside_ = false;
};

} // namespace tilewise::gpu
