// The key of operands: all of them that elaborating an expression may look at without asking for a
// runtime value.
#pragma once

#include "frontend/values/Operand.h"
#include "interpreter/OpKey.h"

namespace tilewise::interpreter {

/// The key of some operands, and what was found in them on the way.
struct OperandKey {
  const frontend::Environment *library; ///< Whose functions never change.
  OpKey key{""};
  llvm::SmallVector<frontend::Value, 8> values = {}; ///< The runtime values in order.
  bool usesHost = false;                             ///< A function whose names the host resolves.
  std::vector<frontend::Operand> kept = {};          ///< What the key names by its address.

  /// False when it cannot be named, as an object of the host.
  bool add(const frontend::Operand &operand);

private:
  bool addConstant(const frontend::Operand &operand);
  bool addByAddress(const frontend::Operand &operand);
  bool addParts(const frontend::Operand &operand);
};

/// The operand with each runtime value replaced, in the order of forEachValue.
frontend::Operand withValues(const frontend::Operand &operand,
                             llvm::function_ref<frontend::Value(const frontend::Value &)> replace);

} // namespace tilewise::interpreter
