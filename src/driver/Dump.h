// Every stage of a compile as files in a folder of its own: what `--dump-dir` and TILEWISE_DUMP_DIR ask for.
//
//     DIR/0001-softmax/0-source.py  1-tile.mlir  2-opt.mlir  3-cpu.mlir  4-llvm-dialect.mlir  5-llvm.ll  6-asm.s  7-object.o
//
// Folders count up in the order of the compiles, over all processes that write to DIR; the stages a compile did not reach are not there.
#pragma once

#include "support/Error.h"

#include "llvm/ADT/StringRef.h"

#include <string>

namespace tilewise {

class StageDump {
public:
  /// Makes the folder of one compile.
  static Result<StageDump> open(const std::string &directory, llvm::StringRef kernel);

  /// Writes one file, as "1-tile.mlir".
  Result<void> write(llvm::StringRef name, llvm::StringRef contents) const;

private:
  explicit StageDump(std::string folder) : folder_(std::move(folder)) {}

  std::string folder_;
};

} // namespace tilewise
