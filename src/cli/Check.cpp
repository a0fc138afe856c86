// tilewise check: the usual mistakes in kernel files, as text or SARIF, with an exit code.
#include "cli/CommandLine.h"
#include "cli/GuessSignature.h"
#include "cli/KernelFile.h"
#include "driver/Compile.h"
#include "frontend/KernelNames.h"
#include "support/Knobs.h"
#include "support/Try.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/raw_ostream.h"

#include <set>
#include <tuple>

namespace tilewise::cli {

static constexpr llvm::StringLiteral kHelp =
    R"(usage: tilewise check FILE[:KERNEL]... [--signature "..."] [--size N] [--sarif FILE] [-WNAME...]

Compiles every kernel of the files, launches none, and reports what is wrong or seldom meant: syntax and type errors, block
sizes that are no tl.constexpr, blocks as conditions, missing masks and masks of other offsets, sums in fp16, exponentials that
overflow, program ids that no address depends on, blocks of neighbouring programs that overlap, updates that get lost.

  --signature "..."  the types of the parameters, as for 'tilewise emit'. Without it they are guessed from names and use, with
                     pointers to fp32 and to fp16; a kernel that does not compile for the guess is noted, not counted
  --size N           tensors have up to N elements: from 2^31 on, products of 32 bits that reach an address are reported
  --sarif FILE       also write the findings in SARIF 2.1.0, which editors and code hosts read; - for standard output

Exit code: 0 nothing found, 1 something found, 2 wrong usage.
)";

namespace {

struct Finding {
  std::string file, level, rule, message, text;
  unsigned line = 0, column = 0;
};

/// A path as a reference of RFC 3986: what is no letter, digit or mark of a path is written as %XX.
std::string uriOf(llvm::StringRef path) {
  std::string uri = path.starts_with("/") ? "file://" : "";
  for (const char c : path)
    if (llvm::isAlnum(c) || llvm::StringRef("/-._~").contains(c))
      uri += c;
    else
      uri += "%" + llvm::utohexstr(uint8_t(c), /*LowerCase=*/false, /*Width=*/2);
  return uri;
}

/// All that is found in some files, each thing once.
class Report {
public:
  /// A message as it is printed, which begins with "file:line:column: level: ".
  void add(llvm::StringRef text) {
    llvm::SmallVector<llvm::StringRef> parts;
    if (!llvm::Regex("^(.*):([0-9]+):([0-9]+): (error|warning): ([^\n]*)").match(text, &parts))
      return;
    Finding finding;
    finding.file = parts[1].str();
    parts[2].getAsInteger(10, finding.line);
    parts[3].getAsInteger(10, finding.column);
    finding.level = parts[4].str();
    auto [message, rule] = parts[5].split(" [-W");
    finding.message = message.str();
    finding.rule = rule.empty() ? "error" : rule.rtrim(']').str();
    finding.text = text.str();
    if (seen_.insert({finding.file, finding.line, finding.column, finding.rule}).second)
      findings_.push_back(std::move(finding));
  }
  const std::vector<Finding> &findings() const { return findings_; }

