// The operands of a dot on their way into scratch: the layout that the micro-kernel walks, and how
// much of it is more than zeros.
#include "target/cpu/dot/EmitDot.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tilewise::cpu {

static constexpr int64_t kLineBytes = 64;

Buffer allocateMatrix(KernelEmitter &k, ArrayRef<int64_t> shape, Type element) {
  return k.allocate(shape, element, isPaddedMatrix(shape.back(), element) ? kLineBytes / storageBytes(element) : 0);
}

/// The same matrices with rows and columns exchanged.
static Buffer exchanged(Buffer buffer) {
  const size_t rank = buffer.shape.size();
  std::swap(buffer.shape[rank - 2], buffer.shape[rank - 1]);
  std::swap(buffer.strides[rank - 2], buffer.strides[rank - 1]);
  return buffer;
}

static void keepIn(KernelEmitter &k, Value operand, const Buffer &buffer) {
  emitNest(k, keepingNest(operand, buffer, operand.getLoc()));
}

/// Room for the operand, [.., rows, columns], with neighbours along its columns.
static Buffer allocateColumns(KernelEmitter &k, Value operand, Type element) {
  SmallVector<int64_t, 4> shape(tile::shapeOf(operand.getType()));
  std::swap(shape[shape.size() - 2], shape[shape.size() - 1]);
  return exchanged(allocateMatrix(k, shape, element));
}

/// Whether all elements of a matrix's mask are true, of the first `rows` and `columns` if they are
/// given. Null: it has no mask.
static Value isWholeMask(KernelEmitter &k, Location loc, const tile::StructuredAccess &access, Value rows,
                         Value columns) {
  Value result;
  auto require = [&](Value condition) {
    result = result ? k.b.create<arith::AndIOp>(loc, result, condition).getResult() : condition;
  };
  auto compare = [&](arith::CmpIPredicate predicate, Value x, Value y) {
    require(k.b.create<arith::CmpIOp>(loc, predicate, x, y));
  };
  if (!access.mask)
    return {};
  for (auto [dim, bounds] : llvm::enumerate(access.mask->dims)) {
    Value given = dim == 0 ? rows : columns, extent = given ? given : k.i64(loc, access.shape[dim]);
    for (const tile::Bound &upper : bounds.uppers)
      compare(arith::CmpIPredicate::sge, evaluateBound(k, loc, upper, /*isUpper=*/true), extent);
    for (const tile::Bound &lower : bounds.lowers)
      compare(arith::CmpIPredicate::sle, evaluateBound(k, loc, lower, /*isUpper=*/false), k.i64(loc, 0));
  }
  for (Value condition : access.mask->conditions)
    require(k.scalars.lookup(condition));
  for (const tile::ScalarExpr &positive : access.mask->positives)
    compare(arith::CmpIPredicate::sgt, k.evaluate(loc, positive), k.i64(loc, 0));
  return result;
}

// Of 2 MiB in 16 ways, rows that lie a multiple of this apart use a 16th at most: 256 rows of a
// block do not fit.
static constexpr int64_t kMeetingRows = 4096;

