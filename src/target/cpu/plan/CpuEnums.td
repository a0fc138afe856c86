// Enumerations of the cpu dialect.
#ifndef TILEWISE_TARGET_CPU_ENUMS
#define TILEWISE_TARGET_CPU_ENUMS

include "mlir/IR/EnumAttr.td"

def Cpu_PartEnum : I32EnumAttr<"Part", "which of an access a nest asks for, and when", [
    I32EnumAttrCase<"beside", 0>, I32EnumAttrCase<"all", 1>, I32EnumAttrCase<"first", 2>, I32EnumAttrCase<"last", 3>]> {
  let cppNamespace = "::tilewise::cpu";
  let genSpecializedAttr = 0;
}

def Cpu_GuardEnum : I32EnumAttr<"Guard", "what a nest does where its accesses meet", [
    I32EnumAttrCase<"unless_overlapping", 0>, I32EnumAttrCase<"one_by_one", 1>]> {
  let cppNamespace = "::tilewise::cpu";
  let genSpecializedAttr = 0;
}

#endif
