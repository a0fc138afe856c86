// tw_library_*: the kernel library, kernels/ of the repository, as texts inside the shared library.
#include "tilewise/tilewise.h"

#include <cstring>
#include <iterator>

namespace {

struct File {
  const char *name, *text;
};

// Made by CMake: one row per file of kernels/.
constexpr File kFiles[] = {
#include "KernelLibrary.inc"
};

} // namespace

const char *tw_library_file(size_t index) { return index < std::size(kFiles) ? kFiles[index].name : nullptr; }

const char *tw_library_text(const char *file) {
  for (const File &each : kFiles)
    if (file && std::strcmp(each.name, file) == 0)
      return each.text;
  return nullptr;
}
