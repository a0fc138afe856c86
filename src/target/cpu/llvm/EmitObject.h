// LLVM IR -> optimised LLVM IR -> assembly or an ELF object: the target machine, the lists of
// passes over LLVM IR and to machine code.
#pragma once

#include "artifact/Target.h"
#include "support/Error.h"
#include "target/PassObserver.h"
#include "target/cpu/Machine.h"

#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

#include <memory>
#include <string>

namespace tilewise::cpu {

/// LLVM made ready for one processor. One compile uses it at a time, as LLVM wants it.
class CodeGenerator {
public:
  explicit CodeGenerator(std::unique_ptr<llvm::TargetMachine> machine);
  ~CodeGenerator();

  llvm::TargetMachine &machine() { return *machine_; }
  const Machine &description() const { return description_; }

  /// A short list of function passes: the nests come vectorised, so what is left is to clean up.
  void optimize(llvm::Module &module, PassObserver observer);

  /// Assembly text or an ELF object. An object that refers to anything outside itself is refused.
  Result<std::string> emit(llvm::Module &module, llvm::CodeGenFileType kind, PassObserver observer);

private:
  class CodePasses;

  std::unique_ptr<llvm::TargetMachine> machine_;
  Machine description_;
  std::unique_ptr<CodePasses> objectPasses_; ///< Null until the first object.
};

/// Gives a generator back to the thread, for its next compile. Of the compile of vector add, the
/// tables that LLVM fills for a processor were 6 %, and the list of its hundred passes, with what
/// each needs of the others, was another 6 %.
struct KeepCodeGenerator {
  std::string processor;
  bool isSpoilt = false; ///< Something was left in its middle: it is destroyed instead.
  void operator()(CodeGenerator *generator) const;
};
using CodeGeneratorHandle = std::unique_ptr<CodeGenerator, KeepCodeGenerator>;

/// For the named processor, or the one we run on.
Result<CodeGeneratorHandle> takeCodeGenerator(const Target &target);

/// Loads, stores, selects and phis of bfloat, and of half if asked, -> the same of i16; before
/// `optimize`.
void carryNarrowFloatsAsBits(llvm::Module &module, bool carryHalf);

} // namespace tilewise::cpu
