// Compiled kernels -> a C header with a typed launch function, for programs without Tilewise.
//
// A build makes one kernel for some signatures, and each of them for some processors. All are
// functions of one object library; the header's inline function chooses among them:
//
//     int add(const uint32_t grid[3], const float *x, float *y, int32_t n);
//
//       signatures   *fp32:16, *fp32:16, i32:16    taken where x, y and n are multiples of 16
//                    *fp32, *fp32, i32             taken for all else
//       processors   x86-64-v4, x86-64-v3, x86-64  the first that the processor has the
//                                                  instructions of
//
// The first signature that the arguments fit is taken, so the most special stands first. Where none
// fits, the function runs nothing and says so.
#pragma once

#include "artifact/Artifact.h"
#include "support/Error.h"

#include <string>
#include <vector>

namespace tilewise::aot {

/// One signature, compiled for each processor of the build, in the same order for all signatures.
struct Variant {
  std::vector<Artifact> code; ///< The entry points' names are those of the object library.
};

struct Build {
  std::string name;   ///< Of the launch function: a C identifier.
  std::string origin; ///< For people: "softmax.py:softmax".
  std::vector<std::string> processors;
  std::vector<Variant> variants; ///< At least one.
};

/// The failure names what cannot be built: signatures that differ in their C types, code that needs
/// the library.
Result<std::string> writeHeader(const Build &build);

/// The instructions that a processor must have, as the compiler's __builtin_cpu_supports names
/// them, beside F16C and LZCNT; a failure for a name that the header cannot ask for.
Result<std::vector<std::string>> featuresOf(llvm::StringRef processor);

} // namespace tilewise::aot
