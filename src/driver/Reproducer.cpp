// Writing reproducers, reading them, and running them again.
#include "driver/Reproducer.h"

#include "support/Knobs.h"
#include "support/Try.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

namespace tilewise {

static constexpr llvm::StringLiteral kHead = "# tilewise repro ";

static llvm::StringRef firstLine(llvm::StringRef text) { return text.split('\n').first.rtrim(); }

/// "stage 'to cpu' failed:" says little: the line below it is the error.
static std::string summaryOf(llvm::StringRef message) {
  llvm::StringRef first = firstLine(message);
  return first.ends_with(":") ? (first + " " + firstLine(message.drop_front(first.size()).ltrim())).str() : first.str();
}

std::string signatureOf(llvm::StringRef message) {
  std::string kept;
  for (char c : summaryOf(message))
    if (!llvm::isDigit(c))
      kept += c;
  return kept;
}

std::string Reproducer::print() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  const LaunchOptions &options = request.options;
  os << kHead << version << "\n# run it again: tilewise repro THIS_FILE\n# error: " << error
     << "\n# kernel: " << request.kernel.kernel << "\n# target: " << request.target.str()
     << (request.target.cpuFeatures.empty() ? "" : "\n# features: ") << request.target.cpuFeatures
     << "\n# signature: " << frontend::printSignature(request.kernel.arguments)
     << "\n# parts: " << request.kernel.partCount << "\n# options: " << options.numWarps << ' ' << options.numStages
     << ' ' << options.fpFusion << ' ' << options.debug << ' ' << options.checked << ' ' << options.lineTables
     << "\n# warnings: " << options.warnings.flags() << "\n# path: " << request.kernel.file->path()
     << "\n# line: " << request.kernel.file->firstLine() << '\n';
  std::vector<std::string> defines;
  for (const auto &define : request.kernel.defines)
    defines.push_back(define.first().str() + "=" + define.second);
  llvm::sort(defines);
  for (const std::string &define : defines)
    os << "# define: " << define << '\n';
  if (!tile.empty())
    os << "# tile:\n";
  for (llvm::StringRef rest = tile; !rest.empty(); rest = rest.split('\n').second)
    os << "# |" << rest.split('\n').first << '\n';
  os << "# text:\n" << request.kernel.file->text();
  return text;
}

Result<Reproducer> Reproducer::read(llvm::StringRef text, llvm::StringRef path) {
  auto fail = [&](const llvm::Twine &why) { return launchFailure((path + ": " + why).str()); };
  if (!text.consume_front(kHead))
    return fail("no reproducer: an internal error writes one, and its message says where");
  Reproducer made;
  made.version = firstLine(text).str();
  std::string file = path.str(), target = "cpu", features, signature;
  unsigned line = 1;
  for (text = text.split('\n').second; !text.consume_front("# text:\n"); text = text.split('\n').second) {
    llvm::StringRef each = text.split('\n').first;
    if (!each.consume_front("# "))
      return fail("damaged: a line '# text:' is missing");
    if (each.consume_front("|")) {
      made.tile += each.str() + "\n";
      continue;
    }
    auto [key, value] = each.split(": ");
    value = value.trim();
    frontend::EmitRequest &kernel = made.request.kernel;
    LaunchOptions &options = made.request.options;
    auto isDamaged = [&](bool isBad) { return isBad ? Result<void>(fail("damaged: '" + each + "'")) : Result<void>(); };
    if (key == "error") {
      made.error = value.str();
    } else if (key == "kernel") {
      kernel.kernel = value.str();
    } else if (key == "target") {
      target = value.str();
    } else if (key == "features") {
      features = value.str();
    } else if (key == "signature") {
      signature = value.str();
    } else if (key == "path") {
      file = value.str();
    } else if (key == "line") {
      TILEWISE_CHECK(isDamaged(value.getAsInteger(10, line)));
    } else if (key == "parts") {
      TILEWISE_CHECK(isDamaged(value.getAsInteger(10, kernel.partCount)));
    } else if (key == "define") {
      kernel.defines[value.split('=').first] = value.split('=').second.str();
    } else if (key == "warnings") {
      TILEWISE_CHECK(options.warnings.applyAll(value.str()));
    } else if (key == "options") {
      llvm::SmallVector<llvm::StringRef> words;
      value.split(words, ' ');
      TILEWISE_CHECK(isDamaged(words.size() != 6 || words[0].getAsInteger(10, options.numWarps) ||
                               words[1].getAsInteger(10, options.numStages)));
      options.fpFusion = words[2] == "1";
      options.debug = words[3] == "1";
      options.checked = words[4] == "1";
      options.lineTables = words[5] == "1";
    }
  }
  TILEWISE_TRY(made.request.target, Target::parse(target));
  made.request.target.cpuFeatures = features;
  TILEWISE_TRY(made.request.kernel.arguments, frontend::parseSignature(signature));
  made.file = std::make_shared<const SourceFile>(file, text.str(), std::max(1u, line));
  made.request.kernel.file = made.file.get();
  return made;
}

Result<void> Reproducer::replay() const {
  Result<Artifact> artifact = tile.empty() ? compile(request) : compileTile(request, tile);
  return artifact ? Result<void>() : artifact.takeFailure();
}

/// Written aside and renamed, readable by the user alone; the same failure has the same name.
static Result<std::string> writeOut(const Reproducer &reproducer) {
  const std::string text = reproducer.print();
  llvm::SmallString<128> folder(knobs::reproDir());
  if (folder.empty())
    llvm::sys::path::system_temp_directory(/*ErasedOnReboot=*/true, folder);
  const std::string name = llvm::formatv("{0}/tilewise-{1}-{2:x-}.py", folder, reproducer.request.kernel.kernel,
                                         uint32_t(llvm::xxh3_64bits(text)));
  llvm::SmallString<128> aside;
  int descriptor = -1;
  std::error_code error = llvm::sys::fs::createUniqueFile(name + ".%%%%%%%%", descriptor, aside, llvm::sys::fs::OF_None,
                                                          llvm::sys::fs::owner_read | llvm::sys::fs::owner_write);
  if (error)
    return launchFailure(name + ": " + error.message());
  llvm::raw_fd_ostream file(descriptor, /*shouldClose=*/true);
  file << text;
  file.close();
  error = file.error();
  file.clear_error();
  if (!error)
    error = llvm::sys::fs::rename(aside, name);
  if (!error)
    return name;
  llvm::sys::fs::remove(aside);
  return launchFailure(name + ": " + error.message());
}

Failure withReproducer(Failure failure, const CompileRequest &request) {
  // The front end runs once more for its tile IR, and may fail as it did.
  static thread_local bool isInside = false;
  if (failure.kind != ErrorKind::Internal || isInside || !request.kernel.file)
    return failure;
  isInside = true;
  const auto leave = llvm::make_scope_exit([] { isInside = false; });
  Reproducer reproducer;
  reproducer.version = TILEWISE_VERSION;
  reproducer.request = request;
  reproducer.error = summaryOf(failure.message);
  if (Result<std::string> tile = emitStage(request, "tile"))
    reproducer.tile = std::move(*tile);
  Result<std::string> path = writeOut(reproducer);
  if (!failure.message.empty() && failure.message.back() != '\n')
    failure.message += '\n';
  failure.message += path ? "note: this is a fault of Tilewise, not of the kernel; '" + *path +
                                "' has what is needed to see it again: tilewise repro " + *path + "\n"
                          : "note: this is a fault of Tilewise, not of the kernel; no reproducer could be written: " +
                                path.failure().message + "\n";
  return failure;
}

} // namespace tilewise
