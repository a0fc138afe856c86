// How much of a dot's result is ever stored.
//
// The blocks at the end of a matrix reach over its edge, and masks keep what lies there from being
// loaded and stored. A row of zeros by a column is no zero when the column holds an infinity, so
// what was not loaded cannot be left out of the product for that. But what is not stored can: if a
// result goes through scratch and element by element into stores, and into nothing else, then rows
// and columns beyond these stores' masks need not be computed, and rows of the left operand beyond
// them need not be there.
//
//     acc = dot(a, b, acc)                      1000 rows in blocks of 512: the second block has 488 rows that count, and computes 492, 82 tiles of 6
//     store(c, acc, mask=(m < M) & (n < N))
#include "target/cpu/dot/EmitDot.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilewise::cpu {

/// The stores that a block ends in; nothing when it is used in another way.
static std::optional<llvm::SetVector<Operation *>> storesOf(Value block) {
  llvm::SetVector<Operation *> stores;
  llvm::SetVector<Value> values;
  values.insert(block);
  for (size_t i = 0; i < values.size(); ++i) {
    Value value = values[i];
    for (OpOperand &use : value.getUses()) {
      Operation *user = use.getOwner();
      if (auto store = dyn_cast<tile::StoreOp>(user); store && store.getValue() == value && store.getMask() != value) {
        stores.insert(user);
        continue;
      }
      if (auto keep = dyn_cast<KeepOp>(user)) {
        for (Operation *other : keep.getScratch().getUsers())
          if (auto read = dyn_cast<ReadOp>(other))
            values.insert(read.getResult());
        continue;
      }
      auto dot = dyn_cast<tile::DotOp>(user);
      const bool isAcc = dot && dot.getA() != value && dot.getB() != value;
      if (!isAcc && !tile::isElementwise(user))
        return {};
      values.insert(user->getResult(0));
    }
  }
  return stores;
}

namespace {

/// Scalars of the kernel's own block, which are the same in all rounds of its loops, where they are
/// asked for rather than where they stand.
struct Early {
  KernelEmitter &k;
  llvm::DenseMap<Value, Value> known = llvm::DenseMap<Value, Value>();

  /// Null when it comes from memory that is not read yet, or changes.
  Value scalar(Value value) {
    Operation *op = value.getDefiningOp();
    if (isa<RankedTensorType>(value.getType()) || !isa<func::FuncOp>(value.getParentBlock()->getParentOp()))
      return {};
    if (Value emitted = k.scalars.lookupOrNull(value))
      return emitted;
    if (Value emitted = known.lookup(value))
      return emitted;
    if (auto id = dyn_cast_or_null<tile::ProgramIdOp>(op))
      return k.programIds[id.getAxis()];
    Value result;
    if (op && op->hasTrait<OpTrait::ConstantLike>()) {
      result = k.b.clone(*op)->getResult(0);
    } else if (op && tile::isElementwise(op) && !isa<tile::ExternCallOp>(op)) {
      SmallVector<Value> operands;
      for (Value operand : op->getOperands()) {
        operands.push_back(scalar(operand));
        if (!operands.back())
          return {};
      }
      result = k.applyElementwise(op, operands);
    }
    known[value] = result;
    return result;
  }

  /// ceil(expr / divisor), the largest of several.
  Value bound(Location loc, const tile::Bound &bound) {
    Value result;
    for (const tile::ScalarExpr &expr : bound.exprs) {
      for (const tile::ScalarTerm &term : expr.terms())
        for (Value factor : term.factors)
          if (!scalar(factor))
            return {};
      Value value = tile::materialize(k.b, loc, expr + tile::ScalarExpr(bound.divisor - 1), k.b.getI64Type(),
                                      [&](Value factor) { return scalar(factor); });
      if (bound.divisor != 1)
        value = k.b.create<arith::DivSIOp>(loc, value, k.i64(loc, bound.divisor));
      result = result ? k.b.createOrFold<arith::MaxSIOp>(loc, result, value) : value;
    }
    return result;
  }
};

} // namespace

Demand demandOf(KernelEmitter &k, tile::DotOp dot) {
  Demand demand;
  ArrayRef<int64_t> shape = tile::shapeOf(dot.getType());
  if (shape.size() != 2)
    return demand;
  const auto stores = storesOf(dot.getResult());
  if (!stores || stores->empty())
    return demand;
  Location loc = dot.getLoc();
  Early early{k};
  for (unsigned dim : {0u, 1u}) {
    Value end;
    for (Operation *store : *stores) {
      const tile::StructuredAccess &access = k.inference.access(cast<tile::StoreOp>(store));
      if (!access.mask || access.mask->dims.size() != 2)
        return demand;
      Value least;
      for (const tile::Bound &upper : access.mask->dims[dim].uppers)
        if (Value value = early.bound(loc, upper))
          least = least ? k.b.createOrFold<arith::MinSIOp>(loc, least, value) : value;
      if (!least)
        return demand;
      end = end ? k.b.createOrFold<arith::MaxSIOp>(loc, end, least) : least;
    }
    end = k.b.createOrFold<arith::MinSIOp>(loc, end, k.i64(loc, shape[dim]));
    (dim == 0 ? demand.rows : demand.columns) = k.b.createOrFold<arith::MaxSIOp>(loc, end, k.i64(loc, 0));
  }
  return demand;
}

} // namespace tilewise::cpu
