// cpu-emit-nests: a kernel's plan -> the entry point of Artifact.h, a loop over programs around the
// loops and vectors of its nests.
#include "artifact/Artifact.h"
#include "ir/SourceLines.h"
#include "passes/AtomicUse.h"
#include "target/cpu/Passes.h"
#include "target/cpu/emit/EmitPlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <array>

using namespace mlir;

namespace tilewise::cpu {

#define GEN_PASS_DEF_EMITNESTS
#include "target/cpu/Passes.h.inc"

namespace {

struct EmitNests : impl::EmitNestsBase<EmitNests> {
  EmitNests() = default;
  explicit EmitNests(const Machine &machine) : machine(machine) {}

  void runOnOperation() override {
    if (vectorBytes)
      machine.vectorBytes = vectorBytes;
    ModuleOp module = getOperation();
    func::FuncOp kernel = tile::kernelOf(module);
    if (!kernel || !kernel.getBody().hasOneBlock()) {
      module.emitError("CPU engine: the module needs one tile.kernel with one block");
      return signalPassFailure();
    }
    KernelEmitter k(kernel, machine, getChildAnalysis<tile::AccessInference>(kernel));
    if (auto order = module->getAttrOfType<DenseI64ArrayAttr>(kProgramOrderAttr))
      llvm::copy(order.asArrayRef(), k.programOrder.begin());
    emitEntryPoint(k, /*mayStream=*/module->hasAttr(kStoredBytesAttr));
    if (k.failed)
      return signalPassFailure();
    if (k.delegated)
      module->setAttr(kDelegatedOpsAttr, printDelegated(*k.delegated));
    module->removeAttr(tile::kSourceLinesAttr);
    kernel.erase();
    module->setAttr(kScratchBytesAttr, Builder(&getContext()).getI64IntegerAttr(k.scratchBytes));
    if (!k.hasStreamed)
      module->removeAttr(kStoredBytesAttr);
  }

  /// With places, and with the lines of the kernel that the driver has attached.
  StringAttr printDelegated(ModuleOp delegated) {
    if (Attribute lines = getOperation()->getAttr(tile::kSourceLinesAttr))
      delegated->setAttr(tile::kSourceLinesAttr, lines);
    std::string text;
    llvm::raw_string_ostream os(text);
    delegated->print(os, OpPrintingFlags().enableDebugInfo());
    return StringAttr::get(&getContext(), text);
  }

  /// Behind everything else in scratch stands the number of the program that runs, for the message
  /// of a fault. Volatile, or LLVM would write the last one only.
  void noteProgram(KernelEmitter &k, scf::ForOp programs) {
    Location loc = programs.getLoc();
    const int64_t offset = k.scratchBytes;
    k.scratchBytes += LaunchPlan::kNoteBytes;
    k.b.setInsertionPointToStart(programs.getBody());
    k.b.create<LLVM::StoreOp>(loc, programs.getInductionVar(), k.offsetPointer(loc, k.scratch, k.i64(loc, offset)), 8,
                              /*isVolatile=*/true);
  }

  /// The scalars that the launch hands over, and the grid's extents as i64.
  std::array<Value, 3> readLaunch(KernelEmitter &k, Value grid) {
    OpBuilder &b = k.b;
    Location loc = k.source.getLoc();
    for (auto [i, argument] : llvm::enumerate(k.source.getArguments())) {
      Value slot = k.offsetPointer(loc, k.arguments, k.i64(loc, int64_t(8 * i)));
      k.scalars.map(argument, k.loadScalar(argument.getLoc(), argument.getType(), slot));
    }
    std::array<Value, 3> counts;
    for (int axis = 0; axis < 3; ++axis) {
      k.programCounts[axis] =
          b.create<LLVM::LoadOp>(loc, b.getI32Type(), k.offsetPointer(loc, grid, k.i64(loc, 4 * axis)), 4);
      counts[axis] = b.create<arith::ExtUIOp>(loc, b.getI64Type(), k.programCounts[axis]);
    }
    return counts;
  }

  /// What the launch chose is in the bits of grid[3], see Artifact.h.
  void readChoices(KernelEmitter &k, Value grid, bool mayStream) {
    OpBuilder &b = k.b;
    Location loc = k.source.getLoc();
    const bool mayBeAlone = tile::atomicUseOf(k.source).updatesOnly;
    if (!mayStream && !mayBeAlone)
      return;
    Value flags = b.create<LLVM::LoadOp>(loc, b.getI32Type(), k.offsetPointer(loc, grid, k.i64(loc, 12)), 4);
    if (mayStream)
      k.streams = b.create<arith::TruncIOp>(loc, b.getI1Type(), flags);
    if (mayBeAlone) {
      Value one = b.create<arith::ConstantIntOp>(loc, 1, 32);
      k.alone = b.create<arith::TruncIOp>(loc, b.getI1Type(), b.create<arith::ShRUIOp>(loc, flags, one).getResult());
    }
  }

