// Ops that take their operands as whole blocks in scratch: reshape, join, split, gather, scan, map,
// histogram, atomics.
//
// Reshape and split cost nothing: the result is another view of the same bytes. Join writes its
// operands into interleaved views.
#include "passes/AtomicUse.h"
#include "target/cpu/dot/EmitDot.h"
#include "target/cpu/emit/EmitPlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilewise::cpu {

static bool isDense(const Buffer &buffer) {
  int64_t expected = 1;
  for (auto [extent, stride] : llvm::reverse(llvm::zip_equal(buffer.shape, buffer.strides))) {
    if (extent != 1 && stride != expected)
      return false;
    expected *= extent;
  }
  return true;
}

static Buffer copyOf(KernelEmitter &k, Value value) {
  Buffer buffer = k.allocate(tile::shapeOf(value.getType()), tile::elementTypeOf(value.getType()));
  emitNest(k, keepingNest(value, buffer, value.getLoc()));
  return buffer;
}

/// Whether the scratch that a block lies in is written again behind it: that of a loop's own blocks
/// is.
static bool isWrittenAgain(Value value) {
  auto read = value.getDefiningOp<ReadOp>();
  if (!read)
    return false;
  return llvm::any_of(read.getScratch().getUsers(), [&](Operation *user) {
    if (!isa<KeepOp>(user))
      return false;
    Operation *here = read;
    Operation *there = here->getBlock()->findAncestorOpInBlock(*user);
    while (!there) {
      here = here->getParentOp();
      there = here->getBlock()->findAncestorOpInBlock(*user);
    }
    // The two sides of a while loop take turns, those of a branch do not.
    return here == there ? isa<LoopLikeOpInterface>(here) : here->isBeforeInBlock(there);
  });
}

/// Row-major scratch that holds `value` and is not written again while the value is needed.
static Buffer wholeBlock(KernelEmitter &k, Value value) {
  auto kept = k.buffers.find(value);
  if (kept != k.buffers.end() && isDense(kept->second) && !isWrittenAgain(value))
    return kept->second;
  return copyOf(k, value);
}

static void emitReshape(KernelEmitter &k, tile::ReshapeOp op) {
  Buffer source = wholeBlock(k, op.getSource()), view = source;
  ArrayRef<int64_t> shape = tile::shapeOf(op.getType());
  view.shape.assign(shape.begin(), shape.end());
  view.strides.assign(shape.size(), 1);
  for (int64_t d = int64_t(shape.size()) - 2; d >= 0; --d)
    view.strides[d] = view.strides[d + 1] * shape[d + 1];
  k.buffers[op.getResult()] = view;
}

/// Half `which` of a dense block whose last extent is 2.
static Buffer halfOf(const Buffer &whole, int64_t which) {
  Buffer half = whole;
  half.offset += which * storageBytes(whole.element);
  half.shape.pop_back();
  half.strides.pop_back();
  return half;
}

static void emitJoin(KernelEmitter &k, tile::JoinOp op) {
  Buffer whole = k.allocate(tile::shapeOf(op.getType()), tile::elementTypeOf(op.getType()));
  k.buffers[op.getResult()] = whole;
  Location loc = op.getLoc();
  Nest nest;
  for (auto [which, operand] : llvm::enumerate(op->getOperands())) {
    Buffer half = halfOf(whole, int64_t(which));
    if (!isBlock(operand)) {
      k.storeScalar(loc, whole.element, k.scalars.lookup(operand), k.bufferPointer(loc, half));
      continue;
    }
    nest.shape = half.shape;
    nest.roots.push_back({Root::Keep, nullptr, operand, half, loc});
  }
  emitNest(k, nest);
}

static void emitSplit(KernelEmitter &k, tile::SplitOp op) {
  Buffer whole = wholeBlock(k, op.getSource());
  for (auto [which, result] : llvm::enumerate(op->getResults())) {
    Buffer half = halfOf(whole, int64_t(which));
    if (isBlock(result))
      k.buffers[result] = half;
    else
      k.scalars.map(result, k.loadScalar(op.getLoc(), whole.element, k.bufferPointer(op.getLoc(), half)));
  }
}

static void emitScanOfBlocks(KernelEmitter &k, tile::ScanOp op) {
  SmallVector<Buffer> copies;
  for (auto [source, result] : llvm::zip(op.getSources(), op.getResults())) {
    copies.push_back(copyOf(k, source));
    k.buffers[result] = copies.back();
  }
  if (!k.failed)
    emitScan(k, op, copies);
}

/// Pack by pack through the row-major blocks; the region's branches and loops are those of scalars.
static void emitMap(KernelEmitter &k, tile::MapOp op) {
  OpBuilder &b = k.b;
  Location loc = op.getLoc();
  SmallVector<Buffer> sources, results;
  for (Value source : op.getSources())
    sources.push_back(wholeBlock(k, source));
  for (Value result : op.getResults()) {
    results.push_back(k.allocate(tile::shapeOf(result.getType()), tile::elementTypeOf(result.getType())));
    k.buffers[result] = results.back();
  }
  if (k.failed)
    return;
  size_t pack = size_t(op.getPack());
  int64_t count = cast<RankedTensorType>(op.getSources().front().getType()).getNumElements();
  auto loop = b.create<scf::ForOp>(loc, k.i64(loc, 0), k.i64(loc, count), k.i64(loc, int64_t(pack)));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  auto elementAt = [&](const Buffer &buffer, size_t place) {
    int64_t bytes = storageBytes(buffer.element);
    Value start = b.create<arith::MulIOp>(loc, loop.getInductionVar(), k.i64(loc, bytes));
    return k.offsetPointer(loc, k.offsetPointer(loc, k.bufferPointer(loc, buffer), start),
                           k.i64(loc, int64_t(place) * bytes));
  };
  Block &body = op.getBody().front();
  for (auto [i, argument] : llvm::enumerate(body.getArguments())) {
    const Buffer &source = sources[i / pack];
    k.scalars.map(argument, k.loadScalar(loc, source.element, elementAt(source, i % pack)));
  }
  emitBlock(k, body);
  if (k.failed)
    return;
  for (auto [i, value] : llvm::enumerate(body.getTerminator()->getOperands())) {
    const Buffer &result = results[i / pack];
    k.storeScalar(loc, result.element, k.scalars.lookup(value), elementAt(result, i % pack));
  }
}

