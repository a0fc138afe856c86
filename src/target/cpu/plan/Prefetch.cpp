// Which loads and stores are prefetched for the next program, how far ahead, and in which steps of a nest. The idea is told in Prefetch.h.
#include "target/cpu/plan/Prefetch.h"
#include "target/cpu/nests/NestEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace tilewise::cpu {

// What a program may load for the next one's to be kept beside it in the second-level cache: an eighth of 1 MiB.
static constexpr int64_t kMostBytes = 128 << 10;
static constexpr int64_t kLineBytes = 64;
// Scalars on the way to an address: more than this is not worth emitting twice.
static constexpr unsigned kMostScalars = 16;

namespace {

/// Looks at the scalars that lead to an address: whether they depend on the program, and on nothing but it and the arguments.
struct Origin {
  bool isKnown = true, isOfProgram = false;
  llvm::SmallPtrSet<Value, 16> seen;

  void visit(Value value) {
    if (!isKnown || !seen.insert(value).second)
      return;
    Operation *op = value.getDefiningOp();
    if (!op) {
      isKnown = isa<func::FuncOp>(value.getParentBlock()->getParentOp());
      return;
    }
    if (isa<arith::ConstantOp, tile::NumProgramsOp>(op))
      return;
    if (isa<tile::ProgramIdOp>(op)) {
      isOfProgram = true;
      return;
    }
    isKnown = !isa<RankedTensorType>(value.getType()) && tile::isElementwise(op) && !isa<tile::ExternCallOp>(op) &&
              seen.size() <= kMostScalars;
    for (Value operand : op->getOperands())
      visit(operand);
  }
};

} // namespace

static bool dependsOnProgram(const tile::AffineForm &address) {
  Origin origin;
  auto visit = [&](const tile::ScalarExpr &expression) {
    for (const tile::ScalarTerm &term : expression.terms())
      for (Value factor : term.factors)
        origin.visit(factor);
  };
  origin.visit(address.pointer);
  visit(*address.base);
  bool isOfProgram = origin.isOfProgram;
  for (const auto &stride : address.strides)
    visit(*stride);
  return origin.isKnown && isOfProgram;
}

static int64_t bytesOf(const tile::StructuredAccess &access) {
  int64_t elements = 1;
  for (int64_t extent : access.shape)
    elements *= extent;
  return elements * storageBytes(access.element);
}

/// Lanes are neighbours along some dimension.
static bool isStraight(const tile::StructuredAccess &access) {
  return access.address.isAffine() && llvm::any_of(llvm::zip(access.address.strides, access.shape), [](auto dimension) {
           auto &[stride, extent] = dimension;
           return extent > 1 && stride->isConstant(1);
         });
}

static bool lieTogether(KernelEmitter &k, tile::LoadOp a, tile::LoadOp b) {
  const tile::StructuredAccess &x = k.inference.access(a), &y = k.inference.access(b);
  tile::ScalarExpr apart = *x.address.base - *y.address.base;
  return x.address.pointer == y.address.pointer && x.shape == y.shape && x.element == y.element &&
         llvm::equal(x.address.strides, y.address.strides) && apart.isConstant() &&
         std::abs(apart.constant()) * storageBytes(x.element) < kLineBytes;
}

/// The loads that a nest pulls.
static void collectLoads(KernelEmitter &k, const Nest &nest, Value value, llvm::SetVector<Operation *> &loads,
                         llvm::DenseSet<Value> &seen) {
  if (!isa<RankedTensorType>(value.getType()) || !seen.insert(value).second)
    return;
  if (auto kept = k.buffers.find(value); kept != k.buffers.end() && !nest.keeps(value, kept->second))
    return;
  Operation *op = value.getDefiningOp();
  if (!op)
    return;
  if (isa<tile::LoadOp>(op))
    loads.insert(op);
  for (Value operand : pulledOperands(k, op))
    collectLoads(k, nest, operand, loads, seen);
}

/// A block of one row: chunks of it follow each other in memory.
static bool isOneRow(const tile::StructuredAccess &access) {
  return llvm::count_if(access.shape, [](int64_t extent) { return extent > 1; }) == 1;
}

