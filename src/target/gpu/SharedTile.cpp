// A block in shared memory: registers to and from it, 16 bytes at a time where neighbours allow.
#include "target/gpu/SharedTile.h"

#include "target/gpu/MatrixAccess.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilewise::gpu {

unsigned SharedTile::groupOf(const LinearLayout &layout) const {
  unsigned widest = std::max(1u, 16 / elementBytes(element_)), group = 1;
  for (uint32_t basis : layout.bases(Level::Register)) {
    if (basis != group || group >= widest || group >= columns_)
      break;
    group *= 2;
  }
  while (group > 1 && (Lowering::threadBits(layout) & (group - 1) || rowElements_ % group))
    group /= 2;
  return group;
}

Value SharedTile::positionOf(const LinearLayout &layout, uint32_t reg) {
  Value thread = on_.threadElement(layout);
  uint32_t constant = layout.element(reg);
  auto split = [&](Value element) -> Value {
    if (rowElements_ == columns_)
      return element;
    Value row = on_.make<LLVM::LShrOp>(element, on_.i32(llvm::Log2_32(columns_)));
    Value padding = on_.make<LLVM::MulOp>(row, on_.i32(rowElements_ - columns_));
    return on_.make<LLVM::AddOp>(element, padding);
  };
  // Rows and columns of disjoint bits add up, so the register's part becomes a constant offset of
  // the address.
  if (Lowering::threadBits(layout) & constant)
    return split(on_.make<LLVM::XOrOp>(thread, on_.i32(constant)));
  return on_.make<LLVM::AddOp>(split(thread), on_.i32(constant + constant / columns_ * (rowElements_ - columns_)));
}

Value SharedTile::addressOf(Value position) {
  return on_.make<LLVM::GEPOp>(base_.getType(), on_.memoryType(element_), base_, ArrayRef<LLVM::GEPArg>{position});
}

void SharedTile::storeRun(Value position, ArrayRef<Value> values) {
  Value stored = on_.toMemory(values.front(), element_);
  if (values.size() > 1) {
    Value packed = on_.make<LLVM::UndefOp>(VectorType::get({int64_t(values.size())}, on_.memoryType(element_)));
    for (auto [i, value] : llvm::enumerate(values))
      packed = on_.make<LLVM::InsertElementOp>(packed, on_.toMemory(value, element_), on_.i32(i));
    stored = packed;
  }
  on_.builder.create<LLVM::StoreOp>(on_.loc, stored, addressOf(position), values.size() * elementBytes(element_));
}

void SharedTile::store(const LinearLayout &layout, const Registers &registers) {
  unsigned group = groupOf(layout);
  for (unsigned first = 0; first < registers.size(); first += group)
    storeRun(positionOf(layout, first), ArrayRef<Value>(registers).slice(first, group));
}

std::optional<SharedTile::InWindow> SharedTile::inWindow(const LinearLayout &layout, uint32_t reg, Window window) {
  uint32_t outer = uint32_t(layout.elements() - 1) & ~(window.count - 1), fixed = layout.element(reg);
  uint32_t byThread = Lowering::threadBits(layout) & outer;
  if ((fixed ^ window.first) & outer & ~byThread)
    return std::nullopt;
  Value element = on_.elementAt(layout, on_.threadElement(layout), reg);
  Value position = on_.make<LLVM::AndOp>(element, on_.i32(window.count - 1));
  if (!byThread)
    return InWindow{position, {}};
  Value high = on_.make<LLVM::AndOp>(element, on_.i32(outer));
  return InWindow{position, on_.compare(LLVM::ICmpPredicate::eq, high, on_.i32(window.first))};
}

