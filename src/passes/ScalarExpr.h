// Integer expressions over a kernel's scalars: sums of products, kept outside the IR until an
// engine asks for them.
//
//     m0 * stride + 3        is   terms {1 * [m0, stride]}, constant 3
//
// A factor is an SSA value: a scalar integer, or a block of integers that stands for its first
// element (see AccessInference.h on carried blocks). Equal factors are not looked into: that two
// scalars are the same is for CSE to say.
#pragma once

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace tilewise::tile {

/// coefficient * factor * factor * ...; factors in order of appearance, at least one.
struct ScalarTerm {
  int64_t coefficient = 1;
  llvm::SmallVector<mlir::Value, 2> factors;

  /// Whether both have the same factors, in any order.
  bool similar(const ScalarTerm &other) const;
};

/// A sum of terms and a constant. Terms keep the order in which they were added, so that what is
/// built from them is the same in every process; no two terms are similar and no coefficient is 0.
class ScalarExpr {
public:
  ScalarExpr() = default;
  ScalarExpr(int64_t constant) : constant_(constant) {}
  ScalarExpr(mlir::Value factor) { terms_.push_back({1, {factor}}); }

  llvm::ArrayRef<ScalarTerm> terms() const { return terms_; }
  int64_t constant() const { return constant_; }
  bool isConstant() const { return terms_.empty(); }
  bool isConstant(int64_t value) const { return terms_.empty() && constant_ == value; }
  bool isZero() const { return isConstant(0); }

  ScalarExpr &operator+=(const ScalarExpr &other);
  ScalarExpr &operator*=(int64_t factor);
  friend ScalarExpr operator+(ScalarExpr a, const ScalarExpr &b) { return a += b; }
  friend ScalarExpr operator-(ScalarExpr a, ScalarExpr b) { return a += (b *= -1); }
  friend ScalarExpr operator*(const ScalarExpr &a, const ScalarExpr &b);
  bool operator==(const ScalarExpr &other) const;

  /// For remarks and tests: "%arg3 * %0 + 4", with SSA names as the printer gives them.
  void print(llvm::raw_ostream &os, mlir::AsmState &names) const;

private:
  void addTerm(const ScalarTerm &term);

  llvm::SmallVector<ScalarTerm, 2> terms_;
  int64_t constant_ = 0;
};

/// Gives the scalar that a factor stands for at the place where code is built: most often the value
/// itself or what it was converted to; for a carried block its carried first element.
using FactorLookup = llvm::function_ref<mlir::Value(mlir::Value factor)>;

/// With scalars replaced by the sums and products that they were computed from, so that 2 * width,
/// or program_id * BLOCK, is no leaf. Access inference leaves them whole, since most of them an
/// engine wants computed once. Addresses are sums of a few products: definitions deeper than
/// `depth` stay as they are, since products of sums multiply.
ScalarExpr lookInto(const ScalarExpr &expr, int depth = 8);
ScalarExpr lookInto(mlir::Value value, int depth = 8);

/// Builds the value of `expr` in `type` (an integer type or index). Factors are sign extended or
/// truncated to `type`.
mlir::Value materialize(
    mlir::OpBuilder &builder, mlir::Location loc, const ScalarExpr &expr, mlir::Type type,
    FactorLookup lookup = [](mlir::Value factor) { return factor; });

} // namespace tilewise::tile
