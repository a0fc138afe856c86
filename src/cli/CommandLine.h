// The command line tool as functions: one per subcommand. Exit codes: 0 done, 1 the user's error, 2
// usage, 70 ours.
#pragma once

#include "cli/Arguments.h"
#include "support/Error.h"

namespace tilewise::cli {

constexpr int kDone = 0, kUserError = 1, kUsageError = 2, kInternalError = 70;

int runCommandLine(int argc, const char *const *argv);

int emitCommand(Arguments &arguments);
int listCommand(Arguments &arguments);
int listLanguage(); ///< The functions of the language with their parameters.
int checkCommand(Arguments &arguments);
int learnCommand(Arguments &arguments);
int analyzeCommand(Arguments &arguments);
int benchCommand(Arguments &arguments);
int runCommand(Arguments &arguments);
int infoCommand(Arguments &arguments);
int buildCommand(Arguments &arguments);
int cacheCommand(Arguments &arguments);
int tuneCommand(Arguments &arguments);
int tuneOnCluster(Arguments &arguments); ///< `tilewise tune --ray`.
int reproCommand(Arguments &arguments);
int profileCommand(Arguments &arguments);

/// The lines of help on -W flags, from the table of warnings.
std::string warningsHelp();

/// Prints the failure to stderr and gives its exit code.
int report(const Failure &failure);
/// Prints a warning or note to stderr, unless it stands there already: a command that compiles a
/// kernel several times, for signatures, targets or configs, has the same to say each time.
void tellOnce(llvm::StringRef text);
/// Prints what is wrong with the call and where help is.
int reportUsage(llvm::StringRef command, const std::string &message);

} // namespace tilewise::cli
