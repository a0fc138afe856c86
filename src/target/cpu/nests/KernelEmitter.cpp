// Scratch, scalars and elements of memory: the small services of the CPU lowering.
#include "target/cpu/nests/KernelEmitter.h"
#include "target/Refusal.h"
#include "target/cpu/HostCalls.h"
#include "target/cpu/nests/Nest.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilewise::cpu {

Buffer KernelEmitter::allocate(ArrayRef<int64_t> shape, Type element, int64_t rowPadding) {
  Buffer buffer;
  buffer.offset = scratchBytes;
  buffer.shape.assign(shape.begin(), shape.end());
  buffer.strides.assign(shape.size(), 1);
  for (int64_t d = int64_t(shape.size()) - 2; d >= 0; --d)
    buffer.strides[d] = buffer.strides[d + 1] * shape[d + 1] + (d + 2 == int64_t(shape.size()) ? rowPadding : 0);
  buffer.element = element;
  int64_t elements = shape.empty() ? 1 : buffer.strides[0] * shape[0];
  // A whole vector may be read or written at the last element: one register of padding; and cache
  // lines are not shared.
  scratchBytes += (elements * storageBytes(element) + machine.vectorBytes + 63) / 64 * 64;
  return buffer;
}

Value KernelEmitter::fail(Operation *op, const Twine &message) {
  if (!failed)
    op->emitError() << "CPU engine: " << message;
  failed = true;
  return {};
}

Value KernelEmitter::refuse(Operation *op, StringRef detail) {
  if (!failed)
    tilewise::refuse(op, "cpu", detail);
  failed = true;
  return {};
}

Value KernelEmitter::i64(Location loc, int64_t value) { return b.create<arith::ConstantIntOp>(loc, value, 64); }

Value KernelEmitter::zeroOf(Location loc, Type type) {
  if (isa<LLVM::LLVMPointerType>(type))
    return b.create<LLVM::ZeroOp>(loc, type);
  return b.create<arith::ConstantOp>(loc, b.getZeroAttr(type));
}

Value KernelEmitter::offsetPointer(Location loc, Value pointer, Value bytes) {
  if (matchPattern(bytes, m_Zero()))
    return pointer;
  APInt constant;
  auto type = LLVM::LLVMPointerType::get(b.getContext());
  if (matchPattern(bytes, m_ConstantInt(&constant)) && constant.isSignedIntN(32))
    return b.create<LLVM::GEPOp>(loc, type, b.getI8Type(), pointer,
                                 ArrayRef<LLVM::GEPArg>{int32_t(constant.getSExtValue())});
  return b.create<LLVM::GEPOp>(loc, type, b.getI8Type(), pointer, ArrayRef<LLVM::GEPArg>{bytes});
}

Value KernelEmitter::bufferPointer(Location loc, const Buffer &buffer) {
  return offsetPointer(loc, scratch, i64(loc, buffer.offset));
}

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

Value KernelEmitter::evaluate(Location loc, const tile::ScalarExpr &expr) {
  return tile::materialize(b, loc, expr, b.getI64Type(), [&](Value factor) { return scalars.lookup(factor); });
}

Value KernelEmitter::firstElement(Location loc, const tile::AffineForm &form, Type element) {
  auto pointer = dyn_cast<tile::PtrType>(element);
  if (!pointer) {
    Value base = evaluate(loc, *form.base);
    return element.getIntOrFloatBitWidth() < 64 ? b.create<arith::TruncIOp>(loc, element, base).getResult() : base;
  }
  Value bytes = evaluate(loc, *form.base * tile::ScalarExpr(storageBytes(pointer.getPointee())));
  return offsetPointer(loc, scalars.lookup(form.pointer), bytes);
}

Value KernelEmitter::loadScalar(Location loc, Type element, Value pointer) {
  Value loaded = b.create<LLVM::LoadOp>(loc, storageType(element), pointer, unsigned(storageBytes(element)));
  if (element.isInteger(1))
    return b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ne, loaded, zeroOf(loc, loaded.getType()));
  if (isa<tile::PtrType>(element))
    return b.create<LLVM::IntToPtrOp>(loc, scalarType(element), loaded);
  if (loaded.getType() != element)
    return b.create<arith::BitcastOp>(loc, element, loaded);
  return loaded;
}

void KernelEmitter::storeScalar(Location loc, Type element, Value value, Value pointer) {
  if (element.isInteger(1))
    value = b.create<arith::ExtUIOp>(loc, b.getI8Type(), value);
  else if (isa<tile::PtrType>(element))
    value = b.create<LLVM::PtrToIntOp>(loc, b.getI64Type(), value);
  else if (storageType(element) != element)
    value = b.create<arith::BitcastOp>(loc, storageType(element), value);
  b.create<LLVM::StoreOp>(loc, value, pointer, unsigned(storageBytes(element)));
}

