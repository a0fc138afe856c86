// One kernel on its way to the LLVM dialect: what one thread does, register by register.
//
// A laid-out block becomes the registers that one thread holds, in order; a scalar becomes one value that is the same in every thread.
// `Lowering` keeps that mapping and the thread's coordinates; the files Lower*.cpp each lower one family of ops through it. bf16 values are
// kept as their 16 bits: LLVM 19 selects few ops on bfloat before sm_90.
#pragma once

#include "target/nvidia/Nv.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/ScopeExit.h"

#include <map>
#include <utility>
#include <vector>

namespace tilewise::nv {

using Registers = llvm::SmallVector<mlir::Value>;

class Lowering {
public:
  Lowering(mlir::func::FuncOp kernel, mlir::ModuleOp module);

  /// Replaces the kernel by an llvm.func.
  mlir::LogicalResult run();

  // LowerControl.cpp
  mlir::LogicalResult lowerBlock(mlir::Block &block);
  mlir::LogicalResult lower(mlir::Operation *op);
  mlir::LogicalResult lowerFor(mlir::scf::ForOp op);
  mlir::LogicalResult lowerIf(mlir::scf::IfOp op);
  mlir::LogicalResult lowerWhile(mlir::scf::WhileOp op);

  // LowerElementwise.cpp: one element of an elementwise op; null, with the error reported, when there is no lowering.
  mlir::Value lowerElement(mlir::Operation *op, mlir::ValueRange operands);
  mlir::LogicalResult lowerElementwise(mlir::Operation *op);
  // LowerFloats.cpp
  mlir::Value lowerFloat(mlir::Operation *op, mlir::ValueRange operands);
  mlir::Value toFloat(mlir::Value value, mlir::Type from); ///< f16 or bf16 (as i16) -> f32, exactly; others stay.
  mlir::Value fromFloat(mlir::Value value, mlir::Type to); ///< f32 -> f16 or bf16, to nearest even; others stay.
  mlir::Value convertFloat(mlir::Value value, mlir::Type from, mlir::Type to);
  // LowerMath.cpp
  mlir::Value lowerMath(mlir::Operation *op, mlir::Value x);

  // LowerMemory.cpp
  mlir::LogicalResult lowerLoad(tile::LoadOp op);
  mlir::LogicalResult lowerStore(tile::StoreOp op);
  // LowerConvert.cpp, LowerReduce.cpp, LowerDot.cpp
  mlir::LogicalResult lowerConvert(ConvertLayoutOp op);
  mlir::LogicalResult lowerReduce(tile::ReduceOp op);
  mlir::LogicalResult lowerDot(tile::DotOp op);

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
  /// True in the one thread that speaks for all copies; null when there are no copies.
  mlir::Value ownerOf(const LinearLayout &layout);
  /// True in thread 0.
  mlir::Value isFirstThread();
  /// `lane` or `warp` taken at the bits `positions`, packed together.
  mlir::Value gatherBits(mlir::Value value, llvm::ArrayRef<unsigned> positions);

  // Shared memory
  /// The address of byte `offset` of the program's shared memory.
  mlir::Value sharedAddress(uint32_t offset);
  void barrier();

  // Shorthands at `loc`
  mlir::Value i32(int64_t value);
  mlir::Value constant(mlir::Type type, int64_t value);
  mlir::Value floatConstant(mlir::Type type, double value);
  mlir::Value call(llvm::StringRef intrinsic, mlir::Type result, mlir::ValueRange operands);
  /// Inline PTX. With `effects` it keeps its place among other memory accesses.
  mlir::Value ptx(llvm::StringRef text, llvm::StringRef constraints, mlir::Type result, mlir::ValueRange operands,
                  bool effects);
  template <typename Op, typename... Args> mlir::Value make(Args &&...args) {
    return builder.create<Op>(loc, std::forward<Args>(args)...);
  }
  mlir::Value compare(mlir::LLVM::ICmpPredicate predicate, mlir::Value a, mlir::Value b) {
    return make<mlir::LLVM::ICmpOp>(predicate, a, b);
  }
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b) {
    return make<mlir::LLVM::SelectOp>(condition, a, b);
  }

  mlir::func::FuncOp kernel;
  mlir::ModuleOp module;
  mlir::OpBuilder builder;
  mlir::Location loc;
  unsigned capability;
  mlir::Value lane, warp;

private:
  mlir::LLVM::LLVMFuncOp createFunction();
  /// Runs `make` at the end of the kernel's first block, so that its values can be used everywhere.
  mlir::Value atStart(llvm::function_ref<mlir::Value()> make);

  mlir::LLVM::LLVMFuncOp function_;
  mlir::Block *start_ = nullptr;
  mlir::LLVM::GlobalOp shared_;
  llvm::DenseMap<mlir::Value, Registers> values_;
  /// By the bases of lane and warp, all that they depend on.
  std::map<std::pair<std::vector<uint32_t>, std::vector<uint32_t>>, mlir::Value> threadElements_;
  llvm::DenseMap<std::pair<unsigned, unsigned>, mlir::Value> owners_;
  mlir::Value firstThread_;
};

} // namespace tilewise::nv
