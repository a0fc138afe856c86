// The kind of an operand: all of it that elaborating an expression may look at without asking for a runtime value.
#pragma once

#include "frontend/values/Operand.h"
#include "interpreter/OpKey.h"

namespace tilewise::interpreter {

/// What is found in operands on the way.
struct KindScan {
  const frontend::Environment *library; ///< Whose functions never change.
  OpKey key{""};
  llvm::SmallVector<frontend::Value, 8> values = {}; ///< The runtime values in order.
  bool usesHost = false;                             ///< A function whose names the host resolves.
  std::vector<frontend::Operand> kept = {};          ///< What the key names by its address.

  /// False when it cannot be named, as an object of the host.
  bool add(const frontend::Operand &operand);
};

/// The operand with each runtime value replaced, in the order of forEachValue.
frontend::Operand withValues(const frontend::Operand &operand,
                             llvm::function_ref<frontend::Value(const frontend::Value &)> replace);

} // namespace tilewise::interpreter
