// The walk of a kernel. `Walk` holds what the steps share; `compile` reads like the line on the first page of docs/architecture.md.
#include "driver/Compile.h"

#include "driver/Contexts.h"
#include "driver/Dump.h"
#include "driver/FatalErrors.h"
#include "driver/PassRunner.h"
#include "frontend/syntax/Parser.h"
#include "ir/Tile.h"
#include "passes/Passes.h"
#include "reference/SourceLines.h"
#include "support/Knobs.h"
#include "target/LineTables.h"
#include "target/cpu/PerfWarnings.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"

namespace tilewise {

namespace {

/// Null for the reference engine, which needs none.
std::unique_ptr<Backend> createBackend(const Target &target, const CompileOptions &options) {
#ifdef TILEWISE_WITH_X86
  if (target.engine == Engine::Cpu)
    return createCpuBackend(target, options);
#endif
#ifdef TILEWISE_WITH_NVPTX
  if (target.engine == Engine::Nvidia)
    return createNvidiaBackend(target, options);
#endif
  return nullptr;
}

class Walk {
public:
  Walk(const CompileRequest &request, const CompileWatch &watch)
      : request_(request), watch_(watch), backend_(createBackend(request.target, request.options)) {
    if (backend_)
      backend_->watch = {watch.passTimes, watch.printChanged};
  }

  /// The steps in walking order; each takes what the one before it left.
  enum Step { Tile, Opt, EngineStage, LlvmDialect, LlvmIr };

  Result<void> to(Step last) {
    if (!backend_ && request_.target.engine != Engine::Reference)
      return launchFailure("this library was built without the engine of target " + request_.target.str() +
                           "; TILEWISE_TARGETS chooses the engines of a build");
    static constexpr Result<void> (Walk::*steps[])() = {&Walk::emitTile, &Walk::optimize, &Walk::lowerToStage,
                                                        &Walk::lowerToLlvmDialect, &Walk::translate};
    Result<void> done = openDump();
    for (int step = Tile; step <= last && done; ++step) {
      done = (this->*steps[step])();
      if (dump_)
        done = done ? dumpStage(Step(step)) : dumpFailure(done.takeFailure());
    }
    if (watch_.diagnostics)
      *watch_.diagnostics = diagnostics_;
    return done;
  }

  Result<void> openDump() {
    const std::string directory = watch_.dumpDir.empty() ? knobs::dumpDir() : watch_.dumpDir;
    if (directory.empty())
      return {};
    Result<StageDump> opened = StageDump::open(directory, request_.kernel.kernel);
    if (!opened)
      return opened.takeFailure();
    dump_ = std::move(*opened);
    return dump_->write("0-source.py", "# " + request_.target.str() + ": " + request_.kernel.kernel + "(" +
                                           frontend::printSignature(request_.kernel.arguments) + "), from " +
                                           request_.kernel.file->path().str() + "\n" +
                                           request_.kernel.file->text().str());
  }

  Result<void> dumpStage(Step step) {
    switch (step) {
    case Tile:
      return dump_->write("1-tile.mlir", printModule());
    case Opt:
      return dump_->write("2-opt.mlir", printModule());
    case EngineStage:
      return dump_->write("3-" + engineName() + ".mlir", printModule());
    case LlvmDialect:
      return dump_->write("4-llvm-dialect.mlir", printModule());
    case LlvmIr:
      break;
    }
    if (Result<void> done = dump_->write("5-llvm.ll", printLlvm()); !done)
      return done;
    // Code generation changes the IR that it is made from.
    std::unique_ptr<llvm::Module> copy = llvm::CloneModule(*llvm_);
    Result<std::string> text = inLlvm<std::string>([&] { return backend_->emitText(*copy); });
    if (!text) {
      (void)copy.release(); // As in inLlvm.
      return dumpFailure(text.takeFailure());
    }
    return dump_->write(request_.target.engine == Engine::Cpu ? "6-asm.s" : "6-code.ptx", *text);
  }

  /// What went wrong, beside the stages before it.
  Failure dumpFailure(Failure failure) {
    if (Result<void> done = dump_->write("9-error.txt", failure.message); !done)
      return done.takeFailure();
    return failure;
  }

  /// What a failure tells: its errors. The rest is for the watcher, as after a success.
  std::string renderErrors() const {
    std::string text;
    llvm::raw_string_ostream os(text);
    for (const Diagnostic &diagnostic : diagnostics_.all())
      if (diagnostic.severity == Severity::Error)
        renderDiagnostic(diagnostic, os);
    return text;
  }

