// Sums of products of scalars: arithmetic on them, and their way back into the IR.
#include "passes/ScalarExpr.h"

#include "ir/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Matchers.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tilewise::tile {

// Coefficients wrap like the 64-bit integers that they describe.
static int64_t wrappingAdd(int64_t a, int64_t b) { return int64_t(uint64_t(a) + uint64_t(b)); }
static int64_t wrappingMul(int64_t a, int64_t b) { return int64_t(uint64_t(a) * uint64_t(b)); }

bool ScalarTerm::similar(const ScalarTerm &other) const {
  return factors.size() == other.factors.size() &&
         std::is_permutation(factors.begin(), factors.end(), other.factors.begin());
}

void ScalarExpr::addTerm(const ScalarTerm &term) {
  auto *found = llvm::find_if(terms_, [&](const ScalarTerm &mine) { return mine.similar(term); });
  if (found == terms_.end()) {
    if (term.coefficient != 0)
      terms_.push_back(term);
    return;
  }
  found->coefficient = wrappingAdd(found->coefficient, term.coefficient);
  if (found->coefficient == 0)
    terms_.erase(found);
}

ScalarExpr &ScalarExpr::operator+=(const ScalarExpr &other) {
  for (const ScalarTerm &term : other.terms_)
    addTerm(term);
  constant_ = wrappingAdd(constant_, other.constant_);
  return *this;
}

ScalarExpr &ScalarExpr::operator*=(int64_t factor) {
  for (ScalarTerm &term : terms_)
    term.coefficient = wrappingMul(term.coefficient, factor);
  llvm::erase_if(terms_, [](const ScalarTerm &term) { return term.coefficient == 0; });
  constant_ = wrappingMul(constant_, factor);
  return *this;
}

ScalarExpr operator*(const ScalarExpr &a, const ScalarExpr &b) {
  ScalarExpr product = b;
  product *= a.constant_;
  for (const ScalarTerm &left : a.terms_) {
    product.addTerm({wrappingMul(left.coefficient, b.constant_), left.factors});
    for (const ScalarTerm &right : b.terms_) {
      ScalarTerm term{wrappingMul(left.coefficient, right.coefficient), left.factors};
      llvm::append_range(term.factors, right.factors);
      product.addTerm(term);
    }
  }
  return product;
}

bool ScalarExpr::operator==(const ScalarExpr &other) const {
  return constant_ == other.constant_ && terms_.size() == other.terms_.size() &&
         llvm::all_of(terms_, [&](const ScalarTerm &term) {
           return llvm::any_of(other.terms_, [&](const ScalarTerm &theirs) {
             return theirs.coefficient == term.coefficient && theirs.similar(term);
           });
         });
}

void ScalarExpr::print(llvm::raw_ostream &os, AsmState &names) const {
  llvm::interleave(
      terms_, os,
      [&](const ScalarTerm &term) {
        if (term.coefficient != 1)
          os << term.coefficient << " * ";
        llvm::interleave(term.factors, os, [&](Value factor) { factor.printAsOperand(os, names); }, " * ");
      },
      " + ");
  if (terms_.empty() || constant_ != 0)
    os << (terms_.empty() ? "" : " + ") << constant_;
}

static Value castTo(OpBuilder &builder, Location loc, Value value, Type type) {
  Type from = value.getType();
  if (from == type)
    return value;
  if (from.isIndex() || type.isIndex())
    return builder.create<arith::IndexCastOp>(loc, type, value);
  if (from.getIntOrFloatBitWidth() < type.getIntOrFloatBitWidth())
    return builder.create<arith::ExtSIOp>(loc, type, value);
  return builder.create<arith::TruncIOp>(loc, type, value);
}

Value materialize(OpBuilder &builder, Location loc, const ScalarExpr &expr, Type type, FactorLookup lookup) {
  auto constant = [&](int64_t value) -> Value {
    return builder.create<arith::ConstantOp>(loc, builder.getIntegerAttr(type, value));
  };
  Value sum;
  for (const ScalarTerm &term : expr.terms()) {
    Value product;
    for (Value factor : term.factors) {
      Value scalar = castTo(builder, loc, lookup(factor), type);
      product = product ? builder.create<arith::MulIOp>(loc, product, scalar) : scalar;
    }
    // A coefficient of -1 becomes a subtraction: bounds such as `n - first` need no multiplication.
    if (term.coefficient == -1 && sum) {
      sum = builder.create<arith::SubIOp>(loc, sum, product);
      continue;
    }
    if (term.coefficient != 1)
      product = builder.create<arith::MulIOp>(loc, product, constant(term.coefficient));
    sum = sum ? builder.create<arith::AddIOp>(loc, sum, product) : product;
  }
  if (!sum)
    return constant(expr.constant());
  return expr.constant() == 0 ? sum : builder.create<arith::AddIOp>(loc, sum, constant(expr.constant()));
}

ScalarExpr lookInto(Value value, int depth) {
  llvm::APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return ScalarExpr(constant.getSExtValue());
  Operation *op = isa<IntegerType>(value.getType()) ? value.getDefiningOp() : nullptr;
  if (!op || depth == 0)
    return ScalarExpr(value);
  auto operand = [&](unsigned index) { return lookInto(op->getOperand(index), depth - 1); };
  switch (arithmeticOf(op)) {
  case Arithmetic::Sum:
    return operand(0) + operand(1);
  case Arithmetic::Difference:
    return operand(0) - operand(1);
  case Arithmetic::Product:
    return operand(0) * operand(1);
  case Arithmetic::Widening:
    return operand(0);
  default:
    return isa<HintOp>(op) ? operand(0) : ScalarExpr(value);
  }
}

ScalarExpr lookInto(const ScalarExpr &expr, int depth) {
  ScalarExpr sum(expr.constant());
  for (const ScalarTerm &term : expr.terms()) {
    ScalarExpr product(term.coefficient);
    for (Value factor : term.factors)
      product = product * lookInto(factor, depth);
    sum += product;
  }
  return sum;
}

} // namespace tilewise::tile
