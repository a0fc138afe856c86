// tilewise emit: a kernel at one stage of its walk, as text.
#include "cli/CommandLine.h"
#include "cli/KernelFile.h"
#include "driver/Compile.h"
#include "support/Knobs.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace tilewise::cli {

static constexpr llvm::StringLiteral kHelp =
    R"(usage: tilewise emit --stage=STAGE FILE[:KERNEL] [--signature "..."] [options]

Prints a kernel at a stage of the compiler:

  tokens, ast    the text, cut and parsed; need no signature
  tile, opt      tile IR as the front end writes it, and after the target-independent passes
  nests          the plan of the CPU engine: which ops run together in a loop nest, and what lies in scratch between nests
  cpu, nvidia    the engine's own stage
  llvm           LLVM IR after its optimisations
  asm, ptx       what the engine runs

The signature has one entry per parameter: a type with an optional divisor ("*fp32:16", "i32", "bf16") or, for a
constant, its value ("1024", "True", "tl.float16").

options:
  --target=TARGET     reference, cpu (default, this processor), cpu:NAME or cuda:CAPABILITY; stages nvidia and ptx
                      imply cuda:90. NAME: x86-64, avx2, avx512, aarch64, or LLVM's, such as sapphirerapids
  --num-warps=N       warps of a GPU program (default 4)
  --num-stages=N      depth of software pipelining on a GPU (default 3)
  --no-fp-fusion      keep a * b + c as two roundings
  --debug             check tl.device_assert, assert and integer overflow
  --define NAME=VALUE gives a module-level name a value; may be repeated
  --line-tables       keep in stages llvm and asm which line an instruction comes from, as in code that runs
  --print-changed     also print the IR after each pass that changed it, to stderr: MLIR's passes, LLVM's, and those of
                      code generation where the stage is asm or ptx
  --dump-dir=DIR      also write every stage up to this one to files in DIR; TILEWISE_DUMP_DIR does so for every program
  --time-passes       also print the time of each of these passes and of each stage, to stderr

example:
  tilewise emit --stage=tile kernels/vector_add.py --signature "*fp32:16, *fp32:16, *fp32:16, i32, 1024"
)";

namespace {

/// The options that shape a compile, as emit and run take them.
Result<Target> takeTarget(Arguments &arguments, llvm::StringRef stage) {
  llvm::StringRef fallback = stage == "nvidia" || stage == "ptx" ? "cuda:90" : "cpu";
  return Target::parse(arguments.takeValue("--target").value_or(fallback.str()));
}

} // namespace

int emitCommand(Arguments &arguments) {
  if (arguments.takeFlag("--help")) {
    llvm::outs() << kHelp << warningsHelp();
    return kDone;
  }
  CompileRequest request;
  std::string stage = arguments.takeValue("--stage").value_or("");
  Result<Target> target = takeTarget(arguments, stage);
  std::optional<std::string> signature = arguments.takeValue("--signature");
  request.options.numWarps = arguments.takeNumber("--num-warps", 1).value_or(request.options.numWarps);
  request.options.numStages = arguments.takeNumber("--num-stages", 1).value_or(request.options.numStages);
  request.options.fpFusion = !arguments.takeFlag("--no-fp-fusion");
  request.options.lineTables = arguments.takeFlag("--line-tables");
  request.options.debug = arguments.takeFlag("--debug");
  std::optional<std::string> dumpDir = arguments.takeValue("--dump-dir");
  bool printChanged = arguments.takeFlag("--print-changed"), timePasses = arguments.takeFlag("--time-passes");
  for (llvm::StringRef define : arguments.takeValues("--define")) {
    auto [name, value] = define.split('=');
    request.kernel.defines[name] = value.str();
  }
  std::vector<std::string> warningFlags = arguments.takeWarnings();
  warningFlags.insert(warningFlags.begin(), knobs::warnings());
  for (const std::string &flag : warningFlags)
    if (Result<void> known = request.options.warnings.applyAll(flag); !known)
      return reportUsage("emit", known.failure().message);
  std::vector<std::string> rest = arguments.takeRest();

  if (!arguments.problem().empty())
    return reportUsage("emit", arguments.problem());
  if (stage.empty())
    return reportUsage("emit", "--stage is missing");
  if (!isStage(stage))
    return reportUsage("emit", "unknown stage '" + stage +
                                   "': expected tokens, ast, tile, opt, nests, cpu, nvidia, llvm, asm or ptx");
  if (rest.size() != 1)
    return reportUsage("emit", rest.empty() ? "a kernel file is missing"
                                            : "one kernel file is expected, got '" + rest[1] + "' too");
  if (!target)
    return reportUsage("emit", target.failure().message);
  request.target = *target;

  std::unique_ptr<SourceFile> file;
  if (stage == "tokens" || stage == "ast") {
    auto [path, kernel] = splitKernelPath(rest[0]);
    request.kernel.kernel = kernel;
    Result<std::unique_ptr<SourceFile>> source = readSource(path);
    if (!source)
      return report(source.failure());
    file = std::move(*source);
  } else {
    Result<KernelFile> opened = openKernel(rest[0]);
    if (!opened)
      return report(opened.failure());
    if (!signature) {
      std::vector<std::string> names;
      for (const frontend::ParameterInfo &parameter : opened->kernel.parameters)
        names.push_back(parameter.name);
      return reportUsage("emit", "stage '" + stage + "' needs a --signature with " + std::to_string(names.size()) +
                                     " entries: " + llvm::join(names, ", "));
    }
    Result<std::vector<frontend::ArgumentSpec>> parsed = frontend::parseSignature(*signature);
    if (!parsed)
      return report(parsed.failure());
    request.kernel.arguments = std::move(*parsed);
    request.kernel.kernel = opened->kernel.name;
    file = std::move(opened->file);
  }
  request.kernel.file = file.get();

  StageTimes times, passTimes;
  Diagnostics warnings;
  CompileWatch watch;
  watch.diagnostics = &warnings;
  watch.dumpDir = dumpDir.value_or("");
  if (printChanged)
    watch.printChanged = &llvm::errs();
  if (timePasses) {
    watch.times = &times;
    watch.passTimes = &passTimes;
  }
  Result<std::string> text = emitStage(request, stage, watch);
  for (const Diagnostic &diagnostic : warnings.all())
    if (diagnostic.severity != Severity::Error)
      renderDiagnostic(diagnostic, llvm::errs());
  if (!text)
    return report(text.failure());
  llvm::outs() << *text;
  if (timePasses)
    llvm::errs() << "time by pass\n" << passTimes.render() << "time by stage\n" << times.render();
  return kDone;
}

} // namespace tilewise::cli
