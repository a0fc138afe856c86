// cpu-plan-dots: the unit of each dot, and how it is given its operands. PlanDots.h tells what
// there is.
#include "target/cpu/plan/PlanDots.h"
#include "target/cpu/Passes.h"
#include "target/cpu/Storage.h"
#include "target/cpu/plan/NestLanes.h"

using namespace mlir;

namespace tilewise::cpu {

#define GEN_PASS_DEF_PLANDOTS
#include "target/cpu/Passes.h.inc"

Type operandType(tile::DotOp dot, DotUnit unit) {
  Type acc = tile::elementTypeOf(dot.getType());
  if (unit == DotUnit::I8Quads || unit == DotUnit::I8Tiles)
    return IntegerType::get(acc.getContext(), 8);
  if (unit == DotUnit::I16Pairs)
    return IntegerType::get(acc.getContext(), 16);
  if (unit == DotUnit::Bf16Pairs || unit == DotUnit::Bf16Tiles)
    return BFloat16Type::get(acc.getContext());
  if (unit == DotUnit::HalfTiles)
    return Float16Type::get(acc.getContext());
  if (isa<FloatType>(acc) && acc.getIntOrFloatBitWidth() < 32)
    return Float32Type::get(acc.getContext());
  return acc;
}

/// bf16 holds it: no more than 8 bits of mantissa, no larger range.
static bool fitsBf16(Type type) {
  auto format = dyn_cast<FloatType>(type);
  return format && (format.isBF16() || format.getWidth() == 8);
}

/// Which unit computes the dot on this machine.
static DotUnit chooseDotUnit(const Machine &machine, tile::DotOp dot) {
  Type a = tile::elementTypeOf(dot.getA().getType()), b = tile::elementTypeOf(dot.getB().getType()),
       acc = tile::elementTypeOf(dot.getType());
  ArrayRef<int64_t> shape = tile::shapeOf(dot.getType());
  const int64_t m = shape[shape.size() - 2], n = shape.back(), depth = tile::shapeOf(dot.getA().getType()).back();
  const bool isInt8 = a.isInteger(8) && b.isInteger(8) && acc.isInteger(32);
  const bool isBf16 = fitsBf16(a) && fitsBf16(b) && acc.isF32(), isHalf = a.isF16() && b.isF16() && acc.isF32();
  if (!isInt8 && !isBf16 && !isHalf)
    return DotUnit::Plain;
  // A tile has up to 16 rows of 16 words; smaller blocks have smaller tiles, larger ones must be
  // made of whole ones.
  const int64_t words = depth * (isInt8 ? 1 : 2) / 4;
  const bool makesTiles = (m < 16 || m % 16 == 0) && n % 16 == 0 && words > 0 && (words < 16 || words % 16 == 0);
  if (makesTiles && isInt8 && machine.hasTileInt8)
    return DotUnit::I8Tiles;
  if (makesTiles && !isInt8 && machine.hasTileBf16 && (isBf16 || depth % 32 == 0))
    return isBf16 ? DotUnit::Bf16Tiles : DotUnit::HalfTiles;
  // The instructions come for 4, 8 and 16 words.
  if (isInt8 && machine.hasVnni && n % 4 == 0 && depth % 16 == 0)
    return DotUnit::I8Quads;
  if (isInt8 && machine.isX86 && n % 4 == 0 && depth % 2 == 0)
    return DotUnit::I16Pairs;
  if (isBf16 && machine.hasBf16 && n % 4 == 0 && depth % 2 == 0)
    return DotUnit::Bf16Pairs;
  return DotUnit::Plain;
}

TileShape microTile(const Machine &machine, int64_t rows, int64_t columns, Type element) {
  const bool isWide = machine.vectorRegisters >= 32;
  const int64_t lanes = largestDivisor(columns, machine.lanes(element.getIntOrFloatBitWidth()));
  const int64_t vectors = std::min<int64_t>(columns / lanes, isWide ? 4 : 2);
  return {std::min<int64_t>(rows, isWide ? (vectors >= 3 ? 24 / vectors : 12) : (vectors == 2 ? 6 : 8)), vectors,
          lanes};
}

bool isPaddedMatrix(int64_t columns, Type element) { return columns * storageBytes(element) % 512 == 0; }

int64_t transposedSquare(const Machine &machine, int64_t rows, int64_t columns, Type element) {
  const int64_t lanes = machine.lanes(storageType(element).getIntOrFloatBitWidth());
  return std::min(largestDivisor(rows, lanes), largestDivisor(columns, lanes));
}

/// Rows of a left operand in place lie at any distance, as often as not a multiple of 4096 bytes,
/// which sends them all to one set of the first cache: this many have room there beside the right
/// operand. Fewer rows than twice a tile's are not worth a second path.
static constexpr int64_t kRowsInPlace = 6;

static bool readsLeftInPlace(const Machine &machine, ArrayRef<int64_t> shape, Type element) {
  const int64_t rows = shape[shape.size() - 2];
  return rows >= 2 * kRowsInPlace && microTile(machine, rows, shape.back(), element).rows <= kRowsInPlace;
}

namespace {

struct PlanDots : impl::PlanDotsBase<PlanDots> {
  PlanDots() = default;
  explicit PlanDots(const Machine &machine) : machine(machine) {}

