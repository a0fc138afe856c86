// Floats below f32, for engines whose machine has no instructions on them: computed in f32,
// converted by integer ops, on scalars, vectors and blocks alike.
//
// + - * / and sqrt in f32, rounded to a format of at most 11 bits of precision, give the correctly
// rounded result: 24 >= 2 * 11 + 2.
#pragma once

#include "mlir/IR/Builders.h"
#include "mlir/IR/Operation.h"

#include <functional>

namespace tilewise::tile {

class NarrowFloats {
public:
  /// Arithmetic on floats of fewer than `below` bits is expanded; those that are native are
  /// converted to and from f32 by instructions.
  NarrowFloats(unsigned below, std::function<bool(mlir::Type)> isNative)
      : below_(below), isNative_(std::move(isNative)) {}

  /// Expands every such op under `root`. Null, or the op for which no conversion is known.
  mlir::Operation *run(mlir::Operation *root);

  bool isNarrow(mlir::Type type) const;

private:
  bool expand(mlir::Operation *op);
  mlir::Value toF32(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x);
  mlir::Value fromF32(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x, mlir::Type type);
  mlir::Value fmaF64Odd(mlir::OpBuilder &b, mlir::Location loc, llvm::ArrayRef<mlir::Value> narrow);
  mlir::Value toF32Odd(mlir::OpBuilder &b, mlir::Location loc, mlir::Value x);
  mlir::Value integerToF64Odd(mlir::OpBuilder &b, mlir::Operation *op);

  unsigned below_;
  std::function<bool(mlir::Type)> isNative_;
};

} // namespace tilewise::tile
