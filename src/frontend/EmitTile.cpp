// The sink that builds tile IR: elementwise ops, shapes, memory, blocks.
#include "frontend/EmitTile.h"

#include "ir/TextRange.h"
#include "ir/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace tilewise::frontend {

static mlir::Type convertElement(DType type, MLIRContext *context) {
  OpBuilder builder(context);
  if (type.isPointer()) {
    DType pointee = type.pointee();
    // A bool takes a byte in memory; a pointer to void is one to bytes.
    mlir::Type to = pointee.isBool() || pointee.isVoid() ? builder.getIntegerType(8) : convertElement(pointee, context);
    return to ? tile::PtrType::get(to) : mlir::Type();
  }
  if (type.isInt())
    return builder.getIntegerType(type.bits());
  switch (type.scalar()) {
#define TILEWISE_INT_TYPE(...)
#define TILEWISE_FLOAT_TYPE(SCALAR, TW, BITS, NAME, LANGUAGE, TORCH, MANTISSA, BIAS, FORMAT, MLIR)                     \
  case Scalar::SCALAR:                                                                                                 \
    return builder.get##MLIR##Type();
#include "support/ElementTypes.def"
  default:
    return {};
  }
}

mlir::Type convertType(const Type &type, MLIRContext *context) {
  mlir::Type element = convertElement(type.element, context);
  return element ? tile::blockOrScalar(type.shape, element) : element;
}

EmitTile::EmitTile(Block *block)
    : builder_(OpBuilder::atBlockEnd(block)), loc_(UnknownLoc::get(block->getParentOp()->getContext())) {}

static Location placeOf(const SourceLoc &loc, MLIRContext *context) {
  if (!loc || !loc.file)
    return UnknownLoc::get(context);
  Location at = FileLineColLoc::get(context, loc.file->path(), loc.line, loc.column);
  return loc.length > 1 ? tile::withLength(at, loc.length) : at;
}

void EmitTile::setProvenance(const Provenance &provenance) {
  MLIRContext *context = builder_.getContext();
  for (const Provenance *one = &provenance; one; one = one->caller)
    if (one->loc.file && one->loc.file != latestFile_) {
      latestFile_ = one->loc.file;
      files_.insert(latestFile_);
    }
  loc_ = placeOf(provenance.loc, context);
  for (const Provenance *caller = provenance.caller; caller; caller = caller->caller)
    loc_ = CallSiteLoc::get(loc_, placeOf(caller->loc, context));
}

static TypedAttr filled(mlir::Type type, Attribute element) {
  if (auto block = dyn_cast<RankedTensorType>(type))
    return SplatElementsAttr::get(block, element);
  return cast<TypedAttr>(element);
}

Value EmitTile::constantInt(const Type &type, const llvm::APInt &bits) {
  mlir::Type mlirType = typeOf(type);
  return make<arith::ConstantOp>(type, filled(mlirType, IntegerAttr::get(tile::elementTypeOf(mlirType), bits)));
}

Value EmitTile::constantFloat(const Type &type, const llvm::APFloat &value) {
  mlir::Type mlirType = typeOf(type);
  return make<arith::ConstantOp>(type, filled(mlirType, FloatAttr::get(tile::elementTypeOf(mlirType), value)));
}

Value EmitTile::binary(BinaryOp op, const Value &lhs, const Value &rhs) {
  mlir::Value a = unwrap(lhs), b = unwrap(rhs);
  const Type &type = lhs.type;
  switch (op) {
#define TILEWISE_BINARY_OP(NAME, OP)                                                                                   \
  case BinaryOp::NAME:                                                                                                 \
    return make<OP>(type, a, b);
#include "frontend/sema/OpSink.def"
  }
  llvm_unreachable("all binary ops are above");
}

Value EmitTile::unary(UnaryOp op, const Value &operand) {
  mlir::Value x = unwrap(operand);
  const Type &type = operand.type;
  switch (op) {
#define TILEWISE_UNARY_OP(NAME, OP)                                                                                    \
  case UnaryOp::NAME:                                                                                                  \
    return make<OP>(type, x);
#include "frontend/sema/OpSink.def"
  }
  llvm_unreachable("all unary ops are above");
}

Value EmitTile::compare(CompareOp op, const Value &lhs, const Value &rhs) {
  mlir::Value a = unwrap(lhs), b = unwrap(rhs);
  Type type = lhs.type.withElement(Scalar::Int1);
  if (op >= CompareOp::EqFloat) {
    static constexpr arith::CmpFPredicate floats[] = {arith::CmpFPredicate::OEQ, arith::CmpFPredicate::UNE,
                                                      arith::CmpFPredicate::OLT, arith::CmpFPredicate::OLE,
                                                      arith::CmpFPredicate::OGT, arith::CmpFPredicate::OGE};
    return make<arith::CmpFOp>(type, floats[size_t(op) - size_t(CompareOp::EqFloat)], a, b);
  }
  static constexpr arith::CmpIPredicate ints[] = {
      arith::CmpIPredicate::eq,  arith::CmpIPredicate::ne,  arith::CmpIPredicate::slt, arith::CmpIPredicate::sle,
      arith::CmpIPredicate::sgt, arith::CmpIPredicate::sge, arith::CmpIPredicate::ult, arith::CmpIPredicate::ule,
      arith::CmpIPredicate::ugt, arith::CmpIPredicate::uge};
  return make<arith::CmpIOp>(type, ints[size_t(op)], a, b);
}

