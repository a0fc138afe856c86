// A compiled kernel: code plus the launch plan that says how to call it. Plain data: it can be
// written to a file and read back.
//
// The code is, by engine: reference, tile IR as text; cpu, an ELF object with one entry point;
// nvidia, PTX.
//
// The CPU entry point runs a contiguous range of programs, so that the cost of a call is shared by
// many small programs:
//
//     void kernel(const uint64_t *arguments, void *scratch, const uint32_t grid[4], uint64_t begin, uint64_t end);
//
// `arguments` holds one 8-byte slot per launch parameter: a pointer, an integer (sign or zero
// extended), or the bits of a float in the low bytes. Program `begin + i` has the ids (linear % g0,
// linear / g0 % g1, linear / (g0 * g1)), by the axes of the plan's order. Bit 0 of grid[3]: stores
// had better pass the caches by, which hold less than the launch writes; bit 1: nothing else
// updates memory meanwhile, so that atomics may be loads and stores (AtomicUse.h).
#pragma once

#include "artifact/Target.h"
#include "artifact/TensorMap.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace tilewise {

enum class ScalarKind : uint8_t { Pointer, Int, Float };

/// What of an argument a launch parameter is: all of it, or a part of a tensor descriptor.
enum class ParameterPart : uint8_t { Whole, Base, Extent, Stride };

/// One argument that the code takes, in its order. Compile-time constants take none.
struct LaunchParameter {
  std::string name;      ///< The kernel parameter's name, for messages.
  uint32_t argument = 0; ///< Index among the kernel's parameters.
  ScalarKind kind = ScalarKind::Pointer;
  uint8_t bits = 64; ///< Width of the value: 1, 8, 16, 32 or 64.
  std::string type;  ///< As in a signature: "*fp32", "i32", "bf16".
  ParameterPart part = ParameterPart::Whole;
  uint8_t dimension = 0; ///< Of an extent or stride.
};

struct LaunchPlan {
  std::vector<LaunchParameter> parameters;
  uint32_t scratchBytes = 0; ///< CPU: scratch per running thread, 64-byte aligned.
  /// Of these the last, where compiled code notes the number of the program that it runs, in 64
  /// bits: a cache line, so that nothing waits for it.
  static constexpr uint32_t kNoteBytes = 64;
  /// CPU: what a program writes at least; 0 when its stores must not pass the caches by.
  uint64_t storedBytes = 0;
  /// A loop waits for what other programs write: atomics or volatile loads inside a `while`.
  bool waits = false;
  bool hasAtomics = false;
  /// CPU: all atomics update memory and tell nothing, and nothing waits (passes/AtomicUse.h): a
  /// launch on one thread may be alone (runtime/Alone.h), and one that has so many threads or fewer
  /// is faster so.
  bool updatesOnly = false;
  uint32_t aloneThreads = 1;
  /// CPU: axes of the grid, the one that counts fastest first.
  std::array<uint8_t, 3> programOrder{0, 1, 2};
  uint32_t threadsPerProgram = 1; ///< NVIDIA: threads of a block.
  uint32_t sharedBytes = 0;       ///< NVIDIA: dynamic shared memory of a block.
  /// NVIDIA, checked code: parameters whose memory it takes, behind all parameters, each as two
  /// 64-bit numbers, begin and end.
  std::vector<uint32_t> checkedParameters;
  /// NVIDIA: tensors that the copy engine reads; the code takes a description of each, of 128
  /// bytes, behind all else.
  std::vector<TensorMapPlan> tensorMaps;
  static constexpr uint32_t kMostTensorMaps = 8;
  /// NVIDIA: at most as many programs are launched as there are multiprocessors; the code takes the
  /// grid that was asked for as three numbers of 32 bits, behind all else.
  bool repeatsPrograms = false;
  /// CPU: tile IR of single ops that the code has the reference engine run, see
  /// target/cpu/HostCalls.h; one more slot of `arguments`, the last, then holds the runtime's
  /// record of the call.
  std::string delegatedOps;
};

/// One parameter of the kernel, and what it was compiled for: who launches the code binds and
/// checks arguments by it.
struct ArtifactArgument {
  std::string name;
  std::string text; ///< As in a signature: a type, or a constant's literal.
  bool isConstant = false;
  uint32_t divisibility = 1;

  bool operator==(const ArtifactArgument &) const = default;
};

struct Artifact {
  Target target;
  std::string kernel; ///< The entry point's name.
  std::vector<ArtifactArgument> arguments;
  LaunchPlan plan;
  std::string code;

  /// One byte string that `deserialize` reads back; equal artifacts give equal bytes. It says which
  /// release wrote it, and releases of one minor version read each other's.
  std::string serialize() const;
  static Result<Artifact> deserialize(llvm::StringRef bytes);
};

} // namespace tilewise
