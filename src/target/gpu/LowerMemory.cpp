// Loads and stores -> accesses of up to 16 bytes per thread, predicated where there is a mask.
//
// A group of registers that hold neighbours in memory (`gpu.vector`) moves as one access,
// predicated by the group's mask. Where the mask may differ within a group, it is predicated by all
// of the group being on, and one branch follows: threads with a group that is partly on (at the
// border of an array) move the rest of it element by element. A branch, because narrow loads into
// the same registers would wait for the wide ones to arrive even when they are off.
#include "target/gpu/Lowering.h"
#include "target/gpu/TileAccess.h"

using namespace mlir;

namespace tilewise::gpu {

namespace {

unsigned vectorOf(Operation *op) {
  auto vector = op->getAttrOfType<IntegerAttr>(GpuDialect::kVectorAttr);
  return vector ? vector.getInt() : 1;
}

/// The masks of a load or store, group by group.
class GroupMasks {
public:
  GroupMasks(Lowering &on, Operation *op, Value mask) : on_(on), vector_(vectorOf(op)) {
    if (mask)
      masks_ = on.registersOf(mask);
    uniform_ = vector_ == 1 || op->hasAttr(GpuDialect::kUniformMaskAttr);
    for (unsigned first = 0; first < masks_.size(); first += vector_)
      addGroup(ArrayRef<Value>(masks_).slice(first, vector_));
  }

  unsigned vector() const { return vector_; }
  /// On when the whole group is; null: always.
  Value all(unsigned group) const { return masks_.empty() ? Value() : all_[group]; }
  /// On where the element is and its group, as a whole, is not; null when the group is never split.
  Value single(unsigned reg) const {
    return split_[reg / vector_] ? on_.both(masks_[reg], notAll_[reg / vector_]) : Value();
  }
  /// On where some of the group is and some is not; null when the group is never split.
  Value isSplit(unsigned group) const { return split_.empty() ? Value() : split_[group]; }
  /// Some group of this thread is partly on; null when none is ever split.
  Value anySplit() const {
    Value any;
    for (Value split : split_)
      if (split)
        any = any ? on_.make<LLVM::OrOp>(any, split) : split;
    return any;
  }

private:
  void addGroup(ArrayRef<Value> group) {
    all_.push_back(group.front());
    notAll_.emplace_back();
    split_.emplace_back();
    if (uniform_ || llvm::all_equal(group))
      return;
    Value all, any;
    for (Value mask : group) {
      all = on_.both(all, mask);
      any = any ? on_.make<LLVM::OrOp>(any, mask) : mask;
    }
    all_.back() = all;
    notAll_.back() = on_.make<LLVM::XOrOp>(all, on_.constant(on_.builder.getI1Type(), 1));
    split_.back() = on_.both(any, notAll_.back());
  }

  Lowering &on_;
  unsigned vector_;
  bool uniform_;
  Registers masks_;
  SmallVector<Value> all_, notAll_, split_;
};

/// The address of one element of a group, counted from the group's first: the other pointers then
/// need not be kept.
Value elementOf(Lowering &on, Type element, ArrayRef<Value> pointers, unsigned reg, unsigned vector) {
  Value first = pointers[reg - reg % vector];
  if (reg % vector == 0)
    return first;
  return on.make<LLVM::GEPOp>(first.getType(), on.memoryType(element), first,
                              ArrayRef<LLVM::GEPArg>{int32_t(reg % vector)});
}

Type pointeeOf(Value pointer) { return cast<tile::PtrType>(tile::elementTypeOf(pointer.getType())).getPointee(); }

} // namespace

LogicalResult Lowering::lowerLoad(tile::LoadOp op) {
  Type element = pointeeOf(op.getPointer());
  AccessHints hints{op.getCache(), op.getEviction(), op.getIsVolatile()};
  const Registers pointers = registersOf(op.getPointer());
  GroupMasks masks(*this, op, op.getMask());
  Registers others = op.getOther() ? registersOf(op.getOther()) : Registers(pointers.size(), zero(element));
  unsigned vector = masks.vector();
  Registers result;
  for (unsigned first = 0; first < pointers.size(); first += vector)
    llvm::append_range(result, machine.load(*this, element, hints, pointers[first], masks.all(first / vector),
                                            ArrayRef<Value>(others).slice(first, vector)));
  if (Value split = masks.anySplit())
    result = branchAround(split, result, [&] {
      Registers filled = result;
      for (auto [reg, value] : llvm::enumerate(filled))
        if (Value single = masks.single(reg)) {
          Value pointer = elementOf(*this, element, pointers, reg, vector);
          value = machine.load(*this, element, hints, pointer, single, value).front();
        }
      return filled;
    });
  set(op, std::move(result));
  return success();
}

LogicalResult Lowering::lowerStore(tile::StoreOp op) {
  Type element = pointeeOf(op.getPointer());
  AccessHints hints{op.getCache(), op.getEviction(), /*isVolatile=*/false};
  const Registers pointers = registersOf(op.getPointer()), values = registersOf(op.getValue());
  bool block = isBlock(op.getValue().getType());
  Value owner = block ? ownerOf(layoutOf(op.getValue().getType())) : isFirstThread();
  GroupMasks masks(*this, op, op.getMask());
  unsigned vector = masks.vector();
  for (unsigned first = 0; first < pointers.size(); first += vector)
    machine.store(*this, element, hints, pointers[first], both(masks.all(first / vector), owner),
                  ArrayRef<Value>(values).slice(first, vector));
  if (Value split = masks.anySplit())
    branchAround(split, {}, [&] {
      for (unsigned reg = 0; reg < pointers.size(); ++reg)
        if (Value single = masks.single(reg))
          machine.store(*this, element, hints, elementOf(*this, element, pointers, reg, vector), both(single, owner),
                        values[reg]);
      return Registers();
    });
  return success();
}

/// As a load, but to shared memory, and without waiting. Groups that are partly on are loaded
/// element by element and stored.
LogicalResult Lowering::lowerFill(FillOp op) {
  Type element = pointeeOf(op.getPointer());
  const Registers pointers = registersOf(op.getPointer());
  GroupMasks masks(*this, op, op.getMask());
  TileAccess tile(*this, scalarOf(op.getTile()), op.getTile().getType(), layoutOf(op.getPointer().getType()));
  Value enabled = op.getEnabled() ? scalarOf(op.getEnabled()) : Value();
  Value off = constant(builder.getI1Type(), 1);
  unsigned vector = masks.vector(), bytes = vector * elementBytes(element);
  for (unsigned first = 0; first < pointers.size(); first += vector) {
    Value split = masks.isSplit(first / vector);
    Value whole = split ? both(enabled, make<LLVM::XOrOp>(split, off)) : enabled;
    machine.copyAsync(*this, tile.addressOf(first), pointers[first], bytes, masks.all(first / vector), whole);
  }
  if (Value split = masks.anySplit())
    branchAround(both(split, enabled), {}, [&] {
      for (unsigned first = 0; first < pointers.size(); first += vector) {
        Value partly = masks.isSplit(first / vector);
        if (!partly)
          continue;
        branchAround(partly, {}, [&] {
          Registers values;
          for (unsigned reg = first; reg < first + vector; ++reg)
            values.push_back(machine
                                 .load(*this, element, {}, elementOf(*this, element, pointers, reg, vector),
                                       masks.single(reg), zero(element))
                                 .front());
          tile.storeRun(first, values);
          return Registers();
        });
      }
      return Registers();
    });
  return success();
}

} // namespace tilewise::gpu