  llvm::json::Value sarif() const {
    llvm::json::Array rules, results;
    rules.push_back(llvm::json::Object{
        {"id", "error"}, {"shortDescription", llvm::json::Object{{"text", "the kernel does not compile"}}}});
    for (const WarningInfo &info : allWarnings())
      rules.push_back(
          llvm::json::Object{{"id", info.name}, {"shortDescription", llvm::json::Object{{"text", info.meaning}}}});
    for (const Finding &each : findings_) {
      llvm::json::Object place{{"artifactLocation", llvm::json::Object{{"uri", uriOf(each.file)}}},
                               {"region", llvm::json::Object{{"startLine", each.line}, {"startColumn", each.column}}}};
      results.push_back(llvm::json::Object{
          {"ruleId", each.rule},
          {"level", each.level},
          {"message", llvm::json::Object{{"text", each.message}}},
          {"locations", llvm::json::Array{llvm::json::Object{{"physicalLocation", std::move(place)}}}}});
    }
    llvm::json::Object driver{{"name", "tilewise"}, {"version", TILEWISE_VERSION}, {"rules", std::move(rules)}};
    return llvm::json::Object{
        {"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
        {"version", "2.1.0"},
        {"runs", llvm::json::Array{llvm::json::Object{{"tool", llvm::json::Object{{"driver", std::move(driver)}}},
                                                      {"results", std::move(results)}}}}};
  }

private:
  std::vector<Finding> findings_;
  std::set<std::tuple<std::string, unsigned, unsigned, std::string>> seen_;
};

struct Wanted {
  std::vector<std::string> files;
  std::optional<std::string> signature, sarif;
  LaunchOptions options;
};

/// A failure of it is one of usage.
Result<Wanted> takeWanted(Arguments &arguments) {
  Wanted wanted;
  wanted.signature = arguments.takeValue("--signature");
  wanted.sarif = arguments.takeValue("--sarif");
  uint64_t size = 0;
  if (std::optional<std::string> text = arguments.takeValue("--size");
      text && llvm::StringRef(*text).getAsInteger(10, size))
    return launchFailure("--size is a number of elements, got '" + *text + "'");
  if (size >= (uint64_t(1) << 31))
    TILEWISE_CHECK(wanted.options.warnings.apply("offset-width"));
  // What can be meant, and so is no warning of a launch.
  for (const Warning each : {Warning::MaskMismatch, Warning::ScatterUpdate, Warning::UnshiftedExp})
    TILEWISE_CHECK(wanted.options.warnings.apply(nameOf(each)));
  std::vector<std::string> flags = arguments.takeWarnings();
  flags.insert(flags.begin(), knobs::warnings());
  for (const std::string &flag : flags)
    TILEWISE_CHECK(wanted.options.warnings.applyAll(flag));
  wanted.files = arguments.takeRest();
  if (!arguments.problem().empty())
    return launchFailure(arguments.problem());
  if (wanted.files.empty())
    return launchFailure("a kernel file is missing");
  return wanted;
}

std::string rendered(const Diagnostic &diagnostic) {
  std::string text;
  llvm::raw_string_ostream os(text);
  renderDiagnostic(diagnostic, os);
  return text;
}

/// Whether an error holds for all types: Python that no kernel may have, a parameter that should
/// be a constexpr, a name that is none, a block where there must be a scalar. An index that is a
/// number is none of them, since the parameter may be a tuple, and neither is a value that is
/// returned, as by the helpers of other files.
bool holdsForAllTypes(const Diagnostic &error, llvm::StringRef text) {
  if (error.code == MessageCode::UndefinedName || error.code == MessageCode::NotInLanguage)
    return true;
  return llvm::any_of(
      std::initializer_list<llvm::StringRef>{
          "declare it as", ": error: tl has no '", "needs a scalar test", "a loop's bounds are scalar ints",
          "unsupported tensor index: expected ':' or None, got int32[", "arange's range must be a power of 2"},
      [&](llvm::StringRef words) { return text.contains(words); });
}

/// Compiles a kernel for a signature; whether it could be. A guess that does not fit is no finding.
bool checkKernel(const SourceFile &file, const std::string &kernel, const std::string &signature,
                 const LaunchOptions &options, bool isGuessed, Report &report, std::string &why) {
  auto arguments = frontend::parseSignature(signature);
  if (!arguments) {
    why = arguments.failure().message;
    return false;
  }
  CompileRequest request;
  request.kernel.file = &file;
  request.kernel.kernel = kernel;
  request.kernel.arguments = std::move(*arguments);
  auto target = Target::parse("reference");
  request.target = *target;
  request.options = options;
  Diagnostics found;
  std::vector<CompiledLint> lints;
  CompileObserver observer;
  observer.diagnostics = &found;
  observer.gridLints = &lints;
  Result<Artifact> compiled = compile(request, observer);
  for (const Diagnostic &each : found.all()) {
    const std::string text = rendered(each);
    const bool blamesGuess = isGuessed && each.severity == Severity::Error && !holdsForAllTypes(each, text);
    if (each.severity != Severity::Note && !blamesGuess)
      report.add(text);
  }
  for (const CompiledLint &lint : lints)
    if (lint.whenSeveral != 0 && llvm::StringRef(lint.text).contains("[-Woverlapping-store]"))
      report.add(lint.text);
  if (!compiled)
    why = llvm::StringRef(compiled.failure().message).split('\n').first.str();
  return bool(compiled);
}

/// Whether a text has `name(` beside its definition.
bool isCalled(llvm::StringRef text, llvm::StringRef name) {
  const std::string call = (name + "(").str();
  for (size_t at = text.find(call); at != llvm::StringRef::npos; at = text.find(call, at + 1)) {
    llvm::StringRef before = text.substr(0, at);
    const bool isWhole =
        before.empty() || !(llvm::isAlnum(before.back()) || before.back() == '_' || before.back() == '.');
    if (isWhole && !before.ends_with("def "))
      return true;
  }
  return false;
}

/// All kernels of a file, or the one that is named.
Result<void> checkFile(const std::string &pathAndKernel, const Wanted &wanted, Report &report, unsigned &count) {
  auto [path, name] = splitKernelPath(pathAndKernel);
  TILEWISE_TRY(std::unique_ptr<SourceFile> file, readSource(path));
  Diagnostics parsing;
  const std::vector<frontend::KernelInfo> kernels = frontend::listKernels(*file, parsing);
  for (const Diagnostic &each : parsing.all())
    report.add(rendered(each));
  bool isThere = name.empty();
  for (const frontend::KernelInfo &kernel : kernels) {
    if (!name.empty() && kernel.name != name)
      continue;
    isThere = true;
    // Functions that kernels call are compiled with those.
    if (name.empty() && isCalled(file->text(), kernel.name))
      continue;
    ++count;
    std::string why;
    if (wanted.signature) {
      checkKernel(*file, kernel.name, *wanted.signature, wanted.options, false, report, why);
      continue;
    }
    const size_t before = report.findings().size();
    bool isCompiled = false;
    for (llvm::StringRef element : {"fp32", "fp16"})
      isCompiled |=
          checkKernel(*file, kernel.name, guessSignature(*file, kernel, element), wanted.options, true, report, why);
    if (!isCompiled && report.findings().size() == before)
      llvm::errs() << path << ": note: '" << kernel.name << "' does not compile for the types that were guessed ("
                   << guessSignature(*file, kernel, "fp32") << "); give them with --signature\n  " << why << '\n';
  }
  if (!isThere)
    return frontend::noSuchKernel(path, name, kernels);
  return {};
}

} // namespace

int checkCommand(Arguments &arguments) {
  if (arguments.takeFlag("--help")) {
    llvm::outs() << kHelp << warningsHelp();
    return kDone;
  }
  Result<Wanted> wanted = takeWanted(arguments);
  if (!wanted)
    return reportUsage("check", wanted.failure().message);
  Report found;
  unsigned kernels = 0;
  for (const std::string &file : wanted->files)
    if (Result<void> checked = checkFile(file, *wanted, found, kernels); !checked)
      return report(checked.failure());
  const bool sarifToOut = wanted->sarif && *wanted->sarif == "-";
  llvm::raw_ostream &os = sarifToOut ? llvm::errs() : llvm::outs();
  for (const Finding &each : found.findings())
    os << each.text;
  os << kernels << (kernels == 1 ? " kernel" : " kernels") << ", " << found.findings().size() << " found\n";
  if (sarifToOut) {
    llvm::outs() << llvm::formatv("{0:2}", found.sarif()) << '\n';
  } else if (wanted->sarif) {
    std::error_code problem;
    llvm::raw_fd_ostream file(*wanted->sarif, problem, llvm::sys::fs::OF_Text);
    if (problem)
      return report(launchFailure("'" + *wanted->sarif + "' cannot be written: " + problem.message()));
    file << llvm::formatv("{0:2}", found.sarif()) << '\n';
  }
  return found.findings().empty() ? kDone : kUserError;
}

} // namespace tilewise::cli
