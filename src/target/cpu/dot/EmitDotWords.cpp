// Operands of a dot as words of two bf16 or i16, or of four i8, for the units that multiply such
// groups; plan/PlanDots.h says how words are laid out.
#include "target/cpu/dot/EmitDot.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tilewise::cpu {

static int64_t groupOf(const Buffer &rows) { return 4 / storageBytes(rows.element); }

Matrix asWords(const Matrix &matrix) {
  Matrix result = matrix;
  Buffer &words = result.buffer;
  const int64_t group = groupOf(words);
  words.element = IntegerType::get(words.element.getContext(), 32);
  words.shape.back() /= group;
  for (int64_t &stride : llvm::MutableArrayRef<int64_t>(words.strides).drop_back())
    stride /= group;
  return result;
}

namespace {

struct Interleaver : DotMatrices {
  /// x0 y0 x1 y1 .. of two vectors.
  Value zip(Value x, Value y) {
    const int64_t count = cast<VectorType>(x.getType()).getNumElements();
    SmallVector<int64_t> order;
    for (int64_t i = 0; i < count; ++i)
      order.append({i, i + count});
    return b.create<vector::ShuffleOp>(loc, x, y, order);
  }

  /// Lane i of the result holds lane i of every row.
  Value zipRows(ArrayRef<Value> rows) {
    if (rows.size() == 2)
      return zip(rows[0], rows[1]);
    auto pairs = [&](Value bytes) -> Value {
      const int64_t count = cast<VectorType>(bytes.getType()).getNumElements() / 2;
      return b.create<vector::BitCastOp>(loc, VectorType::get({count}, b.getI16Type()), bytes);
    };
    return zip(pairs(zip(rows[0], rows[1])), pairs(zip(rows[2], rows[3])));
  }

  void wordsAt(const Matrix &matrix, const Buffer &words, Value row, Value column, int64_t lanes, bool flipSigns) {
    const Buffer &rows = matrix.buffer;
    const int64_t group = groupOf(rows);
    auto type = VectorType::get({lanes}, storageType(rows.element));
    Value first = address(matrix, b.create<arith::MulIOp>(loc, row, k.i64(loc, group)), column);
    SmallVector<Value> vectors;
    for (int64_t i = 0; i < group; ++i)
      vectors.push_back(
          b.create<LLVM::LoadOp>(loc, type, at(matrix, first, i, 0), unsigned(storageBytes(rows.element))));
    auto wordType = VectorType::get({lanes}, b.getI32Type());
    Value word = b.create<vector::BitCastOp>(loc, wordType, zipRows(vectors));
    if (flipSigns)
      word = b.create<arith::XOrIOp>(
          loc, word, b.create<arith::ConstantOp>(loc, DenseElementsAttr::get(wordType, int32_t(0x80808080))));
    b.create<LLVM::StoreOp>(loc, word, address(words, row, column), 4);
  }
};

} // namespace

/// Words that a transposed operand holds already, one after the other along a row.
static Buffer transposedWords(KernelEmitter &k, Location loc, const Matrix &rows, bool flipSigns) {
  Buffer words = transposed(k, loc, asWords(rows));
  if (!flipSigns)
    return words;
  DotMatrices matrices{k, k.b, loc};
  const int64_t lanes = largestDivisor(words.shape.back(), k.machine.lanes(32));
  auto type = VectorType::get({lanes}, k.b.getI32Type());
  matrices.forEachMatrix(words, [&] {
    matrices.loop(0, DotMatrices::rowsOf(words), 1, [&](Value row) {
      matrices.loop(0, words.shape.back(), lanes, [&](Value column) {
        Value pointer = matrices.address(words, row, column);
        Value signs = k.b.create<arith::ConstantOp>(loc, DenseElementsAttr::get(type, int32_t(0x80808080)));
        Value word = k.b.create<LLVM::LoadOp>(loc, type, pointer, 4);
        k.b.create<LLVM::StoreOp>(loc, k.b.create<arith::XOrIOp>(loc, word, signs), pointer, 4);
      });
    });
  });
  return words;
}

