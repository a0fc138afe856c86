// One buffer per depth of nested launches and thread.
#include "runtime/Scratch.h"

#include <cstdlib>
#include <vector>

namespace tilewise {

namespace {
struct Buffer {
  void *data = nullptr;
  size_t bytes = 0;
};

struct Arena {
  std::vector<Buffer> byDepth;
  size_t depth = 0;

  ~Arena() {
    for (Buffer &buffer : byDepth)
      std::free(buffer.data);
  }
};
} // namespace

static thread_local Arena arena;

ScratchFrame::ScratchFrame(size_t bytes) {
  if (arena.depth == arena.byDepth.size())
    arena.byDepth.emplace_back();
  Buffer &buffer = arena.byDepth[arena.depth++];
  if (buffer.bytes < bytes) {
    std::free(buffer.data);
    buffer.bytes = (bytes + 63) / 64 * 64;
    buffer.data = std::aligned_alloc(64, buffer.bytes);
    if (!buffer.data)
      buffer.bytes = 0;
  }
  data_ = bytes ? buffer.data : nullptr;
}

ScratchFrame::~ScratchFrame() { --arena.depth; }

} // namespace tilewise
