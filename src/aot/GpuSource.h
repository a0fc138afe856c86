// A kernel compiled for GPUs -> a C header with a typed launch function, and a C file with the code
// inside that opens the CUDA driver itself, for programs without Tilewise and without CUDA.
//
//     int add(void *stream, const uint32_t grid[3], uint64_t x, uint64_t y, int32_t n);
//
//       signatures   *fp32:16, *fp32:16, i32:16    taken where x, y and n are multiples of 16
//                    *fp32, *fp32, i32             taken for all else
//       GPUs         90, 80                        machine code where the GPU is just that, else the
//                                                  PTX of the newest that is not newer, which the
//                                                  driver assembles
//
// The code is loaded when a context first needs it.
#pragma once

#include "artifact/Artifact.h"
#include "support/Error.h"

#include <string>
#include <vector>

namespace tilewise::aot {

/// One signature, compiled for each GPU of the build, in the same order for all signatures.
struct GpuVariant {
  std::vector<Artifact> code;         ///< PTX.
  std::vector<std::string> assembled; ///< Machine code of each; empty where there is no assembler.
};

struct GpuBuild {
  std::string name;   ///< Of the launch function: a C identifier.
  std::string origin; ///< For people: "softmax.py:softmax".
  std::vector<int> capabilities;
  std::vector<GpuVariant> variants; ///< At least one.
};

struct GpuFiles {
  std::string header, source;
};
Result<GpuFiles> writeGpuSource(const GpuBuild &build);

} // namespace tilewise::aot
