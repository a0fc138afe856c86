// Passes over a module, as one stage of the walk.
#include "driver/PassRunner.h"

#include "frontend/builtins/Stdlib.h"
#include "ir/TextRange.h"
#include "target/Refusal.h"

#include "mlir/IR/Location.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"

#include "llvm/ADT/StringExtras.h"

namespace tilewise {

using namespace mlir;

const SourceFile *fileWithLine(const frontend::EmitRequest &kernel, StringRef path, uint32_t line) {
  auto has = [&](const SourceFile *file) { return file && path == file->path() && !file->line(line).empty(); };
  if (has(kernel.file))
    return kernel.file;
  for (const auto &other : kernel.otherFiles)
    if (has(other.get()))
      return other.get();
  return nullptr;
}

FunctionInText functionAt(const frontend::EmitRequest &kernel, StringRef path, uint32_t line) {
  const SourceFile *file = fileWithLine(kernel, path, line);
  for (uint32_t above = line; file && above >= file->firstLine(); --above) {
    StringRef text = file->line(above).ltrim();
    if (text.consume_front("def "))
      return {text.ltrim().take_while([](char c) { return llvm::isAlnum(c) || c == '_'; }).str(), above};
  }
  return {};
}

/// The text a place is in: the kernel's own, the library's, or that of a function it calls.
static const SourceFile *fileOf(FileLineColLoc place, const frontend::EmitRequest &kernel, Diagnostics &diagnostics) {
  StringRef path = place.getFilename();
  if (path == frontend::stdlib::source().path())
    return &frontend::stdlib::source();
  if (const SourceFile *file = fileWithLine(kernel, path, place.getLine()))
    return file;
  return diagnostics.keep(std::make_shared<SourceFile>(path.str(), std::string()));
}

SourceTrace sourceTraceOf(Location loc, const frontend::EmitRequest &kernel, Diagnostics &diagnostics) {
  SmallVector<tile::TextRange> places;
  tile::collectPlaces(loc, places);
  auto inLibrary = [](const tile::TextRange &range) {
    return range.start.getFilename().getValue() == frontend::stdlib::source().path();
  };
  auto asSource = [&](const tile::TextRange &range) {
    return SourceLoc{fileOf(range.start, kernel, diagnostics), range.start.getLine(), range.start.getColumn(),
                     range.length};
  };
  SourceTrace trace;
  auto users = llvm::find_if_not(places, inLibrary);
  if (users == places.end())
    users = places.begin();
  if (users != places.begin())
    trace.notes.push_back(
        {Severity::Note, asSource(places.front()), "inside the standard library", {}, MessageCode::Library});
  for (auto place = users; place != places.end(); ++place)
    if (place == users)
      trace.place = asSource(*place);
    else
      trace.notes.push_back({Severity::Note, asSource(*place), "called from here", {}, MessageCode::Call});
  return trace;
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

DiagnosticCollector::DiagnosticCollector(MLIRContext &context, const frontend::EmitRequest &kernel,
                                         Diagnostics &diagnostics)
    : handler_(&context, [this, &kernel, &diagnostics](mlir::Diagnostic &report) {
        Severity severity = severityOf(report.getSeverity());
        if (severity == Severity::Note)
          return success();
        SourceTrace trace = sourceTraceOf(report.getLocation(), kernel, diagnostics);
        // An unrolled loop, or a function inlined twice, repeats what it is warned of.
        if (severity == Severity::Warning &&
            llvm::any_of(diagnostics.all(), [&, text = report.str()](const tilewise::Diagnostic &known) {
              return known.loc == trace.place && known.message == text;
            }))
          return success();
        tilewise::Diagnostic &kept = severity == Severity::Error ? diagnostics.error(trace.place, report.str())
                                                                 : diagnostics.warning(trace.place, report.str());
        for (mlir::Diagnostic &note : report.getNotes())
          kept.notes.push_back(
              {Severity::Note, sourceTraceOf(note.getLocation(), kernel, diagnostics).place, note.str(), {}});
        llvm::append_range(kept.notes, trace.notes);
        if (severity == Severity::Error)
          fault_ = std::max(fault_.value_or(ErrorKind::Kernel), faultOf(report.getLocation()));
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

bool runPasses(ModuleOp module, StringRef stage, const CompileObserver &observer,
               llvm::function_ref<void(OpPassManager &)> addPasses, bool isCheckedNext) {
  StageTimer timer(observer.times, stage);
  PassManager passes(module.getContext());
  addPasses(passes);
#ifdef NDEBUG
  // After each pass it takes 8 % of the compile of vector add; stages are verified as a whole.
  passes.enableVerifier(false);
  const bool verifiesWhole = !isCheckedNext;
#else
  const bool verifiesWhole = false;
#endif
  if (observer.printChanged)
    passes.enableIRPrinting([](Pass *, Operation *) { return false; }, [](Pass *, Operation *) { return true; },
                            /*printModuleScope=*/true, /*printAfterOnlyOnChange=*/true,
                            /*printAfterOnlyOnFailure=*/false, *observer.printChanged);
  if (observer.passTimes)
    passes.addInstrumentation(std::make_unique<PassTiming>(*observer.passTimes));
  return succeeded(passes.run(module)) && (!verifiesWhole || succeeded(verify(module)));
}

} // namespace tilewise