  void runOnOperation() override {
    markAllAnalysesPreserved();
    func::FuncOp kernel = tile::kernelOf(getOperation());
    if (!kernel)
      return;
    inference = &getChildAnalysis<tile::AccessInference>(kernel);
    kernel.walk([&](tile::DotOp dot) {
      const DotUnit unit = chooseDotUnit(machine, dot);
      dot->setAttr(kDotPlanAttr, DotPlanAttr::get(&getContext(), unit, leftOf(dot, unit), rightOf(dot, unit)));
    });
  }

  /// The scratch that a block lies in, or that it is another view of; null where it has room of its
  /// own.
  static Value scratchBehind(Value block) {
    if (auto read = block.getDefiningOp<ReadOp>())
      return read.getScratch();
    auto moved = block.getDefiningOp<tile::MovesElements>();
    return moved ? scratchBehind(moved.getSource()) : Value();
  }

  /// Whether the operand lies in scratch already, converted, and the dot does not write it.
  bool isKept(tile::DotOp dot, Value operand, Type element) {
    if (!liesInScratch(operand) || tile::elementTypeOf(operand.getType()) != element)
      return false;
    Value scratch = scratchBehind(operand);
    return !scratch || llvm::none_of(dot->getUsers(), [&](Operation *user) {
      auto keep = dyn_cast<KeepOp>(user);
      return keep && keep->getBlock() == dot->getBlock() && keep.getScratch() == scratch;
    });
  }

  /// Whether to read the block down its columns: along its rows every lane would be an access of
  /// its own.
  bool liesInColumns(Value operand) {
    const unsigned rank = unsigned(tile::shapeOf(operand.getType()).size());
    return readingCost(*inference, machine, operand, rank - 2) < readingCost(*inference, machine, operand, rank - 1);
  }

  /// Whether it is a matrix that was loaded from where dimension `along` is contiguous, with
  /// nothing to convert. A `dense` one would lie in scratch as it does there.
  bool mayStayInPlace(Value operand, Type element, unsigned along, bool isDense) {
    auto load = operand.getDefiningOp<tile::LoadOp>();
    if (!load || load.getIsVolatile() || tile::elementTypeOf(operand.getType()) != element)
      return false;
    const tile::StructuredAccess &access = inference->access(load);
    return access.shape.size() == 2 && access.element == element && access.isStructured() &&
           access.address.strides[along]->isConstant(1) && !(isDense && isPaddedMatrix(access.shape[along], element));
  }

  Given leftOf(tile::DotOp dot, DotUnit unit) {
    Type element = operandType(dot, unit);
    Value operand = dot.getA();
    if (isKept(dot, operand, element))
      return Given::Kept;
    const bool isPlain = unit == DotUnit::Plain;
    if (isPlain && liesInColumns(operand))
      return Given::Columns;
    const bool isWorthIt =
        hasTiles(unit) || (isPlain && readsLeftInPlace(machine, tile::shapeOf(dot.getType()), element));
    return isWorthIt && mayStayInPlace(operand, element, 1, /*isDense=*/false) ? Given::RowsInPlace : Given::Rows;
  }

  Given rightOf(tile::DotOp dot, DotUnit unit) {
    Type element = operandType(dot, unit);
    Value operand = dot.getB();
    if (isKept(dot, operand, element))
      return Given::Kept;
    ArrayRef<int64_t> shape = tile::shapeOf(operand.getType());
    const int64_t depth = shape[shape.size() - 2], group = std::max<int64_t>(4 / storageBytes(element), 1);
    Type moved = group > 1 ? Type(IntegerType::get(element.getContext(), 32)) : element;
    // A square of fewer than 4 registers has more steps than what it saves.
    if (depth % group == 0 && transposedSquare(machine, depth / group, shape.back(), moved) >= 4 &&
        liesInColumns(operand))
      return group == 1 && mayStayInPlace(operand, element, 0, /*isDense=*/false) ? Given::ColumnsInPlace
                                                                                  : Given::Columns;
    return mayStayInPlace(operand, element, 1, /*isDense=*/unit == DotUnit::Plain) ? Given::RowsInPlace : Given::Rows;
  }

  Machine machine;
  tile::AccessInference *inference = nullptr;
};

} // namespace

std::unique_ptr<Pass> createPlanDotsPass(const Machine &machine) { return std::make_unique<PlanDots>(machine); }

} // namespace tilewise::cpu
