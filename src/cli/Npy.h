// NumPy's .npy files <-> arrays in memory, for `tilewise run`.
#pragma once

#include "support/Error.h"

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tilewise::cli {

/// Row-major elements of a type named as in a signature ("fp32", "i32", "u8", "bf16").
struct NpyArray {
  std::string type;
  std::vector<int64_t> shape;
  std::vector<char> bytes;

  int64_t elements() const;
};

/// Bytes of one element; 0 for a type that .npy files cannot hold. bf16 is kept as raw two-byte
/// elements.
unsigned npyElementSize(llvm::StringRef type);
/// All of them, for messages: "i1, i8, ... or bf16".
std::string npyTypes();

Result<NpyArray> readNpy(llvm::StringRef path);
Result<void> writeNpy(llvm::StringRef path, const NpyArray &array);

} // namespace tilewise::cli
