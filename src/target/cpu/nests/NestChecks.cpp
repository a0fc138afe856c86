// Checked mode in compiled code: a few scalar instructions per access that find whether anything
// could be wrong with it.
//
// Of an access that the inference understands, the least and the greatest address over the box of
// its mask are known before it starts; they are held against the spans of the arguments that it may
// touch. An offset of 32 bits is affine in the block's indices most often: it cannot overflow when
// its values at the block's corners fit. Both tests look at a superset of the lanes that are on;
// what they find is only a doubt, which the reference engine then settles lane by lane.
#include "artifact/ArgumentSpan.h"
#include "passes/Origins.h"
#include "target/cpu/nests/NestEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tilewise::cpu {

/// Addresses of the first and the last element, and whether no lane is on; null: some is.
struct NestEmitter::Reach {
  Value low, high, none;
};

std::optional<NestEmitter::Reach> NestEmitter::reachOf(tile::MemoryAccess access) {
  Location loc = access->getLoc();
  Value pointer = access.getPointer();
  Type i64 = b_.getI64Type();
  Value yes = b_.create<arith::ConstantIntOp>(loc, 1, 1);
  Reach reach;
  auto noneIf = [&](Value off) {
    reach.none = reach.none ? b_.create<arith::OrIOp>(loc, reach.none, off).getResult() : off;
  };
  if (!isa<RankedTensorType>(pointer.getType())) {
    reach.low = reach.high = b_.create<LLVM::PtrToIntOp>(loc, i64, k_.scalars.lookup(pointer));
    if (Value mask = access.getMask())
      noneIf(b_.create<arith::XOrIOp>(loc, k_.scalars.lookup(mask), yes));
    return reach;
  }
  if (access.isAtomic())
    return std::nullopt;
  const tile::StructuredAccess &found = k_.inference.access(access);
  if (!found.address.isAffine())
    return std::nullopt;
  const AddressBox &box = addressBox(access);
  const MaskBox &on = maskBox(access);
  at(0);
  reach.low = reach.high = b_.create<LLVM::PtrToIntOp>(loc, i64, box.start);
  for (auto [d, extent] : llvm::enumerate(found.shape)) {
    Value first = on.lowers[d] ? on.lowers[d] : k_.i64(loc, 0), end = on.uppers[d] ? on.uppers[d] : k_.i64(loc, extent);
    if (on.lowers[d] || on.uppers[d])
      noneIf(b_.create<arith::CmpIOp>(loc, arith::CmpIPredicate::sge, first, end));
    if (!box.strides[d])
      continue;
    Value a = b_.createOrFold<arith::MulIOp>(loc, box.strides[d], first);
    Value c =
        b_.createOrFold<arith::MulIOp>(loc, box.strides[d], b_.createOrFold<arith::SubIOp>(loc, end, k_.i64(loc, 1)));
    reach.low = b_.create<arith::AddIOp>(loc, reach.low, b_.createOrFold<arith::MinSIOp>(loc, a, c));
    reach.high = b_.create<arith::AddIOp>(loc, reach.high, b_.createOrFold<arith::MaxSIOp>(loc, a, c));
  }
  if (on.condition)
    noneIf(b_.create<arith::XOrIOp>(loc, on.condition, yes));
  return reach;
}

Value NestEmitter::outsideOfArguments(tile::MemoryAccess access, const Reach &reach) {
  Location loc = access->getLoc();
  Value pointer = access.getPointer();
  int64_t bytes = storageBytes(cast<tile::PtrType>(tile::elementTypeOf(pointer.getType())).getPointee());
  tile::Origins origins = tile::originsOf(pointer);
  auto notLess = [&](Value x, Value y) -> Value {
    return b_.create<arith::CmpIOp>(loc, arith::CmpIPredicate::uge, x, y);
  };
  Value inside;
  auto insideIf = [&](Value holds) {
    inside = inside ? b_.create<arith::OrIOp>(loc, inside, holds).getResult() : holds;
  };
  Value spans = b_.create<LLVM::LoadOp>(loc, LLVM::LLVMPointerType::get(b_.getContext()), k_.record(), 8);
  for (unsigned argument : origins.arguments) {
    auto word = [&](size_t offset) -> Value {
      int64_t at = int64_t(argument * sizeof(ArgumentSpan) + offset);
      return b_.create<LLVM::LoadOp>(loc, b_.getI64Type(), k_.offsetPointer(loc, spans, k_.i64(loc, at)), 8);
    };
    Value begin = word(offsetof(ArgumentSpan, begin)), end = word(offsetof(ArgumentSpan, end));
    Value last = b_.create<arith::SubIOp>(loc, end, k_.i64(loc, bytes));
    Value fits = b_.create<arith::AndIOp>(loc, notLess(reach.low, begin), notLess(last, reach.high));
    insideIf(b_.create<arith::AndIOp>(loc, fits, notLess(end, k_.i64(loc, bytes))));
  }
  if (reach.none)
    insideIf(reach.none);
  if (!inside) // From somewhere else: the reference engine knows the process's memory.
    return b_.create<arith::ConstantIntOp>(loc, 1, 1);
  return b_.create<arith::XOrIOp>(loc, inside, b_.create<arith::ConstantIntOp>(loc, 1, 1));
}

