// tilewise learn, analyze, bench and tune --ray are parts of the Python package; this starts them.
#include "cli/CommandLine.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>

#include <unistd.h>

namespace tilewise::cli {

static std::string besideTool(llvm::StringRef name) {
  // The address of a function of the tool would name the library: both lie in one tree.
  llvm::SmallString<256> path(llvm::sys::fs::getMainExecutable(nullptr, nullptr));
  llvm::sys::path::remove_filename(path);
  llvm::sys::path::append(path, name);
  return std::string(path);
}

/// Where the package lies: in a build tree, or below the prefix that the tool is installed in.
static std::string packageFolder() {
  if (std::string built = besideTool("../python"); llvm::sys::fs::is_directory(built + "/tilewise"))
    return built;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator entry(besideTool("../lib"), error), end; !error && entry != end;
       entry.increment(error)) {
    std::string packages = entry->path() + "/site-packages";
    if (llvm::sys::path::filename(entry->path()).starts_with("python") &&
        llvm::sys::fs::is_directory(packages + "/tilewise"))
      return packages;
  }
  return {};
}

/// python3 -m tilewise COMMAND ..., in the place of this process.
static int startPython(const char *command, Arguments &arguments) {
  // A virtual environment has its own Python beside the tool, which has the package.
  std::string python = besideTool("python3");
  if (!llvm::sys::fs::can_execute(python)) {
    auto found = llvm::sys::findProgramByName("python3");
    if (!found)
      return report(launchFailure("'tilewise " + std::string(command) +
                                  "' needs Python 3 with numpy, and there is no python3 in the PATH"));
    python = *found;
    if (std::string package = packageFolder(); !package.empty()) {
      const char *already = std::getenv("PYTHONPATH");
      setenv("PYTHONPATH", (package + (already && *already ? ":" + std::string(already) : "")).c_str(), 1);
    }
  }
  std::vector<std::string> words = arguments.takeAll();
  std::vector<char *> line = {python.data(), const_cast<char *>("-m"), const_cast<char *>("tilewise"),
                              const_cast<char *>(command)};
  for (std::string &word : words)
    line.push_back(word.data());
  line.push_back(nullptr);
  llvm::outs().flush();
  execv(python.c_str(), line.data());
  return report(launchFailure("'" + python + "' could not be started"));
}

int learnCommand(Arguments &arguments) { return startPython("learn", arguments); }
int analyzeCommand(Arguments &arguments) { return startPython("analyze", arguments); }
int benchCommand(Arguments &arguments) { return startPython("bench", arguments); }
int tuneOnCluster(Arguments &arguments) { return startPython("tune", arguments); }

} // namespace tilewise::cli
