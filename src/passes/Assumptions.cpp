// Access inference, what it is told: `tile.assume(x >= 0)` and `tile.assume(x % 16 == 0)` as facts
// about x.
#include "passes/AccessInferenceState.h"

#include "mlir/IR/Matchers.h"

#include "llvm/ADT/bit.h"

using namespace mlir;

namespace tilewise::tile {

namespace {

std::optional<int64_t> constantOf(Value value) {
  llvm::APInt constant;
  if (!matchPattern(value, m_ConstantInt(&constant)))
    return std::nullopt;
  return constant.getSExtValue();
}

class AssumptionReader {
public:
  explicit AssumptionReader(AccessInference::State &state) : state_(state) {}

  void read(Value condition) {
    Operation *op = condition.getDefiningOp();
    if (auto both = dyn_cast_if_present<arith::AndIOp>(op)) {
      read(both.getLhs());
      read(both.getRhs());
    } else if (auto compare = dyn_cast_if_present<arith::CmpIOp>(op)) {
      using P = arith::CmpIPredicate;
      switch (compare.getPredicate()) {
      case P::sgt:
        return readAtLeast(compare.getLhs(), compare.getRhs(), -1);
      case P::sge:
        return readAtLeast(compare.getLhs(), compare.getRhs(), 0);
      case P::slt:
        return readAtLeast(compare.getRhs(), compare.getLhs(), -1);
      case P::sle:
        return readAtLeast(compare.getRhs(), compare.getLhs(), 0);
      case P::eq:
        readDivisor(compare.getLhs(), compare.getRhs());
        return readDivisor(compare.getRhs(), compare.getLhs());
      default:
        return;
      }
    }
  }

private:
  void readAtLeast(Value larger, Value smaller, int64_t least) {
    if (std::optional<int64_t> bound = constantOf(smaller); bound && *bound >= least)
      state_.assumedNonNegative.insert(larger);
  }

  /// x % d == 0
  void readDivisor(Value remainder, Value zero) {
    auto op = remainder.getDefiningOp<IntegerDivision>();
    if (constantOf(zero) != 0 || !op || op.givesQuotient())
      return;
    // x % 0 is x, and a divisor of 2^32 or more is of no use.
    std::optional<int64_t> divisor = constantOf(op->getOperand(1));
    if (!divisor || *divisor == 0 || *divisor != int32_t(*divisor))
      return;
    int64_t &known = state_.assumedDivisors.try_emplace(op->getOperand(0), 1).first->second;
    known = std::max(known, int64_t(1) << llvm::countr_zero(uint64_t(*divisor)));
  }

  AccessInference::State &state_;
};

} // namespace

void readAssumptions(Operation *function, AccessInference::State &state) {
  // A promise in the function's own block is made in every run of it, so it holds of its values
  // wherever they are used; one inside a branch holds only there, and is not taken.
  auto kernel = dyn_cast_if_present<func::FuncOp>(function);
  if (!kernel || kernel.isExternal())
    return;
  for (auto assume : kernel.getBody().front().getOps<AssumeOp>())
    AssumptionReader(state).read(assume.getCondition());
}

} // namespace tilewise::tile
