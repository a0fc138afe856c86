// Dots on AMX: 2 x 2 tiles of the result in four of the eight tile registers, through the whole of K.
//
// A product of two tiles takes 16 cycles, a load 8 from the first cache: with 2 x 2 tiles four products wait for four loads, and the loads are
// free. Tiles are named by number, as the instructions have them; nothing else in a kernel uses them, so that there is nothing to allocate.
#include "target/cpu/EmitDot.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tilewise::cpu {

namespace {

/// Registers: 0 to 3 hold the result, 4 and 5 rows of the left operand, 6 and 7 columns of the right one.
constexpr int kLeft = 4, kRight = 6;

struct TileKernel : DotMatrices {
  DotUnit unit;
  Buffer result;
  /// Pairs of factors to multiply, each a matrix of words: one, or four for HalfTiles.
  SmallVector<std::pair<Buffer, Buffer>, 4> factors;
  int64_t rows, words; ///< Of a tile of the left operand: up to 16 each.
  int64_t tall, wide;  ///< Tiles of the result at a time, 1 or 2 each way.

  Value number(int tile) { return b.create<arith::ConstantIntOp>(loc, tile, 8); }

  void call(StringRef name, ArrayRef<Value> operands) {
    b.create<LLVM::CallIntrinsicOp>(loc, TypeRange(), ("llvm.x86." + name).str(), operands);
  }

  void load(int tile, const Buffer &buffer, Value pointer) {
    call("tileloadd64", {number(tile), pointer, k.i64(loc, rowStride(buffer) * 4)});
  }

  /// What the processor is told about the shape of its tiles: 64 bytes, of which 16 on are bytes per row, and 48 on numbers of rows.
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
    loop(0, columnsOf(factors[0].first), words, [&](Value step) {
      for (auto &[left, right] : factors) {
        Value leftAt = address(left, row, step), rightAt = address(right, step, column);
        for (int64_t i = 0; i < tall; ++i)
          load(int(kLeft + i), left, at(left, leftAt, i * 16, 0));
        for (int64_t j = 0; j < wide; ++j) {
          load(int(kRight + j), right, at(right, rightAt, 0, j * 16));
          for (int64_t i = 0; i < tall; ++i)
            call(multiply, {number(int(2 * i + j)), number(int(kLeft + i)), number(int(kRight + j))});
        }
      }
    });
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

/// f32 that hold values of f16, as sums of two bf16: the upper half of the bits, and what is left.
struct Splitter : DotMatrices {
  int64_t lanes;

  VectorType words() { return VectorType::get({lanes}, b.getI32Type()); }
  Value constant(uint32_t value) {
    return b.create<arith::ConstantOp>(loc, DenseElementsAttr::get(words(), int32_t(value)));
  }
  Value load(const Buffer &buffer, Value row, Value column) {
    return b.create<LLVM::LoadOp>(loc, words(), address(buffer, row, column), 4);
  }
  Value upper(Value bits) { return b.create<arith::AndIOp>(loc, bits, constant(0xffff0000)); }
  Value rest(Value bits) {
    auto asFloat = [&](Value value) -> Value {
      return b.create<arith::BitcastOp>(loc, VectorType::get({lanes}, b.getF32Type()), value);
    };
    Value difference = b.create<arith::SubFOp>(loc, asFloat(bits), asFloat(upper(bits)));
    return b.create<arith::BitcastOp>(loc, words(), difference);
  }
  Value shifted(Value bits) { return b.create<arith::ShRUIOp>(loc, bits, constant(16)); }
  Value largest(Value so, Value bits) {
    return b.create<arith::MaxUIOp>(loc, so, b.create<arith::AndIOp>(loc, bits, constant(0x7fffffff)));
  }

  /// Runs `body` over rows (`rowStep` apart) and vectors of a matrix; gives the largest magnitude it found, as bits.
  Value overAll(const Buffer &buffer, int64_t rowStep, Value start,
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
    const int64_t matrices = buffer.shape.size() > 2 ? buffer.shape.front() : 1;
    return forLoop(matrices, 1, start, [&](Value index, Value most) {
      batch = matrices > 1 ? index : Value();
      Value found = forLoop(rowsOf(buffer), rowStep, most, [&](Value row, Value soFar) {
        return forLoop(columnsOf(buffer), lanes, soFar,
                       [&](Value column, Value last) { return body(row, column, last); });
      });
      batch = {};
      return found;
    });
  }