/// The operand where it was loaded from, row by row, or column by column if it is wanted
/// transposed; where its mask is false somewhere, what `pack` makes.
static Matrix inPlaceOr(KernelEmitter &k, Value operand, Type element, const Packing &packing,
                        llvm::function_ref<Buffer()> pack, bool isTransposed = false) {
  auto load = operand.getDefiningOp<tile::LoadOp>();
  const tile::StructuredAccess access = k.inference.access(load);
  const unsigned along = isTransposed ? 0 : 1;
  const int64_t bytes = storageBytes(element), columns = access.shape[along];
  OpBuilder &b = k.b;
  Location loc = load.getLoc();
  Value pointer = k.firstElement(loc, access.address, tile::elementTypeOf(load.getPointer().getType()));
  Value rowBytes = k.evaluate(loc, *access.address.strides[1 - along] * tile::ScalarExpr(bytes));
  Value mayBe = isWholeMask(k, loc, access, packing.rows, packing.depth);
  auto require = [&](arith::CmpIPredicate predicate, Value number, int64_t constant) {
    Value condition = b.create<arith::CmpIOp>(loc, predicate, number, k.i64(loc, constant));
    mayBe = mayBe ? b.create<arith::AndIOp>(loc, mayBe, condition).getResult() : condition;
  };
  if (packing.isReadOften)
    require(arith::CmpIPredicate::ne, b.create<arith::AndIOp>(loc, rowBytes, k.i64(loc, kMeetingRows - 1)), 0);
  if (packing.isDense) {
    Value number = b.create<LLVM::PtrToIntOp>(loc, b.getI64Type(), pointer);
    require(arith::CmpIPredicate::eq, rowBytes, columns * bytes);
    require(arith::CmpIPredicate::eq, b.create<arith::AndIOp>(loc, number, k.i64(loc, kLineBytes - 1)), 0);
  }
  Buffer rows{0, {access.shape[1 - along], columns}, {columns, 1}, element};
  if (mayBe) {
    auto branch = b.create<scf::IfOp>(loc, TypeRange{pointer.getType(), rowBytes.getType()}, mayBe, /*withElse=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    b.create<scf::YieldOp>(loc, ValueRange{pointer, rowBytes});
    b.setInsertionPointToStart(branch.elseBlock());
    rows = pack();
    b.create<scf::YieldOp>(loc,
                           ValueRange{k.bufferPointer(loc, rows), k.i64(loc, DotMatrices::rowStride(rows) * bytes)});
    pointer = branch.getResult(0);
    rowBytes = branch.getResult(1);
  }
  Matrix matrix(rows);
  matrix.pointer = pointer;
  if (!packing.isDense)
    matrix.rowBytes = rowBytes;
  return matrix;
}

static Buffer packRows(KernelEmitter &k, Value operand, Type element) {
  Buffer buffer = allocateMatrix(k, tile::shapeOf(operand.getType()), element);
  keepIn(k, operand, buffer);
  return buffer;
}

static Buffer packColumns(KernelEmitter &k, Value operand, Type element) {
  Buffer buffer = allocateColumns(k, operand, element);
  keepIn(k, operand, buffer);
  return buffer;
}

Matrix packLeft(KernelEmitter &k, Value operand, Type element, const Packing &packing) {
  switch (packing.given) {
  case Given::Kept:
    return k.buffers[operand];
  case Given::Columns:
    return packColumns(k, operand, element);
  case Given::RowsInPlace:
    return inPlaceOr(k, operand, element, packing, [&] { return packRows(k, operand, element); });
  default:
    return packRows(k, operand, element);
  }
}

PackedOperand packRight(KernelEmitter &k, Value operand, Type element, const Packing &packing) {
  auto columns = [&] { return exchanged(packColumns(k, operand, element)); };
  Packing whole = packing; // Every element is read once on its way to being transposed.
  whole.isDense = false;
  switch (packing.given) {
  case Given::Kept:
    return {k.buffers[operand]};
  case Given::Columns:
    return {columns(), /*isTransposed=*/true};
  case Given::ColumnsInPlace:
    return {inPlaceOr(k, operand, element, whole, columns, /*isTransposed=*/true), /*isTransposed=*/true};
  case Given::RowsInPlace:
    return {inPlaceOr(k, operand, element, packing, [&] { return packRows(k, operand, element); })};
  default:
    return {packRows(k, operand, element)};
  }
}

namespace {

struct Transposer : DotMatrices {
  int64_t size;

  /// Exchanges, in steps of 1, 2, 4, .. lanes, the squares off the diagonal: with steps of 1, rows
  /// (a b c d) and (e f g h) become (a e c g) and (b f d h).
  void transpose(SmallVectorImpl<Value> &rows) {
    for (int64_t step = 1; step < size; step *= 2) {
      SmallVector<int64_t> even, odd;
      for (int64_t lane = 0; lane < size; ++lane) {
        even.push_back(lane & step ? size + lane - step : lane);
        odd.push_back(lane & step ? size + lane : lane + step);
      }
      for (int64_t row = 0; row < size; ++row) {
        if (row & step)
          continue;
        Value x = rows[row], y = rows[row + step];
        rows[row] = b.create<vector::ShuffleOp>(loc, x, y, even);
        rows[row + step] = b.create<vector::ShuffleOp>(loc, x, y, odd);
      }
    }
  }

