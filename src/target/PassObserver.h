// LLVM's passes as `--print-changed` and `--time-passes` show them, beside MLIR's: those over LLVM
// IR, and those of code generation.
//
// The former have LLVM's instrumentation. The latter run under the old pass manager, which can only
// print and time for the whole process; so each is followed by a pass of ours that takes the time
// and looks at what the one before it left.
#pragma once

#include "support/Timer.h"

#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/Support/raw_ostream.h"

namespace tilewise {

struct PassObserver {
  StageTimes *times = nullptr; ///< Time per pass, under "llvm:" and its name.
  /// What a pass made, if that is different from before.
  llvm::raw_ostream *printChanged = nullptr;

  explicit operator bool() const { return times || printChanged; }
};

/// Has the passes that run with these callbacks watched; `module` is what they begin with. Good for
/// one run.
void observeIrPasses(llvm::PassInstrumentationCallbacks &callbacks, const llvm::Module &module, PassObserver observer);

/// A pass manager of code generation whose passes are watched, if somebody watches.
class ObservedCodePasses : public llvm::legacy::PassManager {
public:
  explicit ObservedCodePasses(PassObserver observer);
  ~ObservedCodePasses() override;
  void add(llvm::Pass *pass) override;

  struct State;

private:
  std::unique_ptr<State> state_; ///< Null where nobody watches.
};

} // namespace tilewise