Buffer packedWords(KernelEmitter &k, Location loc, const PackedOperand &operand, bool flipSigns) {
  const Buffer &rows = operand.matrix.buffer;
  if (operand.isTransposed)
    return transposedWords(k, loc, operand.matrix, flipSigns);
  SmallVector<int64_t, 4> shape(rows.shape);
  shape[shape.size() - 2] /= groupOf(rows);
  Buffer words = allocateMatrix(k, shape, k.b.getI32Type());
  Interleaver interleaver{{k, k.b, loc}};
  const int64_t lanes = largestDivisor(shape.back(), k.machine.lanes(32));
  interleaver.forEachMatrix(rows, [&] {
    interleaver.loop(0, shape[shape.size() - 2], 1, [&](Value row) {
      interleaver.loop(0, shape.back(), lanes, [&](Value column) {
        interleaver.wordsAt(operand.matrix, words, row, column, lanes, flipSigns);
      });
    });
  });
  return words;
}

Value depthInWords(KernelEmitter &k, Location loc, Value depth, int64_t group) {
  if (!depth)
    return {};
  Value up = k.b.create<arith::AddIOp>(loc, depth, k.i64(loc, group - 1));
  return k.b.create<arith::DivUIOp>(loc, up, k.i64(loc, group));
}

/// 128 times the sum of every row of bytes, [.., M, 1].
static Buffer rowSumsOf(KernelEmitter &k, Location loc, const Buffer &bytes) {
  OpBuilder &b = k.b;
  const Buffer words = asWords(bytes).buffer;
  SmallVector<int64_t, 4> shape(bytes.shape);
  shape.back() = 1;
  Buffer sums = k.allocate(shape, b.getI32Type());
  DotMatrices matrices{k, b, loc};
  const int64_t lanes = largestDivisor(words.shape.back(), k.machine.lanes(32));
  auto type = VectorType::get({lanes}, b.getI32Type());
  auto constant = [&](uint32_t value) -> Value {
    return b.create<arith::ConstantOp>(loc, DenseElementsAttr::get(type, int32_t(value)));
  };
  matrices.forEachMatrix(bytes, [&] {
    matrices.loop(0, DotMatrices::rowsOf(bytes), 1, [&](Value row) {
      Value zero = constant(0), by128 = constant(0x80808080);
      auto overRow = b.create<scf::ForOp>(loc, k.i64(loc, 0), k.i64(loc, words.shape.back()), k.i64(loc, lanes),
                                          ValueRange(zero), [](OpBuilder &, Location, Value, ValueRange) {});
      {
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToEnd(overRow.getBody());
        Value word = b.create<LLVM::LoadOp>(loc, type, matrices.address(words, row, overRow.getInductionVar()), 4);
        Value next =
            b.create<LLVM::CallIntrinsicOp>(loc, type, "llvm.x86.avx512.vpdpbusd." + std::to_string(lanes * 32),
                                            ValueRange{overRow.getRegionIterArgs()[0], by128, word})
                .getResult(0);
        b.create<scf::YieldOp>(loc, next);
      }
      Value total = b.create<vector::ReductionOp>(loc, vector::CombiningKind::ADD, overRow.getResult(0));
      b.create<LLVM::StoreOp>(loc, total, matrices.address(sums, row, k.i64(loc, 0)), 4);
    });
  });
  return sums;
}

void emitWordDot(KernelEmitter &k, Location loc, DotUnit unit, const Buffer &left, const PackedOperand &right,
                 const Buffer &result, Value depth, bool startsFromZero) {
  Value words = depthInWords(k, loc, depth, groupOf(left));
  if (unit != DotUnit::I8Quads)
    return emitMicroKernel(k, loc, unit, asWords(left).buffer, packedWords(k, loc, right, /*flipSigns=*/false), result,
                           words, startsFromZero);
  // VNNI multiplies bytes without a sign by bytes with one: (b + 128) * a, from which 128 times the
  // sum of a's row is taken off.
  Buffer flipped = packedWords(k, loc, right, /*flipSigns=*/true), sums = rowSumsOf(k, loc, left);
  emitMicroKernel(k, loc, unit, asWords(left).buffer, flipped, result, words, startsFromZero, &sums);
}

} // namespace tilewise::cpu
