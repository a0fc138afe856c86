// The tool's front desk: which subcommand, its help, and how failures are told.
#include "cli/CommandLine.h"

#include "support/Warnings.h"
#include "tilewise/tilewise.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cstring>

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
    {"build", buildCommand, "compile a kernel ahead of time, into a library with a C header"},
    {"tune", tuneCommand, "find the fastest config of a kernel"},
    {"cache", cacheCommand, "look at, remove or move compiled kernels"},
    {"info", infoCommand, "check this machine: versions, engines, driver, cache"},
};

void printHelp(llvm::raw_ostream &os) {
  os << "tilewise: the Triton kernel language, compiled natively\n\nusage: tilewise COMMAND [...]\n\ncommands:\n";
  for (const Command &command : kCommands)
    os << "  " << llvm::left_justify(command.name, 6) << command.summary << '\n';
  os << "\n'tilewise COMMAND --help' tells more. Exit codes: 0 done, 1 an error of the kernel or the launch, 2 wrong "
        "usage,\n"
        "70 an error of ours.\n";
}

} // namespace

int runCommandLine(int argc, const char *const *argv) {
  llvm::StringRef name = argc > 1 ? argv[1] : "";
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
  if (name.empty())
    llvm::errs() << "tilewise: a command is missing\n\n";
  else
    llvm::errs() << "tilewise: unknown command '" << name << "'\n\n";
  printHelp(llvm::errs());
  return kUsageError;
}

std::string warningsHelp() {
  std::string text = "\nwarnings, on but for -Wperf; -Wno-NAME switches one off, -Wno-all all of them, -Werror makes "
                     "errors of them:\n";
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

int reportUsage(llvm::StringRef command, const std::string &message) {
  llvm::errs() << "tilewise " << command << ": " << message << "\ntry 'tilewise " << command << " --help'\n";
  return kUsageError;
}

} // namespace tilewise::cli