  Result<void> emitTile() {
    StageTimer timer(watch_.times, "front end");
    frontend::EmitRequest kernel = request_.kernel;
    kernel.facts = {.debug = request_.options.debug,
                    .isCuda = request_.target.engine == Engine::Nvidia,
                    .capability = request_.target.capability,
                    .numWarps = request_.options.numWarps};
    module_ = frontend::emitTile(kernel, *context_, diagnostics_);
    request_.kernel.imports = kernel.imports;
    request_.kernel.otherFiles = std::move(kernel.otherFiles);
    if (!module_)
      return blameFor(kernel);
    planParameters();
    return {};
  }

  /// The kernel's error, or the launch's.
  Failure blameFor(const frontend::EmitRequest &kernel) {
    std::string errors = renderErrors();
    if (request_.launched.empty())
      return kernelFailure(std::move(errors));
    const frontend::Blame blame = frontend::blameArguments(kernel, request_.launched, *context_);
    if (!blame.isOfLaunch())
      return kernelFailure(std::move(errors));
    std::string told = "kernel '" + kernel.kernel + "': " + frontend::describeBlame(blame, kernel, request_.launched);
    diagnostics_.addToFirstError({Severity::Note, {}, told, {}});
    return launchFailure(told + "\n" + errors);
  }

  /// NVIDIA's engine does not check assertions yet: it leaves them out, and says so at the first.
  void dropAssertions() {
    DiagnosticCollector collector(*context_, request_.kernel, diagnostics_);
    bool isFirst = true;
    module_->walk([&](tile::AssertOp assertion) {
      if (std::exchange(isFirst, false))
        assertion.emitWarning("the " + engineName() +
                              " engine leaves assertions out; the reference engine checks them");
      assertion.erase();
    });
  }

  Result<void> optimize() {
    if (Result<void> warned = findWarnings(); !warned)
      return warned;
    if (request_.target.engine == Engine::Nvidia)
      dropAssertions();
    return run("passes", [&](mlir::OpPassManager &passes) { buildTilePipeline(passes, request_.options.fpFusion); });
  }

  /// Before any pass: dead code, as a program id that nothing uses, is a sign of a mistake and is soon gone.
  Result<void> findWarnings() {
    const WarningSet &warnings = request_.options.warnings;
    if (warnings.any())
      if (Result<void> found = run(
              "warnings",
              [&](mlir::OpPassManager &passes) {
                passes.addNestedPass<mlir::func::FuncOp>(tile::createWarn({warnings.flags()}));
              },
              /*isCheckedNext=*/true);
          !found)
        return found;
    if (warnings.areErrors() && diagnostics_.promoteWarnings())
      return kernelFailure(renderErrors());
    return {};
  }

  void attachSourceLines() {
    reference::attachSourceLines(*module_, [this](llvm::StringRef path, uint32_t line) {
      const SourceFile *file = fileWithLine(request_.kernel, path, line);
      return file ? file->line(line) : llvm::StringRef();
    });
  }

  /// What the engine decides about tile IR, for a person to see; a dead end.
  Result<void> planOnly() {
    if (Result<void> there = backend_->check(); !there)
      return there;
    return run("plan", [&](mlir::OpPassManager &passes) { backend_->addPlanPasses(passes); });
  }

  Result<void> lowerToStage() {
    // What a launch of the kernel may say shows its lines.
    if (Result<void> there = backend_->check(); !there)
      return there;
    bool speaks = request_.options.checked;
    module_->walk([&](mlir::Operation *op) { speaks |= mlir::isa<tile::PrintOp, tile::AssertOp>(op); });
    if (speaks && request_.target.engine == Engine::Cpu)
      attachSourceLines();
    const WarningSet &warnings = request_.options.warnings;
    if (warnings.has(Warning::Perf))
      (*module_)->setAttr(cpu::kWarnPerfAttr, mlir::UnitAttr::get(context_.get()));
    Result<void> done =
        run("to " + engineName(), [&](mlir::OpPassManager &passes) { backend_->addStagePasses(passes); });
    (*module_)->removeAttr(cpu::kWarnPerfAttr);
    if (done && warnings.areErrors() && diagnostics_.promoteWarnings())
      return kernelFailure(renderErrors());
    return done;
  }

