// Calls into the host: operands go through a piece of the kernel's stack.
#include "target/cpu/HostCalls.h"

#include "libdevice/Libdevice.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace tilewise::cpu {

// A chunk has at most 64 elements, and those of libdevice at most 8 bytes each; of operands there
// are at most 4.
static constexpr int64_t kOperandBytes = 64 * 8, kPointers = 4, kStackBytes = (kPointers + 1) * (kOperandBytes + 8);

static func::FuncOp declare(OpBuilder &b, Location loc, StringRef name, FunctionType type, ModuleOp module) {
  if (auto known = module.lookupSymbol<func::FuncOp>(name))
    return known;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(module.getBody());
  auto made = b.create<func::FuncOp>(loc, name, type);
  made.setPrivate();
  return made;
}

Value callHost(OpBuilder &b, Location loc, StringRef name, ValueRange operands, TypeRange results) {
  auto module = b.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>();
  func::FuncOp function = declare(b, loc, name, b.getFunctionType(operands.getTypes(), results), module);
  auto call = b.create<func::CallOp>(loc, function, operands);
  return results.empty() ? Value() : call.getResult(0);
}

/// One piece of stack serves all calls of a kernel: it stands at the kernel's start, so that loops
/// do not ask for more.
static Value stackOf(OpBuilder &b, Location loc) {
  Operation *inside = b.getInsertionBlock()->getParentOp();
  auto kernel = dyn_cast<func::FuncOp>(inside);
  if (!kernel)
    kernel = inside->getParentOfType<func::FuncOp>();
  Block &start = kernel.getBody().front();
  for (auto known : start.getOps<LLVM::AllocaOp>())
    return known;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&start);
  Value bytes = b.create<arith::ConstantIntOp>(loc, kStackBytes, 64);
  return b.create<LLVM::AllocaOp>(loc, LLVM::LLVMPointerType::get(b.getContext()), b.getI8Type(), bytes,
                                  /*alignment=*/64);
}

static bool fits(libdevice::Element element, Type type) {
  using libdevice::Element;
  switch (element) {
  case Element::Bool:
    return type.isInteger(1);
  case Element::I32:
  case Element::U32:
    return type.isInteger(32);
  case Element::I64:
  case Element::U64:
    return type.isInteger(64);
  case Element::F32:
    return type.isF32();
  case Element::F64:
    return type.isF64();
  }
  return false;
}

Value callLibdevice(OpBuilder &b, Location loc, StringRef symbol, ArrayRef<Value> operands, Type result) {
  const libdevice::Function *function = libdevice::findSymbol(symbol);
  auto matches = [](libdevice::Element element, Value value) {
    return fits(element, getElementTypeOrSelf(value.getType()));
  };
  if (!function || operands.empty() || !llvm::equal(function->operands(), operands, matches) ||
      !fits(function->result, getElementTypeOrSelf(result)))
    return {};
  auto vector = dyn_cast<VectorType>(result);
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  Value stack = stackOf(b, loc);
  auto at = [&](int64_t offset) -> Value {
    return b.create<LLVM::GEPOp>(loc, pointer, b.getI8Type(), stack, ArrayRef<LLVM::GEPArg>{int32_t(offset)});
  };
  auto asByte = [&]() -> Type {
    return vector ? Type(VectorType::get(vector.getShape(), b.getI8Type())) : b.getI8Type();
  };
  int64_t data = kOperandBytes, list = (kPointers + 1) * kOperandBytes;
  for (auto [i, operand] : llvm::enumerate(operands)) {
    Value place = at(int64_t(i + 1) * data);
    b.create<LLVM::StoreOp>(loc, operand, place, 8);
    b.create<LLVM::StoreOp>(loc, place, at(list + 8 * int64_t(i)), 8);
  }
  Value count = b.create<arith::ConstantIntOp>(loc, vector ? vector.getNumElements() : 1, 64), to = at(0);
  callHost(b, loc, (kLibdevicePrefix + symbol).str(), {at(list), to, count}, {});
  if (function->result != libdevice::Element::Bool)
    return b.create<LLVM::LoadOp>(loc, result, to, 8);
  Value bytes = b.create<LLVM::LoadOp>(loc, asByte(), to, 1);
  Value zero = b.create<arith::ConstantOp>(loc, b.getZeroAttr(bytes.getType()));
  return b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ne, bytes, zero);
}

} // namespace tilewise::cpu
