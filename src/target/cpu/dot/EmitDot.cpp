// tile.dot -> packed operands in scratch and a register-blocked micro-kernel.
//
// Operands are written to scratch first, widened to the type that is computed in, row by row: that
// is where masks and strides are dealt with, and 2 * M * N * K operations pay for (M + N) * K
// elements of packing. They pay dearly: of a product of 2048 in blocks of 256 on one core of an Ice
// Lake, the micro-kernel alone runs at 157 GFLOPS, with both operands packed at 118, since packing
// waits for memory. So a left operand that needs no dealing with is read where it lies, with its
// next rows asked for in time: 132. So is a right one that lies there as it would in scratch, or is
// transposed on the way (values and keys of attention: 6 % of its time was spent on copying them).
// The micro-kernel holds a tile of the result in registers through the whole of K:
//
//     for each tile of rows x (vectors * lanes): load it, for k { for each vector: b[k, ..]; for each row: fma(splat a[row, k], b, tile) }, store it
//
// Two FMA ports with four cycles of latency want at least 8 independent accumulators; beyond that a
// larger tile needs fewer loads per FMA. Of the 32 registers of AVX-512, 6 x 4 hold the tile and 5
// what is loaded: 10 loads for 24 FMAs, and a row of 64 columns, as heads of attention have, is one
// tile wide. 16 registers hold 6 x 2. Where a row has fewer vectors than that, more rows make up
// for it. What is left of the block's rows and columns runs in smaller tiles.
#include "target/cpu/dot/EmitDot.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tilewise::cpu {

Value DotMatrices::rowBytes(const Matrix &matrix) {
  return matrix.rowBytes ? matrix.rowBytes : k.i64(loc, rowStride(matrix.buffer) * storageBytes(matrix.buffer.element));
}

Value DotMatrices::address(const Matrix &matrix, Value rowIndex, Value columnIndex) {
  const Buffer &buffer = matrix.buffer;
  int64_t bytes = storageBytes(buffer.element);
  Value row = b.create<arith::MulIOp>(loc, rowIndex, rowBytes(matrix));
  Value column = b.create<arith::MulIOp>(loc, columnIndex, k.i64(loc, columnStride(buffer) * bytes));
  Value first = matrix.pointer ? matrix.pointer : k.bufferPointer(loc, buffer);
  if (batch)
    first =
        k.offsetPointer(loc, first, b.create<arith::MulIOp>(loc, batch, k.i64(loc, buffer.strides.front() * bytes)));
  return k.offsetPointer(loc, k.offsetPointer(loc, first, row), column);
}

Value DotMatrices::at(const Matrix &matrix, Value origin, int64_t row, int64_t column) {
  const int64_t bytes = storageBytes(matrix.buffer.element);
  if (!matrix.rowBytes)
    return k.offsetPointer(loc, origin,
                           k.i64(loc, (row * rowStride(matrix.buffer) + column * columnStride(matrix.buffer)) * bytes));
  origin = k.offsetPointer(loc, origin, b.create<arith::MulIOp>(loc, matrix.rowBytes, k.i64(loc, row)));
  return k.offsetPointer(loc, origin, k.i64(loc, column * bytes));
}

void DotMatrices::loop(int64_t begin, int64_t end, int64_t step, llvm::function_ref<void(Value)> body) {
  loop(begin, end, k.i64(loc, end), step, body);
}