/// What `access` gives where the mask is set, else `other`; without a mask, the access alone.
static Value where(KernelEmitter &k, Operation *op, Value mask, llvm::function_ref<Value()> access,
                   llvm::function_ref<Value()> other) {
  if (!mask)
    return access();
  OpBuilder &b = k.b;
  Location loc = op->getLoc();
  auto branch = b.create<scf::IfOp>(loc, TypeRange(scalarType(op->getResult(0).getType())), k.scalars.lookup(mask),
                                    /*withElse=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  b.create<scf::YieldOp>(loc, access());
  b.setInsertionPointToStart(branch.elseBlock());
  b.create<scf::YieldOp>(loc, other());
  return branch.getResult(0);
}

void KernelEmitter::emitScalarOp(Operation *op) {
  Location loc = op->getLoc();
  if (auto id = dyn_cast<tile::ProgramIdOp>(op))
    return scalars.map(id.getResult(), programIds[id.getAxis()]);
  if (auto count = dyn_cast<tile::NumProgramsOp>(op))
    return scalars.map(count.getResult(), programCounts[count.getAxis()]);
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return scalars.map(constant.getResult(), b.clone(*op)->getResult(0));

  auto zero = [&] { return zeroOf(loc, scalarType(op->getResult(0).getType())); };
  if (auto load = dyn_cast<tile::LoadOp>(op))
    return scalars.map(load.getResult(),
                       where(
                           *this, op, load.getMask(),
                           [&] { return loadScalar(loc, load.getType(), scalars.lookup(load.getPointer())); },
                           [&] { return load.getOther() ? scalars.lookup(load.getOther()) : zero(); }));
  if (auto store = dyn_cast<tile::StoreOp>(op)) {
    OpBuilder::InsertionGuard guard(b);
    if (store.getMask()) {
      auto branch = b.create<scf::IfOp>(loc, scalars.lookup(store.getMask()), /*withElse=*/false);
      b.setInsertionPointToStart(branch.thenBlock());
    }
    return storeScalar(loc, store.getValue().getType(), scalars.lookup(store.getValue()),
                       scalars.lookup(store.getPointer()));
  }
  // One thread runs a program, and nest forming moves nothing across a barrier; promises are for
  // the access inference.
  if (isa<tile::BarrierOp, tile::AssumeOp>(op))
    return;
  if (auto atomic = dyn_cast<tile::AtomicRmwOp>(op))
    return scalars.map(atomic.getResult(), where(
                                               *this, op, atomic.getMask(),
                                               [&] {
                                                 return emitAtomic(*this, op, scalars.lookup(atomic.getPointer()),
                                                                   scalars.lookup(atomic.getValue()), {});
                                               },
                                               zero));
  if (auto swap = dyn_cast<tile::AtomicCasOp>(op))
    return scalars.map(swap.getResult(),
                       emitAtomic(*this, op, scalars.lookup(swap.getPointer()), scalars.lookup(swap.getValue()),
                                  scalars.lookup(swap.getExpected())));
  if (auto select = dyn_cast<arith::SelectOp>(op); select && isa<RankedTensorType>(select.getType())) {
    auto splat = select.getCondition().getDefiningOp<tile::SplatOp>();
    Value condition = scalars.lookup(splat ? splat.getSource() : select.getCondition());
    Type element = tile::elementTypeOf(select.getType());
    Value first = firstElement(loc, inference.form(select.getTrueValue()), element),
          second = firstElement(loc, inference.form(select.getFalseValue()), element);
    return scalars.map(select.getResult(), b.create<arith::SelectOp>(loc, condition, first, second).getResult());
  }
  if (auto call = dyn_cast<tile::ExternCallOp>(op); call && call->getNumOperands() == 0) {
    if (call.getSymbol() != "globaltimer" && call.getSymbol() != "smid") {
      refuse(op, ("of '" + call.getSymbol() + "'").str());
      return;
    }
    return scalars.map(call.getResult(), callHost(b, loc, (kHostPrefix + call.getSymbol()).str(), {}, call.getType()));
  }
  if (!tile::isElementwise(op)) {
    refuse(op);
    return;
  }
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(scalars.lookup(operand));
  if (Value result = applyElementwise(op, operands))
    scalars.map(op->getResult(0), result);
}

} // namespace tilewise::cpu
