// Prints, assertions and checks: functions of tile IR for the reference engine, and the calls of
// them. HostCalls.h tells how.
#include "ir/DelegatedOps.h"
#include "passes/Origins.h"
#include "target/cpu/HostCalls.h"
#include "target/cpu/emit/EmitPlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tilewise::cpu {

/// A function without a body yet, in the module that travels with the artifact, with an argument
/// for each value.
static func::FuncOp delegatedFunction(KernelEmitter &k, Location loc, ArrayRef<Value> values) {
  if (!k.delegated)
    k.delegated = ModuleOp::create(k.source.getLoc());
  int64_t number = llvm::range_size(k.delegated->getOps<func::FuncOp>());
  OpBuilder builder = OpBuilder::atBlockEnd(k.delegated->getBody());
  FunctionType type = builder.getFunctionType(TypeRange(ValueRange(values)), {});
  auto function = builder.create<func::FuncOp>(loc, "op" + std::to_string(number), type);
  builder.setInsertionPointToEnd(function.addEntryBlock());
  builder.create<func::ReturnOp>(loc);
  return function;
}

/// Has the reference engine run the ops of `function`; blocks among its operands are written to
/// scratch first.
static void callDelegated(KernelEmitter &k, Location loc, func::FuncOp function, ArrayRef<Value> values) {
  int64_t number = 0;
  for (func::FuncOp other : k.delegated->getOps<func::FuncOp>()) {
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
    Buffer buffer = k.allocate(shape, element);
    if (isBlock(value))
      emitNest(k, keepingNest(value, buffer, loc));
    else
      k.storeScalar(loc, element, k.scalars.lookup(value), k.bufferPointer(loc, buffer));
    places.push_back(k.bufferPointer(loc, buffer));
    if (k.failed)
      return;
  }
  Buffer list = k.allocate({int64_t(values.size()) + 1}, k.b.getI64Type());
  for (auto [i, place] : llvm::enumerate(places))
    k.b.create<LLVM::StoreOp>(loc, place, k.offsetPointer(loc, k.bufferPointer(loc, list), k.i64(loc, int64_t(8 * i))),
                              8);
  callHost(
      k.b, loc, kDelegated,
      {k.record(), k.i64(loc, number), k.bufferPointer(loc, list), k.programIds[0], k.programIds[1], k.programIds[2]},
      {});
}

/// A print or a failed assertion: the op alone, on its operands.
void emitDelegated(KernelEmitter &k, Operation *op) {
  SmallVector<Value> operands(op->getOperands());
  func::FuncOp function = delegatedFunction(k, op->getLoc(), operands);
  IRMapping values;
  for (auto [operand, argument] : llvm::zip(operands, function.getArguments()))
    values.map(operand, argument);
  OpBuilder(function.getBody().front().getTerminator()).clone(*op, values);
  callDelegated(k, op->getLoc(), function, operands);
}

/// Whether the reference engine computes an op on the way to an address again, so that it sees an
/// overflow there.
static bool isOffsetStep(Operation *op) {
  if (op->getNumOperands() == 0)
    return op->getNumRegions() == 0 && isPure(op);
  if (isa<tile::MovesElements>(op))
    return !isa<tile::WholeBlocks>(op);
  using tile::Arithmetic;
  return isa<tile::PtrAddOp, tile::PtrCastOp>(op) ||
         llvm::is_contained({Arithmetic::Sum, Arithmetic::Difference, Arithmetic::Product, Arithmetic::Widening},
                            tile::arithmeticOf(op));
}

/// The steps that lead to the access's addresses; what these start from are the function's
/// arguments, and it returns addresses and mask.
static void delegateCheck(KernelEmitter &k, tile::MemoryAccess access) {
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
  func::FuncOp function = delegatedFunction(k, loc, leaves.getArrayRef());
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
  callDelegated(k, loc, function, leaves.getArrayRef());
}

void emitCheck(KernelEmitter &k, tile::MemoryAccess access) {
  Value doubt = emitDoubt(k, access);
  if (k.failed)
    return;
  if (!doubt)
    return delegateCheck(k, access);
  auto branch = k.b.create<scf::IfOp>(access->getLoc(), doubt, /*withElse=*/false);
  OpBuilder::InsertionGuard guard(k.b);
  k.b.setInsertionPointToStart(branch.thenBlock());
  delegateCheck(k, access);
}

} // namespace tilewise::cpu
