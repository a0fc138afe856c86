// The tile dialect itself: registration, attributes on functions, and helpers over types.
#include "ir/Tile.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

#include "ir/TileDialect.cpp.inc"
#include "ir/TileEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "ir/TileAttrs.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "ir/TileTypes.cpp.inc"

using namespace mlir;

namespace tilewise::tile {

void TileDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "ir/TileTypes.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "ir/TileAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "ir/TileOps.cpp.inc"
      >();
}

Operation *TileDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type, Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

LogicalResult TileDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  if (attribute.getName() != kKernelAttr)
    return success();
  auto function = dyn_cast<func::FuncOp>(op);
  if (!function)
    return op->emitOpError("only a func.func can be a tile.kernel");
  if (function.getNumResults() != 0)
    return op->emitOpError("a tile.kernel has no results");
  return success();
}

LogicalResult TileDialect::verifyRegionArgAttribute(Operation *op, unsigned, unsigned, NamedAttribute attribute) {
  if (attribute.getName() == kNameAttr)
    return isa<StringAttr>(attribute.getValue()) ? success() : op->emitOpError("tile.name must be a string");
  if (attribute.getName() == kDivisibilityAttr) {
    auto divisor = dyn_cast<IntegerAttr>(attribute.getValue());
    if (!divisor || !divisor.getValue().isPowerOf2())
      return op->emitOpError("tile.divisibility must be a power of two");
    return success();
  }
  return op->emitOpError("unknown argument attribute ") << attribute.getName();
}

LogicalResult PtrType::verify(llvm::function_ref<InFlightDiagnostic()> emitError, Type pointee) {
  if (llvm::isa<IntegerType, FloatType, PtrType>(pointee))
    return success();
  return emitError() << "a tile.ptr points to an integer, a float or a pointer, got " << pointee;
}

ArrayRef<int64_t> shapeOf(Type type) {
  auto block = dyn_cast<RankedTensorType>(type);
  return block ? block.getShape() : ArrayRef<int64_t>();
}

Type elementTypeOf(Type type) {
  auto block = dyn_cast<RankedTensorType>(type);
  return block ? block.getElementType() : type;
}

Type withElementType(Type type, Type element) {
  auto block = dyn_cast<RankedTensorType>(type);
  return block ? RankedTensorType::get(block.getShape(), element, block.getEncoding()) : element;
}

Type blockOrScalar(ArrayRef<int64_t> shape, Type element) {
  return shape.empty() ? element : RankedTensorType::get(shape, element);
}

func::FuncOp kernelOf(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>())
    if (function->hasAttr(TileDialect::kKernelAttr))
      return function;
  return {};
}

} // namespace tilewise::tile
