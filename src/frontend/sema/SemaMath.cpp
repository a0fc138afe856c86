// Sema: elementwise math functions.
#include "frontend/sema/Sema.h"
#include "support/Try.h"

namespace tilewise::frontend {

Result<Value> Sema::math(UnaryOp op, llvm::StringRef name, const Operand &x) {
  TILEWISE_TRY(Value value, toValue(x));
  DType type = value.type.element;
  if (!type.is(Scalar::Fp32) && !type.is(Scalar::Fp64))
    return fail("Expected dtype fp32 or fp64 for tl." + name.str() + ", got " + x.kindText() + "; write tl." +
                    name.str() + "(x.to(tl.float32))",
                0);
  return sink_.unary(op, value);
}

Result<Value> Sema::abs(const Operand &x) {
  TILEWISE_TRY(Value value, toValue(x));
  DType type = value.type.element;
  if (type.is(Scalar::Fp8E4B15)) {
    Value mask = sink_.constantInt(value.type.withElement(Scalar::Int8), llvm::APInt(8, 0x7f));
    return sink_.retype(sink_.binary(BinaryOp::And, sink_.retype(value, Scalar::Int8), mask), type);
  }
  if (type.isFloat())
    return sink_.unary(UnaryOp::AbsFloat, value);
  if (type.isSigned())
    return sink_.unary(UnaryOp::AbsInt, value);
  if (type.isUnsigned())
    return value;
  return fail("tl.abs takes ints or floats, got " + x.kindText(), 0);
}

Result<Value> Sema::sqrtRn(const Operand &x) {
  TILEWISE_TRY(Value value, toValue(x));
  if (!value.type.element.is(Scalar::Fp32))
    return fail("Expected dtype fp32 for tl.sqrt_rn, got " + x.kindText() + "; write tl.sqrt_rn(x.to(tl.float32))", 0);
  return sink_.externCall("fsqrt_rn", value, Scalar::Fp32, /*impure=*/false);
}

Result<Value> Sema::fma(const Operand &x, const Operand &y, const Operand &z) {
  Value values[3];
  for (int i : {0, 1, 2}) {
    TILEWISE_TRY(values[i], toValue(i == 0 ? x : i == 1 ? y : z));
    if (values[i].type.element.isPointer())
      return fail("tl.fma takes numbers, got " + values[i].type.str(), i);
  }
  TILEWISE_TRY(DType type, promotedType(values[0].type.element, false, values[1].type.element, false, false));
  TILEWISE_TRY(type, promotedType(type, false, values[2].type.element, false, false));
  TILEWISE_CHECK(checkComputes(type));
  for (Value &value : values) {
    TILEWISE_TRY(value, cast(value, type));
  }
  Value *all[] = {&values[0], &values[1], &values[2]};
  TILEWISE_CHECK(broadcastAll(all));
  if (type.isFloat())
    return sink_.fma(values[0], values[1], values[2]);
  return sink_.binary(BinaryOp::AddInt, sink_.binary(BinaryOp::MulInt, values[0], values[1]), values[2]);
}

} // namespace tilewise::frontend
