// What environments do with opaque objects unless they know better.
#include "frontend/values/Environment.h"

namespace tilewise::frontend {

Result<Operand> Environment::getAttribute(const HostObject &object, llvm::StringRef name) {
  return kernelFailure("kernels cannot look into " + object.description + " for '" + name.str() + "'");
}

Result<Operand> Environment::call(const HostObject &callee, llvm::ArrayRef<Operand>,
                                  llvm::ArrayRef<std::pair<std::string, Operand>>) {
  return kernelFailure(callee.description +
                       " is plain Python, which runs only in interpreter mode; use tl.device_print to print");
}

bool Environment::equal(const HostObject &a, const HostObject &b) { return a.handle == b.handle; }

} // namespace tilewise::frontend
