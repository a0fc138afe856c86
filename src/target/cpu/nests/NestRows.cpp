// Rows of a nest that are taken together: each element that they share is loaded once.
// plan/ShareRows.h tells which.
#include "target/cpu/nests/NestEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tilewise::cpu {

void NestEmitter::enterRow(int64_t row) {
  if (phase_ != Phase::Main || rows_ == 1)
    return;
  row_ = row;
  indices_[rowDim_] = rowIndices_[row];
}

/// Where the main loop keeps what a load gives for all that load the same; null when it is alone,
/// or its mask must be asked.
LeveledValue *NestEmitter::sharedLoad(tile::LoadOp op, const Position &position) {
  auto found = rowLoads_.find(op);
  if (rows_ == 1 || phase_ != Phase::Main || found == rowLoads_.end() || !llvm::is_contained(position, rowDim_) ||
      (maskBox(op).exists && !isCovered(op, position)))
    return nullptr;
  const auto &[first, shift, offset] = found->second;
  return &sharedLoads_[{first, shift + row_, offset}];
}

/// The address of a load that has a `sharedLoad`: one register per row, and the offset from there.
LeveledValue NestEmitter::sharedAddress(tile::LoadOp op, const Position &position) {
  Location loc = op.getLoc();
  RowLoad load = rowLoads_[op];
  int64_t ahead = load.offset * storageBytes(tile::elementTypeOf(op.getType()));
  LeveledValue &row = sharedAddresses_[{load.first, load.shift + row_}];
  auto moved = [&](LeveledValue address, int64_t bytes) {
    at(address.level);
    return bytes ? LeveledValue{k_.offsetPointer(loc, address.value, k_.i64(loc, bytes)), address.level} : address;
  };
  if (!row) {
    const AddressBox &box = addressBox(op);
    row = moved(addressAt(loc, {box.start, 0}, box.strides, position), -ahead);
  }
  return moved(row, ahead);
}

} // namespace tilewise::cpu