  /// Three divisions for the first program; the others count on from it.
  SmallVector<Value> firstProgram(KernelEmitter &k, Value begin, ArrayRef<Value> counts) {
    OpBuilder &b = k.b;
    Location loc = k.source.getLoc();
    auto [fastest, middle, slowest] = k.programOrder;
    Value rest = b.create<arith::DivUIOp>(loc, begin, counts[fastest]);
    SmallVector<Value> first(3);
    first[fastest] = b.create<arith::RemUIOp>(loc, begin, counts[fastest]);
    first[middle] = b.create<arith::RemUIOp>(loc, rest, counts[middle]);
    first[slowest] = b.create<arith::DivUIOp>(loc, rest, counts[middle]);
    return first;
  }

  /// Ids that nothing asks for, of axes behind the last one that is asked for, stay as they are,
  /// and are gone after the passes over LLVM IR.
  SmallVector<Value> nextProgram(KernelEmitter &k, ArrayRef<Value> counts) {
    OpBuilder &b = k.b;
    Location loc = k.source.getLoc();
    Value zero = k.i64(loc, 0), carry = k.i64(loc, 1);
    std::array<bool, 3> isAsked;
    for (int axis = 0; axis < 3; ++axis)
      isAsked[axis] = !k.programIds[axis].use_empty();
    k.source.walk([&](tile::ProgramIdOp id) { isAsked[id.getAxis()] = true; });
    size_t counted = 3;
    while (counted > 0 && !isAsked[k.programOrder[counted - 1]])
      --counted;
    SmallVector<Value> next(k.programLoop.getRegionIterArgs());
    for (int axis : ArrayRef(k.programOrder).take_front(counted)) {
      Value id = b.create<arith::AddIOp>(loc, next[axis], carry);
      if (axis != k.programOrder.back()) {
        Value wraps = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, id, counts[axis]);
        id = b.create<arith::SelectOp>(loc, wraps, zero, id);
        carry = b.create<arith::SelectOp>(loc, wraps, carry, zero);
      }
      next[axis] = id;
    }
    return next;
  }

  void emitEntryPoint(KernelEmitter &k, bool mayStream) {
    OpBuilder &b = k.b;
    Location loc = k.source.getLoc();
    Type pointer = LLVM::LLVMPointerType::get(&getContext()), i64 = b.getI64Type();
    b.setInsertionPoint(k.source);
    auto entry =
        b.create<func::FuncOp>(loc, k.source.getName(), b.getFunctionType({pointer, pointer, pointer, i64, i64}, {}));
    Block *body = entry.addEntryBlock();
    b.setInsertionPointToStart(body);
    k.arguments = body->getArgument(0);
    k.scratch = body->getArgument(1);
    Value grid = body->getArgument(2), begin = body->getArgument(3), end = body->getArgument(4);
    const std::array<Value, 3> counts = readLaunch(k, grid);
    readChoices(k, grid, mayStream);

    k.programLoop = b.create<scf::ForOp>(loc, begin, end, k.i64(loc, 1), firstProgram(k, begin, counts),
                                         [](OpBuilder &, Location, Value, ValueRange) {});
    b.setInsertionPointToEnd(k.programLoop.getBody());
    for (int axis = 0; axis < 3; ++axis)
      k.programIds[axis] = b.create<arith::TruncIOp>(loc, b.getI32Type(), k.programLoop.getRegionIterArg(axis));
    emitBlock(k, k.source.getBody().front());
    if (k.failed)
      return;
    noteProgram(k, k.programLoop);
    b.setInsertionPointToEnd(k.programLoop.getBody());
    b.create<scf::YieldOp>(loc, nextProgram(k, counts));

    b.setInsertionPointToEnd(body);
    if (k.hasStreamed)
      emitStreamingFence(k, loc);
    b.create<func::ReturnOp>(loc);
  }

  /// Makes what was stored past the caches visible before the launch is over.
  void emitStreamingFence(KernelEmitter &k, Location loc) {
    if (k.machine.isX86)
      k.b.create<LLVM::CallIntrinsicOp>(loc, TypeRange(), "llvm.x86.sse.sfence", ValueRange());
    else
      k.b.create<LLVM::FenceOp>(loc, LLVM::AtomicOrdering::seq_cst, StringRef());
  }

  Machine machine;
};

} // namespace

std::unique_ptr<Pass> createEmitNestsPass(const Machine &machine) { return std::make_unique<EmitNests>(machine); }

} // namespace tilewise::cpu
