// Every stage of a compile as files in a folder of its own: what `--dump-dir` and TILEWISE_DUMP_DIR
// ask for.
//
//     DIR/0001-softmax/0-source.py  1-tile.mlir  2-opt.mlir  3-nests.mlir  4-cpu.mlir  5-llvm-dialect.mlir  6-llvm.ll  7-asm.s  8-object.o
//
// Folders count up in the order of the compiles, over all processes that write to DIR; the stages a
// compile did not reach are not there.
#pragma once

#include "support/Error.h"

#include "llvm/ADT/StringRef.h"

#include <string>

namespace tilewise {

class StageDump {
public:
  /// Makes the folder of one compile.
  static Result<StageDump> open(const std::string &directory, llvm::StringRef kernel);

  /// Writes the next file: "tile.mlir" becomes "1-tile.mlir".
  Result<void> write(llvm::StringRef name, llvm::StringRef contents) {
    return writeFile(std::to_string(next_++) + "-" + name.str(), contents);
  }
  /// The file that comes after all others, whatever these were: "9-error.txt".
  Result<void> writeLast(llvm::StringRef name, llvm::StringRef contents) const {
    return writeFile("9-" + name.str(), contents);
  }

private:
  explicit StageDump(std::string folder) : folder_(std::move(folder)) {}

  Result<void> writeFile(const std::string &name, llvm::StringRef contents) const;

  std::string folder_;
  unsigned next_ = 0;
};

} // namespace tilewise
