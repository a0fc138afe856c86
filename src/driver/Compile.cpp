// The walk of a kernel. `Walk` holds what the steps share; `compile`, at the end, reads like the
// line on the first page of docs/architecture.md.
#include "driver/Compile.h"

#include "driver/Contexts.h"
#include "driver/Dump.h"
#include "driver/FatalErrors.h"
#include "driver/PassRunner.h"
#include "driver/Reproducer.h"
#include "frontend/syntax/Parser.h"
#include "ir/SourceLines.h"
#include "ir/Tile.h"
#include "passes/Accesses.h"
#include "passes/AtomicUse.h"
#include "passes/GridLints.h"
#include "passes/Passes.h"
#include "passes/Warn.h"
#include "support/Engines.h"
#include "support/Knobs.h"
#include "support/Try.h"
#include "target/HostProcessor.h"
#include "target/LineTables.h"

#include "mlir/Parser/Parser.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"

namespace tilewise {

namespace {

class Walk {
public:
  Walk(const CompileRequest &request, const CompileObserver &observer)
      : request_(request), observer_(observer), backend_(createBackend(request.target, request.options)) {
    if (backend_)
      backend_->observer = {observer.passTimes, observer.printChanged};
  }
  ~Walk() {
    if (observer_.diagnostics)
      *observer_.diagnostics = std::move(diagnostics_);
  }

  // The steps in walking order; each takes what the one before it left.

  Result<void> textToTile() {
    if (!backend_)
      return launchFailure("this library was built without the engine of target " + request_.target.str() +
                           "; TILEWISE_TARGETS chooses the engines of a build");
    // Engines without warps, too: a launch that is good on one is good on all.
    if (!llvm::isPowerOf2_32(request_.options.numWarps))
      return launchFailure("kernel '" + request_.kernel.kernel + "': num_warps must be a power of 2, got " +
                           std::to_string(request_.options.numWarps));
    TILEWISE_CHECK(openDump());
    return dumped("tile.mlir", emitTile());
  }

  /// In the place of textToTile: from the IR that it gave.
  Result<void> readTile(llvm::StringRef tile) {
    if (!backend_)
      return launchFailure("this library was built without the engine of target " + request_.target.str());
    DiagnosticCollector collector(*context_, request_.kernel, diagnostics_);
    module_ = mlir::parseSourceString<mlir::ModuleOp>(tile, context_.get());
    if (!module_)
      return launchFailure("this is no tile IR:\n" + renderErrors());
    for (const frontend::ArgumentSpec &argument : request_.kernel.arguments)
      argumentNames_.push_back(argument.text);
    planParameters();
    return {};
  }

  Result<void> tileToOpt() { return dumped("opt.mlir", optimize()); }

  /// As far as the stage of this name; empty means all.
  Result<void> optToEngine(llvm::StringRef last = "") {
    TILEWISE_CHECK(backend_->check());
    if (backend_->showsLines(*module_))
      attachSourceLines();
    const std::vector<Backend::Stage> stages = backend_->stages();
    const Backend::Stage *begin = stages.data(), *end = begin + stages.size();
    for (const Backend::Stage *stage = begin; stage != end; ++stage) {
      const bool isLast = stage->name == last || stage + 1 == end;
      if (stage->joinsNext && !isLast && !dump_)
        continue;
      TILEWISE_CHECK(dumped(stage->name + ".mlir", lower({begin, stage + 1}, /*isCheckedNext=*/stage + 1 == end)));
      if (isLast)
        break;
      begin = stage + 1;
    }
    hasLlvm_ = !stages.empty();
    return {};
  }

  Result<void> engineToLlvm() {
    if (!hasLlvm_)
      return {};
    Result<void> done = translate();
    if (!dump_)
      return done;
    if (!done)
      return dumpFailure(done.takeFailure());
    TILEWISE_CHECK(dump_->write("llvm.ll", printLlvm()));
    // Code generation changes the IR that it is made from.
    std::unique_ptr<llvm::Module> copy = llvm::CloneModule(*llvm_);
    Result<std::string> text = inLlvm<std::string>([&] { return backend_->emitText(*copy); });
    if (!text) {
      (void)copy.release(); // As in inLlvm.
      return dumpFailure(text.takeFailure());
    }
    return dump_->write(backend_->textFile(), *text);
  }

