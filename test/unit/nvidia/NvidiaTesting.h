// What the NVIDIA engine's tests share: tile IR as text -> PTX through the real back end, and ptxas
// on the result.
#pragma once

#include "ir/Tile.h"
#include "target/Backend.h"

#include "mlir/IR/OwningOpRef.h"

#include <optional>
#include <string>

namespace tilewise::nvidiatest {

struct Compiled {
  std::string ptx;
  LaunchPlan plan;
  std::string error; ///< Not empty when something failed.
};

/// Who copies what loops load.
enum class Copies {
  AsChosen,
  ByOwnWarps,        ///< All loops ask for warps of their own.
  ByOwnWarpsRepeated ///< Such warps, and several programs in one, wherever that can be.
};

/// Tile IR -> the LLVM dialect, as the back end does it; null after an error.
mlir::OwningOpRef<mlir::ModuleOp> lowerTileIr(const std::string &text, mlir::MLIRContext &context, int capability,
                                              const LaunchOptions &options = {}, Copies copies = Copies::AsChosen);

Compiled compileTileIr(const std::string &text, int capability, unsigned numWarps = 4);

/// What ptxas says about PTX for a processor such as 90: empty when it assembles without spills;
/// nothing when there is no ptxas.
std::optional<std::string> assemble(const std::string &ptx, int processor);

// The four kernels in tile IR, for an element type such as "f32", with blocks of the given extents.
std::string vectorAddIr(const std::string &type, int block, bool aligned = true);
std::string softmaxIr(const std::string &type, int block);
std::string greyscaleIr(const std::string &type, int height, int width);
std::string matmulIr(const std::string &type, int m, int n, int k);

} // namespace tilewise::nvidiatest
