// Times and prints LLVM's passes: see PassObserver.h.
#include "target/PassObserver.h"

#include "llvm/Analysis/LazyCallGraph.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineModuleInfo.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"
#include "llvm/Pass.h"
#include "llvm/PassInfo.h"

#include <map>
#include <memory>

namespace tilewise {

using Clock = std::chrono::steady_clock;

static double millisecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

static std::string textOf(const llvm::Module &module) {
  std::string text;
  llvm::raw_string_ostream os(text);
  module.print(os, nullptr);
  return text;
}
/// A function of IR, or of machine code.
template <typename Function> static std::string textOf(const Function &function) {
  std::string text;
  llvm::raw_string_ostream os(text);
  function.print(os);
  return text;
}

/// In the form of MLIR's headings.
static void printHeaded(llvm::raw_ostream &os, llvm::StringRef when, const std::string &text) {
  os << "; -----// LLVM IR " << when << " //----- //\n" << text << "\n\n";
}

/// The function that a pass ran on, or that its loop is in.
static const llvm::Function *functionOf(const llvm::Any &ir) {
  if (const auto *function = llvm::any_cast<const llvm::Function *>(&ir))
    return *function;
  if (const auto *loop = llvm::any_cast<const llvm::Loop *>(&ir))
    return (*loop)->getHeader()->getParent();
  return nullptr;
}

namespace {

/// What the callbacks share; they own it.
struct IrObservation {
  PassObserver observer;
  llvm::PassInstrumentationCallbacks &callbacks;
  llvm::SmallVector<Clock::time_point> starts;
  std::map<std::string, std::string> printed; ///< Per function, as it last was.

  /// Pass managers and adaptors only run other passes.
  static bool isPass(llvm::StringRef name) { return !name.contains("PassManager") && !name.contains("PassAdaptor"); }

  void after(llvm::StringRef className, const llvm::Any &ir) {
    if (!isPass(className))
      return;
    const double taken = millisecondsSince(starts.pop_back_val());
    llvm::StringRef name = callbacks.getPassNameForClassName(className);
    if (name.empty())
      name = className;
    if (observer.times)
      observer.times->add(("llvm:" + name).str(), taken);
    const llvm::Function *function = functionOf(ir);
    if (!observer.printChanged || !function)
      return;
    std::string text = textOf(*function);
    std::string &before = printed[function->getName().str()];
    if (before == text)
      return;
    printHeaded(*observer.printChanged, ("Dump After " + className + " (llvm:" + name + ")").str(), text);
    before = std::move(text);
  }
};

} // namespace

void observeIrPasses(llvm::PassInstrumentationCallbacks &callbacks, const llvm::Module &module, PassObserver observer) {
  if (!observer)
    return;
  auto state = std::make_shared<IrObservation>(IrObservation{observer, callbacks, {}, {}});
  if (observer.printChanged) {
    printHeaded(*observer.printChanged, "After Translation", textOf(module));
    for (const llvm::Function &function : module)
      state->printed[function.getName().str()] = textOf(function);
  }
  callbacks.registerBeforeNonSkippedPassCallback([state](llvm::StringRef name, const llvm::Any &) {
    if (IrObservation::isPass(name))
      state->starts.push_back(Clock::now());
  });
  callbacks.registerAfterPassCallback(
      [state](llvm::StringRef name, const llvm::Any &ir, const llvm::PreservedAnalyses &) { state->after(name, ir); });
  callbacks.registerAfterPassInvalidatedCallback([state](llvm::StringRef name, const llvm::PreservedAnalyses &) {
    if (IrObservation::isPass(name))
      state->starts.pop_back();
  });
}

struct ObservedCodePasses::State {
  explicit State(PassObserver observer) : observer(observer) {}

  PassObserver observer;
  const llvm::MachineModuleInfo *machineCode = nullptr; ///< Once its pass is added.
  Clock::time_point last = {};
  std::map<std::string, std::string> printed; ///< Per function, as it last was.
  bool isStarted = false;
};

namespace {

/// Takes the time since the pass before it, and prints what that left if it is new. Keeps every
/// analysis, so that the code stays the same. The first, which has no name, only begins.
class LookBack : public llvm::FunctionPass {
public:
  LookBack(ObservedCodePasses::State &state, std::string name, std::string title)
      : llvm::FunctionPass(ID), state_(state), name_(std::move(name)), title_(std::move(title)) {}
  static char ID;

  llvm::StringRef getPassName() const override { return "Tilewise looks back"; }
  void getAnalysisUsage(llvm::AnalysisUsage &usage) const override { usage.setPreservesAll(); }

  bool runOnFunction(llvm::Function &function) override {
    const bool isFirst = name_.empty();
    if (state_.observer.times && !isFirst)
      state_.observer.times->add("llvm:" + name_, millisecondsSince(state_.last));
    if (state_.observer.printChanged && isFirst)
      state_.printed[function.getName().str()] = textOf(function);
    else if (state_.observer.printChanged)
      printChanged(function);
    state_.last = Clock::now();
    return false;
  }

private:
  void printChanged(const llvm::Function &function) {
    const llvm::MachineFunction *machine =
        state_.machineCode ? state_.machineCode->getMachineFunction(function) : nullptr;
    std::string &before = state_.printed[function.getName().str()];
    // The last pass lets the machine's code go; the IR that it was made from is then old.
    if (!machine && before.starts_with("# Machine"))
      return;
    std::string text = machine ? textOf(*machine) : textOf(function);
    if (std::exchange(before, text) != text)
      printHeaded(*state_.observer.printChanged, "Dump After " + title_ + " (llvm:" + name_ + ")", text);
  }

  ObservedCodePasses::State &state_;
  const std::string name_, title_;
};

char LookBack::ID = 0;

} // namespace

ObservedCodePasses::ObservedCodePasses(PassObserver observer) {
  if (observer)
    state_ = std::make_unique<State>(observer);
}
ObservedCodePasses::~ObservedCodePasses() = default;

void ObservedCodePasses::add(llvm::Pass *pass) {
  // Facts that are there from the start do nothing that takes time.
  const bool isFact = pass->getAsImmutablePass() != nullptr;
  if (state_ && pass->getPassID() == &llvm::MachineModuleInfoWrapperPass::ID)
    state_->machineCode = &static_cast<llvm::MachineModuleInfoWrapperPass *>(pass->getAsImmutablePass())->getMMI();
  if (!state_ || isFact)
    return llvm::legacy::PassManager::add(pass);
  if (!std::exchange(state_->isStarted, true))
    llvm::legacy::PassManager::add(new LookBack(*state_, "", ""));
  const std::string title = pass->getPassName().str();
  const llvm::PassInfo *info = llvm::Pass::lookupPassInfo(pass->getPassID());
  const bool hasName = info && !info->getPassArgument().empty();
  llvm::legacy::PassManager::add(pass); // It may be gone after this.
  llvm::legacy::PassManager::add(new LookBack(*state_, hasName ? info->getPassArgument().str() : title, title));
}

} // namespace tilewise
