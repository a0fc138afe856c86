// Folders with numbers that no other compile has, and files in them.
#include "driver/Dump.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <atomic>

namespace tilewise {

Result<StageDump> StageDump::open(const std::string &directory, llvm::StringRef kernel) {
  auto fail = [&](std::error_code error) {
    return launchFailure("cannot write the stages of kernel '" + kernel.str() + "' to '" + directory +
                         "': " + error.message());
  };
  if (std::error_code error = llvm::sys::fs::create_directories(directory))
    return fail(error);
  // Making a folder fails when it is there already, be it another process's: then the next number
  // is tried.
  static std::atomic<unsigned> next{1};
  for (;;) {
    std::string folder = llvm::formatv("{0}/{1,0+4}-{2}", directory, next.fetch_add(1), kernel);
    std::error_code error = llvm::sys::fs::create_directory(folder, /*IgnoreExisting=*/false);
    if (!error)
      return StageDump(std::move(folder));
    if (error != std::errc::file_exists)
      return fail(error);
  }
}

Result<void> StageDump::writeFile(const std::string &name, llvm::StringRef contents) const {
  std::string path = folder_ + "/" + name;
  std::error_code error;
  llvm::raw_fd_ostream file(path, error);
  file << contents;
  file.close();
  if (!error)
    error = file.error();
  file.clear_error();
  if (error)
    return launchFailure("cannot write '" + path + "': " + error.message());
  return {};
}

} // namespace tilewise
