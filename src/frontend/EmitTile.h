// The sink that builds tile IR: front-end types become MLIR types, each op gets the user's line and
// column.
#pragma once

#include "frontend/sema/OpSink.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/SetVector.h"

namespace tilewise::frontend {

/// The MLIR type of a front-end type; null for void. fp8e4b15, which no IR knows, is an i8 of its
/// bits; a pointer to int1 is a pointer to bytes.
mlir::Type convertType(const Type &type, mlir::MLIRContext *context);

class EmitTile final : public OpSink {
public:
  /// Appends to `block`, which is the body of a function.
  explicit EmitTile(mlir::Block *block);
  ~EmitTile() override;

  static Value wrap(const Type &type, mlir::Value value) { return {type, value.getAsOpaquePointer()}; }
  static mlir::Value unwrap(const Value &value) { return mlir::Value::getFromOpaquePointer(value.handle); }

  /// The texts that ops came from so far, in the order of their first op.
  llvm::ArrayRef<const SourceFile *> files() const { return files_.getArrayRef(); }

  void setProvenance(const Provenance &provenance) override;
  Value constantInt(const Type &type, const llvm::APInt &bits) override;
  Value constantFloat(const Type &type, const llvm::APFloat &value) override;
  Value retype(const Value &operand, DType element) override;
  std::optional<llvm::APInt> known(const Value &) override { return std::nullopt; }
#define TILEWISE_SINK_OP(RESULT, NAME, PARAMETERS, NAMES) RESULT NAME PARAMETERS override;
#include "frontend/sema/OpSink.def"

private:
  mlir::Type typeOf(const Type &type) { return convertType(type, builder_.getContext()); }
  template <typename Op, typename... Args> Value make(const Type &type, Args &&...args) {
    return wrap(type, builder_.create<Op>(loc_, std::forward<Args>(args)...));
  }
  /// The region of a reduction, scan or map over `count` scalars of each source, and what it
  /// yields; no region after an error.
  std::pair<Region *, llvm::SmallVector<Value>> scalarRegion(llvm::ArrayRef<Type> scalars, Combine body);
  std::pair<Region *, llvm::SmallVector<Value>> combineRegion(llvm::ArrayRef<Value> sources, Combine combine);
  /// Moves a closed region's block into an op and ends it with a terminator made by `end`.
  void fill(mlir::Region &target, Region *region, llvm::function_ref<void()> end);

  mlir::OpBuilder builder_;
  mlir::Location loc_;
  /// Regions that are open, each with the place to return to.
  struct Open {
    std::unique_ptr<mlir::Region> region;
    mlir::OpBuilder::InsertPoint outer;
  };
  std::vector<Open> open_;
  std::vector<std::unique_ptr<mlir::Region>> closed_;
  llvm::SetVector<const SourceFile *> files_;
  const SourceFile *latestFile_ = nullptr;
};

} // namespace tilewise::frontend
