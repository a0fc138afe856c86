// How elements lie in memory, and what stands for them in registers.
#include "target/cpu/Storage.h"

#include "ir/Tile.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace tilewise::cpu {

Type storageType(Type element) {
  MLIRContext *context = element.getContext();
  if (element.isInteger(1))
    return IntegerType::get(context, 8);
  if (isa<tile::PtrType>(element))
    return IntegerType::get(context, 64);
  if (isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32)
    return IntegerType::get(context, element.getIntOrFloatBitWidth());
  return element;
}

int64_t storageBytes(Type element) { return storageType(element).getIntOrFloatBitWidth() / 8; }

Type scalarType(Type element) {
  return isa<tile::PtrType>(element) ? Type(LLVM::LLVMPointerType::get(element.getContext())) : element;
}

VectorType vectorType(Type element, int64_t lanes) {
  return VectorType::get({lanes}, isa<tile::PtrType>(element) ? IntegerType::get(element.getContext(), 64) : element);
}

} // namespace tilewise::cpu
