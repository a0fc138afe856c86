// What launches on this engine do to memory, and how much they compute, counted while that is asked
// for: bytes loaded and stored, how many of them are different ones, what memory moves in its
// sectors of 32 bytes, operations on floats. It is the analysis of tilewise/analyze.h.
//
//     startCounting();
//     ... launches ...
//     Counts found = stopCounting();
//
// While nobody counts, an access and an instruction cost a look at one flag more.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace mlir {
class Operation;
}

namespace tilewise::reference {

struct AccessSite;
struct Frame;
struct Instruction;

/// Bytes that memory moves at least.
inline constexpr unsigned kSectorBytes = 32;

struct ArgumentCounts {
  std::string name;
  uint64_t begin = 0;        ///< The address of its memory.
  unsigned elementBytes = 1; ///< Of the first access to it.
  uint64_t loaded = 0, stored = 0, distinctLoaded = 0, distinctStored = 0, loadedSectors = 0, storedSectors = 0;
  std::vector<bool> read, written; ///< By byte.
};

struct Counts {
  uint64_t launches = 0, programs = 0, operations = 0, dotOperations = 0;
  std::vector<ArgumentCounts> arguments; ///< In the order in which they were first touched.
};

/// Read by every access; set by startCounting.
extern std::atomic<bool> isCounting;

void startCounting();
Counts stopCounting();

void countLaunch(uint64_t programs);
void countAccess(const AccessSite &site, size_t count, const Frame &frame);
void countOperations(const Instruction &instruction);
/// Operations on floats that one execution of the op takes: elements of an elementwise op, all
/// elements of a reduction's input, two for each product of a dot.
uint64_t operationsOf(mlir::Operation *op);

} // namespace tilewise::reference
