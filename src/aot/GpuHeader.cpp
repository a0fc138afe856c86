// The text of the header for a GPU.
#include "aot/GpuHeader.h"
#include "aot/TypesInC.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace tilewise::aot {

// Beyond this, dynamic shared memory must be asked for function by function.
static constexpr uint32_t kPlainSharedBytes = 48 << 10;

/// Bytes and not a string: compilers bound the length of strings.
static void writeBytes(llvm::raw_ostream &os, llvm::StringRef bytes) {
  for (size_t i = 0; i < bytes.size(); ++i)
    os << (i % 24 == 0 ? "\n    " : " ") << unsigned(uint8_t(bytes[i])) << ",";
}

Result<std::string> writeGpuHeader(const std::string &name, const std::string &origin, const Artifact &code) {
  std::vector<std::string> declared, checks, passed;
  for (const LaunchParameter &slot : code.plan.parameters) {
    const ArtifactArgument &argument = code.arguments[slot.argument];
    const bool isPointer = slot.kind == ScalarKind::Pointer;
    const std::string type = isPointer ? "CUdeviceptr" : typeInC(argument.text);
    if (type.empty() || slot.part != ParameterPart::Whole)
      return launchFailure("the argument '" + slot.name + "' has the type " + argument.text +
                           ", which has no counterpart in C");
    declared.push_back(type + " " + slot.name);
    passed.push_back("&" + slot.name);
    if (argument.divisibility > 1)
      checks.push_back(slot.name + " % " + std::to_string(argument.divisibility) + " != 0");
  }
  const std::string guard = "TILEWISE_BUILD_" + llvm::StringRef(name).upper() + "_H";
  const std::string listed = declared.empty() ? "" : ", " + llvm::join(declared, ", ");
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "/* " << name << ": made by Tilewise " TILEWISE_VERSION " from " << origin << " for " << code.target.str()
     << "; not to be edited.\n *\n * signature: " << signatureInC(code)
     << "\n *\n * A number after a colon divides the address in bytes, or the value. Floats that C does not\n"
     << " * have (fp16, bf16, fp8) go by their bits. */\n"
     << "#ifndef " << guard << "\n#define " << guard << "\n\n#include <cuda.h>\n#include <stdint.h>\n\n"
     << "static const unsigned char " << name << "_ptx[] = {";
  writeBytes(os, code.code);
  os << "\n    0};\n\n"
     << "/* Loads the code into the current context; the function is good until the module is unloaded. */\n"
     << "static inline CUresult " << name << "_load(CUmodule *module, CUfunction *function) {\n"
     << "  CUresult result = cuModuleLoadData(module, " << name << "_ptx);\n"
     << "  if (result == CUDA_SUCCESS)\n"
     << "    result = cuModuleGetFunction(function, *module, \"" << code.kernel << "\");\n";
  if (code.plan.sharedBytes > kPlainSharedBytes)
    os << "  if (result == CUDA_SUCCESS)\n"
       << "    result = cuFuncSetAttribute(*function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, "
       << code.plan.sharedBytes << ");\n";
  os << "  return result;\n}\n\n"
     << "/* Queues a launch; CUDA_ERROR_INVALID_VALUE where the arguments do not fit the signature. */\n"
     << "static inline CUresult " << name << "(CUfunction function, CUstream stream, const uint32_t grid[3]" << listed
     << ") {\n";
  if (passed.empty())
    os << "  void **arguments = 0;\n";
  else
    os << "  void *arguments[] = {" << llvm::join(passed, ", ") << "};\n";
  if (!checks.empty())
    os << "  if (" << llvm::join(checks, " || ") << ")\n    return CUDA_ERROR_INVALID_VALUE;\n";
  os << "  return cuLaunchKernel(function, grid[0], grid[1], grid[2], " << code.plan.threadsPerProgram << ", 1, 1, "
     << code.plan.sharedBytes << ", stream, arguments, 0);\n}\n\n#endif\n";
  return text;
}

} // namespace tilewise::aot
