// Dots on AMX: 2 x 2 tiles of the result in four of the eight tile registers, through the whole of
// K.
//
// A product of two tiles takes 16 cycles, a load 8 from the first cache: with 2 x 2 tiles four
// products wait for four loads, and the loads are free. Tiles are named by number, as the
// instructions have them; nothing else in a kernel uses them, so that there is nothing to allocate.
#include "target/cpu/dot/EmitDot.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tilewise::cpu {

namespace {

/// Registers: 0 to 3 hold the result, 4 and 5 rows of the left operand, 6 and 7 columns of the
/// right one.
constexpr int kLeft = 4, kRight = 6;

struct TileKernel : DotMatrices {
  DotUnit unit;
  Buffer result;
  /// Pairs of factors to multiply, each a matrix of words: one, or four for HalfTiles.
  SmallVector<std::pair<Matrix, Buffer>, 4> factors;
  int64_t rows, words; ///< Of a tile of the left operand: up to 16 each.
  int64_t tall, wide;  ///< Tiles of the result at a time, 1 or 2 each way.
  Value depth;         ///< In words.

  Value number(int tile) { return b.create<arith::ConstantIntOp>(loc, tile, 8); }

  void call(StringRef name, ArrayRef<Value> operands) {
    b.create<LLVM::CallIntrinsicOp>(loc, TypeRange(), ("llvm.x86." + name).str(), operands);
  }

  void load(int tile, const Matrix &matrix, Value pointer) {
    call("tileloadd64", {number(tile), pointer, rowBytes(matrix)});
  }

  /// What the processor is told about the shape of its tiles: 64 bytes, of which 16 on are bytes
  /// per row, and 48 on numbers of rows.
  void configure() {
    SmallVector<int8_t> bytes(64, 0);
    bytes[0] = 1;
    auto shape = [&](int tile, int64_t rowCount, int64_t wordCount) {
      bytes[16 + 2 * tile] = int8_t(wordCount * 4);
      bytes[48 + tile] = int8_t(rowCount);
    };
    for (int tile = 0; tile < 4; ++tile)
      shape(tile, rows, 16);
    for (int side : {0, 1}) {
      shape(kLeft + side, rows, words);
      shape(kRight + side, words, 16);
    }
    auto type = VectorType::get({64}, b.getI8Type());
    Buffer place = k.allocate({64}, b.getI8Type());
    Value pointer = k.bufferPointer(loc, place);
    Value value = b.create<arith::ConstantOp>(loc, DenseElementsAttr::get(type, ArrayRef<int8_t>(bytes)));
    b.create<LLVM::StoreOp>(loc, value, pointer, 1);
    call("ldtilecfg", {pointer});
  }

  void blockAt(Value row, Value column) {
    Value origin = address(result, row, column);
    auto eachTile = [&](llvm::function_ref<void(int, Value)> body) {
      for (int64_t i = 0; i < tall; ++i)
        for (int64_t j = 0; j < wide; ++j)
          body(int(2 * i + j), at(result, origin, i * 16, j * 16));
    };
    eachTile([&](int tile, Value pointer) { load(tile, result, pointer); });
    const char *multiply = unit == DotUnit::I8Tiles ? "tdpbssd" : "tdpbf16ps";
    auto overDepth = b.create<scf::ForOp>(loc, k.i64(loc, 0), depth, k.i64(loc, words));
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(overDepth.getBody());
      Value step = overDepth.getInductionVar();
      const Buffer *leftIn = nullptr, *rightIn = nullptr; // What the registers hold.
      for (auto &[left, right] : factors) {
        Value leftAt = address(left, row, step), rightAt = address(right, step, column);
        const bool loadsLeft = !leftIn || !(*leftIn == left.buffer), loadsRight = !rightIn || !(*rightIn == right);
        leftIn = &left.buffer;
        rightIn = &right;
        for (int64_t i = 0; loadsLeft && i < tall; ++i)
          load(int(kLeft + i), left, at(left, leftAt, i * 16, 0));
        for (int64_t j = 0; j < wide; ++j) {
          if (loadsRight)
            load(int(kRight + j), right, at(right, rightAt, 0, j * 16));
          for (int64_t i = 0; i < tall; ++i)
            call(multiply, {number(int(2 * i + j)), number(int(kLeft + i)), number(int(kRight + j))});
        }
      }
    }
    eachTile([&](int tile, Value pointer) {
      call("tilestored64", {number(tile), pointer, k.i64(loc, rowStride(result) * 4)});
    });
  }

