// The sink that builds tile IR: front-end types become MLIR types, each op gets the user's line and column.
#pragma once

#include "frontend/sema/OpSink.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/SetVector.h"

namespace tilewise::frontend {

/// The MLIR type of a front-end type; null for void. fp8e4b15, which no IR knows, is an i8 of its bits; a pointer to int1 is a pointer to bytes.
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
  Value binary(BinaryOp op, const Value &lhs, const Value &rhs) override;
  Value unary(UnaryOp op, const Value &operand) override;
  Value fma(const Value &a, const Value &b, const Value &c) override;
  Value compare(CompareOp op, const Value &lhs, const Value &rhs) override;
  Value select(const Value &condition, const Value &yes, const Value &no) override;
  Value convert(ConvertOp op, const Value &operand, DType element) override;
  Value retype(const Value &operand, DType element) override;
  Value programId(unsigned axis) override;
  Value numPrograms(unsigned axis) override;
  Value range(int32_t start, int32_t end) override;
  Value splat(const Value &scalar, llvm::ArrayRef<int64_t> shape) override;
  Value expandDims(const Value &block, unsigned axis) override;
  Value broadcast(const Value &block, llvm::ArrayRef<int64_t> shape) override;
  Value reshape(const Value &block, llvm::ArrayRef<int64_t> shape) override;
  Value permute(const Value &block, llvm::ArrayRef<int64_t> order) override;
  Value join(const Value &a, const Value &b) override;
  std::pair<Value, Value> split(const Value &block) override;
  Value gather(const Value &source, const Value &indices, unsigned axis) override;
  Value pointerAdd(const Value &pointer, const Value &offset) override;
  Value load(const Value &pointer, const Value *mask, const Value *other, const LoadOptions &options) override;
  void store(const Value &pointer, const Value &value, const Value *mask, const LoadOptions &options) override;
  Value atomic(AtomicOp op, const Value &pointer, const Value &value, const Value *mask,
               const AtomicOptions &options) override;
  Value compareAndSwap(const Value &pointer, const Value &expected, const Value &value,
                       const AtomicOptions &options) override;
  void barrier() override;
  void print(llvm::StringRef prefix, llvm::ArrayRef<Value> values, bool hex) override;
  void assertion(const Value &condition, llvm::StringRef message, const Value *mask) override;
  Value hint(const Value &value, Promise promise, llvm::ArrayRef<int64_t> numbers) override;
  void assume(const Value &condition) override;
  Value externCall(llvm::StringRef symbol, llvm::ArrayRef<Value> operands, DType result, bool impure) override;
  llvm::SmallVector<Value> inlineAsm(llvm::StringRef assembly, llvm::StringRef constraints,
                                     llvm::ArrayRef<Value> operands, llvm::ArrayRef<Type> results, unsigned pack,
                                     bool impure) override;
  Value dot(const Value &a, const Value &b, const Value &acc, DotPrecision precision) override;
  Value histogram(const Value &source, const Value *mask, int64_t bins) override;
  std::optional<llvm::SmallVector<Value>> scan(llvm::ArrayRef<Value> sources, unsigned axis, bool reverse,
                                               Combine combine) override;
  std::optional<llvm::SmallVector<Value>> reduce(llvm::ArrayRef<Value> sources, unsigned axis,
                                                 Combine combine) override;
  std::optional<llvm::SmallVector<Value>> map(llvm::ArrayRef<Value> sources, unsigned pack, Combine body) override;

  std::optional<llvm::APInt> known(const Value &) override { return std::nullopt; }
  llvm::SmallVector<Value> openRegion(llvm::ArrayRef<Type> arguments) override;
  Region *closeRegion() override;
  void dropRegion(Region *region) override;
  llvm::SmallVector<Value> ifElse(const Value &condition, Region *yes, llvm::ArrayRef<Value> yesYields, Region *no,
                                  llvm::ArrayRef<Value> noYields) override;
  llvm::SmallVector<Value> forLoop(const Value &lower, const Value &upper, const Value &step,
                                   llvm::ArrayRef<Value> initial, Region *body, llvm::ArrayRef<Value> yields,
                                   const LoopOptions &options) override;
  llvm::SmallVector<Value> whileLoop(llvm::ArrayRef<Value> initial, Region *test, const Value &condition, Region *body,
                                     llvm::ArrayRef<Value> yields) override;

private:
  mlir::Type typeOf(const Type &type) { return convertType(type, builder_.getContext()); }
  template <typename Op, typename... Args> Value make(const Type &type, Args &&...args) {
    return wrap(type, builder_.create<Op>(loc_, std::forward<Args>(args)...));
  }
  /// The region of a reduction, scan or map over `count` scalars of each source, and what it yields; no region after an error.
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
