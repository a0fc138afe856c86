// Loads from clamped offsets, as of image filters at the border: vectors, but for the few lanes
// that are held back.
//
//     j = min(max(x + dx, 0), w - 1)        lanes that are neighbours: one straight vector
//     v = load(row + j)                     else: lane by lane
//
// What cpu-split-clamps leaves to clamp is a block that reaches over the border, and of its vectors
// only the outermost do. Each is asked: one comparison and a branch that is nearly always taken,
// where a gather of 16 lanes takes some twenty times as long.
#include "passes/Warn.h"
#include "target/cpu/nests/NestEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tilewise::cpu {

bool NestEmitter::isClamped(Value pointer) {
  return tile::isComputedFrom(pointer, [&](Operation *op) {
    return isa<arith::MinSIOp, arith::MaxSIOp>(op) && isa<RankedTensorType>(op->getResult(0).getType()) &&
           llvm::any_of(op->getOperands(), [&](Value operand) {
             const tile::AffineForm &form = k_.inference.form(operand);
             return form.isAffine() && !form.isUniform();
           });
  });
}

Value NestEmitter::loadNeighbours(Location loc, Type element, Value addresses, Value mask, Value other) {
  Type i64 = b_.getI64Type();
  VectorType type = vectorType(i64, lanes_);
  const int64_t bytes = storageBytes(element);
  Value first = b_.create<vector::ExtractOp>(loc, addresses, ArrayRef<int64_t>{0});
  SmallVector<int64_t> steps;
  for (int64_t lane = 0; lane < lanes_; ++lane)
    steps.push_back(lane * bytes);
  Value neighbours = b_.create<arith::AddIOp>(
      loc, b_.create<vector::SplatOp>(loc, type, first),
      b_.create<arith::ConstantOp>(loc, DenseElementsAttr::get(type, ArrayRef<int64_t>(steps))));
  Value same = b_.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, addresses, neighbours);
  Value all = b_.create<vector::ReductionOp>(loc, vector::CombiningKind::AND, same);
  auto branch = b_.create<scf::IfOp>(loc, TypeRange(vectorType(element, lanes_)), all, /*withElse=*/true);
  OpBuilder::InsertionGuard guard(b_);
  b_.setInsertionPointToStart(branch.thenBlock());
  Value pointer = b_.create<LLVM::IntToPtrOp>(loc, LLVM::LLVMPointerType::get(b_.getContext()), first);
  b_.create<scf::YieldOp>(loc, loadLanes(loc, element, pointer, k_.i64(loc, bytes), mask, other));
  b_.setInsertionPointToStart(branch.elseBlock());
  b_.create<scf::YieldOp>(loc, loadLanes(loc, element, addresses, {}, mask, other));
  return branch.getResult(0);
}

} // namespace tilewise::cpu