bool SharedTile::storeMatrices(const LinearLayout &layout, const Registers &registers, Window window) {
  constexpr unsigned kMostBytes = 16;
  const unsigned bytes = elementBytes(element_);
  const uint32_t outer = uint32_t(layout.elements() - 1) & ~(window.count - 1);
  if (!on_.machine.hasMatrixStores() || rowElements_ != columns_ || groupOf(layout) * bytes >= kMostBytes ||
      Lowering::threadBits(layout) & outer)
    return false;
  LinearLayout::Bases levels[3];
  for (Level level : {Level::Register, Level::Lane, Level::Warp})
    for (uint32_t basis : layout.bases(level))
      levels[unsigned(level)].push_back(basis * bytes);
  std::optional<MatrixAccess> access =
      matrixAccessFor(LinearLayout({layout.elements() * bytes}, levels[0], levels[1], levels[2]), bytes);
  if (!access)
    return false;
  for (uint32_t reg = 0; reg < registers.size(); ++reg)
    if ((layout.element(reg) ^ layout.element(reg - reg % access->registers)) & outer)
      return false;
  const LinearLayout &addresses = access->addresses;
  const unsigned inWord = access->registers / access->matrices;
  for (uint32_t first = 0; first < registers.size(); first += access->registers) {
    if ((layout.element(first) & outer) != window.first)
      continue;
    SmallVector<Value> words;
    for (uint32_t reg = first; reg < first + access->registers; reg += inWord) {
      Value word = on_.make<LLVM::UndefOp>(VectorType::get({inWord}, on_.memoryType(element_)));
      for (unsigned i = 0; i < inWord; ++i)
        word = on_.make<LLVM::InsertElementOp>(word, on_.toMemory(registers[reg + i], element_), on_.i32(i));
      words.push_back(on_.make<LLVM::BitcastOp>(on_.builder.getI32Type(), word));
    }
    Value offset = on_.xorConstant(on_.threadElement(addresses), Lowering::threadBits(addresses),
                                   (layout.element(first) & ~outer) * bytes);
    on_.machine.storeMatrices(on_, on_.advance(base_, offset), words, access->across);
  }
  return true;
}

void SharedTile::storeTogether(const LinearLayout &layout, const Registers &registers, Window window) {
  if (!storeMatrices(layout, registers, window))
    store(layout, registers, window);
}

void SharedTile::store(const LinearLayout &layout, const Registers &registers, Window window) {
  unsigned group = groupOf(layout);
  for (unsigned first = 0; first < registers.size(); first += group)
    if (auto at = inWindow(layout, first, window)) {
      // A thread with an element of another round writes it where nobody reads.
      Value position = at->inside ? on_.select(at->inside, at->position, on_.i32(window.count)) : at->position;
      storeRun(position, ArrayRef<Value>(registers).slice(first, group));
    }
}

void SharedTile::load(const LinearLayout &layout, Registers &registers, Window window) {
  unsigned group = groupOf(layout);
  for (unsigned first = 0; first < registers.size(); first += group)
    if (auto at = inWindow(layout, first, window))
      for (auto [i, value] : llvm::enumerate(loadRun(at->position, group))) {
        Value &kept = registers[first + i];
        kept = at->inside && kept ? on_.select(at->inside, value, kept) : value;
      }
}

void SharedTile::storeOne(Value position, Value value) {
  on_.builder.create<LLVM::StoreOp>(on_.loc, on_.toMemory(value, element_), addressOf(position),
                                    elementBytes(element_));
}

Registers SharedTile::loadRun(Value position, unsigned count) {
  Type type = on_.memoryType(element_);
  Value address = addressOf(position);
  if (count == 1)
    return {on_.fromMemory(on_.make<LLVM::LoadOp>(type, address, elementBytes(element_)), element_)};
  Value loaded = on_.make<LLVM::LoadOp>(VectorType::get({count}, type), address, count * elementBytes(element_));
  Registers result;
  for (unsigned i = 0; i < count; ++i)
    result.push_back(on_.fromMemory(on_.make<LLVM::ExtractElementOp>(loaded, on_.i32(i)), element_));
  return result;
}

Registers SharedTile::load(const LinearLayout &layout) {
  unsigned group = groupOf(layout);
  Registers result;
  for (unsigned first = 0; first < layout.registers(); first += group)
    llvm::append_range(result, loadRun(positionOf(layout, first), group));
  return result;
}

} // namespace tilewise::gpu
