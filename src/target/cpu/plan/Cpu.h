// The cpu dialect in C++: its types and ops.
#pragma once

#include "ir/Tile.h"

#include "target/cpu/plan/CpuDialect.h.inc"
#include "target/cpu/plan/CpuEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "target/cpu/plan/CpuAttrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "target/cpu/plan/CpuTypes.h.inc"
#define GET_OP_CLASSES
#include "target/cpu/plan/CpuOps.h.inc"
