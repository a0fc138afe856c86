// LLVM's side of the CPU engine: the target machine, the pass list over LLVM IR, and code emission.
#pragma once

#include "support/Error.h"
#include "target/Target.h"
#include "target/cpu/Machine.h"

#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

#include <memory>
#include <string>

namespace tilewise::cpu {

/// Gives a target machine back to the thread, for its next compile: the tables that LLVM fills for a processor are 6 % of the compile of vector
/// add.
struct KeepTargetMachine {
  std::string processor;
  void operator()(llvm::TargetMachine *machine) const;
};
using TargetMachineHandle = std::unique_ptr<llvm::TargetMachine, KeepTargetMachine>;

/// For the named processor, or the one we run on.
Result<TargetMachineHandle> takeTargetMachine(const Target &target);
Machine describe(const llvm::TargetMachine &machine);

/// Loads, stores, selects and phis of bfloat, and of half if asked, -> the same of i16; before `optimize`.
void carryNarrowFloatsAsBits(llvm::Module &module, bool carryHalf);

/// A short list of function passes: the nests come vectorised, so what is left is to clean up.
void optimize(llvm::Module &module, llvm::TargetMachine &machine);

/// Assembly text or an ELF object. An object that refers to anything outside itself is refused.
Result<std::string> emit(llvm::Module &module, llvm::TargetMachine &machine, llvm::CodeGenFileType kind);

} // namespace tilewise::cpu
