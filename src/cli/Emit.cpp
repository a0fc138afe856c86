// tilewise emit: a kernel at one stage of its walk, as text.
#include "cli/CommandLine.h"
#include "cli/KernelFile.h"
#include "driver/Compile.h"
#include "frontend/KernelNames.h"
#include "support/Knobs.h"
#include "support/Try.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace tilewise::cli {

static constexpr llvm::StringLiteral kHelp =
    R"(usage: tilewise emit --stage=STAGE FILE[:KERNEL] [--signature "..."] [options]

Prints a kernel at a stage of the compiler:

  tokens, ast    the text, cut and parsed; need no signature
  tile, opt      tile IR as the front end writes it, and after the target-independent passes
  accesses       which arguments tile IR loads and stores, an access a line
  nests          the plan of the CPU engine: which ops run together in a loop nest, and what lies in scratch between nests
  cpu, nvidia    the engine's own IR
  llvm           LLVM IR after its optimisations
  asm, ptx       assembly
  sass           a GPU's machine code, by NVIDIA's ptxas and nvdisasm

The signature has one entry per parameter: a type with an optional divisor ("*fp32:16", "i32", "bf16") or, for a
constant, its value ("1024", "True", "tl.float16").

options:
  --target=TARGET     reference, cpu (default, this processor), cpu:NAME or cuda:CAPABILITY; stages nvidia, ptx and
                      sass imply cuda:90. NAME: x86-64, avx2, avx512, aarch64, or LLVM's, such as sapphirerapids
  --num-warps=N       warps of a GPU program (default 4)
  --num-stages=N      depth of software pipelining on a GPU (default 3)
  --no-fp-fusion      keep a * b + c as two roundings
  --max-registers=N   registers per thread of a GPU, 16 to 255 (default: the assembler decides)
  --checked           check every access against the memory of its argument
  --debug             check tl.device_assert, assert and integer overflow
  --define NAME=VALUE give a module-level name a value; may be repeated
  --line-tables       keep debug line information in stages llvm and asm, as in code that runs
  --print-changed     also print the IR after each pass that changed it, to stderr: MLIR's passes, LLVM's, and those of
                      code generation where the stage is asm or ptx
  --dump-dir=DIR      also write every stage up to this one to files in DIR; TILEWISE_DUMP_DIR does this for any program
  --time-passes       also print the time of each of these passes and of each stage, to stderr

example:
  tilewise emit --stage=tile kernels/vector_add.py --signature "*fp32:16, *fp32:16, *fp32:16, i32, 1024"
)";

