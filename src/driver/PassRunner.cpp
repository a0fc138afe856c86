// Passes over a module, as one stage of the walk.
#include "driver/PassRunner.h"

#include "mlir/IR/Location.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"

namespace tilewise {

using namespace mlir;

SourceLoc sourceLocOf(Location loc, const SourceFile *file) {
  SourceLoc place;
  loc->walk([&](Location inner) {
    auto at = dyn_cast<FileLineColLoc>(inner);
    if (!at)
      return WalkResult::advance();
    place.file = file && at.getFilename() == file->path() ? file : nullptr;
    place.line = at.getLine();
    place.column = at.getColumn();
    return WalkResult::interrupt();
  });
  return place;
}

static Severity severityOf(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Error:
    return Severity::Error;
  case DiagnosticSeverity::Warning:
    return Severity::Warning;
  default:
    return Severity::Note;
  }
}

DiagnosticCollector::DiagnosticCollector(MLIRContext &context, const SourceFile *file, Diagnostics &diagnostics)
    : handler_(&context, [file, &diagnostics](mlir::Diagnostic &report) {
        Severity severity = severityOf(report.getSeverity());
        if (severity == Severity::Note)
          return success();
        SourceLoc loc = sourceLocOf(report.getLocation(), file);
        tilewise::Diagnostic &kept =
            severity == Severity::Error ? diagnostics.error(loc, report.str()) : diagnostics.warning(loc, report.str());
        for (mlir::Diagnostic &note : report.getNotes())
          kept.notes.push_back({Severity::Note, sourceLocOf(note.getLocation(), file), note.str(), {}});
        return success();
      }) {}

namespace {

/// Adds each pass's own time under its flag; adaptors that only run other passes have none.
class PassTiming : public PassInstrumentation {
public:
  explicit PassTiming(StageTimes &times) : times_(times) {}
  void runBeforePass(Pass *, Operation *) override { starts_.push_back(Clock::now()); }
  void runAfterPass(Pass *pass, Operation *) override {
    std::chrono::duration<double, std::milli> taken = Clock::now() - starts_.pop_back_val();
    if (!pass->getArgument().empty())
      times_.add(pass->getArgument(), taken.count());
  }
  void runAfterPassFailed(Pass *pass, Operation *op) override { runAfterPass(pass, op); }

private:
  using Clock = std::chrono::steady_clock;
  StageTimes &times_;
  SmallVector<Clock::time_point> starts_;
};

} // namespace

bool runPasses(ModuleOp module, StringRef stage, const CompileWatch &watch,
               llvm::function_ref<void(OpPassManager &)> addPasses) {
  StageTimer timer(watch.times, stage);
  PassManager passes(module.getContext());
  addPasses(passes);
  if (watch.printChanged)
    passes.enableIRPrinting([](Pass *, Operation *) { return false; }, [](Pass *, Operation *) { return true; },
                            /*printModuleScope=*/true, /*printAfterOnlyOnChange=*/true,
                            /*printAfterOnlyOnFailure=*/false, *watch.printChanged);
  if (watch.passTimes)
    passes.addInstrumentation(std::make_unique<PassTiming>(*watch.passTimes));
  return succeeded(passes.run(module));
}

} // namespace tilewise
