// What the launch function of a build takes, and which of its signatures some arguments fit.
#pragma once

#include "artifact/Artifact.h"
#include "support/Error.h"

#include <string>
#include <vector>

namespace tilewise::aot {

/// A parameter of the launch function.
struct ChoiceParameter {
  size_t index;     ///< Among the kernel's.
  std::string name; ///< In C; the kernel's own, where that can be.
  std::string type, typeText;
  bool isPointer() const { return llvm::StringRef(typeText).starts_with("*"); }
};

/// What is a runtime value in some signature; where another has a constant, that is a condition.
/// The failure names signatures that do not go together.
Result<std::vector<ChoiceParameter>> findParameters(const std::vector<const Artifact *> &signatures);

/// The name in C of what a launch passes on: of the kernel's argument `index`.
const std::string &nameInC(const std::vector<ChoiceParameter> &parameters, size_t index);

/// When the arguments fit a signature, as an expression in C: "(uintptr_t)x % 16 == 0 && n == 1".
Result<std::string> conditionInC(const std::vector<ChoiceParameter> &parameters, const Artifact &signature);

} // namespace tilewise::aot
