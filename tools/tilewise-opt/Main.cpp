// tilewise-opt: IR text -> passes -> IR text, for tests and for looking at one pass alone.
#include "driver/Compile.h"
#include "passes/Passes.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  tilewise::registerAllDialects(registry);
  mlir::registerTransformsPasses();
  tilewise::registerTilePipeline();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "Tilewise optimiser driver\n", registry));
}
