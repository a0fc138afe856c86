// Where Sema writes ops: an abstract machine of typed values that builds tile IR (EmitTile) or executes at once.
//
// Operands of each call already agree in type and shape; all rules of the language (promotion, broadcasting, checks) are Sema's.
// A value's handle means something only to the sink that made it.
#pragma once

#include "frontend/values/Operand.h"
#include "support/SourceLoc.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace tilewise::frontend {

/// Elementwise ops over two values of one type, which is also the result's. Signedness is in the op.
enum class BinaryOp {
  AddInt,
  SubInt,
  MulInt,
  DivS,
  DivU,
  RemS,
  RemU,
  And,
  Or,
  Xor,
  Shl,
  ShrS,
  ShrU,
  MinS,
  MinU,
  MaxS,
  MaxU,
  AddFloat,
  SubFloat,
  MulFloat,
  DivFloat,
  RemFloat,
  MinNum, ///< A NaN loses.
  MaxNum,
  MinNan, ///< A NaN wins.
  MaxNan,
};

enum class UnaryOp { NegFloat, AbsFloat, AbsInt, Exp, Exp2, Log, Log2, Sin, Cos, Sqrt, Rsqrt, Erf, Floor, Ceil };

/// Float comparisons are ordered, except NeFloat, which is true for NaN.
enum class CompareOp {
  EqInt,
  NeInt,
  LtS,
  LeS,
  GtS,
  GeS,
  LtU,
  LeU,
  GtU,
  GeU,
  EqFloat,
  NeFloat,
  LtFloat,
  LeFloat,
  GtFloat,
  GeFloat
};

enum class ConvertOp {
  ExtendSigned,
  ExtendUnsigned,
  TruncateInt,
  ExtendFloat,
  TruncateFloat,
  TruncateFloatToZero, ///< Rounds toward zero; TruncateFloat to nearest, ties to even.
  SignedToFloat,
  UnsignedToFloat,
  FloatToSigned,
  FloatToUnsigned,
  Bitcast,
  PointerToInt,
  IntToPointer,
  PointerCast,
};

enum class AtomicOp { AddInt, AddFloat, MaxS, MaxU, MinS, MinU, And, Or, Xor, Exchange };
enum class MemoryOrder { Relaxed, Acquire, Release, AcquireRelease };
enum class MemoryScope { Block, Device, System };

enum class CacheModifier { None, CA, CG, CS, CV, WB, WT };
enum class EvictionPolicy { Normal, First, Last };
/// What a kernel's author promises of a value: its elements come in runs that start at multiples of a number, that count up by one, or
/// that are equal.
enum class Promise { Divisibility, Contiguity, Constancy };
enum class DotPrecision { IEEE, TF32, TF32x3, BF16x3, BF16x6 };

/// Where an op comes from: a place, and the calls that were inlined to get there, innermost first.
struct Provenance {
  SourceLoc loc;
  const Provenance *caller = nullptr;
};

class OpSink {
public:
  virtual ~OpSink() = default;

  /// All ops that follow come from here. The chain outlives the next call of this function.
  virtual void setProvenance(const Provenance &provenance) = 0;

  virtual Value constantInt(const Type &type, const llvm::APInt &bits) = 0;
  virtual Value constantFloat(const Type &type, const llvm::APFloat &value) = 0;

  virtual Value binary(BinaryOp op, const Value &lhs, const Value &rhs) = 0;
  virtual Value unary(UnaryOp op, const Value &operand) = 0;
  virtual Value fma(const Value &a, const Value &b, const Value &c) = 0;
  virtual Value compare(CompareOp op, const Value &lhs, const Value &rhs) = 0;
  virtual Value select(const Value &condition, const Value &yes, const Value &no) = 0;
  virtual Value convert(ConvertOp op, const Value &operand, DType element) = 0;
  /// The same bits under another front-end type, as int32 -> uint32 or pointer -> const pointer: no op.
  virtual Value retype(const Value &operand, DType element) = 0;

  virtual Value programId(unsigned axis) = 0;
  virtual Value numPrograms(unsigned axis) = 0;
  virtual Value range(int32_t start, int32_t end) = 0;
  virtual Value splat(const Value &scalar, llvm::ArrayRef<int64_t> shape) = 0;
  virtual Value expandDims(const Value &block, unsigned axis) = 0;
  virtual Value broadcast(const Value &block, llvm::ArrayRef<int64_t> shape) = 0;
  /// The same elements in row-major order.
  virtual Value reshape(const Value &block, llvm::ArrayRef<int64_t> shape) = 0;
  /// Dimension d of the result is dimension order[d] of the block.
  virtual Value permute(const Value &block, llvm::ArrayRef<int64_t> order) = 0;
  /// A new last dimension of extent 2, and its inverse.
  virtual Value join(const Value &a, const Value &b) = 0;
  virtual std::pair<Value, Value> split(const Value &block) = 0;
  virtual Value gather(const Value &source, const Value &indices, unsigned axis) = 0;

