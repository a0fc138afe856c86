// tilewise profile: a program, and what it compiled, tuned, launched and copied.
#include "tilewise/profile.h"
#include "cli/CommandLine.h"
#include "support/Try.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

namespace tilewise::cli {

static constexpr llvm::StringLiteral kHelp = R"(usage: tilewise profile [-o TRACE] -- PROGRAM [ARGUMENTS...]

Runs a program that uses Tilewise, in C++, C or Python, and prints what it and its child processes compiled, loaded from
the disk cache, tuned, launched and copied: count, time, bytes, GB/s, and the share of the peak that
'tilewise info --measure' has measured. Bytes are the sizes of the tensors passed to a launch, each counted once. While
profiling, launches on a GPU are waited for.

options:
  -o TRACE    also write the timeline as a Chrome trace, for ui.perfetto.dev or chrome://tracing

The exit code is the program's.
)";

namespace {

/// The program's exit code, as a shell has it.
Result<int> runProgram(const std::vector<std::string> &words, const std::string &prefix) {
  llvm::outs().flush();
  llvm::errs().flush();
  const pid_t child = fork();
  if (child < 0)
    return launchFailure(std::string("cannot start a process: ") + std::strerror(errno));
  if (child == 0) {
    setenv("TILEWISE_PROFILE", prefix.c_str(), 1);
    std::vector<char *> argv;
    for (const std::string &word : words)
      argv.push_back(const_cast<char *>(word.c_str()));
    argv.push_back(nullptr);
    execvp(argv.front(), argv.data());
    const std::string text = "tilewise profile: cannot run '" + words.front() + "': " + std::strerror(errno) + "\n";
    (void)!write(STDERR_FILENO, text.data(), text.size());
    _exit(127);
  }
  // Ctrl-C is the program's; what it has done by then is still shown.
  std::signal(SIGINT, SIG_IGN);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  std::signal(SIGINT, SIG_DFL);
  if (WIFSIGNALED(status)) {
    llvm::errs() << "tilewise profile: the program was ended by signal " << WTERMSIG(status)
                 << "; a process that is ended so leaves no profile\n";
    return 128 + WTERMSIG(status);
  }
  return WEXITSTATUS(status);
}

std::vector<std::string> readAll(const std::string &folder) {
  std::vector<std::string> paths, texts;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator each(folder, error), end; each != end && !error; each.increment(error))
    paths.push_back(each->path());
  llvm::sort(paths);
  for (const std::string &path : paths)
    if (auto text = llvm::MemoryBuffer::getFile(path))
      texts.push_back((*text)->getBuffer().str());
  return texts;
}

Result<void> show(const std::vector<std::string> &texts, const std::string &out) {
  std::vector<const char *> traces;
  for (const std::string &text : texts)
    traces.push_back(text.c_str());
  char *json = nullptr, *table = nullptr;
  if (tw_profile_merge(traces.data(), traces.size(), &json, &table) != TW_OK)
    return internalFailure(tw_last_error());
  const std::string timeline = json, printed = table;
  tw_free(json);
  tw_free(table);
  llvm::outs() << printed;
  if (out.empty())
    return {};
  std::error_code error;
  llvm::raw_fd_ostream file(out, error);
  if (!error) {
    file << timeline;
    file.close();
    error = file.error();
    file.clear_error();
  }
  return error ? Result<void>(launchFailure("cannot write '" + out + "': " + error.message())) : Result<void>();
}

Result<int> profileProgram(const std::vector<std::string> &words, const std::string &out) {
  llvm::SmallString<128> folder;
  if (std::error_code error = llvm::sys::fs::createUniqueDirectory("tilewise-profile", folder))
    return launchFailure("cannot make a temporary folder: " + error.message());
  TILEWISE_TRY(const int code, runProgram(words, (folder + "/process").str()));
  const std::vector<std::string> texts = readAll(folder.str().str());
  llvm::sys::fs::remove_directories(folder);
  if (texts.empty()) {
    llvm::errs()
        << "tilewise profile: the program left no profile: it does not use Tilewise, or did not end by itself\n";
    return code ? code : kUserError;
  }
  TILEWISE_CHECK(show(texts, out));
  return code;
}

} // namespace

int profileCommand(Arguments &arguments) {
  if (arguments.takeFlag("--help")) {
    llvm::outs() << kHelp;
    return kDone;
  }
  const std::string out = arguments.takeValue("-o").value_or("");
  const std::vector<std::string> words = arguments.takeRest();
  if (!arguments.problem().empty())
    return reportUsage("profile", arguments.problem());
  if (words.empty())
    return reportUsage("profile", "a program is missing, after '--'");
  Result<int> code = profileProgram(words, out);
  return code ? *code : report(code.failure());
}

} // namespace tilewise::cli