/// Sets `overflow` to whether a 32-bit step on the way to the pointer may overflow, null when there
/// is no such step. False when that can only be seen lane by lane.
bool NestEmitter::overflowOf(Value pointer, Value &overflow) {
  Location loc = pointer.getLoc();
  auto overflowIf = [&](Value one) {
    overflow = overflow ? b_.create<arith::OrIOp>(loc, overflow, one).getResult() : one;
  };
  auto beyond = [&](Value exact) {
    // Values of 32 bits, moved up by 2^31, are below 2^32.
    Value moved = b_.create<arith::AddIOp>(loc, exact, k_.i64(loc, int64_t(1) << 31));
    overflowIf(b_.create<arith::CmpIOp>(loc, arith::CmpIPredicate::uge, moved, k_.i64(loc, int64_t(1) << 32)));
  };
  SmallVector<Value> work = {pointer};
  llvm::DenseSet<Value> seen = {pointer};
  while (!work.empty()) {
    Value value = work.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (!op || op->getNumRegions() != 0)
      continue;
    for (Value source : tile::carriedFrom(value))
      if (seen.insert(source).second)
        work.push_back(source);
    const bool overflows = llvm::is_contained(
        {tile::Arithmetic::Sum, tile::Arithmetic::Difference, tile::Arithmetic::Product}, tile::arithmeticOf(op));
    if (!overflows || !tile::elementTypeOf(value.getType()).isInteger(32))
      continue;
    if (!isa<RankedTensorType>(value.getType())) {
      SmallVector<Value> wide;
      for (Value operand : op->getOperands())
        wide.push_back(b_.create<arith::ExtSIOp>(loc, b_.getI64Type(), k_.scalars.lookup(operand)));
      OperationState state(loc, op->getName(), wide, b_.getI64Type());
      beyond(b_.create(state)->getResult(0));
      continue;
    }
    const tile::AffineForm &form = k_.inference.form(value);
    if (!form.isAffine())
      return false;
    Value low = k_.evaluate(loc, *form.base), high = low;
    for (auto [stride, extent] : llvm::zip(form.strides, tile::shapeOf(value.getType()))) {
      if (stride->isZero() || extent == 1)
        continue;
      Value last = k_.evaluate(loc, *stride * tile::ScalarExpr(extent - 1));
      low = b_.create<arith::AddIOp>(loc, low, b_.createOrFold<arith::MinSIOp>(loc, last, k_.i64(loc, 0)));
      high = b_.create<arith::AddIOp>(loc, high, b_.createOrFold<arith::MaxSIOp>(loc, last, k_.i64(loc, 0)));
    }
    beyond(low);
    beyond(high);
  }
  return true;
}

Value NestEmitter::emitDoubt(tile::MemoryAccess access) {
  OpBuilder::InsertPoint place = b_.saveInsertionPoint();
  places_.push_back({place.getBlock(), place.getPoint() == place.getBlock()->end() ? nullptr : &*place.getPoint()});
  std::optional<Reach> reach = reachOf(access);
  Value overflow;
  if (!reach || !overflowOf(access.getPointer(), overflow))
    return {};
  Value doubt = outsideOfArguments(access, *reach);
  return overflow ? b_.create<arith::OrIOp>(access->getLoc(), doubt, overflow).getResult() : doubt;
}

Value emitDoubt(KernelEmitter &kernel, tile::MemoryAccess access) {
  Nest nest;
  nest.shape.assign(tile::shapeOf(access.getPointer().getType()).begin(),
                    tile::shapeOf(access.getPointer().getType()).end());
  return NestEmitter(kernel, nest).emitDoubt(access);
}

} // namespace tilewise::cpu
