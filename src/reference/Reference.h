// The reference engine: executes tile IR literally, block by block, in plain C++. It defines what a kernel means.
#pragma once

#include "support/Error.h"
#include "target/Artifact.h"

#include "llvm/ADT/ArrayRef.h"

#include <array>
#include <memory>

namespace tilewise::reference {

class Program {
public:
  /// Parses and decodes the artifact's tile IR; nothing of MLIR is left when it is done.
  static Result<std::unique_ptr<Program>> load(const Artifact &artifact);
  virtual ~Program() = default;

  /// Runs every program of the grid; `arguments` has one slot per launch parameter, as target/Artifact.h says.
  virtual Result<void> run(llvm::ArrayRef<uint64_t> arguments, std::array<uint32_t, 3> grid) = 0;
};

} // namespace tilewise::reference