  Result<void> lowerToLlvmDialect() {
    // What is translated from it is verified by LLVM.
    Result<void> done = run(
        "to llvm dialect", [&](mlir::OpPassManager &passes) { backend_->addLlvmPasses(passes); },
        /*isCheckedNext=*/true);
    if (done && request_.options.lineTables && request_.target.engine == Engine::Cpu)
      attachLineTables(*module_,
                       [this](llvm::StringRef path, unsigned line) { return functionAt(request_.kernel, path, line); });
    return done;
  }

  Result<void> translate() {
    StageTimer timer(watch_.times, "llvm");
    auto translated =
        inLlvm<std::unique_ptr<llvm::Module>>([&] { return backend_->translate(*module_, *llvmContext_); });
    if (!translated)
      return translated.takeFailure();
    llvm_ = std::move(*translated);
    return {};
  }

  Result<std::string> emitText() {
    StageTimer timer(watch_.times, "text");
    return inLlvm<std::string>([&] { return backend_->emitText(*llvm_); });
  }

  Result<Artifact> emitArtifact() {
    StageTimer timer(watch_.times, "code");
    Artifact artifact;
    artifact.target = request_.target;
    artifact.kernel = kernelName_;
    artifact.plan = plan_;
    if (!backend_) {
      attachSourceLines();
      artifact.code = printModule(/*withLocations=*/true);
      return artifact;
    }
    backend_->fillPlan(*module_, artifact.plan);
    Result<std::string> code = inLlvm<std::string>([&] { return backend_->emitCode(*llvm_); });
    if (!code)
      return code.takeFailure();
    artifact.code = std::move(*code);
    if (dump_ && request_.target.engine == Engine::Cpu)
      if (Result<void> done = dump_->write("7-object.o", artifact.code); !done)
        return done.takeFailure();
    return artifact;
  }

  /// Names and types of what the code will take; asked of tile IR, before an engine changes the function's type.
  void planParameters() {
    module_->walk([&](mlir::scf::WhileOp loop) {
      loop->walk([&](mlir::Operation *op) {
        auto load = mlir::dyn_cast<tile::LoadOp>(op);
        plan_.waits |= mlir::isa<tile::AtomicRmwOp, tile::AtomicCasOp>(op) || (load && load.getIsVolatile());
      });
    });
    mlir::func::FuncOp kernel = tile::kernelOf(*module_);
    kernelName_ = kernel.getName().str();
    unsigned taken = 0;
    for (auto [index, spec] : llvm::enumerate(request_.kernel.arguments))
      for (const frontend::ArgumentPart &part : frontend::partsOf(spec)) {
        LaunchParameter parameter;
        mlir::Type type = kernel.getArgument(taken).getType();
        if (auto name = kernel.getArgAttrOfType<mlir::StringAttr>(taken, tile::TileDialect::kNameAttr))
          parameter.name = name.str();
        parameter.argument = uint32_t(index);
        parameter.type = part.type;
        parameter.part = ParameterPart(part.kind);
        parameter.dimension = part.dimension;
        if (!mlir::isa<tile::PtrType>(type)) {
          parameter.kind = mlir::isa<mlir::FloatType>(type) ? ScalarKind::Float : ScalarKind::Int;
          parameter.bits = uint8_t(type.getIntOrFloatBitWidth());
        }
        plan_.parameters.push_back(std::move(parameter));
        ++taken;
      }
  }

  std::string printModule(bool withLocations = false) {
    std::string text;
    llvm::raw_string_ostream os(text);
    mlir::OpPrintingFlags flags;
    if (withLocations)
      flags.enableDebugInfo();
    module_->print(os, flags);
    os << '\n';
    return text;
  }

  std::string printLlvm() {
    std::string text;
    llvm::raw_string_ostream os(text);
    llvm_->print(os, nullptr);
    return text;
  }

  bool hasBackend() const { return backend_ != nullptr; }
  std::string engineName() const { return request_.target.engine == Engine::Cpu ? "cpu" : "nvidia"; }

private:
  /// An engine's refusal is the kernel's error or the launch's, see target/Refusal.h; any other error of a pass is ours.
  Result<void> run(llvm::StringRef stage, llvm::function_ref<void(mlir::OpPassManager &)> addPasses,
                   bool isCheckedNext = false) {
    DiagnosticCollector collector(*context_, request_.kernel, diagnostics_);
    if (runPasses(*module_, stage, watch_, addPasses, isCheckedNext))
      return {};
    if (collector.fault() != ErrorKind::Internal)
      return Failure{collector.fault(), renderErrors()};
    return internalFailure("stage '" + stage.str() + "' failed:\n" + renderErrors());
  }