/// Has `host` ask for the access, or the greater part of it where there is a nest behind for the rest.
static void askIn(Nest &host, Nest *behind, tile::MemoryAccess op, const tile::StructuredAccess &access,
                  bool isUsedOnce) {
  const bool isSplit = behind && behind != &host && isOneRow(access);
  host.ahead.push_back({op, isSplit ? Ahead::First : Ahead::All, isUsedOnce});
  if (isSplit)
    behind->ahead.push_back({op, Ahead::Last, isUsedOnce});
}

/// Each store goes with the last nest of its shape before its own.
static void chooseStores(KernelEmitter &k, BlockPlan &plan, int64_t bytes) {
  SmallVector<Nest *> before;
  for (Step &step : plan.steps) {
    if (step.kind != Step::Loops)
      continue;
    for (const Root &root : step.nest.roots) {
      if (root.kind != Root::Store)
        continue;
      const tile::StructuredAccess &access = k.inference.access(cast<tile::StoreOp>(root.op));
      auto host =
          llvm::find_if(llvm::reverse(before), [&](Nest *nest) { return llvm::equal(nest->shape, access.shape); });
      if (host == before.rend() || !isStraight(access) || !dependsOnProgram(access.address))
        continue;
      bytes += bytesOf(access);
      if (bytes <= kMostBytes)
        askIn(**host, &step.nest, cast<tile::MemoryAccess>(root.op), access, /*isUsedOnce=*/true);
    }
    before.push_back(&step.nest);
  }
}

/// The last nest over blocks of this shape.
static Nest *lastOver(BlockPlan &plan, ArrayRef<int64_t> shape) {
  for (Step &step : llvm::reverse(plan.steps))
    if (step.kind == Step::Loops && llvm::equal(step.nest.shape, shape))
      return &step.nest;
  return nullptr;
}

void choosePrefetches(KernelEmitter &k, BlockPlan &plan) {
  if (k.checked || llvm::any_of(plan.steps, [](const Step &step) {
        return step.kind == Step::Region || isa_and_present<tile::DotOp>(step.op);
      }))
    return;
  struct Pulls {
    Nest *last = nullptr;
    unsigned count = 0;
  };
  llvm::MapVector<Operation *, Pulls> pulls;
  for (Step &step : plan.steps) {
    if (step.kind != Step::Loops)
      continue;
    llvm::SetVector<Operation *> loads;
    llvm::DenseSet<Value> seen;
    for (const Root &root : step.nest.roots)
      for (Value value : root.op ? pulledOperands(k, root.op) : SmallVector<Value>{root.value})
        if (value)
          collectLoads(k, step.nest, value, loads, seen);
    for (Operation *load : loads)
      pulls[load] = {&step.nest, pulls[load].count + 1};
  }
  SmallVector<std::pair<tile::LoadOp, Pulls>> chosen;
  int64_t bytes = 0;
  for (auto [op, pulled] : pulls) {
    auto load = cast<tile::LoadOp>(op);
    const tile::StructuredAccess &access = k.inference.access(load);
    if (load.getIsVolatile() || !isStraight(access) || !dependsOnProgram(access.address) ||
        llvm::any_of(chosen, [&](auto &other) { return lieTogether(k, load, other.first); }))
      continue;
    bytes += bytesOf(access);
    chosen.push_back({load, pulled});
  }
  if (bytes > kMostBytes)
    return;
  for (auto [load, pulled] : chosen) {
    const tile::StructuredAccess &access = k.inference.access(load);
    const bool isUsedOnce = pulled.count == 1;
    Nest *last = lastOver(plan, access.shape);
    if (isOneRow(access) && llvm::equal(pulled.last->shape, access.shape) && last != pulled.last)
      askIn(*pulled.last, last, load, access, isUsedOnce);
    else
      pulled.last->prefetched.push_back({load, isUsedOnce});
  }
  chooseStores(k, plan, bytes);
}