  Result<Artifact> llvmToArtifact() {
    StageTimer timer(observer_.times, "code");
    Artifact artifact;
    artifact.target = request_.target;
#if TILEWISE_HAS_CPU_ENGINE
    // Whoever loads it elsewhere has to know what it was made for.
    if (artifact.target.engine == Engine::Cpu && artifact.target.cpu.empty())
      artifact.target.cpuFeatures = cpu::hostFeatures();
#endif
    artifact.kernel = kernelName_;
    for (auto [name, spec] : llvm::zip(argumentNames_, request_.kernel.arguments))
      artifact.arguments.push_back({name, spec.text, spec.isConstant, spec.divisibility});
    artifact.plan = plan_;
    backend_->fillPlan(*module_, artifact.plan);
    TILEWISE_TRY(artifact.code, inLlvm<std::string>([&] { return backend_->emitCode(*module_, llvm_.get()); }));
    if (dump_ && !backend_->codeFile().empty())
      TILEWISE_CHECK(dump_->write(backend_->codeFile(), artifact.code));
    return artifact;
  }

  // What a person reads of the step before.

  Result<std::string> emitText() {
    StageTimer timer(observer_.times, "text");
    return inLlvm<std::string>([&] { return backend_->emitText(*llvm_); });
  }

  Result<std::string> emitMachineText() {
    TILEWISE_TRY(std::string text, emitText());
    StageTimer timer(observer_.times, "machine code");
    return backend_->emitMachineText(text);
  }

  std::string printModule() {
    std::string text;
    llvm::raw_string_ostream os(text);
    module_->print(os);
    os << '\n';
    return text;
  }

  std::string printAccesses() { return tile::listAccesses(tile::kernelOf(*module_)); }

  std::string printLlvm() {
    std::string text;
    llvm::raw_string_ostream os(text);
    llvm_->print(os, nullptr);
    return text;
  }

private:
  Result<void> openDump() {
    const std::string directory = observer_.dumpDir.empty() ? knobs::dumpDir() : observer_.dumpDir;
    if (directory.empty())
      return {};
    TILEWISE_TRY(dump_, StageDump::open(directory, request_.kernel.kernel));
    return dump_->write("source.py", "# " + request_.target.str() + ": " + request_.kernel.kernel + "(" +
                                         frontend::printSignature(request_.kernel.arguments) + "), from " +
                                         request_.kernel.file->path().str() + "\n" +
                                         request_.kernel.file->text().str());
  }

  /// A step over the module, whose result, or failure, is dumped where that is asked for.
  Result<void> dumped(const llvm::Twine &file, Result<void> done) {
    if (!dump_)
      return done;
    return done ? dump_->write(file.str(), printModule()) : Result<void>(dumpFailure(done.takeFailure()));
  }

  /// What went wrong, beside the stages before it.
  Failure dumpFailure(Failure failure) {
    if (Result<void> done = dump_->writeLast("error.txt", failure.message); !done)
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
    StageTimer timer(observer_.times, "front end");
    frontend::EmitRequest kernel = request_.kernel;
    kernel.facts = {request_.target, request_.options};
    module_ = frontend::emitTile(kernel, *context_, diagnostics_);
    request_.kernel.imports = kernel.imports;
    request_.kernel.otherFiles = std::move(kernel.otherFiles);
    argumentNames_ = std::move(kernel.argumentNames);
    if (!module_)
      return blameFor(kernel);
    planParameters();
    return {};
  }

  /// The kernel's error, or the launch's.
  Failure blameFor(const frontend::EmitRequest &kernel) {
    std::string errors = renderErrors();
    if (kernel.isFault)
      return internalFailure(std::move(errors));
    if (request_.launched.empty())
      return kernelFailure(std::move(errors));
    const frontend::Blame blame = frontend::blameArguments(kernel, request_.launched, *context_);
    if (!blame.isOfLaunch())
      return kernelFailure(std::move(errors));
    std::string told = "kernel '" + kernel.kernel + "': " + frontend::describeBlame(blame, kernel, request_.launched);
    diagnostics_.addToFirstError({Severity::Note, {}, told, {}});
    return launchFailure(told + "\n" + errors);
  }