Value EmitTile::convert(ConvertOp op, const Value &operand, DType element) {
  Type type = operand.type.withElement(element);
  mlir::Type to = typeOf(type);
  mlir::Value x = unwrap(operand);
  switch (op) {
  case ConvertOp::ExtendSigned:
    return make<arith::ExtSIOp>(type, to, x);
  case ConvertOp::ExtendUnsigned:
    return make<arith::ExtUIOp>(type, to, x);
  case ConvertOp::TruncateInt:
    return make<arith::TruncIOp>(type, to, x);
  case ConvertOp::ExtendFloat:
    return make<arith::ExtFOp>(type, to, x);
  case ConvertOp::TruncateFloat:
    return make<arith::TruncFOp>(type, to, x);
  case ConvertOp::TruncateFloatToZero:
    return make<arith::TruncFOp>(
        type, to, x, arith::RoundingModeAttr::get(builder_.getContext(), arith::RoundingMode::toward_zero), nullptr);
  case ConvertOp::SignedToFloat:
    return make<arith::SIToFPOp>(type, to, x);
  case ConvertOp::UnsignedToFloat:
    return make<arith::UIToFPOp>(type, to, x);
  case ConvertOp::FloatToSigned:
    return make<tile::FpToSiOp>(type, to, x);
  case ConvertOp::FloatToUnsigned:
    return make<tile::FpToUiOp>(type, to, x);
  case ConvertOp::Bitcast:
    // MLIR 19 folds a bitcast of a bitcast to the first one's source, of whatever type: there must
    // be no chain of them.
    while (auto inner = x.getDefiningOp<arith::BitcastOp>())
      x = inner.getIn();
    return x.getType() == to ? wrap(type, x) : make<arith::BitcastOp>(type, to, x);
  case ConvertOp::PointerToInt:
    return make<tile::PtrToIntOp>(type, to, x);
  case ConvertOp::IntToPointer:
    return make<tile::IntToPtrOp>(type, to, x);
  case ConvertOp::PointerCast:
    // Pointers to bool and to int8 are one type below.
    return to == x.getType() ? Value{type, operand.handle} : make<tile::PtrCastOp>(type, to, x);
  }
  llvm_unreachable("all conversions are above");
}

Value EmitTile::retype(const Value &operand, DType element) {
  assert(typeOf(operand.type) == typeOf(operand.type.withElement(element)));
  return {operand.type.withElement(element), operand.handle};
}

Value EmitTile::range(int32_t start, int32_t end) {
  Type type(Scalar::Int32, int64_t(end) - start);
  return make<tile::RangeOp>(type, typeOf(type), uint32_t(start), uint32_t(end));
}

Value EmitTile::splat(const Value &scalar, llvm::ArrayRef<int64_t> shape) {
  Type type = scalar.type.withShape(shape);
  Attribute constant;
  if (matchPattern(unwrap(scalar), m_Constant(&constant)) && isa<IntegerAttr, FloatAttr>(constant)) {
    // A block of one constant is a constant; the scalar, if nothing else uses it, goes with the
    // first clean-up.
    return make<arith::ConstantOp>(type, filled(typeOf(type), constant));
  }
  return make<tile::SplatOp>(type, typeOf(type), unwrap(scalar));
}

Value EmitTile::expandDims(const Value &block, unsigned axis) {
  Type type = block.type;
  type.shape.insert(type.shape.begin() + axis, 1);
  return make<tile::ExpandDimsOp>(type, typeOf(type), unwrap(block), axis);
}

Value EmitTile::permute(const Value &block, llvm::ArrayRef<int64_t> order) {
  Type type = block.type;
  for (auto [extent, from] : llvm::zip(type.shape, order))
    extent = block.type.shape[size_t(from)];
  return make<tile::PermuteOp>(type, typeOf(type), unwrap(block), SmallVector<int32_t>(order.begin(), order.end()));
}

Value EmitTile::join(const Value &a, const Value &b) {
  Type type = a.type;
  type.shape.push_back(2);
  return make<tile::JoinOp>(type, typeOf(type), unwrap(a), unwrap(b));
}

std::pair<Value, Value> EmitTile::split(const Value &block) {
  Type type = block.type;
  type.shape.pop_back();
  auto op = builder_.create<tile::SplitOp>(loc_, typeOf(type), typeOf(type), unwrap(block));
  return {wrap(type, op.getLhs()), wrap(type, op.getRhs())};
}

// What a parameter is to the op that is built: an operand, an attribute, or nothing beside its part
// of the result's type.
static std::tuple<mlir::Value> asBuilt(const Value &value) { return EmitTile::unwrap(value); }
static std::tuple<mlir::Value> asBuilt(const Value *value) { return value ? EmitTile::unwrap(*value) : mlir::Value(); }
static std::tuple<uint32_t> asBuilt(unsigned number) { return number; }
static std::tuple<> asBuilt(int64_t) { return {}; }
static std::tuple<> asBuilt(llvm::ArrayRef<int64_t>) { return {}; }

#define TILEWISE_SINK_BUILT_OP(NAME, PARAMETERS, NAMES, OP, TYPE)                                                      \
  Value EmitTile::NAME PARAMETERS {                                                                                    \
    const Type type = TYPE;                                                                                            \
    auto parts =                                                                                                       \
        std::apply([](const auto &...each) { return std::tuple_cat(asBuilt(each)...); }, std::forward_as_tuple NAMES); \
    return std::apply([&](auto... part) { return make<OP>(type, typeOf(type), part...); }, parts);                     \
  }
#include "frontend/sema/OpSink.def"

} // namespace tilewise::frontend
