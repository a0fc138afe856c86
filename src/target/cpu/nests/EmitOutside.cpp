// Prints, assertions and checks: functions of tile IR for the reference engine, and the calls of
// them. HostCalls.h tells how.
#include "ir/DelegatedOps.h"
#include "passes/Origins.h"
#include "target/cpu/HostCalls.h"
#include "target/cpu/nests/EmitNests.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tilewise::cpu {

Value KernelEmitter::record() {
  if (!recordSlot) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(cast<BlockArgument>(arguments).getOwner());
    Location loc = source.getLoc();
    Value slot = offsetPointer(loc, arguments, i64(loc, 8 * int64_t(source.getNumArguments())));
    recordSlot = b.create<LLVM::LoadOp>(loc, LLVM::LLVMPointerType::get(b.getContext()), slot, 8);
  }
  return recordSlot;
}

func::FuncOp KernelEmitter::outsideFunction(Location loc, ArrayRef<Value> values) {
  if (!outside)
    outside = ModuleOp::create(source.getLoc());
  int64_t number = llvm::range_size(outside->getOps<func::FuncOp>());
  OpBuilder builder = OpBuilder::atBlockEnd(outside->getBody());
  FunctionType type = builder.getFunctionType(TypeRange(ValueRange(values)), {});
  auto function = builder.create<func::FuncOp>(loc, "op" + std::to_string(number), type);
  builder.setInsertionPointToEnd(function.addEntryBlock());
  builder.create<func::ReturnOp>(loc);
  return function;
}

void KernelEmitter::callOutside(Location loc, func::FuncOp function, ArrayRef<Value> values) {
  int64_t number = 0;
  for (func::FuncOp other : outside->getOps<func::FuncOp>()) {
    if (other == function)
      break;
    ++number;
  }
  SmallVector<Value> places;
  for (Value value : values) {
    Type element = tile::elementTypeOf(value.getType());
    SmallVector<int64_t> shape(tile::shapeOf(value.getType()));
    if (shape.empty())
      shape.push_back(1);
    Buffer buffer = allocate(shape, element);
    if (isBlock(value))
      emitNest(*this, keepingNest(value, buffer, loc));
    else
      storeScalar(loc, element, scalars.lookup(value), bufferPointer(loc, buffer));
    places.push_back(bufferPointer(loc, buffer));
    if (failed)
      return;
  }
  Buffer list = allocate({int64_t(values.size()) + 1}, b.getI64Type());
  for (auto [i, place] : llvm::enumerate(places))
    b.create<LLVM::StoreOp>(loc, place, offsetPointer(loc, bufferPointer(loc, list), i64(loc, int64_t(8 * i))), 8);
  callHost(b, loc, kDelegated,
           {record(), i64(loc, number), bufferPointer(loc, list), programIds[0], programIds[1], programIds[2]}, {});
}

/// A print or a failed assertion: the op alone, on its operands.
void emitOutside(KernelEmitter &k, Operation *op) {
  SmallVector<Value> operands(op->getOperands());
  func::FuncOp function = k.outsideFunction(op->getLoc(), operands);
  IRMapping values;
  for (auto [operand, argument] : llvm::zip(operands, function.getArguments()))
    values.map(operand, argument);
  OpBuilder(function.getBody().front().getTerminator()).clone(*op, values);
  k.callOutside(op->getLoc(), function, operands);
}

/// Whether the reference engine computes an op on the way to an address again, so that it sees an
/// overflow there.
static bool isOffsetStep(Operation *op) {
  if (op->getNumOperands() == 0)
    return op->getNumRegions() == 0 && isPure(op);
  if (isa<tile::MovesElements>(op))
    return !isa<tile::WholeBlocks>(op);
  return isa<tile::PtrAddOp, tile::PtrCastOp, arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::ExtSIOp>(op);
}

/// The steps that lead to the access's addresses; what these start from are the function's
/// arguments, and it returns addresses and mask.
static void checkOutside(KernelEmitter &k, tile::MemoryAccess access) {
  Value pointer = access.getPointer(), mask = access.getMask();
  SetVector<Value> leaves;
  SetVector<Operation *> steps;
  std::function<void(Value)> visit = [&](Value value) {
    Operation *op = value.getDefiningOp();
    if (!op || !isOffsetStep(op)) {
      leaves.insert(value);
      return;
    }
    if (steps.contains(op))
      return;
    for (Value operand : op->getOperands())
      visit(operand);
    steps.insert(op); // Behind its operands.
  };
  visit(pointer);
  if (mask)
    leaves.insert(mask);
  Location loc = access->getLoc();
  func::FuncOp function = k.outsideFunction(loc, leaves.getArrayRef());
  Operation *end = function.getBody().front().getTerminator();
  OpBuilder builder(end);
  IRMapping values;
  for (auto [leaf, argument] : llvm::zip(leaves, function.getArguments()))
    values.map(leaf, argument);
  for (Operation *step : steps)
    builder.clone(*step, values);
  SmallVector<Value> returned = {values.lookup(pointer)};
  if (mask)
    returned.push_back(values.lookup(mask));
  end->setOperands(returned);
  function.setType(builder.getFunctionType(function.getArgumentTypes(), TypeRange(ValueRange(returned))));

  tile::Origins origins = tile::originsOf(pointer);
  SmallVector<int32_t> arguments(origins.arguments.begin(), origins.arguments.end());
  function->setAttr(tile::kVerbAttr, builder.getStringAttr(access.getVerb()));
  function->setAttr(tile::kOriginsAttr, builder.getDenseI32ArrayAttr(arguments));
  if (origins.foreign)
    function->setAttr(tile::kForeignAttr, builder.getUnitAttr());
  k.callOutside(loc, function, leaves.getArrayRef());
}

void emitCheck(KernelEmitter &k, tile::MemoryAccess access) {
  Value doubt = emitDoubt(k, access);
  if (k.failed)
    return;
  if (!doubt)
    return checkOutside(k, access);
  auto branch = k.b.create<scf::IfOp>(access->getLoc(), doubt, /*withElse=*/false);
  OpBuilder::InsertionGuard guard(k.b);
  k.b.setInsertionPointToStart(branch.thenBlock());
  checkOutside(k, access);
}

} // namespace tilewise::cpu
