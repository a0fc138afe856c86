// The rules of the language as functions over operands: types, promotion, broadcasting, checks; ops
// go to an OpSink.
//
// No function here knows of syntax trees or of MLIR. A failure is a message without a place; the
// caller knows the place. Where one argument is to blame, blamedArgument() says which, so that the
// caret can point at it.
//
// The promotion rules have one trap, kept because kernels depend on it: `+ - * / // % & | ^ << >>`
// and `where` let a Python number adopt the tensor's type (fp16 + 0.5 is fp16), while comparisons,
// minimum, maximum, clamp and fma make it a tensor first (int32 or fp32), so that it takes part:
// tl.maximum(fp16, 0.0) is fp32.
#pragma once

#include "frontend/sema/OpSink.h"
#include "frontend/syntax/Operators.h"
#include "frontend/values/CompileFacts.h"

#include <functional>

namespace tilewise::libdevice {
struct Function;
struct Name;
} // namespace tilewise::libdevice

namespace tilewise::frontend {

/// What a NaN does to minimum, maximum and clamp.
enum class NanRule { Loses, Wins };
/// How a float becomes a narrower one: to nearest with ties to even, or toward zero.
enum class FloatRounding { Nearest, TowardZero };

class Sema {
public:
  explicit Sema(OpSink &sink, const CompileFacts &facts = {}) : facts(facts), sink_(sink) {}

  OpSink &sink() { return sink_; }
  const CompileFacts facts;
  std::function<void(std::string)> onWarning;
  /// The position of the argument that the last failure is about, or -1; asking forgets it.
  int takeBlamedArgument() { return std::exchange(blamed_, -1); }

  // SemaValues.cpp: numbers as values.
  /// A number as a scalar of the type its literal has, a runtime value as it is.
  Result<Value> toValue(const Operand &operand);
  Result<Value> numberAs(const Operand &number, DType type);
  Value zeros(const Type &type);
  /// The one place that knows which shapes blocks may have.
  Result<void> checkShape(llvm::ArrayRef<int64_t> shape);

  // SemaPromotion.cpp
  struct Pair {
    Value lhs, rhs;
  };
  enum class PairUse { Arithmetic, Division, Bitwise, Choice };
  /// Both sides brought to one type and shape by the weak-number rule.
  Result<Pair> promotePair(const Operand &lhs, const Operand &rhs, PairUse use);
  Result<DType> promotedType(DType a, bool aIsNumber, DType b, bool bIsNumber, bool division);
  /// `range(start, end, step)` of a loop. The variable has the promoted type of the bounds, and the
  /// loop counts in `counter`, a signed one that holds it.
  struct LoopRange {
    Value start, end, step;
    DType variable, counter;
  };
  Result<LoopRange> loopRange(const Operand &start, const Operand &end, const Operand &step);

  // SemaArithmetic.cpp
  /// In a debug build, + - * of ints below 64 bits are asserted not to overflow, unless `sanitize`
  /// is false or this is the function of a reduction or scan: in which order its steps are done is
  /// open, and so is whether one of them overflows.
  Result<Operand> binary(BinaryOperator op, const Operand &lhs, const Operand &rhs, bool sanitize = true);
  Result<Operand> unary(UnaryOperator op, const Operand &operand);
  /// With IEEE rounding a quotient of fp32 is rounded correctly.
  Result<Value> fdiv(const Operand &x, const Operand &y, bool ieeeRounding);
  Result<Value> divRn(const Operand &x, const Operand &y);
  Result<Value> umulhi(const Operand &x, const Operand &y);

  // SemaCompare.cpp
  Result<Operand> compare(CompareOperator op, const Operand &lhs, const Operand &rhs);
  /// `and`, `or` of bools, without short circuit.
  Result<Operand> logical(bool isAnd, const Operand &lhs, const Operand &rhs);
  Result<Value> minimum(const Operand &x, const Operand &y, NanRule rule) { return minMax(true, x, y, rule); }
  Result<Value> maximum(const Operand &x, const Operand &y, NanRule rule) { return minMax(false, x, y, rule); }
  Result<Value> clamp(const Operand &x, const Operand &low, const Operand &high, NanRule rule);
  Result<Value> where(const Operand &condition, const Operand &x, const Operand &y);

  // SemaCast.cpp
  /// The only place that knows every pair of types; its head says what each means.
  Result<Value> cast(const Value &value, DType to, FloatRounding rounding = FloatRounding::Nearest);
  Result<Value> bitcast(const Value &value, DType to);
  /// A scalar test of `if`, `while` or a ternary: an int1.
  Result<Value> toCondition(const Operand &operand, llvm::StringRef construct);

  // SemaShape.cpp
  Result<Value> broadcastTo(const Value &value, llvm::ArrayRef<int64_t> shape);
  Result<llvm::SmallVector<int64_t, 4>> commonShape(llvm::ArrayRef<int64_t> a, llvm::ArrayRef<int64_t> b);
  /// Stretch any number of values to their common shape; scalars become blocks when one of them is
  /// a block.
  Result<void> broadcastAll(llvm::MutableArrayRef<Value *> values);
  Result<Value> expandDims(const Value &value, llvm::ArrayRef<int64_t> axes);
  /// `x[:, None]`
  Result<Value> index(const Value &value, llvm::ArrayRef<Operand> indices);