  void emit() {
    configure();
    forEachMatrix(result, [&] {
      loop(0, columnsOf(result), wide * 16,
           [&](Value column) { loop(0, rowsOf(result), tall * rows, [&](Value row) { blockAt(row, column); }); });
    });
    call("tilerelease", {});
  }
};

/// f16 as sums of two bf16: the upper half of the bits that they have as f32, and what is left.
struct Splitter : DotMatrices {
  static constexpr int64_t kLanes = 16;

  VectorType words() { return VectorType::get({kLanes}, b.getI32Type()); }
  VectorType halves() { return VectorType::get({kLanes}, b.getI16Type()); }
  Value constant(VectorType type, uint32_t value) {
    const unsigned bits = type.getElementTypeBitWidth();
    return b.create<arith::ConstantOp>(loc, DenseElementsAttr::get(type, APInt(bits, value)));
  }
  Value load(const Matrix &matrix, Value row, Value column) {
    return b.create<LLVM::LoadOp>(loc, halves(), address(matrix, row, column), 2);
  }
  Value widened(Value half) {
    Value number = b.create<arith::BitcastOp>(loc, VectorType::get({kLanes}, b.getF16Type()), half);
    number = b.create<arith::ExtFOp>(loc, VectorType::get({kLanes}, b.getF32Type()), number);
    return b.create<arith::BitcastOp>(loc, words(), number);
  }
  Value upper(Value bits) { return b.create<arith::AndIOp>(loc, bits, constant(words(), 0xffff0000)); }
  Value rest(Value bits) {
    auto asFloat = [&](Value value) -> Value {
      return b.create<arith::BitcastOp>(loc, VectorType::get({kLanes}, b.getF32Type()), value);
    };
    Value difference = b.create<arith::SubFOp>(loc, asFloat(bits), asFloat(upper(bits)));
    return b.create<arith::BitcastOp>(loc, words(), difference);
  }
  Value largest(Value so, Value half) {
    return b.create<arith::MaxUIOp>(loc, so, b.create<arith::AndIOp>(loc, half, constant(halves(), 0x7fff)));
  }

  /// Runs `body` over rows and columns of all matrices of a buffer, in these steps; gives the
  /// largest magnitude it found, as bits.
  Value overAll(const Buffer &buffer, int64_t rowStep, int64_t columnStep, Value start,
                llvm::function_ref<Value(Value, Value, Value)> body) {
    auto forLoop = [&](int64_t end, int64_t step, Value init, llvm::function_ref<Value(Value, Value)> inner) -> Value {
      auto loop = b.create<scf::ForOp>(loc, k.i64(loc, 0), k.i64(loc, end), k.i64(loc, step), ValueRange(init),
                                       [](OpBuilder &, Location, Value, ValueRange) {});
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToEnd(loop.getBody());
      Value next = inner(loop.getInductionVar(), loop.getRegionIterArgs()[0]);
      b.create<scf::YieldOp>(loc, next);
      return loop.getResult(0);
    };
    const bool isBatch = buffer.shape.size() > 2;
    return forLoop(isBatch ? buffer.shape.front() : 1, 1, start, [&](Value index, Value most) {
      batch = isBatch ? index : Value();
      Value found = forLoop(rowsOf(buffer), rowStep, most, [&](Value row, Value soFar) {
        return forLoop(columnsOf(buffer), columnStep, soFar,
                       [&](Value column, Value last) { return body(row, column, last); });
      });
      batch = {};
      return found;
    });
  }

