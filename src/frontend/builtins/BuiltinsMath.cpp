// Builtins: elementwise math.
#include "frontend/builtins/BuiltinArguments.h"
#include "frontend/values/ConstantMath.h"
#include "support/Try.h"

namespace tilewise::frontend {

using Arguments = llvm::ArrayRef<Operand>;

template <UnaryOp op> static Result<Operand> unaryMath(CallContext &context, Arguments a, llvm::StringRef name) {
  return asOperand(context.sema()->math(op, name, a[0]));
}

// A row's function does not see its row, so each function below names itself for messages.
#define UNARY_MATH(function, op, spelled)                                                                              \
  static Result<Operand> function(CallContext &context, Arguments a) {                                                 \
    return unaryMath<UnaryOp::op>(context, a, spelled);                                                                \
  }
UNARY_MATH(mathExp, Exp, "exp")
UNARY_MATH(mathExp2, Exp2, "exp2")
UNARY_MATH(mathLog, Log, "log")
UNARY_MATH(mathLog2, Log2, "log2")
UNARY_MATH(mathSin, Sin, "sin")
UNARY_MATH(mathCos, Cos, "cos")
UNARY_MATH(mathSqrt, Sqrt, "sqrt")
UNARY_MATH(mathRsqrt, Rsqrt, "rsqrt")
UNARY_MATH(mathErf, Erf, "erf")
UNARY_MATH(mathFloor, Floor, "floor")
UNARY_MATH(mathCeil, Ceil, "ceil")
#undef UNARY_MATH

static Result<Operand> absolute(CallContext &context, Arguments a) { return asOperand(context.sema()->abs(a[0])); }
static Result<Operand> fma(CallContext &context, Arguments a) {
  return asOperand(context.sema()->fma(a[0], a[1], a[2]));
}
static Result<Operand> umulhi(CallContext &context, Arguments a) {
  return asOperand(context.sema()->umulhi(a[0], a[1]));
}
static Result<Operand> fdiv(CallContext &context, Arguments a) {
  TILEWISE_TRY(bool ieeeRounding, boolArgument(a[2], "tl.fdiv's ieee_rounding"));
  return asOperand(context.sema()->fdiv(a[0], a[1], ieeeRounding));
}
static Result<Operand> divRn(CallContext &context, Arguments a) { return asOperand(context.sema()->divRn(a[0], a[1])); }
static Result<Operand> sqrtRn(CallContext &context, Arguments a) { return asOperand(context.sema()->sqrtRn(a[0])); }

static Result<Operand> minimum(CallContext &context, Arguments a) {
  TILEWISE_TRY(NanRule rule, nanArgument(a[2], "tl.minimum's propagate_nan"));
  return asOperand(context.sema()->minimum(a[0], a[1], rule));
}

static Result<Operand> maximum(CallContext &context, Arguments a) {
  TILEWISE_TRY(NanRule rule, nanArgument(a[2], "tl.maximum's propagate_nan"));
  return asOperand(context.sema()->maximum(a[0], a[1], rule));
}

static Result<Operand> clamp(CallContext &context, Arguments a) {
  TILEWISE_TRY(NanRule rule, nanArgument(a[3], "tl.clamp's propagate_nan"));
  return asOperand(context.sema()->clamp(a[0], a[1], a[2], rule));
}

template <BinaryOperator op> static Result<Operand> arithmetic(CallContext &context, Arguments a) {
  TILEWISE_TRY(bool sanitize, boolArgument(a[2], "sanitize_overflow"));
  TILEWISE_TRY(Operand result, context.sema()->binary(op, a[0], a[1], sanitize));
  return asOperand(context.sema()->toValue(result));
}

/// (x + y - 1) // y. Of compile-time ints it is a compile-time int.
static Result<Operand> cdiv(CallContext &context, Arguments a) {
  auto apply = [&](BinaryOperator op, const Operand &x, const Operand &y) {
    return context.sema() ? context.sema()->binary(op, x, y) : constantBinary(op, x, y);
  };
  TILEWISE_TRY(Operand sum, apply(BinaryOperator::Add, a[0], a[1]));
  TILEWISE_TRY(Operand less, apply(BinaryOperator::Sub, sum, Operand::ofInt(1)));
  return apply(BinaryOperator::FloorDiv, less, a[1]);
}

static constexpr Builtin kRows[] = {
    {"tl.exp", "x", Builtin::Method, mathExp},
    {"tl.exp2", "x", Builtin::Method, mathExp2},
    {"tl.log", "x", Builtin::Method, mathLog},
    {"tl.log2", "x", Builtin::Method, mathLog2},
    {"tl.sin", "x", Builtin::Method, mathSin},
    {"tl.cos", "x", Builtin::Method, mathCos},
    {"tl.sqrt", "x", Builtin::Method, mathSqrt},
    {"tl.rsqrt", "x", Builtin::Method, mathRsqrt},
    {"tl.erf", "x", Builtin::Method, mathErf},
    {"tl.floor", "x", Builtin::Method, mathFloor},
    {"tl.ceil", "x", Builtin::Method, mathCeil},
    {"tl.abs", "x", Builtin::Method, absolute},
    {"tl.fma", "x, y, z", Builtin::None, fma},
    {"tl.umulhi", "x, y", Builtin::None, umulhi},
    {"tl.fdiv", "x, y, ieee_rounding=False", Builtin::None, fdiv},
    {"tl.div_rn", "x, y", Builtin::None, divRn},
    {"tl.sqrt_rn", "x", Builtin::Method, sqrtRn},
    {"tl.minimum", "x, y, propagate_nan=None", Builtin::None, minimum},
    {"tl.maximum", "x, y, propagate_nan=None", Builtin::None, maximum},
    {"tl.clamp", "x, min, max, propagate_nan=None", Builtin::None, clamp},
    {"tl.add", "x, y, sanitize_overflow=True", Builtin::None, arithmetic<BinaryOperator::Add>},
    {"tl.sub", "x, y, sanitize_overflow=True", Builtin::None, arithmetic<BinaryOperator::Sub>},
    {"tl.mul", "x, y, sanitize_overflow=True", Builtin::None, arithmetic<BinaryOperator::Mul>},
    {"tl.cdiv", "x, div", Builtin::Method | Builtin::CompileTime, cdiv},
};

llvm::ArrayRef<Builtin> mathBuiltins() { return kRows; }

} // namespace tilewise::frontend