  virtual Value pointerAdd(const Value &pointer, const Value &offset) = 0;
  struct LoadOptions {
    CacheModifier cache = CacheModifier::None;
    EvictionPolicy eviction = EvictionPolicy::Normal;
    bool isVolatile = false;
  };
  virtual Value load(const Value &pointer, const Value *mask, const Value *other, const LoadOptions &options) = 0;
  virtual void store(const Value &pointer, const Value &value, const Value *mask, const LoadOptions &options) = 0;

  struct AtomicOptions {
    MemoryOrder order = MemoryOrder::AcquireRelease;
    MemoryScope scope = MemoryScope::Device;
  };
  /// Both give the old value.
  virtual Value atomic(AtomicOp op, const Value &pointer, const Value &value, const Value *mask,
                       const AtomicOptions &options) = 0;
  virtual Value compareAndSwap(const Value &pointer, const Value &expected, const Value &value,
                               const AtomicOptions &options) = 0;
  virtual void barrier() = 0;
  virtual void print(llvm::StringRef prefix, llvm::ArrayRef<Value> values, bool hex) = 0;
  /// Stops the launch where a lane of the condition is false and its mask, if there is one, is true.
  virtual void assertion(const Value &condition, llvm::StringRef message, const Value *mask) = 0;

  /// The value itself; one number per dimension, or one for a scalar.
  virtual Value hint(const Value &value, Promise promise, llvm::ArrayRef<int64_t> numbers) = 0;
  virtual void assume(const Value &condition) = 0;
  /// A scalar function of the engine's mathematics library by name, element by element: all values have one shape, or none is given and the
  /// result is a scalar. An impure call is neither removed nor moved.
  virtual Value externCall(llvm::StringRef symbol, llvm::ArrayRef<Value> operands, DType result, bool impure) = 0;
  /// Machine text on `pack` elements at a time; all values have the type's shape.
  virtual llvm::SmallVector<Value> inlineAsm(llvm::StringRef assembly, llvm::StringRef constraints,
                                             llvm::ArrayRef<Value> operands, llvm::ArrayRef<Type> results,
                                             unsigned pack, bool impure) = 0;

  virtual Value dot(const Value &a, const Value &b, const Value &acc, DotPrecision precision) = 0;
  virtual Value histogram(const Value &source, const Value *mask, int64_t bins) = 0;
  /// `combine` gets two scalars per source, (a0, .., an, b0, .., bn), and gives one per source, or nothing after an error.
  using Combine = llvm::function_ref<std::optional<llvm::SmallVector<Value>>(llvm::ArrayRef<Value>)>;
  virtual std::optional<llvm::SmallVector<Value>> reduce(llvm::ArrayRef<Value> sources, unsigned axis,
                                                         Combine combine) = 0;
  virtual std::optional<llvm::SmallVector<Value>> scan(llvm::ArrayRef<Value> sources, unsigned axis, bool reverse,
                                                       Combine combine) = 0;

  /// Runs `body` on `pack` elements of each source at a time, (a0, .., ap, b0, .., bp), which gives as many of each result.
  virtual std::optional<llvm::SmallVector<Value>> map(llvm::ArrayRef<Value> sources, unsigned pack, Combine body) = 0;

  /// Whether ops run as they come.
  virtual bool executes() const { return false; }
  /// What is already known of a scalar: a sink that executes knows every value and then no region below is ever opened; one that emits
  /// knows none.
  virtual std::optional<llvm::APInt> known(const Value &scalar) = 0;

  /// Structured control flow: what follows goes into a new region with these arguments, until it is closed. A closed region is then
  /// given to one of the ops below, or dropped.
  struct Region;
  virtual llvm::SmallVector<Value> openRegion(llvm::ArrayRef<Type> arguments) = 0;
  virtual Region *closeRegion() = 0;
  virtual void dropRegion(Region *region) = 0;
  /// The yields of the two regions agree in type.
  virtual llvm::SmallVector<Value> ifElse(const Value &condition, Region *yes, llvm::ArrayRef<Value> yesYields,
                                          Region *no, llvm::ArrayRef<Value> noYields) = 0;
  /// What tl.range asks of the compiler; none changes what the loop means.
  struct LoopOptions {
    std::optional<int64_t> numStages, unrollFactor;
    bool disallowAccMultiBuffer = false, flatten = false, warpSpecialize = false, disableLicm = false;
  };
  /// The region's arguments: the induction variable, then one per initial value. Bounds are compared as signed; the step is positive.
  virtual llvm::SmallVector<Value> forLoop(const Value &lower, const Value &upper, const Value &step,
                                           llvm::ArrayRef<Value> initial, Region *body, llvm::ArrayRef<Value> yields,
                                           const LoopOptions &options) = 0;
  /// Both regions take one argument per initial value.
  virtual llvm::SmallVector<Value> whileLoop(llvm::ArrayRef<Value> initial, Region *test, const Value &condition,
                                             Region *body, llvm::ArrayRef<Value> yields) = 0;
};

} // namespace tilewise::frontend
