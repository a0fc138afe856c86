// Which cells of op by type have been run and agreed.
#pragma once

#include "Grammar.h"

#include <map>

namespace tilewise::random {

/// Statements that reach a store or an atomic; what is dead is no test of an op.
std::vector<const Statement *> liveStatements(const Sketch &sketch);

class Coverage {
public:
  void add(const Sketch &sketch);
  /// Names of cells that the language allows and no kernel had.
  std::vector<std::string> emptyCells() const;
  /// Op by type: a count, `-` where the language has no such op, `EMPTY`.
  std::string table(const std::string &engine) const;

private:
  std::map<std::pair<std::string, const ElementType *>, size_t> counts_;
};

} // namespace tilewise::random
