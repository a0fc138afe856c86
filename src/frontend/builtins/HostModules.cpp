// The little of the host's modules that module-level code of kernel files asks for: torch's dtypes
// and limits, versions, defaults.
#include "frontend/builtins/Builtins.h"

#include "llvm/ADT/STLExtras.h"

namespace tilewise::frontend {

std::optional<std::string> hostModule(llvm::StringRef dotted) {
  for (llvm::StringRef known : {"collections", "importlib", "importlib.loader", "importlib.metadata", "importlib.util",
                                "operator", "os", "os.environ", "packaging", "packaging.version", "torch", "torch.cuda",
                                "torch.version", "triton.runtime", "triton.runtime.jit", "warnings"})
    if (dotted == known)
      return dotted.str();
  return std::nullopt;
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
    if (std::optional<DType> type = dtypeOfTorchName(name))
      return Operand::ofType(*type);
  // None of the engines is AMD's.
  if (full == "torch.version.hip")
    return Operand::none();
  std::string inLanguage = findBuiltin("tl." + name.str()) ? "; did you mean 'tl." + name.str() + "'?" : "";
  return kernelFailure(full + " runs on the host and is not available while compiling" + inLanguage);
}

} // namespace tilewise::frontend
