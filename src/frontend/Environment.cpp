// Names resolved outside a function: remembering them, and the defaults for opaque objects.
#include "frontend/Environment.h"

#include "frontend/Ast.h"
#include "frontend/Builtins.h"
#include "frontend/Try.h"

namespace tilewise::frontend {

Result<std::optional<Operand>> Environment::lookup(llvm::StringRef name, LookupUse use) {
  TILEWISE_TRY(std::optional<Operand> value, find(name, use));
  if (value)
    used_.try_emplace(name.str(), keyOf(*value));
  return value;
}

Result<Operand> Environment::getAttribute(const HostObject &object, llvm::StringRef name) {
  // numpy.sqrt and torch.sqrt are tl.sqrt here.
  bool inLanguage = bool(moduleAttribute("triton.language", name));
  return kernelFailure("kernels cannot look into " + object.description + " for '" + name.str() + "'" +
                       (inLanguage ? "; did you mean 'tl." + name.str() + "'?" : ""));
}

Result<Operand> Environment::call(const HostObject &callee, llvm::ArrayRef<Operand>,
                                  llvm::ArrayRef<std::pair<std::string, Operand>>) {
  return kernelFailure(callee.description +
                       " is plain Python, which runs only in interpreter mode; use tl.device_print to print");
}

bool Environment::equal(const HostObject &a, const HostObject &b) { return a.handle == b.handle; }

std::string Environment::keyOf(const Operand &value) const {
  // A function is its text; the names it uses are remembered where they are looked up.
  if (value.isFunction() && value.function()->definition)
    return value.function()->definition->module->text(*value.function()->definition).str();
  return value.repr();
}

std::string Environment::cacheKey() const {
  std::string key;
  for (const auto &[name, value] : used_)
    key += name + "=" + value + "\n";
  return key;
}

} // namespace tilewise::frontend
