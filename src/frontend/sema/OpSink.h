// Where Sema writes ops: an abstract machine of typed values that builds tile IR (EmitTile) or
// executes at once.
//
// OpSink.def lists the ops. Operands of each call already agree in type and shape; all rules of the
// language (promotion, broadcasting, checks) are Sema's. A value's handle means something only to
// the sink that made it.
#pragma once

#include "frontend/values/Operand.h"
#include "support/SourceLoc.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace tilewise::frontend {

/// Elementwise ops over two values of one type, which is also the result's.
enum class BinaryOp {
#define TILEWISE_BINARY_OP(NAME, OP) NAME,
#include "frontend/sema/OpSink.def"
};

enum class UnaryOp {
#define TILEWISE_UNARY_OP(NAME, OP) NAME,
#include "frontend/sema/OpSink.def"
};

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
/// What a kernel's author promises of a value: its elements come in runs that start at multiples of
/// a number, that count up by one, or that are equal.
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
  /// Whether ops run as they come.
  virtual bool executes() const { return false; }
  /// What is already known of a scalar: a sink that executes knows every value and then no region
  /// is ever opened; one that emits knows none.
  virtual std::optional<llvm::APInt> known(const Value &scalar) = 0;

  virtual Value constantInt(const Type &type, const llvm::APInt &bits) = 0;
  virtual Value constantFloat(const Type &type, const llvm::APFloat &value) = 0;
  /// The same bits under another front-end type, as int32 -> uint32 or pointer -> const pointer: no
  /// op.
  virtual Value retype(const Value &operand, DType element) = 0;

  // What the ops of OpSink.def take and give.
  using Extents = llvm::ArrayRef<int64_t>;
  using ValueList = llvm::ArrayRef<Value>;
  using TypeList = llvm::ArrayRef<Type>;
  using Pair = std::pair<Value, Value>;
  using Values = llvm::SmallVector<Value>;
  using MaybeValues = std::optional<Values>;
  struct LoadOptions {
    CacheModifier cache = CacheModifier::None;
    EvictionPolicy eviction = EvictionPolicy::Normal;
    bool isVolatile = false;
  };
  struct AtomicOptions {
    MemoryOrder order = MemoryOrder::AcquireRelease;
    MemoryScope scope = MemoryScope::Device;
  };
  /// Gets two scalars per source, (a0, .., an, b0, .., bn), and gives one per source, or nothing
  /// after an error.
  using Combine = llvm::function_ref<MaybeValues(ValueList)>;
  /// Structured control flow: what follows openRegion goes into a new region with its arguments,
  /// until it is closed. A closed region is then given to ifElse, forLoop or whileLoop, or dropped.
  struct Region;
  /// What tl.range asks of the compiler; none changes what the loop means.
  struct LoopOptions {
    std::optional<int64_t> numStages, unrollFactor;
    bool disallowAccMultiBuffer = false, flatten = false, warpSpecialize = false, disableLicm = false;
  };

#define TILEWISE_SINK_OP(RESULT, NAME, PARAMETERS, NAMES) virtual RESULT NAME PARAMETERS = 0;
#include "frontend/sema/OpSink.def"
};

} // namespace tilewise::frontend
