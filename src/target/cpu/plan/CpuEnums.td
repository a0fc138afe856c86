// Enumerations of the cpu dialect.
#ifndef TILEWISE_TARGET_CPU_ENUMS
#define TILEWISE_TARGET_CPU_ENUMS

include "mlir/IR/EnumAttr.td"

def Cpu_PartEnum : I32EnumAttr<"Part", "which of an access a nest asks for, and when", [
    I32EnumAttrCase<"beside", 0>, I32EnumAttrCase<"all", 1>, I32EnumAttrCase<"first", 2>, I32EnumAttrCase<"last", 3>]> {
  let cppNamespace = "::tilewise::cpu";
  let genSpecializedAttr = 0;
}

#endif
