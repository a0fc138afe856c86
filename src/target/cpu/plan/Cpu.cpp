// The cpu dialect itself: registration, and what a nest must be.
#include "target/cpu/plan/Cpu.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"

#include "target/cpu/plan/CpuDialect.cpp.inc"
#include "target/cpu/plan/CpuEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "target/cpu/plan/CpuAttrs.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "target/cpu/plan/CpuTypes.cpp.inc"
#define GET_OP_CLASSES
#include "target/cpu/plan/CpuOps.cpp.inc"

using namespace mlir;

namespace tilewise::cpu {

void CpuDialect::initialize() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "target/cpu/plan/CpuTypes.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "target/cpu/plan/CpuAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "target/cpu/plan/CpuOps.cpp.inc"
      >();
}

LogicalResult NestOp::verify() {
  if (getResults().getTypes() != getBody().front().getTerminator()->getOperandTypes())
    return emitOpError("gives other scalars than it yields");
  if (getLanes()) {
    const int64_t dim = *getLaneDim(), lanes = *getLanes(), copies = getCopies().value_or(1);
    if (dim < 0 || dim >= int64_t(getShape().size()) || lanes < 1 || copies < 1 || lanes * copies > getShape()[dim])
      return emitOpError("cannot take ") << copies << " x " << lanes << " lanes along dimension " << dim;
  }
  if (!getRows())
    return success();
  const int64_t dim = *getRowDim(), rows = *getRows();
  if (dim < 0 || dim >= int64_t(getShape().size()) || rows < 1 || getShape()[dim] % rows != 0)
    return emitOpError("cannot take ") << rows << " rows at once along dimension " << dim;
  return success();
}

} // namespace tilewise::cpu
