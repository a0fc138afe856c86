// tile.dot -> packed operands in scratch and a register-blocked micro-kernel.
//
// Both operands are written to scratch first, widened to the type that is computed in, row by row: that is where masks and strides are
// dealt with, and 2 * M * N * K operations pay for (M + N) * K elements of packing. The micro-kernel holds a tile of the result in registers
// through the whole of K:
//
//     for each tile of rows x (vectors * lanes): load it, for k { for each vector: b[k, ..]; for each row: fma(splat a[row, k], b, tile) }, store it
//
// Two FMA ports with four cycles of latency want at least 8 independent accumulators; 8 x 3 of the 32 registers of AVX-512 (4 x 2 of 16 before it)
// give that and load 11 (6) values for 24 (8) FMAs, fewer than the two load ports deliver meanwhile. What is left of the block's rows and columns
// runs in smaller tiles. Measured once on one core of a shared Sapphire Rapids, 2048 x 2048 x 2048 in blocks of 256 x 128 x 128: 8 x 2 81 GFLOPS, 8 x 3 114.
#include "target/cpu/NestForming.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tilewise::cpu {

/// The type that products are formed and added in.
static Type computeType(tile::DotOp dot) {
  Type acc = tile::elementTypeOf(dot.getType());
  if (isa<FloatType>(acc) && acc.getIntOrFloatBitWidth() < 32)
    return Float32Type::get(acc.getContext());
  return acc;
}

static Buffer packed(KernelEmitter &k, Value operand, Type element) {
  if (auto kept = k.buffers.find(operand); kept != k.buffers.end() && kept->second.element == element)
    return kept->second;
  // The micro-kernel walks down a few columns. Rows of 512 bytes and more would send these to a fraction of the cache's sets; one more line
  // per row spreads them over all.
  int64_t bytes = storageBytes(element), rowBytes = tile::shapeOf(operand.getType()).back() * bytes;
  Buffer buffer = k.allocate(tile::shapeOf(operand.getType()), element, rowBytes % 512 == 0 ? 64 / bytes : 0);
  emitNest(k, {buffer.shape, {{Root::Keep, nullptr, operand, buffer, {}, operand.getLoc()}}});
  return buffer;
}

namespace {

/// Of the matrices in a buffer, which may be a batch of them.
int64_t rowStride(const Buffer &buffer) { return buffer.strides[buffer.strides.size() - 2]; }
int64_t columnStride(const Buffer &buffer) { return buffer.strides.back(); }

struct MicroKernel {
  KernelEmitter &k;
  OpBuilder &b;
  Location loc;
  Buffer left, right, result;
  Type element;
  int64_t rows, vectors, lanes, depth;
  Value batch = {}; ///< Which matrix; null where there is one.

  Value address(const Buffer &buffer, Value rowIndex, Value columnIndex) {
    int64_t bytes = storageBytes(buffer.element);
    Value row = b.create<arith::MulIOp>(loc, rowIndex, k.i64(loc, rowStride(buffer) * bytes));
    Value column = b.create<arith::MulIOp>(loc, columnIndex, k.i64(loc, columnStride(buffer) * bytes));
    Value matrix = k.bufferPointer(loc, buffer);
    if (batch)
      matrix =
          k.offsetPointer(loc, matrix, b.create<arith::MulIOp>(loc, batch, k.i64(loc, buffer.strides.front() * bytes)));
    return k.offsetPointer(loc, k.offsetPointer(loc, matrix, row), column);
  }

  Value at(const Buffer &buffer, Value origin, int64_t row, int64_t column) {
    return k.offsetPointer(
        loc, origin,
        k.i64(loc, (row * rowStride(buffer) + column * columnStride(buffer)) * storageBytes(buffer.element)));
  }

  Type laneType(Type of) { return lanes == 1 ? of : Type(VectorType::get({lanes}, of)); }

  Value loadResult(Value pointer) {
    Type stored = laneType(storageType(result.element));
    Value value = b.create<LLVM::LoadOp>(loc, stored, pointer, unsigned(storageBytes(result.element)));
    if (result.element == element)
      return value;
    value = b.create<arith::BitcastOp>(loc, laneType(result.element), value);
    return b.create<arith::ExtFOp>(loc, laneType(element), value);
  }

  void storeResult(Value value, Value pointer) {
    if (result.element != element) {
      value = b.create<arith::TruncFOp>(loc, laneType(result.element), value);
      value = b.create<arith::BitcastOp>(loc, laneType(storageType(result.element)), value);
    }
    b.create<LLVM::StoreOp>(loc, value, pointer, unsigned(storageBytes(result.element)));
  }

  Value multiplyAdd(Value x, Value y, Value sum) {
    if (isa<FloatType>(element))
      return b.create<math::FmaOp>(loc, x, y, sum);
    return b.create<arith::AddIOp>(loc, b.create<arith::MulIOp>(loc, x, y), sum);
  }

