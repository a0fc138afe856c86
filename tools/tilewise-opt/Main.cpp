// tilewise-opt: IR text -> passes -> IR text, for tests and for looking at one pass alone.
#include "ir/Tile.h"
#include "passes/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<tilewise::tile::TileDialect, mlir::arith::ArithDialect, mlir::func::FuncDialect, mlir::scf::SCFDialect, mlir::math::MathDialect>();
  mlir::registerTransformsPasses();
  tilewise::registerTilePipeline();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "Tilewise optimiser driver\n", registry));
}
