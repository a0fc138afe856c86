// A sketch -> the text of a kernel file and what a launch of it needs; the latter is also the
// file's head, so that the file can be run again.
#pragma once

#include "Sketch.h"

namespace tilewise::random {

struct BufferPlan {
  Buffer buffer;
  int id = 0; ///< Its values depend on it and on the seed.
  std::string name;
  int64_t count = 1;
  int limit = 0;       ///< Of the fill.
  bool aligned = true; ///< To 16 bytes, and the signature says so.
};

struct ScalarPlan {
  std::string name;
  int64_t value = 0;
  bool isConstant = false;
};

struct Emitted {
  std::string text;
  std::vector<BufferPlan> buffers; ///< The arguments: first these, then the scalars.
  std::vector<ScalarPlan> scalars;
  std::array<uint32_t, 3> grid = {1, 1, 1};
  uint64_t seed = 0;
  bool fusion = true, checked = false;
  std::string machine;
  uint32_t warps = 4, stages = 3; ///< Of a GPU's programs.

  /// "*fp32:16, i32, 7"
  std::string signature() const;
  /// The text with a head of comments that `read` understands.
  std::string file() const;
  /// Empty after success, else what is wrong with the file.
  std::string read(const std::string &file);
};

inline constexpr const char *kKernelName = "random_kernel";

Emitted emit(const Sketch &sketch);

} // namespace tilewise::random