void DotMatrices::loop(int64_t begin, int64_t end, Value upTo, int64_t step, llvm::function_ref<void(Value)> body) {
  if (begin == end)
    return;
  auto loop = b.create<scf::ForOp>(loc, k.i64(loc, begin), upTo, k.i64(loc, step));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

void DotMatrices::forEachMatrix(const Buffer &buffer, llvm::function_ref<void()> body) {
  if (buffer.shape.size() < 3)
    return body();
  loop(0, buffer.shape.front(), 1, [&](Value index) {
    batch = index;
    body();
    batch = {};
  });
}

namespace {

struct MicroKernel : DotMatrices {
  DotUnit unit;
  Matrix left, right;
  Buffer result;
  const Buffer *rowSums;
  Type element; ///< That is added.
  int64_t rows, vectors, lanes;
  Value depth;
  bool startsFromZero;
  Demand demand;
  int64_t tileRows = rows, tileColumns = vectors * lanes; ///< Of a whole tile.

  Type laneType(Type of) { return lanes == 1 ? of : Type(VectorType::get({lanes}, of)); }
  Value splat(Value scalar) {
    return lanes == 1 ? scalar : b.create<vector::SplatOp>(loc, laneType(scalar.getType()), scalar);
  }

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
    const std::string width = std::to_string(lanes * 32);
    if (unit == DotUnit::I8Quads) // Bytes without a sign by bytes with one.
      return b
          .create<LLVM::CallIntrinsicOp>(loc, sum.getType(), "llvm.x86.avx512.vpdpbusd." + width, ValueRange{sum, y, x})
          .getResult(0);
    auto pairs = [&](Value words, Type half) -> Value {
      return b.create<LLVM::BitcastOp>(loc, VectorType::get({lanes * 2}, half), words);
    };
    if (unit == DotUnit::Bf16Pairs)
      return b
          .create<LLVM::CallIntrinsicOp>(loc, sum.getType(), "llvm.x86.avx512bf16.dpbf16ps." + width,
                                         ValueRange{sum, pairs(x, b.getBF16Type()), pairs(y, b.getBF16Type())})
          .getResult(0);
    if (unit == DotUnit::I16Pairs) { // No sum overflows: the factors are bytes.
      const char *name = lanes == 16  ? "llvm.x86.avx512.pmaddw.d.512"
                         : lanes == 8 ? "llvm.x86.avx2.pmadd.wd"
                                      : "llvm.x86.sse2.pmadd.wd";
      auto products = b.create<LLVM::CallIntrinsicOp>(loc, sum.getType(), name,
                                                      ValueRange{pairs(x, b.getI16Type()), pairs(y, b.getI16Type())});
      return b.create<arith::AddIOp>(loc, sum, products.getResult(0));
    }
    if (isa<FloatType>(element) && k.machine.hasFma)
      return b.create<math::FmaOp>(loc, x, y, sum);
    // A dot may round twice; one rounding would have to be made of doubles here.
    if (isa<FloatType>(element))
      return b.create<arith::AddFOp>(loc, b.create<arith::MulFOp>(loc, x, y), sum);
    return b.create<arith::AddIOp>(loc, b.create<arith::MulIOp>(loc, x, y), sum);
  }

  ValueRange overDepth(Value begin, Value end, int64_t stride, ValueRange start,
                       llvm::function_ref<SmallVector<Value>(Value, ValueRange)> body) {
    auto loop = b.create<scf::ForOp>(loc, begin, end, k.i64(loc, stride), start,
                                     [](OpBuilder &, Location, Value, ValueRange) {});
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(loop.getBody());
    b.create<scf::YieldOp>(loc, body(loop.getInductionVar(), loop.getRegionIterArgs()));
    return loop.getResults();
  }

  /// Steps of the depth between two times that rows are asked for.
  static constexpr int64_t kStride = 8;

  /// A left operand in place has rows far apart, which no prefetcher of the hardware foresees.
  /// While a row of tiles is computed, the lines of the next one's rows are asked for one after the
  /// other: this tile is number `tile` in its row, `step` is where it is in the depth.
  void prefetchNextRows(Value row, Value tile, Value step) {
    constexpr int64_t kLineBytes = 64;
    const int64_t perRow =
        std::max<int64_t>(1, columnsOf(left.buffer) * storageBytes(left.buffer.element) / kLineBytes);
    const int64_t perTile = llvm::divideCeil(columnsOf(left.buffer), kStride),
                  tiles = llvm::divideCeil(columnsOf(result), tileColumns),
                  perSlot = llvm::divideCeil(tileRows * perRow, perTile * tiles);
    auto times = [&](Value index, int64_t size) { return b.create<arith::MulIOp>(loc, index, k.i64(loc, size)); };
    Value slot =
        b.create<arith::AddIOp>(loc, times(tile, perTile), b.create<arith::DivUIOp>(loc, step, k.i64(loc, kStride)));
    Value first = times(slot, perSlot), last = k.i64(loc, tileRows * perRow - 1);
    Value rows = address(left, b.create<arith::AddIOp>(loc, row, k.i64(loc, tileRows)), k.i64(loc, 0));
    for (int64_t i = 0; i < perSlot; ++i) {
      Value line = b.create<arith::MinUIOp>(loc, b.create<arith::AddIOp>(loc, first, k.i64(loc, i)), last);
      Value rowOfLine = b.create<arith::DivUIOp>(loc, line, k.i64(loc, perRow)),
            inRow = b.create<arith::RemUIOp>(loc, line, k.i64(loc, perRow));
      Value pointer = k.offsetPointer(loc, rows, b.create<arith::MulIOp>(loc, rowOfLine, rowBytes(left)));
      b.create<LLVM::Prefetch>(loc, k.offsetPointer(loc, pointer, times(inRow, kLineBytes)), /*rw=*/0, /*hint=*/3,
                               /*cache=*/1);
    }
  }

  void tileAt(Value row, Value column) {
    Value origin = address(result, row, column), rowStart = address(left, row, k.i64(loc, 0)),
          columnStart = address(right, k.i64(loc, 0), column);
    unsigned bytes = unsigned(storageBytes(right.buffer.element));
    SmallVector<Value> tile;
    for (int64_t m = 0; m < rows; ++m) {
      Value surplus;
      if (rowSums) {
        Value sum = at(*rowSums, address(*rowSums, row, k.i64(loc, 0)), m, 0);
        surplus = splat(b.create<LLVM::LoadOp>(loc, element, sum, 4));
      }
      for (int64_t v = 0; v < vectors; ++v) {
        Value old = startsFromZero ? k.zeroOf(loc, laneType(element)) : loadResult(at(result, origin, m, v * lanes));
        tile.push_back(surplus ? b.create<arith::SubIOp>(loc, old, surplus).getResult() : old);
      }
    }
    // Of rows that are not wanted, the last that is stands for those that may not be there.
    SmallVector<Value> rowOffsets;
    for (int64_t m = 0; left.pointer && demand.rows && m < rows; ++m) {
      Value last = b.create<arith::SubIOp>(loc, b.create<arith::SubIOp>(loc, demand.rows, row), k.i64(loc, 1));
      Value number = b.create<arith::MinSIOp>(loc, last, k.i64(loc, m));
      rowOffsets.push_back(b.create<arith::MulIOp>(loc, number, rowBytes(left)));
    }
    auto multiply = [&](Value step, ValueRange sums) {
      Value leftAt = k.offsetPointer(loc, rowStart,
                                     b.create<arith::MulIOp>(loc, step, k.i64(loc, columnStride(left.buffer) * bytes)));
      Value rightAt = k.offsetPointer(loc, columnStart,
                                      b.create<arith::MulIOp>(loc, step, k.i64(loc, rowStride(right.buffer) * bytes)));
      SmallVector<Value> vectorsOfRow, next;
      for (int64_t v = 0; v < vectors; ++v)
        vectorsOfRow.push_back(
            b.create<LLVM::LoadOp>(loc, laneType(right.buffer.element), at(right, rightAt, 0, v * lanes), bytes));
      for (int64_t m = 0; m < rows; ++m) {
        Value pointer = rowOffsets.empty() ? at(left, leftAt, m, 0) : k.offsetPointer(loc, leftAt, rowOffsets[m]);
        Value factor = splat(b.create<LLVM::LoadOp>(loc, left.buffer.element, pointer, bytes));
        for (int64_t v = 0; v < vectors; ++v)
          next.push_back(multiplyAdd(factor, vectorsOfRow[v], sums[m * vectors + v]));
      }
      return next;
    };
    ValueRange sums;
    if (!left.pointer) {
      sums = overDepth(k.i64(loc, 0), depth, 1, tile, multiply);
    } else {
      Value number = b.create<arith::DivUIOp>(loc, column, k.i64(loc, tileColumns));
      sums = overDepth(k.i64(loc, 0), depth, kStride, tile, [&](Value begin, ValueRange before) {
        prefetchNextRows(row, number, begin);
        Value end = b.create<arith::MinSIOp>(loc, b.create<arith::AddIOp>(loc, begin, k.i64(loc, kStride)), depth);
        return SmallVector<Value>(overDepth(begin, end, 1, before, multiply));
      });
    }
    for (int64_t m = 0; m < rows; ++m)
      for (int64_t v = 0; v < vectors; ++v)
        storeResult(sums[m * vectors + v], at(result, origin, m, v * lanes));
  }

  /// Whole tiles, then what is left of the columns and of the rows in smaller ones. Rows are the
  /// outer loop: those of the left operand are read once from where they lie, and stay in the first
  /// cache; the right one comes from the second, as fast as it is wanted.
  void emit() {
    const int64_t m = rowsOf(result), n = columnsOf(result);
    const int64_t wholeRows = rows, wholeVectors = vectors, restOfRows = m % rows, restOfVectors = n / lanes % vectors;
    const int64_t wholeColumns = n - restOfVectors * lanes;
    auto upTo = [&](int64_t end, Value wanted) -> Value {
      return wanted ? b.create<arith::MinSIOp>(loc, wanted, k.i64(loc, end)).getResult() : k.i64(loc, end);
    };
    auto allColumns = [&](Value row) {
      auto tile = [&](Value column) { tileAt(row, column); };
      vectors = wholeVectors;
      loop(0, wholeColumns, upTo(wholeColumns, demand.columns), wholeVectors * lanes, tile);
      vectors = restOfVectors;
      loop(wholeColumns, n, upTo(n, demand.columns), restOfVectors * lanes, tile);
    };
    rows = wholeRows;
    loop(0, m - restOfRows, upTo(m - restOfRows, demand.rows), rows, allColumns);
    rows = restOfRows;
    loop(m - restOfRows, m, upTo(m, demand.rows), rows, allColumns);
  }
};

} // namespace

