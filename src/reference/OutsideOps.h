// Single ops of a kernel that another engine has this one run, on blocks that lie in the other engine's memory: prints, assertions, checks.
//
// A module of tile IR holds one function per op, in order; its arguments are the op's operands. A function with the attribute `tile.verb`
// stands for the check of an access: it computes and returns the addresses and the mask, and the attributes say whose memory these may
// touch. So what a person reads is the same whichever engine runs the kernel.
#pragma once

#include "reference/Reference.h"

#include <optional>
#include <string>
#include <vector>

namespace tilewise::reference {

class OutsideOps {
public:
  /// Of a check: "load", "store" or "atomic"; the kernel's arguments that the addresses are made from; whether they may come from elsewhere.
  static constexpr llvm::StringLiteral kVerbAttr = "tile.verb", kOriginsAttr = "tile.origins",
                                       kForeignAttr = "tile.foreign";

  /// `names` are the kernel's parameters, for messages.
  static Result<std::unique_ptr<OutsideOps>> load(llvm::StringRef tileIr, std::vector<std::string> names);
  virtual ~OutsideOps() = default;

  /// Whether one of them prints: programs then have to run one after another.
  virtual bool hasMessages() const = 0;

  /// Where one thread runs ops.
  struct Workspace {
    virtual ~Workspace() = default;
  };
  virtual std::unique_ptr<Workspace> newWorkspace() const = 0;

  /// Runs function `number` in a program of a launch, with a pointer to each argument's elements; gives the failure that ends the program.
  virtual std::optional<Failure> run(size_t number, const void *const *arguments, std::array<uint32_t, 3> program,
                                     std::array<uint32_t, 3> grid, const LaunchServices &services,
                                     Workspace &workspace) const = 0;
};

} // namespace tilewise::reference
