// cpu-prefetch: which loads and stores of the next program a nest asks for, and which part of them.
// The idea is told in Prefetch.h.
#include "target/cpu/plan/Prefetch.h"
#include "passes/AccessInference.h"
#include "target/cpu/Passes.h"
#include "target/cpu/Storage.h"
#include "target/cpu/plan/Cpu.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace tilewise::cpu {

#define GEN_PASS_DEF_PREFETCH
#include "target/cpu/Passes.h.inc"

// What a program may load for the next one's to be kept beside it in the second-level cache: an
// eighth of 1 MiB.
static constexpr int64_t kMostBytes = 128 << 10;
static constexpr int64_t kLineBytes = 64;
// Scalars on the way to an address: more than this is not worth emitting twice.
static constexpr unsigned kMostScalars = 16;

namespace {

/// Looks at the scalars that lead to an address: whether they depend on the program, and on nothing
/// but it and the arguments.
struct Origin {
  bool isKnown = true, isOfProgram = false;
  llvm::SmallPtrSet<Value, 16> seen;

  void visit(Value value) {
    if (!isKnown || !seen.insert(value).second)
      return;
    Operation *op = value.getDefiningOp();
    if (!op) {
      isKnown = tile::isFunctionArgument(value);
      return;
    }
    if (tile::isSameInLaunch(op))
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

/// A block of one row: chunks of it follow each other in memory.
static bool isOneRow(const tile::StructuredAccess &access) {
  return llvm::count_if(access.shape, [](int64_t extent) { return extent > 1; }) == 1;
}

namespace {

struct Prefetch : impl::PrefetchBase<Prefetch> {
  void runOnOperation() override {
    func::FuncOp kernel = tile::kernelOf(getOperation());
    if (!kernel || !kernel.getBody().hasOneBlock())
      return;
    markAllAnalysesPreserved(); // What is added to the kernel is asked for anew.
    inference_ = &getChildAnalysis<tile::AccessInference>(kernel);
    nests_ = llvm::to_vector(kernel.getBody().getOps<NestOp>());
    const bool isFar = llvm::any_of(kernel.getBody().front(), [](Operation &op) {
      return isa<tile::DotOp>(op) || (op.getNumRegions() != 0 && !isa<NestOp, CheckOp, tile::WholeBlocks>(op));
    });
    if (!isFar)
      choose();
  }

  bool lieTogether(tile::LoadOp a, tile::LoadOp b) {
    const tile::StructuredAccess &x = inference_->access(a), &y = inference_->access(b);
    tile::ScalarExpr apart = *x.address.base - *y.address.base;
    return x.address.pointer == y.address.pointer && x.shape == y.shape && x.element == y.element &&
           llvm::equal(x.address.strides, y.address.strides) && apart.isConstant() &&
           std::abs(apart.constant()) * storageBytes(x.element) < kLineBytes;
  }

  /// The pointers where `nest` begins: what leads to them is index arithmetic and scalars of the
  /// program, which may stand behind it.
  Value reaching(Value pointer, NestOp nest, IRMapping &copies) {
    Operation *op = pointer.getDefiningOp();
    if (!op || op->getBlock() != nest->getBlock() || op->isBeforeInBlock(nest))
      return pointer;
    if (!copies.contains(pointer)) {
      for (Value operand : op->getOperands())
        copies.map(operand, reaching(operand, nest, copies));
      OpBuilder(nest).clone(*op, copies);
    }
    return copies.lookup(pointer);
  }

  void ask(NestOp nest, Part part, tile::MemoryAccess op, bool isUsedOnce) {
    IRMapping copies;
    Value pointer = reaching(op.getPointer(), nest, copies);
    OpBuilder b(nest.getBody().front().getTerminator());
    b.create<PrefetchOp>(op->getLoc(), part, pointer, op.writes(), isUsedOnce);
  }

  /// Has `host` ask for the access, or the greater part of it where there is a nest behind for the
  /// rest.
  void askIn(NestOp host, NestOp behind, tile::MemoryAccess op, bool isUsedOnce) {
    const bool isSplit = behind && behind != host && isOneRow(inference_->access(op));
    ask(host, isSplit ? Part::first : Part::all, op, isUsedOnce);
    if (isSplit)
      ask(behind, Part::last, op, isUsedOnce);
  }

  /// Each store goes with the last nest of its shape before its own.
  void chooseStores(int64_t bytes) {
    for (auto [index, nest] : llvm::enumerate(nests_))
      for (auto store : llvm::to_vector(nest.getBody().getOps<tile::StoreOp>())) {
        const tile::StructuredAccess &access = inference_->access(store);
        auto before = llvm::reverse(ArrayRef(nests_).take_front(index));
        auto host = llvm::find_if(before, [&](NestOp other) { return llvm::equal(other.getShape(), access.shape); });
        if (host == before.end() || !isStraight(access) || !dependsOnProgram(access.address))
          continue;
        bytes += bytesOf(access);
        if (bytes <= kMostBytes)
          askIn(*host, nest, store, /*isUsedOnce=*/true);
      }
  }

  void choose() {
    struct Pulls {
      tile::LoadOp load;
      NestOp last;
      unsigned count = 0;
    };
    llvm::MapVector<Value, Pulls> pulls; // By their pointers: nests have copies of what they share.
    for (NestOp nest : nests_)
      for (auto load : nest.getBody().getOps<tile::LoadOp>())
        if (Pulls &known = pulls[load.getPointer()]; known.last != nest)
          known = {load, nest, known.count + 1};
    SmallVector<Pulls> chosen;
    int64_t bytes = 0;
    for (auto &[pointer, pulled] : pulls) {
      tile::LoadOp load = pulled.load;
      const tile::StructuredAccess &access = inference_->access(load);
      if (load.getIsVolatile() || !isStraight(access) || !dependsOnProgram(access.address) ||
          llvm::any_of(chosen, [&](Pulls &other) { return lieTogether(load, other.load); }))
        continue;
      bytes += bytesOf(access);
      chosen.push_back(pulled);
    }
    if (bytes > kMostBytes)
      return;
    for (Pulls &pulled : chosen) {
      const tile::StructuredAccess &access = inference_->access(pulled.load);
      const bool isUsedOnce = pulled.count == 1;
      auto last =
          llvm::find_if(llvm::reverse(nests_), [&](NestOp nest) { return llvm::equal(nest.getShape(), access.shape); });
      const bool isOver = llvm::equal(pulled.last.getShape(), access.shape);
      if (isOneRow(access) && isOver && *last != pulled.last)
        askIn(pulled.last, *last, pulled.load, isUsedOnce);
      else
        ask(pulled.last, Part::beside, pulled.load, isUsedOnce);
    }
    chooseStores(bytes);
  }

  tile::AccessInference *inference_ = nullptr;
  SmallVector<NestOp> nests_;
};

} // namespace

} // namespace tilewise::cpu