  /// A row's groups lie together: the halves of 16 words are stored as 16 elements.
  Value splitLeft(const Buffer &from, const Buffer &high, const Buffer &low, Value start) {
    auto halves = VectorType::get({lanes}, b.getI16Type());
    return overAll(from, 1, start, [&](Value row, Value column, Value most) {
      Value bits = load(from, row, column);
      for (auto &[value, to] : {std::pair{upper(bits), &high}, std::pair{rest(bits), &low}})
        b.create<LLVM::StoreOp>(loc, b.create<arith::TruncIOp>(loc, halves, shifted(value)), address(*to, row, column),
                                2);
      return largest(most, bits);
    });
  }

  /// A group is one column of two rows: the halves of the upper row move down in their words.
  Value splitRight(const Buffer &from, const Buffer &high, const Buffer &low, Value start) {
    return overAll(from, 2, start, [&](Value row, Value column, Value most) {
      Value next = b.create<arith::AddIOp>(loc, row, k.i64(loc, 1));
      Value to = b.create<arith::ShRUIOp>(loc, row, k.i64(loc, 1));
      Value first = load(from, row, column), second = load(from, next, column);
      Value highs = b.create<arith::OrIOp>(loc, shifted(first), upper(second));
      Value lows = b.create<arith::OrIOp>(loc, shifted(rest(first)), upper(rest(second)));
      b.create<LLVM::StoreOp>(loc, highs, address(high, to, column), 4);
      b.create<LLVM::StoreOp>(loc, lows, address(low, to, column), 4);
      return largest(largest(most, first), second);
    });
  }
};

} // namespace

static TileKernel tileKernel(KernelEmitter &k, Location loc, DotUnit unit, const Buffer &result, int64_t words) {
  const int64_t m = DotMatrices::rowsOf(result), n = DotMatrices::columnsOf(result);
  return {
      {k, k.b, loc},      unit, result, {}, std::min<int64_t>(m, 16), std::min<int64_t>(words, 16), m % 32 == 0 ? 2 : 1,
      n % 32 == 0 ? 2 : 1};
}

static void emitHalfTiles(KernelEmitter &k, Location loc, const Buffer &left, const Buffer &right,
                          const Buffer &result) {
  OpBuilder &b = k.b;
  SmallVector<int64_t, 4> rightShape(right.shape);
  rightShape[rightShape.size() - 2] /= 2;
  Buffer leftHigh = allocateMatrix(k, left.shape, b.getBF16Type()),
         leftLow = allocateMatrix(k, left.shape, b.getBF16Type());
  Buffer rightHigh = allocateMatrix(k, rightShape, b.getI32Type()),
         rightLow = allocateMatrix(k, rightShape, b.getI32Type());
  // Both depths and widths are multiples of 16 here.
  Splitter splitter{{k, b, loc}, k.machine.lanes(32)};
  Value most = splitter.constant(0);
  most = splitter.splitLeft(left, leftHigh, leftLow, most);
  most = splitter.splitRight(right, rightHigh, rightLow, most);
  // The largest f16 is below 2^16; infinities and NaNs are above it in f32.
  Value largest = b.create<vector::ReductionOp>(loc, vector::CombiningKind::MAXUI, most);
  Value limit = b.create<arith::ConstantIntOp>(loc, 0x47800000, 32);
  Value isFinite = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ult, largest, limit);
  auto branch = b.create<scf::IfOp>(loc, isFinite, /*withElse=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  Buffer leftWords = asWords(leftHigh), leftRest = asWords(leftLow);
  TileKernel kernel = tileKernel(k, loc, DotUnit::HalfTiles, result, DotMatrices::columnsOf(leftWords));
  kernel.factors = {{leftRest, rightLow}, {leftRest, rightHigh}, {leftWords, rightLow}, {leftWords, rightHigh}};
  kernel.emit();
  b.setInsertionPointToStart(branch.elseBlock());
  emitMicroKernel(k, loc, DotUnit::Plain, left, right, result);
}

void emitTileDot(KernelEmitter &k, Location loc, DotUnit unit, const Buffer &left, const Buffer &right,
                 const Buffer &result) {
  if (unit == DotUnit::HalfTiles)
    return emitHalfTiles(k, loc, left, right, result);
  Buffer words = asWords(left);
  TileKernel kernel = tileKernel(k, loc, unit, result, DotMatrices::columnsOf(words));
  kernel.factors = {{words, packedWords(k, loc, right, /*flipSigns=*/false)}};
  kernel.emit();
}

} // namespace tilewise::cpu