  Result<void> optimize() {
    TILEWISE_CHECK(findWarnings());
    {
      DiagnosticCollector collector(*context_, request_.kernel, diagnostics_);
      backend_->prepare(*module_);
    }
    return run("passes", [&](mlir::OpPassManager &passes) { buildTilePipeline(passes, request_.options.fpFusion); });
  }

  /// Before any pass: dead code, as a program id that nothing uses, is a sign of a mistake and is
  /// soon gone.
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
    if (observer_.gridLints)
      findGridLints();
    return {};
  }

  void findGridLints() {
    for (const tile::GridLint &lint : tile::findGridLints(tile::kernelOf(*module_), request_.options.warnings)) {
      Diagnostics told;
      {
        DiagnosticCollector collector(*context_, request_.kernel, told);
        tile::warn(lint.place, lint.warning, lint.message).attachNote(lint.place) << lint.note;
      }
      observer_.gridLints->push_back({lint.whenSeveral, lint.whenRankIsAtMost, told.render()});
    }
  }

  void attachSourceLines() {
    tile::attachSourceLines(*module_, [this](llvm::StringRef path, uint32_t line) {
      const SourceFile *file = fileWithLine(request_.kernel, path, line);
      return file ? file->line(line) : llvm::StringRef();
    });
  }

  /// Runs stages as one, under the name of the last.
  Result<void> lower(llvm::ArrayRef<Backend::Stage> stages, bool isCheckedNext) {
    TILEWISE_CHECK(run(("to " + stages.back().name).str(),
                       [&](mlir::OpPassManager &passes) {
                         for (const Backend::Stage &stage : stages)
                           stage.addPasses(passes);
                       },
                       isCheckedNext));
    // The LLVM dialect, which is last, is verified by LLVM when it is translated.
    if (isCheckedNext && backend_->lineInfo() != LineInfo::None)
      attachLineTables(*module_, backend_->lineInfo(),
                       [this](llvm::StringRef path, unsigned line) { return functionAt(request_.kernel, path, line); });
    if (request_.options.warnings.areErrors() && diagnostics_.promoteWarnings())
      return kernelFailure(renderErrors());
    return {};
  }

  Result<void> translate() {
    StageTimer timer(observer_.times, "llvm");
    auto translated =
        inLlvm<std::unique_ptr<llvm::Module>>([&] { return backend_->translate(*module_, *llvmContext_); });
    if (!translated)
      return translated.takeFailure();
    llvm_ = std::move(*translated);
    return {};
  }

