// The arguments of a launch by the names of their parameters, and their values as texts.
#pragma once

#include "runtime/Kernel.h"

#include "llvm/ADT/ArrayRef.h"

namespace tilewise::tune {

/// The argument of each parameter that was given one.
std::vector<std::pair<std::string, tw_argument>> namedArguments(const Kernel &kernel,
                                                                llvm::ArrayRef<tw_argument> arguments);

/// A number or constant as the language writes it; empty for memory.
std::string valueText(const tw_argument &argument);

} // namespace tilewise::tune
