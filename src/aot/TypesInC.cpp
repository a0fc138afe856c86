// Types and signatures as C shows them.
#include "aot/TypesInC.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

namespace tilewise::aot {

std::string typeInC(llvm::StringRef type) {
  const bool isPointer = type.consume_front("*");
  const bool isConst = isPointer && type.consume_front("k");
  const llvm::StringRef name = llvm::StringSwitch<llvm::StringRef>(type)
                                   .Cases("i1", "u1", "uint8_t")
                                   .Case("i8", "int8_t")
                                   .Case("i16", "int16_t")
                                   .Case("i32", "int32_t")
                                   .Case("i64", "int64_t")
                                   .Case("u8", "uint8_t")
                                   .Case("u16", "uint16_t")
                                   .Case("u32", "uint32_t")
                                   .Case("u64", "uint64_t")
                                   .Case("fp32", "float")
                                   .Case("fp64", "double")
                                   .Cases("fp16", "bf16", "uint16_t")
                                   .StartsWith("fp8", "uint8_t")
                                   .Default("");
  if (name.empty())
    return "";
  return (isConst ? "const " : "") + name.str() + (isPointer ? " *" : "");
}

std::string signatureInC(const Artifact &code) {
  std::vector<std::string> texts;
  for (const ArtifactArgument &argument : code.arguments)
    texts.push_back(argument.name + ": " + argument.text +
                    (argument.divisibility > 1 ? ":" + std::to_string(argument.divisibility) : ""));
  return llvm::join(texts, ", ");
}

} // namespace tilewise::aot
