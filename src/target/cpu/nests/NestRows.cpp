// Rows taken together: where neighbouring rows of a nest load the same elements, the main loop computes several of them at once.
//
// A stencil of 3 x 3 loads nine chunks for one of its result, and the rows that it needs for the next result's row are mostly those it had:
//
//     row y        loads rows y, y + 1, y + 2                  9 loads per chunk, 36 for four rows
//     rows y..y+3  load rows y .. y + 5, each once             18 loads for four rows
//
// Which loads those are is told by their forms: two of them, with one pointer and the same strides, whose bases are apart by a multiple of
// the stride of dimension d, load one another's rows of d; a few elements more or less are an offset in the instruction. The nest's loop over d then counts in steps of `rows`, and inside the main loop
// a load of row u stands for all that have the same address. What the masks do not allow in all of these rows is left to the rest loop,
// which takes one row after another.
//
// Loads are what bounds a stencil: two per cycle, and one that crosses a cache line, as those one column to the right do, counts twice.
// Measured on one core of an Ice Lake server, a convolution of 3 x 3, as a share of memcpy: 0.70 with one row, 0.88 with two, 0.95 with four.
#include "target/cpu/nests/NestEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <set>

using namespace mlir;

namespace tilewise::cpu {

// Registers hold the results of so many rows beside what they are made from.
static constexpr int64_t kMostRows = 4;
// Loads further apart than this share nothing that is still in a register.
static constexpr int64_t kMostShift = 16;
// Elements between loads of one row: x86 and AArch64 have them in the instruction.
static constexpr int64_t kMostOffset = 512;
// Ops in the body of a loop: more than this costs more to compile, and to fetch, than the loads do.
static constexpr unsigned kMostOps = 512;

/// Fills `rowLoads_` for rows along `dim`; gives how many loads a chunk of so many rows needs.
unsigned NestEmitter::distinctLoads(unsigned dim, int64_t rows) {
  rowLoads_.clear();
  std::set<std::tuple<Operation *, int64_t, int64_t>> distinct;
  for (auto [at, load] : llvm::enumerate(loads_)) {
    tile::StructuredAccess access = k_.inference.access(load.op);
    auto where = llvm::find(load.position, int8_t(dim));
    bool isShared = where != load.position.end() && llvm::is_contained(load.position, vectorDim_) &&
                    access.isStructured() && !load.op.getIsVolatile() &&
                    llvm::count_if(loads_, [&](LoadAt other) { return other.op == load.op; }) == 1;
    RowLoad found{load.op, 0, 0};
    if (isShared)
      for (LoadAt earlier : ArrayRef<LoadAt>(loads_).take_front(at)) {
        auto known = rowLoads_.find(earlier.op);
        if (known == rowLoads_.end() || known->second.first != earlier.op || earlier.position != load.position)
          continue;
        tile::StructuredAccess first = k_.inference.access(earlier.op);
        if (first.address.pointer != access.address.pointer || first.element != access.element ||
            !llvm::equal(first.address.strides, access.address.strides))
          continue;
        tile::ScalarExpr stride = tile::lookInto(*access.address.strides[size_t(where - load.position.begin())]);
        tile::ScalarExpr apart = tile::lookInto(*access.address.base - *first.address.base);
        for (int64_t shift = -kMostShift; shift <= kMostShift && !stride.isZero(); ++shift) {
          tile::ScalarExpr rest = apart - stride * tile::ScalarExpr(shift);
          int64_t most = found.first == load.op ? kMostOffset : std::abs(found.offset);
          if (rest.isConstant() && std::abs(rest.constant()) < most)
            found = {earlier.op, shift, rest.constant()};
        }
      }
    if (isShared)
      rowLoads_[load.op] = found;
    for (int64_t row = 0; row < rows; ++row)
      distinct.insert({found.first, found.shift + row, found.offset});
  }
  return unsigned(distinct.size());
}

void NestEmitter::chooseRows() {
  bool isPlain =
      llvm::all_of(nest_.roots, [](const Root &root) { return root.kind == Root::Store || root.kind == Root::Keep; });
  // Without the instruction a fused multiply-add is some ninety others, beside which loads are nothing.
  if (vectorDim_ < 0 || !isPlain || loads_.size() < 2 || !k_.machine.hasFma)
    return;
  for (int64_t rows = kMostRows; rows > 1; rows /= 2)
    for (size_t d = 0; d < nest_.shape.size(); ++d) {
      if (int(d) == vectorDim_ || nest_.shape[d] == 1 || nest_.shape[d] % rows != 0 || ops_ * rows > kMostOps)
        continue;
      // A quarter of the loads must go.
      if (distinctLoads(unsigned(d), rows) * 4 <= loads_.size() * unsigned(rows) * 3) {
        rowDim_ = int(d);
        rows_ = rows;
        return;
      }
    }
  rowLoads_.clear();
}

void NestEmitter::enterRow(int64_t row) {
  if (phase_ != Phase::Main || rows_ == 1)
    return;
  row_ = row;
  indices_[rowDim_] = rowIndices_[row];
}

/// Where the main loop keeps what a load gives for all that load the same; null when it is alone, or its mask must be asked.
Made *NestEmitter::sharedLoad(tile::LoadOp op, const Position &position) {
  auto found = rowLoads_.find(op);
  if (rows_ == 1 || phase_ != Phase::Main || found == rowLoads_.end() || !llvm::is_contained(position, rowDim_) ||
      (maskBox(op).exists && !isCovered(op, position)))
    return nullptr;
  const auto &[first, shift, offset] = found->second;
  return &sharedLoads_[{first, shift + row_, offset}];
}

/// The address of a load that has a `sharedLoad`: one register per row, and the offset from there.
Made NestEmitter::sharedAddress(tile::LoadOp op, const Position &position) {
  Location loc = op.getLoc();
  RowLoad load = rowLoads_[op];
  int64_t ahead = load.offset * storageBytes(tile::elementTypeOf(op.getType()));
  Made &row = sharedAddresses_[{load.first, load.shift + row_}];
  auto moved = [&](Made address, int64_t bytes) {
    at(address.level);
    return bytes ? Made{k_.offsetPointer(loc, address.value, k_.i64(loc, bytes)), address.level} : address;
  };
  if (!row) {
    const AddressBox &box = addressBox(op);
    row = moved(addressAt(loc, {box.start, 0}, box.strides, position), -ahead);
  }
  return moved(row, ahead);
}

} // namespace tilewise::cpu
