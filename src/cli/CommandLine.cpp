// The tool's front desk: which subcommand, its help, and how failures are told.
#include "cli/CommandLine.h"

#include "support/DidYouMean.h"
#include "support/Warnings.h"
#include "tilewise/tilewise.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>
#include <mutex>

namespace tilewise::cli {

namespace {

struct Command {
  llvm::StringRef name;
  int (*run)(Arguments &);
  llvm::StringRef summary;
};

constexpr Command kCommands[] = {
    {"emit", emitCommand, "print a kernel at a stage of the compiler"},
    {"run", runCommand, "run a kernel on .npy files"},
    {"list", listCommand, "list the kernels of a file"},
    {"check", checkCommand, "find the usual mistakes in kernel files, for editors and CI"},
    {"analyze", analyzeCommand, "count a kernel's memory accesses and say what bounds it"},
    {"bench", benchCommand, "compare the kernel library with separate operations and PyTorch, with a page of results"},
    {"learn", learnCommand, "a course in writing kernels, with exercises that are checked"},
    {"build", buildCommand, "compile a kernel ahead of time into a library with a C header"},
    {"tune", tuneCommand, "find the fastest config of a kernel"},
    {"cache", cacheCommand, "show, remove, export or import compiled kernels"},
    {"profile", profileCommand, "run a program and show what it compiled, tuned, launched and copied"},
    {"repro", reproCommand, "reproduce an internal error and shrink the kernel that causes it"},
    {"info", infoCommand, "check this machine: versions, engines, driver, cache"},
};

void printHelp(llvm::raw_ostream &os) {
  os << "tilewise: the Triton kernel language, compiled natively\n\nusage: tilewise COMMAND [...]\n\ncommands:\n";
  for (const Command &command : kCommands)
    os << "  " << llvm::left_justify(command.name, 8) << command.summary << '\n';
  os << "\nSee 'tilewise COMMAND --help'. Exit codes: 0 success, 1 error in the kernel or the launch, 2 wrong usage,\n"
        "70 internal error.\n";
}

} // namespace

int runCommandLine(int argc, const char *const *argv) {
  llvm::StringRef name = argc > 1 ? argv[1] : "";
  if (name == "help" && argc > 2) {
    const char *const asked[] = {argv[0], argv[2], "--help"};
    return runCommandLine(3, asked);
  }
  if (name == "--help" || name == "-h" || name == "help") {
    printHelp(llvm::outs());
    return kDone;
  }
  if (name == "--version") {
    llvm::outs() << "tilewise " TILEWISE_VERSION "\n";
    return kDone;
  }
  for (const Command &command : kCommands)
    if (command.name == name) {
      Arguments arguments(argc - 2, argv + 2);
      return command.run(arguments);
    }
  if (name.empty()) {
    llvm::errs() << "tilewise: a command is missing\n\n";
    printHelp(llvm::errs());
    return kUsageError;
  }
  std::vector<std::string> names;
  for (const Command &command : kCommands)
    names.push_back(command.name.str());
  const std::string meant = didYouMean(name, names);
  llvm::errs() << "tilewise: unknown command '" << name << "'" << meant << (meant.empty() ? "\n\n" : "\n");
  if (meant.empty())
    printHelp(llvm::errs());
  return kUsageError;
}

std::string warningsHelp() {
  std::string text =
      "\nwarnings, on unless they say otherwise; -WNAME switches one on, -Wno-NAME off, -Wno-all switches all "
      "off, -Werror turns them into errors:\n";
  for (const WarningInfo &info : allWarnings())
    text +=
        ("  -W" + llvm::Twine(info.name)).str() + std::string(20 - std::strlen(info.name), ' ') + info.meaning + "\n";
  return text;
}

int report(const Failure &failure) {
  llvm::errs() << (failure.kind == ErrorKind::Internal ? "internal error: " : "") << failure.message;
  if (!llvm::StringRef(failure.message).ends_with("\n"))
    llvm::errs() << '\n';
  return failure.kind == ErrorKind::Internal ? kInternalError : kUserError;
}

void tellOnce(llvm::StringRef text) {
  static std::mutex mutex; // The tuner compiles on several threads.
  static llvm::StringSet<> told;
  const std::lock_guard lock(mutex);
  // Those of the compiler end their last line themselves.
  if (told.insert(text).second)
    llvm::errs() << text.rtrim('\n') << '\n';
}

int reportUsage(llvm::StringRef command, const std::string &message) {
  llvm::errs() << "tilewise " << command << ": " << message << "\ntry 'tilewise " << command << " --help'\n";
  return kUsageError;
}

} // namespace tilewise::cli