  /// A step inside LLVM, which may give up on what we made for it. What it was at then cannot even be destroyed, see FatalErrors.h.
  template <typename T> Result<T> inLlvm(llvm::function_ref<Result<T>()> step) {
    std::optional<Result<T>> result;
    std::optional<std::string> fatal = catchFatalErrors([&] { result.emplace(step()); });
    if (!fatal)
      return std::move(*result);
    (void)llvm_.release();
    (void)llvmContext_.release();
    (void)backend_.release();
    context_.get_deleter().isSpoilt = true;
    return internalFailure("LLVM gave up on kernel '" + kernelName_ + "' of " + request_.kernel.file->path().str() +
                           ": " + *fatal);
  }

  const CompileRequest &request_;
  const CompileWatch &watch_;
  ContextHandle context_ = takeContext();
  std::unique_ptr<llvm::LLVMContext> llvmContext_ = std::make_unique<llvm::LLVMContext>();
  Diagnostics diagnostics_;
  std::unique_ptr<Backend> backend_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
  std::unique_ptr<llvm::Module> llvm_;
  std::string kernelName_;
  LaunchPlan plan_;
  std::optional<StageDump> dump_;
};

} // namespace

Result<Artifact> compile(const CompileRequest &request, const CompileWatch &watch) {
  Walk walk(request, watch);
  if (Result<void> done = walk.to(walk.hasBackend() ? Walk::LlvmIr : Walk::Opt); !done)
    return done.takeFailure();
  return walk.emitArtifact();
}

static Result<std::string> dumpText(const CompileRequest &request, llvm::StringRef stage) {
  Diagnostics diagnostics;
  const SourceFile &file = *request.kernel.file;
  std::string text = stage == "tokens" ? frontend::dumpTokens(file, diagnostics)
                                       : frontend::dumpAst(file, request.kernel.kernel, diagnostics);
  if (diagnostics.hasErrors())
    return kernelFailure(diagnostics.render());
  return text;
}

namespace {
struct KnownStage {
  llvm::StringRef name;
  Walk::Step step;
  std::optional<Engine> engine; ///< The one engine that has this stage; none means all.
};
} // namespace
static constexpr KnownStage kStages[] = {
    {"tile", Walk::Tile, {}},
    {"opt", Walk::Opt, {}},
    {"nests", Walk::Opt, Engine::Cpu},
    {"cpu", Walk::EngineStage, Engine::Cpu},
    {"nvidia", Walk::EngineStage, Engine::Nvidia},
    {"llvm", Walk::LlvmIr, {}},
    {"asm", Walk::LlvmIr, Engine::Cpu},
    {"ptx", Walk::LlvmIr, Engine::Nvidia},
};

bool isStage(llvm::StringRef name) {
  return name == "tokens" || name == "ast" ||
         llvm::any_of(kStages, [&](const KnownStage &stage) { return stage.name == name; });
}

Result<std::string> emitStage(const CompileRequest &request, llvm::StringRef stage, const CompileWatch &watch) {
  if (stage == "tokens" || stage == "ast")
    return dumpText(request, stage);
  const KnownStage *wanted = llvm::find_if(kStages, [&](const KnownStage &entry) { return entry.name == stage; });
  if (wanted == std::end(kStages))
    return launchFailure("unknown stage '" + stage.str() +
                         "': expected tokens, ast, tile, opt, nests, cpu, nvidia, llvm, asm or ptx");
  Walk walk(request, watch);
  if (wanted->step > Walk::Opt && request.target.engine == Engine::Reference)
    return launchFailure("the reference engine runs tile IR as it is: its last stage is 'opt'");
  if (wanted->engine && *wanted->engine != request.target.engine)
    return launchFailure("target " + request.target.str() + " has no stage '" + stage.str() + "'");

  if (Result<void> done = walk.to(wanted->step); !done)
    return done.takeFailure();
  if (stage == "nests")
    if (Result<void> done = walk.planOnly(); !done)
      return done.takeFailure();
  if (stage == "llvm")
    return walk.printLlvm();
  return wanted->step == Walk::LlvmIr ? walk.emitText() : walk.printModule();
}

} // namespace tilewise