static void emitHistogramOfBlocks(KernelEmitter &k, tile::HistogramOp op) {
  const Buffer which = wholeBlock(k, op.getSource());
  std::optional<Buffer> mask;
  if (op.getMask())
    mask = wholeBlock(k, op.getMask());
  if (!k.failed)
    k.buffers[op.getResult()] = emitHistogram(k, op, which, mask);
}

static bool pullsLoad(KernelEmitter &k, Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !isBlock(value) || k.buffers.count(value))
    return false;
  return tile::isLoad(op) ||
         llvm::any_of(pulledOperands(k.inference, op), [&](Value operand) { return pullsLoad(k, operand); });
}

static void keepLoads(KernelEmitter &k, Value value, SmallVectorImpl<Value> &kept) {
  if (!pullsLoad(k, value))
    return;
  Operation *op = value.getDefiningOp();
  if (tile::isLoad(op)) {
    k.buffers[value] = copyOf(k, value);
    return kept.push_back(value);
  }
  for (Value operand : pulledOperands(k.inference, op))
    keepLoads(k, operand, kept);
}

/// A branch for launches that are alone, where the atomic is plain arithmetic.
static void emitUpdate(KernelEmitter &k, tile::MemoryAccess op, ArrayRef<int64_t> shape) {
  auto emitAs = [&](Root::Kind kind) {
    emitNest(k, {SmallVector<int64_t, 4>(shape), {{kind, op, {}, {}, op->getLoc()}}});
  };
  if (!k.alone || !tile::isUpdate(op))
    return emitAs(Root::Atomic);
  auto branch = k.b.create<scf::IfOp>(op->getLoc(), k.alone, /*withElse=*/true);
  k.b.setInsertionPointToStart(branch.thenBlock());
  emitAs(Root::Update);
  k.b.setInsertionPointToStart(branch.elseBlock());
  emitAs(Root::Atomic);
  k.b.setInsertionPointAfter(branch);
}

static void emitAtomics(KernelEmitter &k, tile::MemoryAccess op) {
  // Blocks are loaded whole before the first element is changed. Of addresses only what is loaded
  // is kept: which of them are neighbours stays known.
  SmallVector<Value> kept;
  keepLoads(k, op.getPointer(), kept);
  for (Value operand : op->getOperands())
    if (pullsLoad(k, operand))
      k.buffers[operand] = copyOf(k, operand);
  ArrayRef<int64_t> shape = tile::shapeOf(op.getPointer().getType());
  if (Value result = op->getResult(0); result.use_empty()) {
    emitUpdate(k, op, shape);
  } else {
    Buffer old = k.buffers[result] = k.allocate(shape, tile::elementTypeOf(result.getType()));
    emitNest(k, {SmallVector<int64_t, 4>(shape), {{Root::Atomic, op, {}, old, op->getLoc()}}});
  }
  for (Value value : kept)
    k.buffers.erase(value);
}

/// The scratch of the keep behind a dot, which it works in.
static void emitDotInScratch(KernelEmitter &k, tile::DotOp dot) {
  for (Operation *user : dot->getUsers())
    if (auto keep = dyn_cast<KeepOp>(user); keep && keep->getBlock() == dot->getBlock())
      return emitDot(k, dot, &k.rooms[keep.getScratch()]);
  emitDot(k, dot, nullptr);
}

void emitWholeBlocks(KernelEmitter &k, Operation *op) {
  TypeSwitch<Operation *>(op)
      .Case<tile::ReshapeOp>([&](auto reshape) { emitReshape(k, reshape); })
      .Case<tile::JoinOp>([&](auto join) { emitJoin(k, join); })
      .Case<tile::SplitOp>([&](auto split) { emitSplit(k, split); })
      .Case<tile::GatherOp>([](auto) {}) // Pulled, from a source that lies in scratch.
      .Case<tile::DotOp>([&](auto dot) { emitDotInScratch(k, dot); })
      .Case<tile::ScanOp>([&](auto scan) { emitScanOfBlocks(k, scan); })
      .Case<tile::MapOp>([&](auto map) { emitMap(k, map); })
      .Case<tile::HistogramOp>([&](auto histogram) { emitHistogramOfBlocks(k, histogram); })
      .Case<tile::MemoryAccess>([&](tile::MemoryAccess atomic) { emitAtomics(k, atomic); })
      .Case<tile::TellsPeople>([&](Operation *other) { emitDelegated(k, other); })
      .Default([&](Operation *other) { k.refuse(other); });
}

} // namespace tilewise::cpu
