// Calls of the mathematics library: an instruction where PTX has one, else a function of the device
// library that the kernel is linked with.
#include "target/Refusal.h"
#include "target/nvidia/DeviceLibrary.h"
#include "target/nvidia/NvidiaMachine.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace tilewise::nvidia {

namespace {

/// PTX's letter for a register of a type in inline assembly, and its name of the type.
std::string letterOf(Type type) {
  if (type.isF32())
    return "f";
  if (type.isF64())
    return "d";
  return type.getIntOrFloatBitWidth() == 64 ? "l" : "r";
}

/// `add.rz.f32` for "fadd_rz", `fma.ru.f64` for "fma_ru", `cvt.rd.f32.s32` for "int2float_rd";
/// empty for what is no rounded arithmetic.
std::string roundedInstruction(StringRef symbol) {
  auto [stem, mode] = symbol.rsplit('_');
  if (mode != "rn" && mode != "rz" && mode != "rd" && mode != "ru")
    return "";
  std::string rounding = (mode == "rd" ? "rm" : mode == "ru" ? "rp" : mode).str();
  if (stem.contains('2')) {
    auto [from, to] = stem.split('2');
    auto typeOf = [](StringRef name) -> StringRef {
      return llvm::StringSwitch<StringRef>(name)
          .Case("int", "s32")
          .Case("uint", "u32")
          .Case("ll", "s64")
          .Case("ull", "u64")
          .Case("float", "f32")
          .Case("double", "f64")
          .Default("");
    };
    if (typeOf(from).empty() || (to != "float" && to != "double"))
      return "";
    return ("cvt." + rounding + "." + typeOf(to) + "." + typeOf(from)).str();
  }
  bool isDouble = stem.starts_with("d") || stem == "fma";
  StringRef name = stem == "fma" || stem == "fmaf" ? "fma" : stem.drop_front();
  static constexpr StringRef known[] = {"add", "sub", "mul", "div", "rcp", "sqrt", "fma"};
  if (!llvm::is_contained(known, name))
    return "";
  return (name + "." + rounding + (isDouble ? ".f64" : ".f32")).str();
}

} // namespace

Value NvidiaMachine::callLibrary(gpu::Lowering &on, StringRef symbol, Type result, ValueRange operands) const {
  return on.callFunction(deviceFunctionName(symbol), result, operands);
}

Value NvidiaMachine::libraryCall(gpu::Lowering &on, tile::ExternCallOp op, ValueRange operands) const {
  Type element = tile::elementTypeOf(op.getType()), result = on.registerType(element);
  StringRef symbol = op.getSymbol();
  if (std::string instruction = roundedInstruction(symbol); !instruction.empty()) {
    std::string text = instruction + " $0", constraints = "=" + letterOf(result);
    for (auto [index, operand] : llvm::enumerate(operands)) {
      text += ", $" + std::to_string(index + 1);
      constraints += "," + letterOf(operand.getType());
    }
    return on.assembly(text + ";", constraints, result, operands, /*effects=*/false);
  }
  if (symbol == "clock64")
    return on.assembly("mov.u64 $0, %clock64;", "=l", result, {}, /*effects=*/true);
  if (symbol == "globaltimer")
    return on.assembly("mov.u64 $0, %globaltimer;", "=l", result, {}, /*effects=*/true);
  if (symbol == "smid")
    return on.assembly("mov.u32 $0, %smid;", "=r", result, {}, /*effects=*/true);
  if (!hasDeviceFunction(symbol)) {
    refuse(op, "nvidia", ("'" + symbol + "'").str());
    return {};
  }
  // A bool crosses the call as an int.
  if (!element.isInteger(1))
    return callLibrary(on, symbol, result, operands);
  Value made = callLibrary(on, symbol, on.builder.getI32Type(), operands);
  return on.compare(LLVM::ICmpPredicate::ne, made, on.i32(0));
}

} // namespace tilewise::nvidia
