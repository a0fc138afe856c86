// The cpu dialect itself: registration.
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

} // namespace tilewise::cpu
