// A block in shared memory: registers to and from it, 16 bytes at a time where neighbours allow.
#include "target/nvidia/SharedTile.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilewise::nv {

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
  // Rows and columns of disjoint bits add up, so the register's part becomes a constant offset of the address.
  if (Lowering::threadBits(layout) & constant)
    return split(on_.make<LLVM::XOrOp>(thread, on_.i32(constant)));
  return on_.make<LLVM::AddOp>(split(thread), on_.i32(constant + constant / columns_ * (rowElements_ - columns_)));
}

Value SharedTile::addressOf(Value position) {
  return on_.make<LLVM::GEPOp>(base_.getType(), on_.memoryType(element_), base_, ArrayRef<LLVM::GEPArg>{position});
}

void SharedTile::store(const LinearLayout &layout, const Registers &registers) {
  unsigned group = groupOf(layout);
  Type type = on_.memoryType(element_);
  for (unsigned first = 0; first < registers.size(); first += group) {
    Value address = addressOf(positionOf(layout, first));
    Value stored = on_.toMemory(registers[first], element_);
    if (group > 1) {
      Value packed = on_.make<LLVM::UndefOp>(VectorType::get({group}, type));
      for (unsigned i = 0; i < group; ++i)
        packed = on_.make<LLVM::InsertElementOp>(packed, on_.toMemory(registers[first + i], element_), on_.i32(i));
      stored = packed;
    }
    on_.builder.create<LLVM::StoreOp>(on_.loc, stored, address, group * elementBytes(element_));
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

} // namespace tilewise::nv
