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

def Cpu_UnitEnum : I32EnumAttr<"DotUnit", "what multiplies the blocks of a dot", [
    I32EnumAttrCase<"Plain", 0, "plain">, I32EnumAttrCase<"Bf16Pairs", 1, "bf16_pairs">, I32EnumAttrCase<"I8Quads", 2, "i8_quads">,
    I32EnumAttrCase<"I16Pairs", 3, "i16_pairs">, I32EnumAttrCase<"Bf16Tiles", 4, "bf16_tiles">, I32EnumAttrCase<"I8Tiles", 5, "i8_tiles">,
    I32EnumAttrCase<"HalfTiles", 6, "half_tiles">]> {
  let cppNamespace = "::tilewise::cpu";
  let genSpecializedAttr = 0;
}

def Cpu_GivenEnum : I32EnumAttr<"Given", "how an operand is given to the unit", [
    I32EnumAttrCase<"Kept", 0, "kept">, I32EnumAttrCase<"Rows", 1, "rows">, I32EnumAttrCase<"Columns", 2, "columns">,
    I32EnumAttrCase<"RowsInPlace", 3, "rows_in_place">, I32EnumAttrCase<"ColumnsInPlace", 4, "columns_in_place">]> {
  let cppNamespace = "::tilewise::cpu";
  let genSpecializedAttr = 0;
}

#endif