  // SemaReshape.cpp
  Result<Value> reshape(const Value &value, llvm::ArrayRef<int64_t> shape);
  Result<Value> permute(const Value &value, llvm::ArrayRef<int64_t> order);
  Result<Value> join(const Operand &a, const Operand &b);
  Result<Pair> split(const Value &value);
  Result<Value> gather(const Value &source, const Value &indices, int64_t axis);
  Result<Value> histogram(const Value &source, int64_t bins, const Operand &mask);

  // SemaCreate.cpp
  Result<Value> programId(const Operand &axis);
  Result<Value> numPrograms(const Operand &axis);
  Result<Value> arange(const Operand &start, const Operand &end);
  Result<Value> full(llvm::ArrayRef<int64_t> shape, const Operand &value, DType type);

  // SemaMemory.cpp
  Result<Value> load(const Operand &pointer, const Operand &mask, const Operand &other,
                     const OpSink::LoadOptions &options);
  Result<void> store(const Operand &pointer, const Operand &value, const Operand &mask,
                     const OpSink::LoadOptions &options);

  // SemaAtomic.cpp
  enum class Atomic { Add, Max, Min, And, Or, Xor, Exchange };
  Result<Value> atomic(Atomic op, const Operand &pointer, const Operand &value, const Operand &mask,
                       const OpSink::AtomicOptions &options);
  Result<Value> compareAndSwap(const Operand &pointer, const Operand &expected, const Operand &value,
                               const OpSink::AtomicOptions &options);

  // SemaMath.cpp
  Result<Value> math(UnaryOp op, llvm::StringRef name, const Operand &x);
  Result<Value> abs(const Operand &x);
  Result<Value> sqrtRn(const Operand &x);
  Result<Value> fma(const Operand &x, const Operand &y, const Operand &z);

  // SemaLibdevice.cpp
  /// A function of libdevice, chosen by the operands' types.
  Result<Value> library(const libdevice::Name &name, llvm::ArrayRef<Operand> operands);
  /// One overload, whose operand types are given; `result` may rename the int of its bits.
  Result<Value> externCall(const libdevice::Function &function, llvm::ArrayRef<Value> operands, DType result);

  // SemaDot.cpp
  struct DotOptions {
    DotPrecision precision = DotPrecision::TF32;
    std::optional<DType> outType;
    std::optional<int64_t> maxImprecise;
  };
  Result<Value> dot(const Value &left, const Value &right, const Operand &acc, const DotOptions &options);

  // SemaBlock.cpp
  /// In a debug build only: a launch stops where a lane of the condition is false.
  Result<void> deviceAssert(const Operand &condition, const Operand &message, const Operand &mask);
  /// Along one axis, or along all of them; a failure of `combine` ends in a failure without a
  /// message.
  Result<llvm::SmallVector<Value>> reduce(llvm::ArrayRef<Value> sources, std::optional<int64_t> axis, bool keepDims,
                                          OpSink::Combine combine);
  Result<llvm::SmallVector<Value>> scan(llvm::ArrayRef<Value> sources, int64_t axis, bool reverse,
                                        OpSink::Combine combine);

private:
  /// The addresses that a memory function takes first.
  Result<Value> pointersOf(const Operand &pointer, const std::string &function);
  Failure fail(std::string message, int argument = -1) {
    blamed_ = argument;
    return kernelFailure(std::move(message));
  }
  Result<Value> minMax(bool isMin, const Operand &x, const Operand &y, NanRule rule);
  Result<Value> minMaxOperand(const Operand &operand);
  Value minMaxOf(bool isMin, const Value &x, const Value &y, NanRule rule);
  Result<Value> pointerOffset(const Value &pointer, const Operand &offset, bool negate);
  Result<Operand> pointerArithmetic(BinaryOperator op, const Operand &lhs, const Operand &rhs);
  Result<void> checkDotTypes(DType a, DType b);
  Result<void> checkDotShapes(const Type &a, const Type &b);
  Result<void> assertNoOverflow(BinaryOperator op, const Value &lhs, const Value &rhs);
  Result<void> checkBlocks(llvm::ArrayRef<Value> sources, llvm::StringRef what);
  Result<unsigned> checkAxis(int64_t axis, const Type &type);
  /// A value or mask stretched to the pointers' shape: pointers themselves are never stretched.
  Result<Value> fitToPointers(const Value &operand, const Type &pointers, llvm::StringRef function,
                              llvm::StringRef what, int argument);
  Value floatExtremum(bool isMax, const Value &pointer, const Value &value, const Value *mask,
                      const OpSink::AtomicOptions &options);
  Result<Value> notEqualZero(const Value &value);
  Result<Value> castFp8E4B15(const Value &value, DType to);
  Value clampToFinite(const Value &value, DType format);
  /// fp8e4b15 exists in memory only: everything but moving and casting it fails.
  Result<void> checkComputes(DType type);
  Result<Value> checkMask(const Operand &mask, int argument);

  OpSink &sink_;
  int blamed_ = -1;
  bool isCombining_ = false; ///< Inside the function of a reduction or scan.
};

} // namespace tilewise::frontend
