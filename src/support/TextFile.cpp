// Reading kernel files.
#include "support/TextFile.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

namespace tilewise {

Result<std::string> readKernelFile(const std::string &path) {
  auto text = llvm::MemoryBuffer::getFile(path, /*IsText=*/true, /*RequiresNullTerminator=*/false);
  if (!text) {
    // A program that is started elsewhere than it was tried is what this is most often.
    llvm::SmallString<128> folder;
    const bool isRelative = llvm::sys::path::is_relative(path) && !llvm::sys::fs::current_path(folder);
    return launchFailure("cannot read kernel file '" + path + "': " + text.getError().message() +
                         (isRelative ? "; the working directory is '" + folder.str().str() + "'" : ""));
  }
  // Else the first error would show a line of a terminal's control characters.
  if ((*text)->getBuffer().contains('\0'))
    return launchFailure("cannot read kernel file '" + path + "': it is not text in UTF-8, it has bytes that are 0");
  return (*text)->getBuffer().str();
}

} // namespace tilewise