  void squareAt(const Matrix &from, const Buffer &to, Value row, Value column) {
    auto type = VectorType::get({size}, storageType(to.element));
    const unsigned bytes = unsigned(storageBytes(to.element));
    Value source = address(from, row, column), target = address(to, column, row);
    SmallVector<Value> rows;
    for (int64_t i = 0; i < size; ++i)
      rows.push_back(b.create<LLVM::LoadOp>(loc, type, at(from, source, i, 0), bytes));
    transpose(rows);
    for (int64_t i = 0; i < size; ++i)
      b.create<LLVM::StoreOp>(loc, rows[i], at(to, target, i, 0), bytes);
  }
};

} // namespace

Buffer transposed(KernelEmitter &k, Location loc, const Matrix &matrix) {
  const Buffer &rows = matrix.buffer;
  const int64_t m = DotMatrices::rowsOf(rows), n = DotMatrices::columnsOf(rows);
  Buffer result = allocateMatrix(k, exchanged(rows).shape, rows.element);
  Transposer transposer{{k, k.b, loc}, transposedSquare(k.machine, m, n, rows.element)};
  transposer.forEachMatrix(rows, [&] {
    transposer.loop(0, m, transposer.size, [&](Value row) {
      transposer.loop(0, n, transposer.size, [&](Value column) { transposer.squareAt(matrix, result, row, column); });
    });
  });
  return result;
}

/// The end, along dimension `dim` of a block, of what its load's mask lets through; what follows is
/// 0.
static Value endOfNonZeros(KernelEmitter &k, Location loc, Value block, unsigned dim) {
  Operation *op = block.getDefiningOp();
  while (op && isa<arith::ExtFOp, arith::TruncFOp, tile::PermuteOp>(op)) {
    if (auto permute = dyn_cast<tile::PermuteOp>(op))
      dim = unsigned(permute.getOrder()[dim]);
    op = op->getOperand(0).getDefiningOp();
  }
  auto load = dyn_cast_or_null<tile::LoadOp>(op);
  if (!load || !load.getMask())
    return {};
  Value other = load.getOther();
  if (auto splat = other ? other.getDefiningOp<tile::SplatOp>() : tile::SplatOp())
    other = splat.getSource();
  if (other && !matchPattern(other, m_AnyZeroFloat()) && !matchPattern(other, m_Zero()))
    return {};
  tile::StructuredAccess access = k.inference.access(load);
  if (!access.mask)
    return {};
  Value end;
  for (const tile::Bound &upper : access.mask->dims[dim].uppers) {
    Value value = evaluateBound(k, loc, upper, /*isUpper=*/true);
    end = end ? k.b.createOrFold<arith::MinSIOp>(loc, end, value) : value;
  }
  return end;
}

Value depthBound(KernelEmitter &k, tile::DotOp dot) {
  Location loc = dot.getLoc();
  const unsigned rank = unsigned(tile::shapeOf(dot.getType()).size());
  // Of both: a zero by an infinity would be no zero.
  Value left = endOfNonZeros(k, loc, dot.getA(), rank - 1);
  Value right = left ? endOfNonZeros(k, loc, dot.getB(), rank - 2) : Value();
  if (!right)
    return {};
  Value end = k.b.createOrFold<arith::MaxSIOp>(loc, left, right);
  Value depth = k.i64(loc, tile::shapeOf(dot.getA().getType()).back());
  end = k.b.createOrFold<arith::MinSIOp>(loc, end, depth);
  return k.b.createOrFold<arith::MaxSIOp>(loc, end, k.i64(loc, 0));
}

} // namespace tilewise::cpu
