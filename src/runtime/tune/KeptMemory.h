// Memory of arguments that a kernel changes, put back between the calls of a tuning.
#pragma once

#include "support/Error.h"
#include "tilewise/tilewise.h"

#include "llvm/ADT/ArrayRef.h"

#include <string>
#include <vector>

namespace tilewise::tune {

/// "cpu: sapphirerapids, 8 threads", "cuda:90: NVIDIA H200": where a result holds.
Result<std::string> deviceTextForTuning(tw_device device);

class KeptMemory {
public:
  /// Copies what `restore` names, and remembers what `zero` names; these are parameters with
  /// pointers whose sizes are known.
  static Result<KeptMemory> keep(tw_device device, const std::string &kernel,
                                 llvm::ArrayRef<std::pair<std::string, tw_argument>> arguments,
                                 llvm::ArrayRef<std::string> zero, llvm::ArrayRef<std::string> restore);

  bool isEmpty() const { return pieces_.empty(); }
  /// Everything as it was, or zero.
  Result<void> putBack() const;

private:
  struct Piece {
    void *memory;
    std::vector<char> bytes;
  };
  tw_device device_{};
  std::vector<Piece> pieces_;
};

} // namespace tilewise::tune
