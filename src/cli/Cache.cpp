// tilewise cache: what earlier processes compiled, looked at, removed, and moved between machines.
#include "cache/Folder.h"
#include "cli/CommandLine.h"
#include "support/Knobs.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

namespace tilewise::cli {

static constexpr llvm::StringLiteral kHelp = R"(usage: tilewise cache ACTION [options]

The disk cache keeps compiled kernels for later processes; see docs/cache.md.

actions:
  info               print the folder, its size and its limits
  list               print each entry, most recently used first: time of use, bytes, kind, description
  clear              remove all entries
  export FILE        write entries to one file, for another machine with the same target and the same build
  import FILE        add the entries of such a file. They are code: import only what you would run

options:
  --only TEXT        list and export only entries whose description contains the text, such as "for cuda:90"
)";

static std::string sizeText(uint64_t bytes) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (bytes >= 1 << 20)
    os << llvm::format("%.1f MB", double(bytes) / (1 << 20));
  else
    os << llvm::format("%.1f KB", double(bytes) / (1 << 10));
  return text;
}

static std::string counted(size_t entries) { return std::to_string(entries) + (entries == 1 ? " entry" : " entries"); }

static int printInfo(cache::Folder &folder) {
  uint64_t bytes = 0;
  const std::vector<cache::Folder::Listed> entries = folder.list(/*withLabels=*/false);
  for (const cache::Folder::Listed &entry : entries)
    bytes += entry.bytes;
  llvm::outs() << "folder   " << folder.path() << "\nentries  " << entries.size() << " of at most "
               << cache::Folder::kMaxEntries << "\nsize     " << sizeText(bytes) << " of at most "
               << sizeText(folder.maxBytes()) << '\n';
  return kDone;
}

static int printList(cache::Folder &folder, llvm::StringRef only) {
  for (const cache::Folder::Listed &entry : folder.list(/*withLabels=*/true)) {
    if (!llvm::StringRef(entry.label).contains(only))
      continue;
    char time[32] = "";
    struct tm local;
    if (localtime_r(&entry.lastUse, &local))
      strftime(time, sizeof time, "%Y-%m-%d %H:%M", &local);
    llvm::outs() << time << llvm::format("%10llu", static_cast<unsigned long long>(entry.bytes)) << "  "
                 << llvm::left_justify(entry.kind.empty() ? "damaged" : entry.kind, 8) << "  " << entry.label << '\n';
  }
  return kDone;
}

int cacheCommand(Arguments &arguments) {
  if (arguments.takeFlag("--help")) {
    llvm::outs() << kHelp;
    return kDone;
  }
  const std::string only = arguments.takeValue("--only").value_or("");
  const std::vector<std::string> rest = arguments.takeRest();
  if (!arguments.problem().empty())
    return reportUsage("cache", arguments.problem());
  if (rest.empty())
    return reportUsage("cache", "an action is missing");
  const llvm::StringRef action = rest[0];
  const bool movesFile = action == "export" || action == "import";
  if (!movesFile && action != "info" && action != "list" && action != "clear")
    return reportUsage("cache", "unknown action '" + rest[0] + "'");
  if (rest.size() != (movesFile ? 2 : 1))
    return reportUsage("cache",
                       movesFile ? "'" + rest[0] + "' takes one file" : "'" + rest[0] + "' takes nothing more");

  cache::Folder *folder = cache::Folder::ofProcess();
  if (!folder)
    return report(launchFailure("there is no disk cache: TILEWISE_CACHE_MB is 0, or nothing names a folder; "
                                "set TILEWISE_CACHE_DIR"));
  if (action == "info")
    return printInfo(*folder);
  if (action == "list")
    return printList(*folder, only);
  if (action == "clear") {
    Result<size_t> removed = folder->clear();
    if (!removed)
      return report(removed.failure());
    llvm::outs() << "removed " << counted(*removed) << " from " << knobs::cacheDir() << '\n';
    return kDone;
  }
  Result<size_t> moved = action == "export" ? folder->exportTo(rest[1], only) : folder->importFrom(rest[1]);
  if (!moved)
    return report(moved.failure());
  llvm::outs() << (action == "export" ? "wrote " : "added ") << counted(*moved) << '\n';
  return kDone;
}

} // namespace tilewise::cli