namespace {

/// What the words ask for.
struct Wanted {
  std::string stage, target, fileAndKernel;
  std::optional<std::string> signature;
  std::string dumpDir;
  bool printChanged = false, timePasses = false;
  CompileRequest request;
  std::unique_ptr<SourceFile> file; ///< That of the request.
};

/// A failure of it is one of usage.
Result<Wanted> takeWanted(Arguments &arguments) {
  Wanted wanted;
  LaunchOptions &options = wanted.request.options;
  wanted.stage = arguments.takeValue("--stage").value_or("");
  wanted.target = arguments.takeValue("--target").value_or("");
  wanted.signature = arguments.takeValue("--signature");
  options.numWarps = arguments.takeNumber("--num-warps", 1).value_or(options.numWarps);
  options.numStages = arguments.takeNumber("--num-stages", 1).value_or(options.numStages);
  options.fpFusion = !arguments.takeFlag("--no-fp-fusion");
  options.lineTables = arguments.takeFlag("--line-tables");
  options.debug = arguments.takeFlag("--debug");
  options.checked = arguments.takeFlag("--checked");
  options.maxRegisters = arguments.takeNumber("--max-registers", 16).value_or(0);
  wanted.dumpDir = arguments.takeValue("--dump-dir").value_or("");
  wanted.printChanged = arguments.takeFlag("--print-changed");
  wanted.timePasses = arguments.takeFlag("--time-passes");
  for (const auto &[name, value] : arguments.takeDefines())
    wanted.request.kernel.defines[name] = value;
  std::vector<std::string> warningFlags = arguments.takeWarnings();
  warningFlags.insert(warningFlags.begin(), knobs::warnings());
  for (const std::string &flag : warningFlags)
    TILEWISE_CHECK(options.warnings.applyAll(flag));

  std::vector<std::string> rest = arguments.takeRest();
  if (!arguments.problem().empty())
    return launchFailure(arguments.problem());
  if (wanted.stage.empty())
    return launchFailure("--stage is missing");
  TILEWISE_TRY(const StageInfo *stage, findStage(wanted.stage));
  if (rest.size() != 1)
    return launchFailure(rest.empty() ? "a kernel file is missing"
                                      : "one kernel file is expected, got '" + rest[1] + "' too");
  wanted.fileAndKernel = rest.front();
  if (wanted.target.empty())
    wanted.target = stage->engine == Engine::Nvidia ? "cuda:90" : "cpu";
  TILEWISE_TRY(wanted.request.target, Target::parse(wanted.target));
  return wanted;
}

/// Reads the file, and binds the signature where the stage needs one. `isUsage`: whether a failure
/// is one of usage.
Result<void> openFile(Wanted &wanted, bool &isUsage) {
  frontend::EmitRequest &kernel = wanted.request.kernel;
  if (wanted.stage == "tokens" || wanted.stage == "ast") {
    auto [path, name] = splitKernelPath(wanted.fileAndKernel);
    kernel.kernel = name;
    TILEWISE_TRY(wanted.file, readSource(path));
  } else {
    TILEWISE_TRY(KernelFile opened, openKernel(wanted.fileAndKernel));
    if (!wanted.signature) {
      std::vector<std::string> names;
      for (const frontend::ParameterInfo &parameter : opened.kernel.parameters)
        names.push_back(parameter.name);
      isUsage = true;
      return launchFailure("stage '" + wanted.stage + "' needs a --signature with " + std::to_string(names.size()) +
                           " entries: " + llvm::join(names, ", "));
    }
    TILEWISE_TRY(kernel.arguments, frontend::parseSignature(*wanted.signature));
    kernel.kernel = opened.kernel.name;
    wanted.file = std::move(opened.file);
  }
  kernel.file = wanted.file.get();
  for (llvm::StringRef name : kernel.defines.keys())
    TILEWISE_CHECK(frontend::checkDefined(*kernel.file, name));
  return {};
}

/// The text to stdout; warnings, notes and times to stderr.
Result<void> show(const Wanted &wanted) {
  StageTimes times, passTimes;
  Diagnostics found;
  CompileObserver observer;
  observer.diagnostics = &found;
  observer.dumpDir = wanted.dumpDir;
  if (wanted.printChanged)
    observer.printChanged = &llvm::errs();
  if (wanted.timePasses) {
    observer.times = &times;
    observer.passTimes = &passTimes;
  }
  Result<std::string> text = emitStage(wanted.request, wanted.stage, observer);
  for (const Diagnostic &diagnostic : found.all())
    if (diagnostic.severity != Severity::Error)
      renderDiagnostic(diagnostic, llvm::errs());
  if (!text)
    return text.takeFailure();
  llvm::outs() << *text;
  if (wanted.timePasses)
    llvm::errs() << "time by pass\n" << passTimes.render() << "time by stage\n" << times.render();
  return {};
}

} // namespace

int emitCommand(Arguments &arguments) {
  if (arguments.takeFlag("--help")) {
    llvm::outs() << kHelp << warningsHelp();
    return kDone;
  }
  Result<Wanted> wanted = takeWanted(arguments);
  if (!wanted)
    return reportUsage("emit", wanted.failure().message);
  bool isUsage = false;
  if (Result<void> opened = openFile(*wanted, isUsage); !opened)
    return isUsage ? reportUsage("emit", opened.failure().message) : report(opened.failure());
  Result<void> shown = show(*wanted);
  return shown ? kDone : report(shown.failure());
}

} // namespace tilewise::cli
