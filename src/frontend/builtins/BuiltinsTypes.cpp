// Builtins: dtypes, how they are made and what they tell of themselves.
#include "frontend/builtins/BuiltinArguments.h"
#include "support/Try.h"

namespace tilewise::frontend {

using Arguments = llvm::ArrayRef<Operand>;

static Result<Operand> pointerType(CallContext &, Arguments a) {
  TILEWISE_TRY(DType element, dtypeArgument(a[0], "tl.pointer_type's element_ty"));
  TILEWISE_TRY(bool isConst, boolArgument(a[2], "tl.pointer_type's const"));
  if (element.signatureName().size() > 40)
    return kernelFailure("a pointer has at most eight levels");
  return Operand::ofType(element.pointerTo(isConst));
}

static Result<Operand> blockType(CallContext &, Arguments a) {
  TILEWISE_TRY(DType element, dtypeArgument(a[0], "tl.block_type's element_ty"));
  TILEWISE_TRY(auto shape, intsArgument(a[1], "tl.block_type's shape"));
  return Operand::ofType(Type(element, shape));
}

/// tl.dtype('fp32')
static Result<Operand> dtypeOf(CallContext &, Arguments a) {
  TILEWISE_TRY(std::string name, stringArgument(a[0], "tl.dtype's name"));
  std::optional<DType> type = parseDType(name);
  if (!type || type->isPointer())
    return kernelFailure("tl.dtype knows no type '" + name + "'; names are as 'int32', 'fp16', 'bf16'");
  return Operand::ofType(*type);
}

/// tl.str_to_ty('*fp32'): the type that a signature's text names.
static Result<Operand> typeOfSignature(CallContext &, Arguments a) {
  TILEWISE_TRY(std::string text, stringArgument(a[0], "tl.str_to_ty's name"));
  std::optional<DType> type = parseDType(text);
  if (!type)
    return kernelFailure("tl.str_to_ty knows no type '" + text + "'; names are as 'i32', 'fp16', '*fp32', '*kbf16'");
  return Operand::ofType(*type);
}

static Result<Operand> isFloating(CallContext &, Arguments a) { return Operand::ofBool(a[0].type().element.isFloat()); }
static Result<Operand> isStandardFloating(CallContext &, Arguments a) {
  return Operand::ofBool(a[0].type().element.isFloat() && !a[0].type().element.isFp8());
}
static Result<Operand> isInt(CallContext &, Arguments a) { return Operand::ofBool(a[0].type().element.isInt()); }
static Result<Operand> isIntSigned(CallContext &, Arguments a) {
  return Operand::ofBool(a[0].type().element.isSigned());
}
static Result<Operand> isIntUnsigned(CallContext &, Arguments a) {
  return Operand::ofBool(a[0].type().element.isUnsigned());
}
static Result<Operand> isFp8(CallContext &, Arguments a) { return Operand::ofBool(a[0].type().element.isFp8()); }
static Result<Operand> isPtr(CallContext &, Arguments a) {
  return Operand::ofBool(!a[0].type().isBlock() && a[0].type().element.isPointer());
}
static Result<Operand> isBlock(CallContext &, Arguments a) { return Operand::ofBool(a[0].type().isBlock()); }
static Result<Operand> isConst(CallContext &, Arguments a) { return Operand::ofBool(a[0].type().element.isConst()); }
static Result<Operand> isVoid(CallContext &, Arguments a) { return Operand::ofBool(a[0].type().element.isVoid()); }
template <Scalar scalar> static Result<Operand> isScalar(CallContext &, Arguments a) {
  return Operand::ofBool(a[0].type() == Type(scalar));
}

template <bool isMax> static Result<Operand> intLimit(CallContext &, Arguments a) {
  DType type = a[0].type().element;
  if (!type.isInt())
    return kernelFailure("only int types have a largest and a smallest int, got " + type.str());
  llvm::APSInt limit = isMax ? llvm::APSInt::getMaxValue(type.bits(), type.isUnsigned())
                             : llvm::APSInt::getMinValue(type.bits(), type.isUnsigned());
  return Operand::ofInt(llvm::APSInt(limit.extend(128), /*isUnsigned=*/false));
}

/// bool < int < float, as 0, 1, 2.
static Result<Operand> kindOf(CallContext &, Arguments a) {
  DType type = a[0].type().element;
  if (!type.isInt() && !type.isFloat())
    return kernelFailure("only numbers have a kind, got " + type.str());
  return Operand::ofInt(type.isBool() ? 0 : type.isInt() ? 1 : 2);
}

static Result<Operand> withElement(CallContext &, Arguments a) {
  TILEWISE_TRY(DType element, dtypeArgument(a[1], "with_element_ty's element_ty"));
  return Operand::ofType(a[0].type().withElement(element));
}

static Result<Operand> blockShapes(CallContext &, Arguments a) {
  Elements extents;
  for (int64_t extent : a[0].type().shape)
    extents.push_back(Operand::ofInt(extent));
  return Operand::ofTuple(std::move(extents));
}

static Result<Operand> codegenName(CallContext &, Arguments a) {
  DType type = a[0].type().element;
  return Operand::ofString(type.isPointer() ? type.str() : languageName(type.scalar()).str());
}

static constexpr unsigned kPure = Builtin::CompileTime;

static constexpr Builtin kRows[] = {
    {"tl.dtype", "name", kPure, dtypeOf},
    {"tl.str_to_ty", "name, c=None", kPure, typeOfSignature},
    {"tl.pointer_type", "element_ty, address_space=1, const=False", kPure, pointerType},
    {"tl.block_type", "element_ty, shape", kPure, blockType},

    {"dtype.is_floating", "self", kPure, isFloating},
    {"dtype.is_standard_floating", "self", kPure, isStandardFloating},
    {"dtype.is_int", "self", kPure, isInt},
    {"dtype.is_int_signed", "self", kPure, isIntSigned},
    {"dtype.is_int_unsigned", "self", kPure, isIntUnsigned},
    {"dtype.is_ptr", "self", kPure, isPtr},
    {"dtype.is_block", "self", kPure, isBlock},
    {"dtype.is_const", "self", kPure, isConst},
    {"dtype.is_void", "self", kPure, isVoid},
    {"dtype.is_bool", "self", kPure, isScalar<Scalar::Int1>},
    {"dtype.is_int1", "self", kPure, isScalar<Scalar::Int1>},
    {"dtype.is_int8", "self", kPure, isScalar<Scalar::Int8>},
    {"dtype.is_int16", "self", kPure, isScalar<Scalar::Int16>},
    {"dtype.is_int32", "self", kPure, isScalar<Scalar::Int32>},
    {"dtype.is_int64", "self", kPure, isScalar<Scalar::Int64>},
    {"dtype.is_uint8", "self", kPure, isScalar<Scalar::UInt8>},
    {"dtype.is_uint16", "self", kPure, isScalar<Scalar::UInt16>},
    {"dtype.is_uint32", "self", kPure, isScalar<Scalar::UInt32>},
    {"dtype.is_uint64", "self", kPure, isScalar<Scalar::UInt64>},
    {"dtype.is_fp8", "self", kPure, isFp8},
    {"dtype.is_fp8e4nv", "self", kPure, isScalar<Scalar::Fp8E4NV>},
    {"dtype.is_fp8e5", "self", kPure, isScalar<Scalar::Fp8E5>},
    {"dtype.is_fp8e4b8", "self", kPure, isScalar<Scalar::Fp8E4B8>},
    {"dtype.is_fp8e5b16", "self", kPure, isScalar<Scalar::Fp8E5B16>},
    {"dtype.is_fp8e4b15", "self", kPure, isScalar<Scalar::Fp8E4B15>},
    {"dtype.is_fp16", "self", kPure, isScalar<Scalar::Fp16>},
    {"dtype.is_bf16", "self", kPure, isScalar<Scalar::Bf16>},
    {"dtype.is_fp32", "self", kPure, isScalar<Scalar::Fp32>},
    {"dtype.is_fp64", "self", kPure, isScalar<Scalar::Fp64>},
    {"dtype.get_int_max_value", "self", kPure, intLimit<true>},
    {"dtype.get_int_min_value", "self", kPure, intLimit<false>},
    {"dtype.kind", "self", kPure, kindOf},
    {"dtype.with_element_ty", "self, element_ty", kPure, withElement},
    {"dtype.get_block_shapes", "self", kPure, blockShapes},
    {"dtype.codegen_name", "self", kPure, codegenName},
};

llvm::ArrayRef<Builtin> typeBuiltins() { return kRows; }

} // namespace tilewise::frontend