  /// A row's groups lie together: the upper halves of 32 words are neighbours.
  Value splitLeft(const Matrix &from, const Buffer &high, const Buffer &low, Value start) {
    auto pairs = VectorType::get({2 * kLanes}, b.getI16Type());
    SmallVector<int64_t> odd;
    for (int64_t lane = 0; lane < 2 * kLanes; ++lane)
      odd.push_back(2 * lane + 1);
    auto storeUppers = [&](Value first, Value second, Value pointer) {
      Value x = b.create<vector::BitCastOp>(loc, pairs, first), y = b.create<vector::BitCastOp>(loc, pairs, second);
      b.create<LLVM::StoreOp>(loc, b.create<vector::ShuffleOp>(loc, x, y, odd), pointer, 2);
    };
    return overAll(from.buffer, 1, 2 * kLanes, start, [&](Value row, Value column, Value most) {
      Value next = b.create<arith::AddIOp>(loc, column, k.i64(loc, kLanes));
      Value first = load(from, row, column), second = load(from, row, next);
      Value x = widened(first), y = widened(second);
      storeUppers(x, y, address(high, row, column));
      storeUppers(rest(x), rest(y), address(low, row, column));
      return largest(largest(most, first), second);
    });
  }

  /// Rows 2 * `pair` and the next one of a matrix, or of one whose words hold both.
  std::pair<Value, Value> loadPair(const Matrix &from, Value pair, Value column) {
    if (!from.buffer.element.isInteger(32)) {
      Value row = b.create<arith::MulIOp>(loc, pair, k.i64(loc, 2));
      return {load(from, row, column), load(from, b.create<arith::AddIOp>(loc, row, k.i64(loc, 1)), column)};
    }
    Value both = b.create<LLVM::LoadOp>(loc, words(), address(from, pair, column), 4);
    Value second = b.create<arith::ShRUIOp>(loc, both, constant(words(), 16));
    return {b.create<arith::TruncIOp>(loc, halves(), both), b.create<arith::TruncIOp>(loc, halves(), second)};
  }

  /// A group is one column of two rows: the upper half of the first row's word moves down.
  Value splitRight(const Matrix &from, const Buffer &high, const Buffer &low, Value start) {
    const Buffer &pairs = high;
    auto joined = [&](Value first, Value second) -> Value {
      Value down = b.create<arith::ShRUIOp>(loc, first, constant(words(), 16));
      return b.create<arith::OrIOp>(loc, down, upper(second));
    };
    return overAll(pairs, 1, kLanes, start, [&](Value row, Value column, Value most) {
      auto [first, second] = loadPair(from, row, column);
      Value x = widened(first), y = widened(second);
      b.create<LLVM::StoreOp>(loc, joined(x, y), address(high, row, column), 4);
      b.create<LLVM::StoreOp>(loc, joined(rest(x), rest(y)), address(low, row, column), 4);
      return largest(largest(most, first), second);
    });
  }

  /// The same numbers as f32, [.., rows, columns].
  Buffer widenedBuffer(const Matrix &matrix, ArrayRef<int64_t> shape) {
    const Buffer &from = matrix.buffer;
    Buffer to = allocateMatrix(k, shape, b.getF32Type());
    auto store = [&](Value half, Value row, Value column) {
      b.create<LLVM::StoreOp>(loc, widened(half), address(to, row, column), 4);
    };
    const bool isPairs = from.element.isInteger(32);
    forEachMatrix(from, [&] {
      loop(0, rowsOf(from), 1, [&](Value row) {
        loop(0, columnsOf(from), kLanes, [&](Value column) {
          if (!isPairs)
            return store(load(matrix, row, column), row, column);
          auto [first, second] = loadPair(matrix, row, column);
          Value even = b.create<arith::MulIOp>(loc, row, k.i64(loc, 2));
          store(first, even, column);
          store(second, b.create<arith::AddIOp>(loc, even, k.i64(loc, 1)), column);
        });
      });
    });
    return to;
  }
};

} // namespace

