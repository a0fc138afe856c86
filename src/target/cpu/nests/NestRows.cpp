// Rows of a nest that are taken together: each element that they share is loaded once.
// plan/ShareRows.h tells which.
#include "target/cpu/nests/NestEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

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

/// Vectors along the columns of a square -> those along its rows. Blocks of half the size are
/// exchanged, then those inside them.
static void transpose(OpBuilder &b, Location loc, MutableArrayRef<Value> square) {
  const size_t size = square.size();
  for (size_t half = size / 2; half > 0; half /= 2)
    for (size_t i = 0; i < size; ++i) {
      if (i & half)
        continue;
      SmallVector<int64_t> upper, lower;
      for (size_t j = 0; j < size; ++j) {
        upper.push_back(int64_t(j & half ? size + j - half : j));
        lower.push_back(int64_t(j & half ? size + j : j + half));
      }
      Value first = square[i], second = square[i + half];
      square[i] = b.create<vector::ShuffleOp>(loc, first, second, upper);
      square[i + half] = b.create<vector::ShuffleOp>(loc, first, second, lower);
    }
}

/// All rows of a load whose elements are neighbours along them; false when it is none.
bool NestEmitter::loadTransposed(tile::LoadOp op, const Position &position) {
  if (rows_ != lanes_ || !isTransposed(survey_, {op, position}, vectorDim_, unsigned(rowDim_)))
    return false;
  Location loc = op.getLoc();
  const int64_t row = row_;
  enterRow(0);
  const auto [address, stride] = lanesAt(op, position);
  Type element = tile::elementTypeOf(op.getType());
  at(vectorLevel_);
  SmallVector<Value> square;
  for (int64_t lane = 0; lane < lanes_; ++lane) {
    Value offset = b_.createOrFold<arith::MulIOp>(loc, stride, k_.i64(loc, lane));
    Value column = k_.offsetPointer(loc, address.value, offset);
    square.push_back(loadLanes(loc, element, column, k_.i64(loc, storageBytes(element)), {}, {}));
  }
  transpose(b_, loc, square);
  for (auto [u, value] : llvm::enumerate(square)) {
    enterRow(int64_t(u));
    *sharedLoad(op, position) = {value, vectorLevel_};
  }
  enterRow(row);
  return true;
}

} // namespace tilewise::cpu