/// Each axis counts on where the one before it wraps; the last program of a range has itself for the next.
static void makeNextIds(KernelEmitter &k, Location loc) {
  if (k.nextProgramIds[0])
    return;
  OpBuilder &b = k.b;
  OpBuilder::InsertionGuard guard(b);
  scf::ForOp loop = k.programLoop;
  b.setInsertionPointToStart(loop.getBody());
  Value linear = b.create<arith::AddIOp>(loc, loop.getInductionVar(), k.i64(loc, 1));
  Value carry = b.create<arith::ExtUIOp>(
      loc, b.getI32Type(), b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, linear, loop.getUpperBound()));
  for (int axis : k.programOrder) {
    Value id = b.create<arith::TruncIOp>(loc, b.getI32Type(), loop.getRegionIterArg(unsigned(axis)));
    Value next = b.create<arith::AddIOp>(loc, id, carry);
    if (axis != k.programOrder.back()) {
      Value wraps = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, next, k.programCounts[axis]);
      Value zero = b.create<arith::ConstantIntOp>(loc, 0, 32);
      next = b.create<arith::SelectOp>(loc, wraps, zero, next);
      carry = b.create<arith::SelectOp>(loc, wraps, carry, zero);
    }
    k.nextProgramIds[axis] = next;
  }
}

/// The scalar `value` of the next program. What comes later in the kernel than the builder's place has not been emitted yet, and is.
static Value scalarOfNext(KernelEmitter &k, Value value, llvm::DenseMap<Value, Value> &known) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return k.scalars.lookup(value);
  if (auto id = dyn_cast<tile::ProgramIdOp>(op))
    return k.nextProgramIds[id.getAxis()];
  if (auto count = dyn_cast<tile::NumProgramsOp>(op))
    return k.programCounts[count.getAxis()];
  if (Value found = known.lookup(value))
    return found;
  Value next = k.scalars.lookupOrNull(value);
  if (isa<arith::ConstantOp>(op)) {
    next = next ? next : k.b.clone(*op)->getResult(0);
  } else {
    SmallVector<Value> operands;
    bool differs = !next;
    for (Value operand : op->getOperands()) {
      operands.push_back(scalarOfNext(k, operand, known));
      differs |= operands.back() != k.scalars.lookupOrNull(operand);
    }
    if (differs)
      next = k.applyElementwise(op, operands);
  }
  known[value] = next;
  return next;
}

Value distanceToNextProgram(KernelEmitter &k, tile::LoadOp load) {
  OpBuilder &b = k.b;
  Location loc = load.getLoc();
  makeNextIds(k, loc);
  const tile::AffineForm &address = k.inference.access(load).address;
  int64_t bytes = storageBytes(tile::elementTypeOf(load.getType()));
  tile::ScalarExpr base = *address.base * tile::ScalarExpr(bytes);
  llvm::DenseMap<Value, Value> known;
  auto nextScalar = [&](Value factor) { return scalarOfNext(k, factor, known); };
  Value distance =
      b.create<arith::SubIOp>(loc, tile::materialize(b, loc, base, b.getI64Type(), nextScalar), k.evaluate(loc, base));
  Value pointer = k.scalars.lookup(address.pointer), nextPointer = nextScalar(address.pointer);
  if (nextPointer == pointer)
    return distance;
  auto number = [&](Value p) { return b.create<LLVM::PtrToIntOp>(loc, b.getI64Type(), p); };
  return b.create<arith::AddIOp>(loc, distance, b.create<arith::SubIOp>(loc, number(nextPointer), number(pointer)));
}

NextAccess nextProgramsAccess(KernelEmitter &k, tile::MemoryAccess op) {
  OpBuilder &b = k.b;
  Location loc = op->getLoc();
  makeNextIds(k, loc);
  const tile::StructuredAccess &access = k.inference.access(op);
  tile::ScalarExpr bytes(storageBytes(access.element));
  llvm::DenseMap<Value, Value> known;
  auto nextScalar = [&](Value factor) { return scalarOfNext(k, factor, known); };
  auto inBytes = [&](const tile::ScalarExpr &elements) -> Value {
    return tile::materialize(b, loc, elements * bytes, b.getI64Type(), nextScalar);
  };
  Value streams = op.writes() ? k.streams : Value();
  auto unlessStreaming = [&](Value number) -> Value {
    return streams ? b.create<arith::SelectOp>(loc, streams, k.i64(loc, 0), number).getResult() : number;
  };
  NextAccess next;
  next.start = k.offsetPointer(loc, nextScalar(access.address.pointer), unlessStreaming(inBytes(*access.address.base)));
  for (const auto &stride : access.address.strides)
    next.strides.push_back(stride->isZero() ? Value() : unlessStreaming(inBytes(*stride)));
  if (streams)
    next.mask = unlessStreaming(k.i64(loc, -1));
  return next;
}