static TileKernel tileKernel(KernelEmitter &k, Location loc, DotUnit unit, const Buffer &result, int64_t words,
                             Value depth) {
  const int64_t m = DotMatrices::rowsOf(result), n = DotMatrices::columnsOf(result);
  return {{k, k.b, loc},
          unit,
          result,
          {},
          std::min<int64_t>(m, 16),
          std::min<int64_t>(words, 16),
          m % 32 == 0 ? 2 : 1,
          n % 32 == 0 ? 2 : 1,
          depth ? depth : k.i64(loc, words)};
}

static void emitHalfTiles(KernelEmitter &k, Location loc, const Matrix &left, const PackedOperand &right,
                          const Buffer &result, Value depth) {
  OpBuilder &b = k.b;
  Splitter splitter{{k, b, loc}};
  Buffer leftHigh = allocateMatrix(k, left.buffer.shape, b.getBF16Type()),
         leftLow = allocateMatrix(k, left.buffer.shape, b.getBF16Type());
  Matrix rightFrom = right.isTransposed ? Matrix(transposed(k, loc, asWords(right.matrix))) : right.matrix;
  const int64_t depthOfBlock = DotMatrices::columnsOf(left.buffer);
  SmallVector<int64_t, 4> rightShape(rightFrom.buffer.shape);
  rightShape[rightShape.size() - 2] = depthOfBlock;
  SmallVector<int64_t, 4> pairs = rightShape;
  pairs[pairs.size() - 2] = depthOfBlock / 2;
  Buffer rightHigh = allocateMatrix(k, pairs, b.getI32Type()), rightLow = allocateMatrix(k, pairs, b.getI32Type());
  Value most = splitter.constant(splitter.halves(), 0);
  most = splitter.splitLeft(left, leftHigh, leftLow, most);
  most = splitter.splitRight(rightFrom, rightHigh, rightLow, most);
  Value largest = b.create<vector::ReductionOp>(loc, vector::CombiningKind::MAXUI, most);
  Value infinity = b.create<arith::ConstantIntOp>(loc, 0x7c00, 16);
  Value isFinite = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ult, largest, infinity);
  auto branch = b.create<scf::IfOp>(loc, isFinite, /*withElse=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  Matrix high = asWords(leftHigh), low = asWords(leftLow);
  TileKernel kernel = tileKernel(k, loc, DotUnit::HalfTiles, result, DotMatrices::columnsOf(high.buffer),
                                 depthInWords(k, loc, depth, 2));
  // In an order in which the registers of one side keep what they hold.
  kernel.factors = {{low, rightHigh}, {low, rightLow}, {high, rightLow}, {high, rightHigh}};
  kernel.emit();
  b.setInsertionPointToStart(branch.elseBlock());
  emitMicroKernel(k, loc, DotUnit::Plain, splitter.widenedBuffer(left, left.buffer.shape),
                  splitter.widenedBuffer(rightFrom, rightShape), result, depth, /*startsFromZero=*/false);
}

void emitTileDot(KernelEmitter &k, Location loc, DotUnit unit, const Matrix &left, const PackedOperand &right,
                 const Buffer &result, Value depth) {
  if (unit == DotUnit::HalfTiles)
    return emitHalfTiles(k, loc, left, right, result, depth);
  Matrix words = asWords(left);
  const int64_t group = 4 / storageBytes(left.buffer.element);
  TileKernel kernel =
      tileKernel(k, loc, unit, result, DotMatrices::columnsOf(words.buffer), depthInWords(k, loc, depth, group));
  kernel.factors = {{words, packedWords(k, loc, right, /*flipSigns=*/false)}};
  kernel.emit();
}

} // namespace tilewise::cpu
