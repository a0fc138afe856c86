// cpu-guard-aliases: which loads and stores of a nest may meet, and what is done about it. The idea
// is told in GuardAliases.h.
#include "target/cpu/plan/GuardAliases.h"
#include "target/cpu/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;

namespace tilewise::cpu {

#define GEN_PASS_DEF_GUARDALIASES
#include "target/cpu/Passes.h.inc"

bool sameElements(const NestSurvey &survey, const LoadAt &load, tile::StoreOp store) {
  return tile::LoadOp(load.op).getPointer() == store.getPointer() && load.position == survey.identity();
}

/// The dimensions along which a block's elements differ, if they only rise or only fall along each;
/// else nothing. Which of the two it is depends on the signs of strides, and is not known.
static std::optional<llvm::SmallBitVector> monotoneDims(tile::AccessInference &inference, Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  llvm::SmallBitVector dims(type ? unsigned(type.getRank()) : 0);
  if (!type)
    return dims;
  if (const tile::AffineForm &form = inference.form(value); form.isAffine()) {
    for (auto [d, stride] : llvm::enumerate(form.strides))
      dims[unsigned(d)] = !stride->isZero();
    return dims;
  }
  Operation *op = value.getDefiningOp();
  if (auto moved = dyn_cast_or_null<tile::MovesElements>(op)) {
    auto source = monotoneDims(inference, moved.getSource());
    auto places = moved.getResultDims();
    if (!source || !places)
      return std::nullopt;
    for (unsigned d : source->set_bits())
      if ((*places)[d] >= 0)
        dims.set(unsigned((*places)[d]));
    return dims;
  }
  using tile::Arithmetic;
  const bool movesPointer = isa_and_present<tile::PtrAddOp>(op);
  const Arithmetic arithmetic = op ? tile::arithmeticOf(op) : Arithmetic::Other;
  if (!movesPointer && arithmetic == Arithmetic::Other)
    return std::nullopt;
  // Of two operands that differ along one dimension, one may rise where the other falls.
  const bool isSum = movesPointer || arithmetic == Arithmetic::Sum || arithmetic == Arithmetic::Difference;
  for (Value operand : op->getOperands()) {
    auto more = monotoneDims(inference, operand);
    if (!more || (isSum ? more->anyCommon(dims) : more->any() && dims.any()))
      return std::nullopt;
    dims |= *more;
  }
  return dims;
}

bool isMonotone(tile::AccessInference &inference, Value block) { return monotoneDims(inference, block).has_value(); }

namespace {

/// One nest that stores.
struct Guarded {
  NestOp nest;
  NestSurvey survey;
  SmallVector<tile::StoreOp> stores;

  bool isBox(tile::MemoryAccess access) const { return survey.inference.access(access).address.isAffine(); }

  bool isAllBoxes() const {
    return llvm::all_of(survey.loads, [&](const LoadAt &load) { return isBox(tile::LoadOp(load.op)); }) &&
           storesBoxes();
  }
  bool storesBoxes() const {
    return llvm::all_of(stores, [&](tile::StoreOp store) { return isBox(store); });
  }

  /// Rows whose numbers were loaded: a box each.
  bool isOfRows(const LoadAt &load) const {
    return !isBox(tile::LoadOp(load.op)) && survey.rowsOf(tile::LoadOp(load.op), load.position) != load.position;
  }

  /// Its box is not known, but where the least and the greatest of its addresses are.
  bool isBetweenCorners(const LoadAt &load) const {
    tile::LoadOp op = load.op;
    return !isBox(op) && isMonotone(survey.inference, op.getPointer());
  }

  bool storesApart() const {
    return llvm::any_of(
        stores, [&](tile::StoreOp store) { return store.getPointer() != tile::StoreOp(stores.front()).getPointer(); });
  }

  /// As a whole, where stores may meet stores, or rows are taken together.
  void guardNest() {
    const bool takesRows = nest.getRows().has_value();
    bool always = false;
    for (tile::StoreOp store : stores)
      for (const LoadAt &load : survey.loads)
        always |= !isBox(tile::LoadOp(load.op)) &&
                  (takesRows || !(isOfRows(load) || isBetweenCorners(load) || sameElements(survey, load, store)));
    nest.setGuard(always ? Guard::one_by_one : Guard::unless_overlapping);
  }

  /// Load by load.
  void guardLoads() {
    for (const LoadAt &load : survey.loads) {
      tile::LoadOp op = load.op;
      const bool several = llvm::any_of(
          survey.loads, [&](const LoadAt &other) { return other.op == op && other.position != load.position; });
      bool always = false, perhaps = false;
      for (tile::StoreOp store : stores) {
        if (!several && sameElements(survey, load, store))
          continue;
        const bool isTestable = isBox(op) && !several && isBox(store);
        always |= !isTestable;
        perhaps |= isTestable;
      }
      if (always || perhaps)
        op->setAttr(always ? kCopiedAttr : kTestedAttr, UnitAttr::get(op->getContext()));
    }
  }
};

struct GuardAliases : impl::GuardAliasesBase<GuardAliases> {
  void runOnOperation() override {
    markAllAnalysesPreserved();
    func::FuncOp kernel = tile::kernelOf(getOperation());
    if (!kernel)
      return;
    auto &inference = getChildAnalysis<tile::AccessInference>(kernel);
    kernel.walk([&](NestOp nest) {
      SmallVector<tile::StoreOp> stores(nest.getBody().getOps<tile::StoreOp>());
      if (stores.empty())
        return;
      Guarded guarded{nest, surveyOf(nest, inference), stores};
      // Rows are tested one after another, and copied in a nest of their own: results of a
      // reduction would not leave the branch.
      const bool hasRows = llvm::any_of(guarded.survey.loads, [&](const LoadAt &load) {
        return guarded.isOfRows(load) || (!nest.getRows() && guarded.isBetweenCorners(load));
      });
      const bool testsRows = hasRows && guarded.storesBoxes() && nest.getBody().getOps<tile::ReduceOp>().empty();
      if (guarded.storesApart() || (nest.getRows() && guarded.isAllBoxes()) || testsRows)
        guarded.guardNest();
      else
        guarded.guardLoads();
    });
  }
};

} // namespace

} // namespace tilewise::cpu