/// Beside a straight load of the main loop: what the next program loads there.
void NestEmitter::prefetchNext(tile::LoadOp op, const Position &position, Value stride) {
  APInt constant;
  const auto *wanted =
      llvm::find_if(nest_.prefetched, [&](const Prefetched &candidate) { return candidate.load == op; });
  if (phase_ != Phase::Main || wanted == nest_.prefetched.end() || !stride ||
      !matchPattern(stride, m_ConstantInt(&constant)) ||
      constant != uint64_t(storageBytes(tile::elementTypeOf(op.getType()))))
    return;
  Location loc = op.getLoc();
  const AddressBox &box = addressBox(op);
  Value &start = nextStarts_[op];
  if (!start) {
    at(0);
    start = k_.offsetPointer(loc, box.start, distanceToNextProgram(k_, op));
  }
  // From there as from the load's own start: row by row, so that a chunk has nothing to add but its index.
  Made address = addressAt(loc, {start, 0}, box.strides, position);
  at(std::max(address.level, vectorLevel_));
  // Locality 3 is all caches, 2 those from the second level on.
  b_.create<LLVM::Prefetch>(loc, address.value, /*rw=*/0, /*hint=*/wanted->isUsedOnce ? 3 : 2, /*cache=*/1);
}

/// In a step of the main loop up to `end`, of which `copy` counts the chunks: what the next program loads or stores, see Prefetch.h.
void NestEmitter::prefetchAhead(int64_t copy, Value end) {
  if (axis_ >= 0 && axis_ != vectorDim_) // The loop along the reduced axis is inside the step.
    return;
  for (Ahead wanted : nest_.ahead) {
    const bool stores = wanted.op.writes();
    Location loc = wanted.op->getLoc();
    const tile::StructuredAccess &access = k_.inference.access(wanted.op);
    if (!access.address.strides[vectorDim_]->isConstant(1) || (stores && isStreaming_))
      continue;
    auto [entry, isNew] = ahead_.try_emplace(wanted.op);
    NextAccess &next = entry->second;
    if (isNew) {
      at(0);
      next = nextProgramsAccess(k_, wanted.op);
    }
    const int64_t bytes = storageBytes(access.element);
    auto quarters = [&](Value index, int64_t count) -> Value {
      if (bytes * count % 4 == 0)
        return b_.createOrFold<arith::MulIOp>(loc, index, k_.i64(loc, bytes * count / 4));
      return b_.create<arith::ShRUIOp>(loc, b_.create<arith::MulIOp>(loc, index, k_.i64(loc, bytes * count)),
                                       k_.i64(loc, 2));
    };
    const int64_t share = wanted.part == Ahead::All ? 4 : wanted.part == Ahead::First ? 3 : 1;
    Value address;
    if (copy > 0) {
      at(vectorLevel_);
      address = k_.offsetPointer(loc, next.firstOfStep, k_.i64(loc, copy * lanes_ * bytes * share / 4));
    } else {
      Position row = identity();
      row[vectorDim_] = -1;
      Made start = addressAt(loc, {next.start, 0}, next.strides, row);
      if (wanted.part == Ahead::Last) { // The nest of the first part may have ended up to four chunks before this one.
        at(vectorLevel_ - 1);
        Value before = quarters(b_.createOrFold<arith::AndIOp>(loc, end, k_.i64(loc, -4 * lanes_)), 3);
        start.value = k_.offsetPointer(
            loc, start.value, next.mask ? b_.create<arith::AndIOp>(loc, before, next.mask).getResult() : before);
      }
      at(vectorLevel_);
      Value offset = quarters(indices_[vectorDim_], share);
      if (next.mask)
        offset = b_.create<arith::AndIOp>(loc, offset, next.mask);
      address = next.firstOfStep = k_.offsetPointer(loc, start.value, offset);
    }
    // Locality 3 is all caches, 2 those from the second level on.
    b_.create<LLVM::Prefetch>(loc, address, /*rw=*/stores ? 1 : 0, /*hint=*/wanted.isUsedOnce ? 3 : 2, /*cache=*/1);
  }
}

} // namespace tilewise::cpu
