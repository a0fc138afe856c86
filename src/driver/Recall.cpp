// The steps from a request to an entry of the disk cache, and to the code.
#include "driver/Recall.h"

#include "frontend/python/ModuleLoader.h"
#include "frontend/values/Lookups.h"
#include "support/Bytes.h"
#include "support/Engines.h"
#include "support/Knobs.h"
#include "support/Try.h"
#include "target/HostProcessor.h"

namespace tilewise {

using frontend::LookupRecord;
using frontend::Question;

static constexpr llvm::StringLiteral kKernel = "kernel", kLookups = "lookups";
// More steps than any kernel needs: one per round of new questions that answers lead to.
static constexpr int kMaxSteps = 32;

static std::string labelOf(const CompileRequest &request) {
  return request.kernel.kernel + "(" + frontend::printSignature(request.kernel.arguments) + ") for " +
         request.target.str() + ", from " + request.kernel.file->path().str();
}

static cache::Key keyOf(const CompileRequest &request) {
  const frontend::EmitRequest &kernel = request.kernel;
  cache::KeyBuilder key("kernel");
  key.add(kernel.file->path())
      .add(uint64_t(kernel.file->firstLine()))
      .add(kernel.file->text())
      .add(kernel.kernel)
      .add(request.entry);
  key.add(uint64_t(kernel.arguments.size())).add(uint64_t(kernel.partCount));
  for (const frontend::ArgumentSpec &argument : kernel.arguments)
    key.add(argument.text).add(uint64_t(argument.isConstant)).add(uint64_t(argument.divisibility));
  // A map by hash has no order of its own.
  std::vector<std::pair<llvm::StringRef, llvm::StringRef>> defines;
  for (const auto &define : kernel.defines)
    defines.emplace_back(define.first(), define.second);
  llvm::sort(defines);
  key.add(uint64_t(defines.size()));
  for (const auto &[name, value] : defines)
    key.add(name).add(value);
  key.add(uint64_t(kernel.environment != nullptr)).add(kernel.maxSteps.value_or(0));

  key.add(request.target.str()).add(request.target.cpuFeatures);
#if TILEWISE_HAS_CPU_ENGINE
  if (request.target.engine == Engine::Cpu && request.target.cpu.empty())
    key.add(cpu::hostName()).add(cpu::hostFeatures());
#endif
  // All but `cooperative`, which is no part of the code.
  const LaunchOptions &options = request.options;
  key.add(uint64_t(options.numWarps)).add(uint64_t(options.numStages)).add(uint64_t(options.maxRegisters));
  for (bool flag : {options.fpFusion, options.debug, options.overflowChecks, options.checked, options.lineTables,
                    options.plainCopies})
    key.add(uint64_t(flag));
  return key.add(options.warnings.flags()).finish();
}

bool CompiledKernel::warnsOf(Warning warning) const {
  const std::string flag = ("[-W" + nameOf(warning) + "]").str();
  return llvm::any_of(messages, [&](const auto &message) {
    return message.first == Severity::Warning && llvm::StringRef(message.second).contains(flag);
  });
}

static std::string serialize(const CompiledKernel &kernel) {
  ByteWriter bytes;
  bytes.number(kernel.messages.size());
  for (const auto &[severity, text] : kernel.messages) {
    bytes.number(uint64_t(severity));
    bytes.string(text);
  }
  bytes.number(kernel.gridLints.size());
  for (const CompiledLint &lint : kernel.gridLints) {
    bytes.number(lint.whenSeveral);
    bytes.number(lint.whenRankIsAtMost);
    bytes.string(lint.text);
  }
  bytes.string(kernel.artifact.serialize());
  return std::move(bytes.bytes);
}

static std::optional<CompiledKernel> deserialize(llvm::StringRef payload) {
  ByteReader reader{payload};
  CompiledKernel kernel;
  const uint64_t count = reader.number();
  for (uint64_t i = 0; i < count && !reader.broken; ++i) {
    const auto severity = Severity(reader.number());
    kernel.messages.emplace_back(severity, reader.string());
  }
  const uint64_t lints = reader.number();
  for (uint64_t i = 0; i < lints && !reader.broken; ++i) {
    const auto whenSeveral = uint8_t(reader.number()), whenRankIsAtMost = uint8_t(reader.number());
    kernel.gridLints.push_back({whenSeveral, whenRankIsAtMost, reader.string()});
  }
  Result<Artifact> artifact = Artifact::deserialize(reader.view());
  if (!artifact || reader.broken)
    return std::nullopt;
  kernel.artifact = std::move(*artifact);
  kernel.isRecalled = true;
  return kernel;
}

namespace {

/// The way from a request's key over questions and answers to its kernel.
class CacheWalk {
public:
  CacheWalk(cache::Folder &folder, const CompileRequest &request)
      : folder_(folder), key_(keyOf(request)), asked_(request.kernel.environment), label_(labelOf(request)) {}