  void tileAt(Value row, Value column) {
    Value origin = address(result, row, column), rowStart = address(left, row, k.i64(loc, 0)),
          columnStart = address(right, k.i64(loc, 0), column);
    unsigned bytes = unsigned(storageBytes(element));
    SmallVector<Value> tile;
    for (int64_t m = 0; m < rows; ++m)
      for (int64_t v = 0; v < vectors; ++v)
        tile.push_back(loadResult(at(result, origin, m, v * lanes)));
    auto loop = b.create<scf::ForOp>(loc, k.i64(loc, 0), k.i64(loc, depth), k.i64(loc, 1), tile,
                                     [](OpBuilder &, Location, Value, ValueRange) {});
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToEnd(loop.getBody());
      Value step = loop.getInductionVar();
      Value leftAt =
          k.offsetPointer(loc, rowStart, b.create<arith::MulIOp>(loc, step, k.i64(loc, columnStride(left) * bytes)));
      Value rightAt =
          k.offsetPointer(loc, columnStart, b.create<arith::MulIOp>(loc, step, k.i64(loc, rowStride(right) * bytes)));
      SmallVector<Value> vectorsOfRow, next;
      for (int64_t v = 0; v < vectors; ++v)
        vectorsOfRow.push_back(b.create<LLVM::LoadOp>(loc, laneType(element), at(right, rightAt, 0, v * lanes), bytes));
      for (int64_t m = 0; m < rows; ++m) {
        Value factor = b.create<LLVM::LoadOp>(loc, element, at(left, leftAt, m, 0), bytes);
        if (lanes > 1)
          factor = b.create<vector::SplatOp>(loc, laneType(element), factor);
        for (int64_t v = 0; v < vectors; ++v)
          next.push_back(multiplyAdd(factor, vectorsOfRow[v], loop.getRegionIterArgs()[m * vectors + v]));
      }
      b.create<scf::YieldOp>(loc, next);
    }
    for (int64_t m = 0; m < rows; ++m)
      for (int64_t v = 0; v < vectors; ++v)
        storeResult(loop.getResult(unsigned(m * vectors + v)), at(result, origin, m, v * lanes));
  }

  void emit() {
    int64_t m = result.shape[result.shape.size() - 2], n = result.shape.back();
    OpBuilder::InsertionGuard outerGuard(b);
    if (result.shape.size() == 3) {
      auto overBatch = b.create<scf::ForOp>(loc, k.i64(loc, 0), k.i64(loc, result.shape[0]), k.i64(loc, 1));
      b.setInsertionPointToStart(overBatch.getBody());
      batch = overBatch.getInductionVar();
    }
    // Whole tiles, then what is left of the columns and of the rows in smaller ones.
    const int64_t wholeRows = rows, wholeVectors = vectors, restOfRows = m % rows, restOfVectors = n / lanes % vectors;
    auto allRows = [&](Value column) {
      auto tile = [&](Value row) { tileAt(row, column); };
      rows = wholeRows;
      overTiles(0, m - restOfRows, rows, tile);
      rows = restOfRows;
      overTiles(m - restOfRows, m, rows, tile);
    };
    const int64_t wholeColumns = n - restOfVectors * lanes;
    overTiles(0, wholeColumns, wholeVectors * lanes, allRows);
    vectors = restOfVectors;
    overTiles(wholeColumns, n, restOfVectors * lanes, allRows);
  }

  void overTiles(int64_t begin, int64_t end, int64_t step, llvm::function_ref<void(Value)> body) {
    if (begin == end)
      return;
    auto loop = b.create<scf::ForOp>(loc, k.i64(loc, begin), k.i64(loc, end), k.i64(loc, step));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    body(loop.getInductionVar());
  }
};

int64_t largestDivisor(int64_t extent, int64_t atMost) {
  int64_t divisor = 1;
  while (divisor * 2 <= atMost && extent % (divisor * 2) == 0)
    divisor *= 2;
  return divisor;
}

} // namespace

void emitDot(KernelEmitter &k, tile::DotOp dot, const Buffer *destination) {
  Type element = computeType(dot);
  Buffer left = packed(k, dot.getA(), element), right = packed(k, dot.getB(), element);
  Buffer result =
      destination ? *destination : k.allocate(tile::shapeOf(dot.getType()), tile::elementTypeOf(dot.getType()));
  if (auto kept = k.buffers.find(dot.getAcc()); kept == k.buffers.end() || !(kept->second == result))
    emitNest(k, {result.shape, {{Root::Keep, nullptr, dot.getAcc(), result, {}, dot.getLoc()}}});
  if (k.failed)
    return;
  int64_t m = result.shape[result.shape.size() - 2], n = result.shape.back(), depth = left.shape.back();
  int64_t lanes = largestDivisor(n, k.machine.lanes(element.getIntOrFloatBitWidth()));
  const bool isWide = k.machine.vectorRegisters >= 32;
  // Of four registers in a row, three and one would be worse than two and two.
  int64_t vectors = std::min<int64_t>(n / lanes, isWide && n / lanes >= 8 ? 3 : 2),
          rows = std::min<int64_t>(m, isWide ? 8 : 4);
  MicroKernel{k, k.b, dot.getLoc(), left, right, result, element, rows, vectors, lanes, depth}.emit();
  k.buffers[dot.getResult()] = result;
}

} // namespace tilewise::cpu
