// tilewise repro: an internal error again, from the file that it left, and the smallest kernel that
// still shows it.
#include "cli/CommandLine.h"
#include "driver/Reproducer.h"
#include "support/Try.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <csignal>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tilewise::cli {

static constexpr llvm::StringLiteral kHelp = R"(usage: tilewise repro FILE [options]

Repeats the compile that ended in an internal error and left FILE. If it still fails, searches for the smallest kernel
that fails in the same way, by removing ops of its tile IR or replacing them by zeros, or by removing lines of its text if
the front end itself fails. The result is written to FILE.small.

options:
  --no-shrink     only repeat the compile
  --seconds=N     time limit of the search (default 60)
  -o OUT          write the smaller reproducer to OUT instead

Exit codes: 70 if the error still occurs, 0 if it does not.
)";

// A compile takes milliseconds; what takes longer than this hangs.
static constexpr int kMaxSeconds = 20;

namespace {

/// What a compile in a process of its own said: nothing when it succeeded.
struct Outcome {
  bool hasFailed = false;
  std::string message;
};

/// In a child, since a smaller kernel may well crash.
Outcome replayApart(const Reproducer &reproducer) {
  int ends[2];
  if (pipe(ends) != 0)
    return {true, "cannot make a pipe"};
  llvm::outs().flush();
  llvm::errs().flush();
  const pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    Result<void> done = reproducer.replay();
    const std::string text = done ? "" : "x" + done.failure().message;
    for (size_t at = 0; at < text.size();) {
      const ssize_t written = write(ends[1], text.data() + at, text.size() - at);
      if (written <= 0)
        break;
      at += size_t(written);
    }
    _exit(0);
  }
  close(ends[1]);
  std::string said;
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(kMaxSeconds);
  bool isLate = child < 0;
  for (char buffer[4096]; !isLate;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
    pollfd waiting{ends[0], POLLIN, 0};
    if (poll(&waiting, 1, std::max(0, int(left.count()))) <= 0) {
      isLate = true;
      break;
    }
    const ssize_t got = read(ends[0], buffer, sizeof buffer);
    if (got <= 0)
      break;
    said.append(buffer, size_t(got));
  }
  close(ends[0]);
  int status = 0;
  if (child > 0) {
    if (isLate)
      kill(child, SIGKILL);
    waitpid(child, &status, 0);
  }
  if (isLate)
    return {true, "the compile did not end within " + std::to_string(kMaxSeconds) + " s"};
  if (WIFSIGNALED(status))
    return {true, std::string("the compile crashed: ") + strsignal(WTERMSIG(status))};
  return said.empty() ? Outcome() : Outcome{true, said.substr(1)};
}

Result<void> writeText(const std::string &path, const std::string &text) {
  std::error_code error;
  llvm::raw_fd_ostream file(path, error);
  if (!error) {
    file << text;
    file.close();
    error = file.error();
    file.clear_error();
  }
  return error ? Result<void>(launchFailure("cannot write '" + path + "': " + error.message())) : Result<void>();
}

/// The same failure from less.
Reproducer shrink(const Reproducer &from, const std::string &message, unsigned seconds) {
  const std::string wanted = signatureOf(message);
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  Reproducer smaller = from;
  auto fails = [&](const Reproducer &candidate) {
    if (std::chrono::steady_clock::now() > until)
      return false;
    const Outcome outcome = replayApart(candidate);
    return outcome.hasFailed && signatureOf(outcome.message) == wanted;
  };
  if (!from.tile.empty()) {
    smaller.tile = shrinkTile(
        from.tile,
        [&](const std::string &tile) {
          Reproducer candidate = from;
          candidate.tile = tile;
          return fails(candidate);
        },
        /*tries=*/5000);
    return smaller;
  }
  auto withText = [&](const std::string &text) {
    Reproducer candidate = from;
    candidate.file = std::make_shared<const SourceFile>(from.file->path().str(), text, from.file->firstLine());
    candidate.request.kernel.file = candidate.file.get();
    return candidate;
  };
  return withText(shrinkText(
      from.file->text().str(), [&](const std::string &text) { return fails(withText(text)); }, /*tries=*/5000));
}

/// "34 ops", "12 lines"
std::string sizeOf(const Reproducer &reproducer) {
  if (!reproducer.tile.empty())
    return std::to_string(countOps(reproducer.tile)) + " ops";
  return std::to_string(reproducer.file->text().count('\n')) + " lines";
}

Result<int> repro(const std::string &path, const std::string &out, bool shrinks, unsigned seconds) {
  auto text = llvm::MemoryBuffer::getFile(path);
  if (!text)
    return launchFailure("cannot read '" + path + "': " + text.getError().message());
  TILEWISE_TRY(Reproducer reproducer, Reproducer::read((*text)->getBuffer(), path));
  const CompileRequest &request = reproducer.request;
  llvm::outs() << request.kernel.kernel << '(' << frontend::printSignature(request.kernel.arguments) << ") for "
               << request.target.str() << ", written by tilewise " << reproducer.version
               << (reproducer.version == TILEWISE_VERSION ? "" : ", compiled by " TILEWISE_VERSION) << '\n';
  const Outcome outcome = replayApart(reproducer);
  if (!outcome.hasFailed) {
    llvm::outs() << "it does not fail any more; it did with: " << reproducer.error << '\n';
    return kDone;
  }
  llvm::outs() << "it still fails: " << llvm::StringRef(outcome.message).rtrim() << '\n';
  if (!shrinks)
    return kInternalError;
  const Reproducer smaller = shrink(reproducer, outcome.message, seconds);
  TILEWISE_CHECK(writeText(out, smaller.print()));
  llvm::outs() << sizeOf(reproducer) << " became " << sizeOf(smaller) << ", in '" << out << "'\n" << smaller.tile;
  return kInternalError;
}

} // namespace

int reproCommand(Arguments &arguments) {
  if (arguments.takeFlag("--help")) {
    llvm::outs() << kHelp;
    return kDone;
  }
  const bool shrinks = !arguments.takeFlag("--no-shrink");
  const unsigned seconds = unsigned(arguments.takeNumber("--seconds", 1).value_or(60));
  std::optional<std::string> out = arguments.takeValue("-o");
  std::vector<std::string> rest = arguments.takeRest();
  if (!arguments.problem().empty())
    return reportUsage("repro", arguments.problem());
  if (rest.size() != 1)
    return reportUsage("repro", "one file is expected");
  Result<int> code = repro(rest.front(), out.value_or(rest.front() + ".small"), shrinks, seconds);
  return code ? *code : report(code.failure());
}

} // namespace tilewise::cli