  /// The kernel; else where the way ended is remembered, for `keep`.
  std::optional<CompiledKernel> follow(const LookupRecord::ReadFile &readFile) {
    const LookupRecord::Scope scope(asked_);
    for (int step = 0; step < kMaxSteps; ++step) {
      std::optional<cache::Entry> entry = folder_.read(key_);
      if (!entry)
        return std::nullopt;
      if (entry->kind == kKernel)
        return deserialize(entry->payload);
      auto questions = frontend::deserializeQuestions(entry->payload);
      const size_t before = asked_.noted().size();
      if (entry->kind != kLookups || !questions || !asked_.ask(*questions, readFile))
        return std::nullopt;
      key_ = after(llvm::ArrayRef(asked_.noted()).drop_front(before));
    }
    return std::nullopt;
  }

  /// `record` is what the compile asked.
  void keep(const CompiledKernel &kernel, const LookupRecord &record) {
    if (!record.isComplete() || !asked_.isComplete())
      return;
    std::vector<Question> questions;
    std::vector<std::pair<Question, LookupRecord::Digest>> noted;
    for (const auto &each : record.noted())
      if (!asked_.hasAsked(each.first)) {
        questions.push_back(each.first);
        noted.push_back(each);
      }
    if (!questions.empty()) {
      if (!folder_.write({key_, kLookups.str(), label_, frontend::serializeQuestions(questions)}))
        return;
      key_ = after(noted);
    }
    folder_.write({key_, kKernel.str(), label_, serialize(kernel)});
  }

private:
  cache::Key after(llvm::ArrayRef<std::pair<Question, LookupRecord::Digest>> answered) const {
    cache::KeyBuilder next("answers");
    next.add(key_);
    for (const auto &[question, digest] : answered)
      next.add(question.id()).add(llvm::StringRef(reinterpret_cast<const char *>(digest.data()), digest.size()));
    return next.finish();
  }

  cache::Folder &folder_;
  cache::Key key_;
  LookupRecord asked_;
  std::string label_;
};

} // namespace

static Result<CompiledKernel> compileAnew(const CompileRequest &request, Diagnostics &diagnostics) {
  CompileObserver observer;
  observer.diagnostics = &diagnostics;
  CompiledKernel kernel;
  observer.gridLints = &kernel.gridLints;
  TILEWISE_TRY(kernel.artifact, compile(request, observer));
  for (const Diagnostic &diagnostic : diagnostics.all()) {
    if (diagnostic.severity == Severity::Error)
      continue;
    kernel.messages.emplace_back(diagnostic.severity, "");
    llvm::raw_string_ostream os(kernel.messages.back().second);
    renderDiagnostic(diagnostic, os);
  }
  return kernel;
}

Result<CompiledKernel> recallOrCompile(const CompileRequest &request, Diagnostics &diagnostics, cache::Folder *folder) {
  // A dump shows a compile, so there has to be one.
  if (!folder || !knobs::dumpDir().empty())
    return compileAnew(request, diagnostics);

  LookupRecord::ReadFile readFile = request.kernel.readImport;
  if (!readFile)
    readFile = frontend::ModuleLoader::readFile;
  CacheWalk walk(*folder, request);
  std::optional<CompiledKernel> recalled = walk.follow(readFile);
  Result<CompiledKernel> kernel = internalFailure("no kernel");
  if (recalled) {
    kernel = std::move(*recalled);
  } else {
    LookupRecord record(request.kernel.environment);
    const LookupRecord::Scope scope(record);
    CompileRequest recorded = request;
    recorded.kernel.readImport = [&](const std::string &path) {
      std::optional<std::string> text = readFile(path);
      record.noteFile(path, text);
      return text;
    };
    kernel = compileAnew(recorded, diagnostics);
    if (kernel)
      walk.keep(*kernel, record);
  }
  if (std::string problem = folder->takeProblem(); !problem.empty() && kernel)
    kernel->messages.emplace_back(Severity::Warning, "warning: " + problem + "\n");
  return kernel;
}

} // namespace tilewise