void emitMicroKernel(KernelEmitter &k, Location loc, DotUnit unit, const Matrix &left, const Matrix &right,
                     const Buffer &result, Value depth, bool startsFromZero, const Buffer *rowSums,
                     const Demand &demand) {
  Type element = unit == DotUnit::Plain ? left.buffer.element : result.element;
  const auto [rows, vectors, lanes] =
      microTile(k.machine, DotMatrices::rowsOf(result), DotMatrices::columnsOf(result), element);
  if (!depth)
    depth = k.i64(loc, DotMatrices::columnsOf(left.buffer));
  MicroKernel kernel{{k, k.b, loc}, unit,    left,  right, result,         rowSums, element,
                     rows,          vectors, lanes, depth, startsFromZero, demand};
  kernel.forEachMatrix(result, [&] { kernel.emit(); });
}

void emitDot(KernelEmitter &k, tile::DotOp dot, const Buffer *destination) {
  auto plan = dot->getAttrOfType<DotPlanAttr>(kDotPlanAttr);
  if (!plan) {
    k.fail(dot, "has no plan, see cpu-plan-dots");
    return;
  }
  const DotUnit unit = plan.getUnit();
  Location loc = dot.getLoc();
  Type element = operandType(dot, unit);
  Value depth = depthBound(k, dot);
  const bool isPlain = unit == DotUnit::Plain, isTiles = hasTiles(unit);
  const Demand demand = isPlain ? demandOf(k, dot) : Demand();
  Matrix left = packLeft(k, dot.getA(), element,
                         {.given = plan.getLeft(),
                          .isReadOften = isTiles && unit != DotUnit::HalfTiles,
                          .rows = demand.rows,
                          .depth = isPlain ? depth : Value()});
  PackedOperand right = packRight(k, dot.getB(), element, {.given = plan.getRight(), .isDense = isPlain});
  Buffer result =
      destination ? *destination : k.allocate(tile::shapeOf(dot.getType()), tile::elementTypeOf(dot.getType()));
  const bool startsFromZero =
      !isTiles && (matchPattern(dot.getAcc(), m_PosZeroFloat()) || matchPattern(dot.getAcc(), m_Zero()));
  auto kept = k.buffers.find(dot.getAcc());
  if (!startsFromZero && (kept == k.buffers.end() || !(kept->second == result)))
    emitNest(k, keepingNest(dot.getAcc(), result, dot.getLoc()));
  if (k.failed)
    return;
  switch (unit) {
  case DotUnit::Plain:
    emitMicroKernel(k, loc, unit, left, right.isTransposed ? transposed(k, loc, right.matrix) : right.matrix, result,
                    depth, startsFromZero, /*rowSums=*/nullptr, demand);
    break;
  case DotUnit::Bf16Pairs:
  case DotUnit::I8Quads:
  case DotUnit::I16Pairs:
    emitWordDot(k, loc, unit, left.buffer, right, result, depth, startsFromZero);
    break;
  default:
    emitTileDot(k, loc, unit, left, right, result, depth);
  }
  k.buffers[dot.getResult()] = result;
}

} // namespace tilewise::cpu
