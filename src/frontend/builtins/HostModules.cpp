// The little of the host's modules that module-level code of kernel files asks for: torch's dtypes and limits, versions, defaults.
#include "frontend/builtins/Builtins.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

namespace tilewise::frontend {

std::optional<std::string> hostModule(llvm::StringRef dotted) {
  for (llvm::StringRef known : {"collections", "importlib", "importlib.loader", "importlib.metadata", "importlib.util",
                                "operator", "os", "os.environ", "packaging", "packaging.version", "torch", "torch.cuda",
                                "torch.version", "triton.runtime", "triton.runtime.jit", "warnings"})
    if (dotted == known)
      return dotted.str();
  return std::nullopt;
}

static std::optional<Scalar> torchDtype(llvm::StringRef name) {
  return llvm::StringSwitch<std::optional<Scalar>>(name)
      .Cases("float16", "half", Scalar::Fp16)
      .Case("bfloat16", Scalar::Bf16)
      .Cases("float32", "float", Scalar::Fp32)
      .Cases("float64", "double", Scalar::Fp64)
      .Case("float8_e4m3fn", Scalar::Fp8E4NV)
      .Case("float8_e5m2", Scalar::Fp8E5)
      .Case("float8_e4m3fnuz", Scalar::Fp8E4B8)
      .Case("float8_e5m2fnuz", Scalar::Fp8E5B16)
      .Case("int8", Scalar::Int8)
      .Case("int16", Scalar::Int16)
      .Cases("int32", "int", Scalar::Int32)
      .Cases("int64", "long", Scalar::Int64)
      .Case("uint8", Scalar::UInt8)
      .Case("uint16", Scalar::UInt16)
      .Case("uint32", Scalar::UInt32)
      .Case("uint64", Scalar::UInt64)
      .Case("bool", Scalar::Int1)
      .Default(std::nullopt);
}

Result<Operand> hostModuleAttribute(llvm::StringRef module, llvm::StringRef name) {
  std::string full = (module + "." + name).str();
  if (std::optional<std::string> inner = hostModule(full))
    return Operand::ofModule(*inner);
  if (const Builtin *builtin = findBuiltin(full))
    return Operand::ofBuiltin(builtin);
  // triton.runtime hands on what `triton` itself has for kernels.
  if (module.starts_with("triton.runtime"))
    if (const Builtin *builtin = findBuiltin(("triton." + name).str()))
      return Operand::ofBuiltin(builtin);
  if (module == "torch")
    if (std::optional<Scalar> scalar = torchDtype(name))
      return Operand::ofType(DType(*scalar));
  // None of the engines is AMD's.
  if (full == "torch.version.hip")
    return Operand::none();
  std::string inLanguage = findBuiltin("tl." + name.str()) ? "; did you mean 'tl." + name.str() + "'?" : "";
  return kernelFailure(full + " is of the host and not available while compiling" + inLanguage);
}

} // namespace tilewise::frontend