  /// Names and types of what the code will take; asked of tile IR, before an engine changes the
  /// function's type.
  void planParameters() {
    const tile::AtomicUse atomics = tile::atomicUseOf(*module_);
    plan_.waits = atomics.mayWait;
    plan_.hasAtomics = atomics.any;
    plan_.updatesOnly = atomics.updatesOnly;
    mlir::func::FuncOp kernel = tile::kernelOf(*module_);
    if (!request_.entry.empty())
      kernel.setName(request_.entry);
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

  /// An engine's refusal is the kernel's error or the launch's, see target/Refusal.h; any other
  /// error of a pass is ours.
  Result<void> run(llvm::StringRef stage, llvm::function_ref<void(mlir::OpPassManager &)> addPasses,
                   bool isCheckedNext = false) {
    DiagnosticCollector collector(*context_, request_.kernel, diagnostics_);
    if (runPasses(*module_, stage, observer_, addPasses, isCheckedNext))
      return {};
    if (collector.fault() != ErrorKind::Internal)
      return Failure{collector.fault(), renderErrors()};
    return internalFailure("stage '" + stage.str() + "' failed:\n" + renderErrors());
  }

  /// A step inside LLVM, which may give up on what we made for it. What it was at then cannot even
  /// be destroyed, see FatalErrors.h.
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
  const CompileObserver &observer_;
  ContextHandle context_ = takeContext();
  std::unique_ptr<llvm::LLVMContext> llvmContext_ = std::make_unique<llvm::LLVMContext>();
  Diagnostics diagnostics_;
  std::unique_ptr<Backend> backend_;
  mlir::OwningOpRef<mlir::ModuleOp> module_;
  std::unique_ptr<llvm::Module> llvm_;
  std::string kernelName_;
  std::vector<std::string> argumentNames_;
  LaunchPlan plan_;
  bool hasLlvm_ = false;
  std::optional<StageDump> dump_;
};

} // namespace

/// The way from tile IR on, which the walk holds.
static Result<Artifact> finish(Walk &walk) {
  TILEWISE_CHECK(walk.tileToOpt());
  TILEWISE_CHECK(walk.optToEngine());
  TILEWISE_CHECK(walk.engineToLlvm());
  return walk.llvmToArtifact();
}

static Result<Artifact> walkThrough(const CompileRequest &request, const CompileObserver &observer) {
  Walk walk(request, observer);
  TILEWISE_CHECK(walk.textToTile());
  return finish(walk);
}

Result<Artifact> compile(const CompileRequest &request, const CompileObserver &observer) {
  Result<Artifact> artifact = walkThrough(request, observer);
  return artifact ? std::move(artifact) : Result<Artifact>(withReproducer(artifact.takeFailure(), request));
}

Result<Artifact> compileTile(const CompileRequest &request, llvm::StringRef tile) {
  const CompileObserver nobody;
  Walk walk(request, nobody);
  TILEWISE_CHECK(walk.readTile(tile));
  return finish(walk);
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

/// In walking order.
static llvm::ArrayRef<StageInfo> allStages() {
  static constexpr StageInfo kStages[] = {
      {"tokens"},
      {"ast"},
      {"tile"},
      {"accesses"},
      {"opt"},
      {"nests", Engine::Cpu},
      {"cpu", Engine::Cpu},
      {"placed", Engine::Nvidia},
      {"nvidia", Engine::Nvidia},
      {"llvm"},
      {"asm", Engine::Cpu, /*isCode=*/true},
      {"ptx", Engine::Nvidia, /*isCode=*/true},
      {"sass", Engine::Nvidia, /*isCode=*/true},
  };
  return kStages;
}

Result<const StageInfo *> findStage(llvm::StringRef name) {
  std::string names;
  for (const StageInfo &stage : allStages()) {
    if (stage.name == name)
      return &stage;
    names += (names.empty() ? "" : &stage == &allStages().back() ? " or " : ", ") + stage.name.str();
  }
  return launchFailure("unknown stage '" + name.str() + "': expected " + names);
}

static Result<std::string> walkTo(const CompileRequest &request, llvm::StringRef stage,
                                  const CompileObserver &observer) {
  TILEWISE_TRY(const StageInfo *wanted, findStage(stage));
  if (stage == "tokens" || stage == "ast")
    return dumpText(request, stage);
  if (request.target.engine == Engine::Reference && stage != "tile" && stage != "accesses" && stage != "opt")
    return launchFailure("the reference engine runs tile IR as it is: its last stage is 'opt'");
  if (wanted->engine && *wanted->engine != request.target.engine)
    return launchFailure("target " + request.target.str() + " has no stage '" + stage.str() + "'");

  Walk walk(request, observer);
  TILEWISE_CHECK(walk.textToTile());
  if (stage == "tile")
    return walk.printModule();
  if (stage == "accesses")
    return walk.printAccesses();
  TILEWISE_CHECK(walk.tileToOpt());
  if (stage == "opt")
    return walk.printModule();
  TILEWISE_CHECK(walk.optToEngine(stage));
  if (stage != "llvm" && !wanted->isCode)
    return walk.printModule();
  TILEWISE_CHECK(walk.engineToLlvm());
  if (stage == "llvm")
    return walk.printLlvm();
  return stage == "sass" ? walk.emitMachineText() : walk.emitText();
}

Result<std::string> emitStage(const CompileRequest &request, llvm::StringRef stage, const CompileObserver &observer) {
  Result<std::string> text = walkTo(request, stage, observer);
  return text ? std::move(text) : Result<std::string>(withReproducer(text.takeFailure(), request));
}

} // namespace tilewise
