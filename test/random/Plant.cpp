// Planted mistakes, as rewrites of tile IR.
#include "Plant.h"

#include "ir/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/IR/LLVMContext.h"

namespace tilewise::random {
namespace {

using namespace mlir;

/// Calls `change` on every op of a kind; it says whether it changed something.
template <typename Op, typename F> int each(ModuleOp module, const F &change) {
  llvm::SmallVector<Op> ops;
  module.walk([&](Op op) { ops.push_back(op); });
  int changed = 0;
  for (Op op : ops)
    changed += change(op);
  return changed;
}

/// Replaces every op of one kind by another of the same operands.
template <typename From, typename To> int swapped(ModuleOp module) {
  return each<From>(module, [](From op) {
    OpBuilder b(op);
    op->replaceAllUsesWith(
        b.create<To>(op.getLoc(), op->getResultTypes(), op->getOperands(), llvm::ArrayRef<NamedAttribute>{}));
    op->erase();
    return 1;
  });
}

/// Every use of the op's first result sees `wrap(result)` instead, but for what makes it.
template <typename Op, typename F> int wrapped(ModuleOp module, const F &wrap) {
  return each<Op>(module, [&](Op op) {
    OpBuilder b(op->getContext());
    b.setInsertionPointAfter(op);
    Operation *next = op->getNextNode();
    Value result = op->getResult(0), instead = wrap(b, op);
    if (!instead)
      return 0;
    llvm::SmallPtrSet<Operation *, 8> makers;
    for (Operation *maker = op->getNextNode(); maker != next; maker = maker->getNextNode())
      makers.insert(maker);
    result.replaceUsesWithIf(instead, [&](OpOperand &use) { return !makers.contains(use.getOwner()); });
    return 1;
  });
}

Value filled(OpBuilder &b, Location loc, Type type, double value) {
  Type element = getElementTypeOrSelf(type);
  TypedAttr attr = isa<FloatType>(element) ? TypedAttr(b.getFloatAttr(element, value))
                                           : TypedAttr(b.getIntegerAttr(element, int64_t(value)));
  if (auto block = dyn_cast<RankedTensorType>(type))
    return b.create<arith::ConstantOp>(loc, SplatElementsAttr::get(block, Attribute(attr)));
  return b.create<arith::ConstantOp>(loc, attr);
}

bool isInRegionOf(Operation *op, llvm::StringRef name) {
  for (Operation *parent = op->getParentOp(); parent; parent = parent->getParentOp())
    if (parent->getName().getStringRef() == name)
      return true;
  return false;
}

int signedToUnsignedCompare(ModuleOp module) {
  return each<arith::CmpIOp>(module, [](arith::CmpIOp op) {
    using P = arith::CmpIPredicate;
    P from = op.getPredicate();
    P to = from == P::slt ? P::ult : from == P::sle ? P::ule : from == P::sgt ? P::ugt : from == P::sge ? P::uge : from;
    op.setPredicate(to);
    return int(from != to);
  });
}

int boundOffByOne(ModuleOp module) {
  return each<arith::CmpIOp>(module, [](arith::CmpIOp op) {
    if (op.getPredicate() != arith::CmpIPredicate::slt || isInRegionOf(op, "tile.reduce"))
      return 0;
    op.setPredicate(arith::CmpIPredicate::sle);
    return 1;
  });
}

int droppedLoadMask(ModuleOp module) {
  return each<tile::LoadOp>(module, [](tile::LoadOp op) {
    if (!op.getMask())
      return 0;
    OpBuilder b(op);
    op.replaceAllUsesWith(b.create<tile::LoadOp>(op.getLoc(), op.getPointer(), Value(), Value()).getResult());
    op.erase();
    return 1;
  });
}

int lostOther(ModuleOp module) {
  return each<tile::LoadOp>(module, [](tile::LoadOp op) {
    if (!op.getOther())
      return 0;
    op.getOtherMutable().clear();
    return 1;
  });
}

int unsignedPrint(ModuleOp module) {
  return each<tile::PrintOp>(module, [](tile::PrintOp op) {
    llvm::SmallVector<bool> isSigned(op.getIsSigned());
    if (!llvm::is_contained(isSigned, true) || op.getHex())
      return 0;
    op.setIsSigned(llvm::SmallVector<bool>(isSigned.size(), false));
    return 1;
  });
}

int lostPrint(ModuleOp module) {
  return each<tile::PrintOp>(module, [](tile::PrintOp op) {
    op.erase();
    return 1;
  });
}

int droppedStoreMask(ModuleOp module) {
  return each<tile::StoreOp>(module, [](tile::StoreOp op) {
    if (!op.getMask())
      return 0;
    op.getMaskMutable().clear();
    return 1;
  });
}

int swappedSelect(ModuleOp module) {
  return each<arith::SelectOp>(module, [](arith::SelectOp op) {
    if (isInRegionOf(op, "tile.reduce") || isInRegionOf(op, "tile.map"))
      return 0;
    Value yes = op.getTrueValue(), no = op.getFalseValue();
    op->setOperand(1, no);
    op->setOperand(2, yes);
    return int(yes != no);
  });
}

/// Rows that are all negative show it.
int maximumStartsAtZero(ModuleOp module) {
  return wrapped<tile::ReduceOp>(module, [](OpBuilder &b, tile::ReduceOp op) -> Value {
    Value result = op->getResult(0);
    bool isMaximum = false;
    op.walk([&](arith::MaxNumFOp) { isMaximum = true; });
    return isMaximum ? b.create<arith::MaxNumFOp>(op.getLoc(), result, filled(b, op.getLoc(), result.getType(), 0))
                     : Value();
  });
}

int sumStartsAtOne(ModuleOp module) {
  return wrapped<tile::ReduceOp>(module, [](OpBuilder &b, tile::ReduceOp op) -> Value {
    Value result = op->getResult(0);
    bool isSum = false;
    op.walk([&](arith::AddIOp) { isSum = true; });
    return isSum ? b.create<arith::AddIOp>(op.getLoc(), result, filled(b, op.getLoc(), result.getType(), 1)) : Value();
  });
}

int roundedToInt(ModuleOp module) {
  return each<tile::FpToSiOp>(module, [](tile::FpToSiOp op) {
    if (!getElementTypeOrSelf(op.getSource().getType()).isF32())
      return 0;
    OpBuilder b(op);
    op->setOperand(0, b.create<math::RoundEvenOp>(op.getLoc(), op.getSource()));
    return 1;
  });
}

/// The low bits of a float32 are gone before it is narrowed: towards zero instead of to nearest.
int truncatedNarrowing(ModuleOp module) {
  return each<arith::TruncFOp>(module, [](arith::TruncFOp op) {
    Type from = op.getIn().getType();
    if (!getElementTypeOrSelf(from).isF32() || !getElementTypeOrSelf(op.getType()).isBF16())
      return 0;
    OpBuilder b(op);
    Type bits = b.getI32Type();
    if (auto block = dyn_cast<RankedTensorType>(from))
      bits = block.clone(bits);
    Value raw = b.create<arith::BitcastOp>(op.getLoc(), bits, op.getIn());
    Value kept = b.create<arith::AndIOp>(op.getLoc(), raw, filled(b, op.getLoc(), bits, double(int32_t(0xffff0000))));
    op->setOperand(0, b.create<arith::BitcastOp>(op.getLoc(), from, kept));
    return 1;
  });
}

/// Saturation at the largest 8-bit float lost by one binade.
int saturationTooLow(ModuleOp module) {
  return each<arith::TruncFOp>(module, [](arith::TruncFOp op) {
    Type from = op.getIn().getType(), to = getElementTypeOrSelf(op.getType());
    if (to.getIntOrFloatBitWidth() != 8 || !getElementTypeOrSelf(from).isF32())
      return 0;
    OpBuilder b(op);
    Value low = b.create<arith::MinimumFOp>(op.getLoc(), op.getIn(), filled(b, op.getLoc(), from, 120));
    op->setOperand(0, b.create<arith::MaximumFOp>(op.getLoc(), low, filled(b, op.getLoc(), from, -120)));
    return 1;
  });
}

/// Every round sees what the loop began with.
int staleCarried(ModuleOp module) {
  return each<scf::ForOp>(module, [](scf::ForOp op) {
    int changed = 0;
    for (auto [inside, start] : llvm::zip(op.getRegionIterArgs(), op.getInitArgs())) {
      changed += !inside.use_empty();
      inside.replaceAllUsesWith(start);
    }
    return changed;
  });
}

int oneRoundTooMany(ModuleOp module) {
  return each<scf::ForOp>(module, [](scf::ForOp op) {
    OpBuilder b(op);
    op.setUpperBound(b.create<arith::AddIOp>(op.getLoc(), op.getUpperBound(), op.getStep()));
    return 1;
  });
}

/// Every access of more than one element is one element too far.
int shiftedOffsets(ModuleOp module) {
  return each<tile::LoadOp>(module, [](tile::LoadOp op) {
    auto add = op.getPointer().getDefiningOp<tile::PtrAddOp>();
    if (!add || !isa<RankedTensorType>(op.getType()))
      return 0;
    OpBuilder b(op);
    Value offset = add.getOffset();
    Value further = b.create<arith::AddIOp>(op.getLoc(), offset, filled(b, op.getLoc(), offset.getType(), 1));
    op->setOperand(0, b.create<tile::PtrAddOp>(op.getLoc(), add.getType(), add.getPointer(), further));
    return 1;
  });
}

int wrongStride(ModuleOp module) {
  return each<arith::MulIOp>(module, [](arith::MulIOp op) {
    auto splat = op.getRhs().getDefiningOp<arith::ConstantOp>();
    if (!splat || !isa<RankedTensorType>(op.getType()) || !op.getLhs().getDefiningOp<tile::ExpandDimsOp>())
      return 0;
    op.replaceAllUsesWith(op.getLhs());
    op.erase();
    return 1;
  });
}

/// The last element along the innermost dimension is never stored.
int skippedTail(ModuleOp module) {
  return each<tile::StoreOp>(module, [](tile::StoreOp op) {
    auto block = dyn_cast<RankedTensorType>(op.getValue().getType());
    if (!block || block.getRank() != 1 || block.getDimSize(0) < 2)
      return 0;
    OpBuilder b(op);
    const int32_t count = int32_t(block.getDimSize(0));
    auto indices = RankedTensorType::get({count}, b.getI32Type());
    Value range = b.create<tile::RangeOp>(op.getLoc(), indices, 0, count);
    Value inner = b.create<arith::CmpIOp>(op.getLoc(), arith::CmpIPredicate::slt, range,
                                          filled(b, op.getLoc(), indices, count - 1));
    if (op.getMask())
      inner = b.create<arith::AndIOp>(op.getLoc(), inner, op.getMask());
    op.getMaskMutable().assign(inner);
    return 1;
  });
}

int doubledAtomic(ModuleOp module) {
  return each<tile::AtomicRmwOp>(module, [](tile::AtomicRmwOp op) {
    OpBuilder b(op);
    b.clone(*op);
    return 1;
  });
}

int lostNegativeZero(ModuleOp module) {
  return each<arith::NegFOp>(module, [](arith::NegFOp op) {
    OpBuilder b(op);
    op.replaceAllUsesWith(
        b.create<arith::SubFOp>(op.getLoc(), filled(b, op.getLoc(), op.getType(), 0), op.getOperand()).getResult());
    op.erase();
    return 1;
  });
}

int droppedAccumulator(ModuleOp module) {
  return each<tile::DotOp>(module, [](tile::DotOp op) {
    if (matchPattern(op.getAcc(), m_Constant()))
      return 0;
    OpBuilder b(op);
    op.getAccMutable().assign(filled(b, op.getLoc(), op.getAcc().getType(), 0));
    return 1;
  });
}

int turnedScan(ModuleOp module) {
  return each<tile::ScanOp>(module, [](tile::ScanOp op) {
    op.setReverse(!op.getReverse());
    return 1;
  });
}

/// Of equal elements the last one: only reductions that look at an index.
int lastOfEqual(ModuleOp module) {
  return each<tile::ReduceOp>(module, [](tile::ReduceOp op) {
    if (op.getNumResults() != 2)
      return 0;
    int changed = 0;
    op.walk([&](arith::CmpIOp compare) {
      if (compare.getLhs() == op.getCombine().front().getArgument(1) &&
          compare.getPredicate() == arith::CmpIPredicate::slt) {
        compare.setPredicate(arith::CmpIPredicate::sgt);
        ++changed;
      }
    });
    return changed;
  });
}

int twoRoundings(ModuleOp module) {
  return each<math::FmaOp>(module, [](math::FmaOp op) {
    OpBuilder b(op);
    Value product = b.create<arith::MulFOp>(op.getLoc(), op.getA(), op.getB());
    op.replaceAllUsesWith(b.create<arith::AddFOp>(op.getLoc(), product, op.getC()).getResult());
    op.erase();
    return 1;
  });
}

int swappedJoin(ModuleOp module) {
  return each<tile::JoinOp>(module, [](tile::JoinOp op) {
    Value left = op.getLhs(), right = op.getRhs();
    op->setOperand(0, right);
    op->setOperand(1, left);
    return int(left != right);
  });
}

int lostPermutation(ModuleOp module) {
  return each<tile::PermuteOp>(module, [](tile::PermuteOp op) {
    OpBuilder b(op);
    op.replaceAllUsesWith(b.create<tile::ReshapeOp>(op.getLoc(), op.getType(), op.getSource()).getResult());
    op.erase();
    return 1;
  });
}

int flushedDenormals(ModuleOp module) {
  return wrapped<arith::MulFOp>(module, [](OpBuilder &b, arith::MulFOp op) -> Value {
    if (!getElementTypeOrSelf(op.getType()).isF32())
      return Value();
    Location loc = op.getLoc();
    Value size = b.create<math::AbsFOp>(loc, op.getResult());
    Value isSmall =
        b.create<arith::CmpFOp>(loc, arith::CmpFPredicate::OLT, size, filled(b, loc, op.getType(), 0x1p-126));
    return b.create<arith::SelectOp>(loc, isSmall, filled(b, loc, op.getType(), 0), op.getResult());
  });
}

} // namespace

const std::vector<Plant> &plants() {
  static const std::vector<Plant> all = {
      {"integer sums are differences", swapped<arith::AddIOp, arith::SubIOp>},
      {"signed comparisons are unsigned", signedToUnsignedCompare},
      {"signed division is unsigned", swapped<tile::DivSOp, tile::DivUOp>},
      {"arithmetic shifts are logical", swapped<tile::ShrSOp, tile::ShrUOp>},
      {"sign extensions are zero extensions", swapped<arith::ExtSIOp, arith::ExtUIOp>},
      {"loads lose their mask", droppedLoadMask},
      {"loads lose other=", lostOther},
      {"stores lose their mask", droppedStoreMask},
      {"i < n is i <= n", boundOffByOne},
      {"selects are swapped", swappedSelect},
      {"a maximum starts at 0", maximumStartsAtZero},
      {"a sum starts at 1", sumStartsAtOne},
      {"float to int rounds to nearest", roundedToInt},
      {"float32 to bfloat16 truncates", truncatedNarrowing},
      {"8-bit floats saturate too early", saturationTooLow},
      {"maximum propagates a NaN", swapped<arith::MaxNumFOp, arith::MaximumFOp>},
      {"a loop carries a stale value", staleCarried},
      {"a loop runs once more", oneRoundTooMany},
      {"loads are one element off", shiftedOffsets},
      {"rows have a stride of 1", wrongStride},
      {"the last element is not stored", skippedTail},
      {"atomics happen twice", doubledAtomic},
      {"-0 is 0", lostNegativeZero},
      {"a dot forgets its accumulator", droppedAccumulator},
      {"scans run the other way", turnedScan},
      {"argmax takes the last of equals", lastOfEqual},
      {"fma rounds twice", twoRoundings},
      {"join swaps its operands", swappedJoin},
      {"permutations are reshapes", lostPermutation},
      {"denormal products are flushed", flushedDenormals},
      {"prints are lost", lostPrint},
      {"signed numbers are printed unsigned", unsignedPrint},
  };
  return all;
}

Result<Artifact> compilePlanted(const CompileRequest &request, int plant) {
  CompileRequest plain = request;
  plain.target = *Target::parse("reference");
  auto reference = compile(plain);
  if (!reference)
    return reference.takeFailure();
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(reference->code, &context);
  if (!module)
    return internalFailure("the reference engine's tile IR does not parse");
  if (!plants()[size_t(plant - 1)].apply(*module))
    return launchFailure(kNotPlanted);
  auto backend = createCpuBackend(request.target, request.options);
  mlir::PassManager passes(&context);
  for (const Backend::Stage &stage : backend->stages())
    stage.addPasses(passes);
  if (failed(passes.run(*module)))
    return internalFailure("the planted kernel does not compile");
  llvm::LLVMContext llvmContext;
  auto translated = backend->translate(*module, llvmContext);
  if (!translated)
    return translated.takeFailure();
  Artifact artifact = *reference;
  artifact.target = request.target;
  backend->fillPlan(*module, artifact.plan);
  auto code = backend->emitCode(*module, translated->get());
  if (!code)
    return code.takeFailure();
  artifact.code = std::move(*code);
  return artifact;
}

} // namespace tilewise::random
