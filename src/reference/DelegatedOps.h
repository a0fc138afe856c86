// Runs single ops of a kernel for another engine, on blocks that lie in that engine's memory: see
// ir/DelegatedOps.h.
#pragma once

#include "reference/Reference.h"

#include <optional>
#include <string>
#include <vector>

namespace tilewise::reference {

class DelegatedOps {
public:
  /// `names` are the kernel's parameters, for messages.
  static Result<std::unique_ptr<DelegatedOps>> load(llvm::StringRef tileIr, std::vector<std::string> names);
  virtual ~DelegatedOps() = default;

  /// Whether one of them prints: programs then have to run one after another.
  virtual bool hasMessages() const = 0;

  /// Where one thread runs ops.
  struct Workspace {
    virtual ~Workspace() = default;
  };
  virtual std::unique_ptr<Workspace> newWorkspace() const = 0;

  /// Runs function `number` in a program of a launch, with a pointer to each argument's elements;
  /// gives the failure that ends the program.
  virtual std::optional<Failure> run(size_t number, const void *const *arguments, std::array<uint32_t, 3> program,
                                     std::array<uint32_t, 3> grid, const LaunchServices &services,
                                     Workspace &workspace) const = 0;
};

} // namespace tilewise::reference
