// Block pointers and tensor descriptors as pointer arithmetic with masks.
#include "frontend/builtins/BlockAccess.h"

#include "frontend/builtins/BuiltinArguments.h"
#include "frontend/sema/NumberTypes.h"
#include "support/Try.h"

#include "llvm/ADT/STLExtras.h"

#include <limits>

namespace tilewise::frontend {

static std::vector<std::pair<std::string, Operand>> methodsOf(llvm::StringRef prefix) {
  std::vector<std::pair<std::string, Operand>> methods;
  for (const Builtin &row : descriptorBuiltins())
    if (row.name().starts_with(prefix))
      methods.emplace_back(row.lastName().str(), Operand::ofBuiltin(&row));
  return methods;
}

const std::shared_ptr<const RecordClass> &blockPointerClass() {
  static const auto kind = [] {
    RecordClass made{"block_ptr", {"base", "shape", "strides", "offsets", "block_shape", "order", "type", "dtype"}, {}};
    made.attributes = methodsOf("block_ptr.");
    return std::make_shared<const RecordClass>(std::move(made));
  }();
  return kind;
}

const std::shared_ptr<const RecordClass> &tensorDescriptorClass() {
  static const auto kind = [] {
    RecordClass made{
        "tensor_descriptor", {"base", "shape", "strides", "block_shape", "dtype", "block_type", "padding_option"}, {}};
    made.attributes = methodsOf("tensor_descriptor.");
    return std::make_shared<const RecordClass>(std::move(made));
  }();
  return kind;
}

/// The type of a block pointer as kernels look into it: p.dtype.element_ty is the block's type.
static Operand blockPointerType(const Type &block) {
  static const auto kind =
      std::make_shared<const RecordClass>(RecordClass{"pointer_type of a block", {"element_ty", "scalar"}, {}});
  return Operand::ofRecord(kind, {Operand::ofType(block), Operand::ofType(block.element.pointerTo())});
}

static Elements listOf(const Operand &operand) { return operand.isSequence() ? operand.elements() : Elements{operand}; }

/// Scalar ints, cast to `type` where they are runtime values; numbers stay numbers.
static Result<Elements> scalarInts(Sema &sema, const Operand &list, DType type, llvm::StringRef what) {
  Elements result;
  for (const Operand &item : listOf(list)) {
    if (item.isInt() || item.isBool()) {
      if (llvm::APSInt number = llvm::APSInt::get(item.asInt64().value_or(0));
          !item.asInt64() || !holdsInt(type, number))
        return kernelFailure(what.str() + " must fit in " + type.str() + ", got " + item.repr());
      result.push_back(item);
      continue;
    }
    if (!item.isRuntime() || item.value().type.numElements() != 1 || !item.value().type.element.isInt())
      return kernelFailure("Expected a scalar integer in " + what.str() + ", got " + item.kindText());
    TILEWISE_TRY(Value scalar, sema.reshape(item.value(), {}));
    TILEWISE_TRY(scalar, sema.cast(scalar, type));
    result.push_back(Operand(scalar));
  }
  return result;
}

/// Scalar ints as runtime values of 64 bits.
static Result<Elements> wideValues(Sema &sema, const Operand &list, llvm::StringRef what) {
  TILEWISE_TRY(Elements ints, scalarInts(sema, list, Scalar::Int64, what));
  for (Operand &item : ints)
    if (!item.isRuntime()) {
      TILEWISE_TRY(Value number, sema.numberAs(item, Scalar::Int64));
      item = Operand(number);
    }
  return ints;
}

/// Offsets: wider ones than 32 bits are refused where the hardware's copies would be, if
/// `narrowOnly`.
static Result<Elements> offsetValues(Sema &sema, const Operand &list, size_t rank, bool narrowOnly) {
  Elements given = listOf(list);
  if (given.size() != rank)
    return kernelFailure("expected " + std::to_string(rank) + " offsets, but got " + std::to_string(given.size()));
  for (const Operand &item : given)
    if (narrowOnly && item.isRuntime() && item.value().type.element.bits() == 64)
      return kernelFailure("Expected a 32-bit integer; add a `.to(tl.int32)` to convert the value");
  return wideValues(sema, list, "offsets");
}

static Result<llvm::SmallVector<int64_t, 4>> blockShapeOf(Sema &sema, const Operand &operand, llvm::StringRef what) {
  TILEWISE_TRY(auto shape, intsArgument(operand, what));
  TILEWISE_CHECK(sema.checkShape(shape));
  return shape;
}

static Operand tupleOfInts(llvm::ArrayRef<int64_t> numbers) {
  Elements elements;
  for (int64_t number : numbers)
    elements.push_back(Operand::ofInt(number));
  return Operand::ofTuple(std::move(elements));
}

Result<Padding> paddingOf(const Operand &option, DType element, llvm::StringRef what) {
  if (option.isNone())
    return Padding::Zero;
  TILEWISE_TRY(std::string text, stringArgument(option, what));
  if (text.empty() || text == "zero")
    return Padding::Zero;
  if (text != "nan")
    return kernelFailure("Padding option " + text + " not supported; " + what.str() + " is 'zero' or 'nan'");
  if (!element.isFloat())
    return kernelFailure("Padding option `nan` is not supported for integer blocks, got " + element.str());
  return Padding::NaN;
}

Operand paddingValue(Padding padding) {
  return padding == Padding::NaN ? Operand::ofFloat(std::numeric_limits<double>::quiet_NaN()) : Operand::none();
}

Padding descriptorPadding(const Record &descriptor) {
  return descriptor.field("padding_option")->string() == "nan" ? Padding::NaN : Padding::Zero;
}

static Result<Value> basePointer(const Operand &base, llvm::StringRef function) {
  if (!base.isRuntime() || base.value().type.isBlock() || !base.value().type.element.isPointer())
    return kernelFailure(function.str() + ": base must be a pointer type, got " + base.kindText());
  return base.value();
}

Result<Operand> makeDescriptor(Sema &sema, const Operand &base, const Operand &shape, const Operand &strides,
                               const Operand &blockShape, const Operand &padding) {
  TILEWISE_TRY(Value pointer, basePointer(base, "tl.make_tensor_descriptor"));
  DType element = pointer.type.element.pointee();
  size_t rank = listOf(shape).size();
  if (rank < 1 || rank > 5)
    return kernelFailure("Expected 1 <= ndim <= 5 but got " + std::to_string(rank) + " dimensions");
  if (listOf(strides).size() != rank)
    return kernelFailure("Expected " + std::to_string(rank) + " strides but got " +
                         std::to_string(listOf(strides).size()));
  if (listOf(blockShape).size() != rank)
    return kernelFailure("Expected block_shape to have " + std::to_string(rank) + " dimensions but got " +
                         std::to_string(listOf(blockShape).size()));
  TILEWISE_TRY(auto block, blockShapeOf(sema, blockShape, "tl.make_tensor_descriptor's block_shape"));
  int64_t bytes = block.back() * int64_t(element.bytes());
  if (bytes < 16)
    return kernelFailure("Descriptor block shape must have at least 16 bytes in the last dimension, but got " +
                         std::to_string(block.back()) + " * " + std::to_string(element.bytes()) + " = " +
                         std::to_string(bytes) + " bytes");
  const Operand last = listOf(strides).back();
  if (last.asInt64() != 1)
    return kernelFailure("Tensor descriptor last dim must be 1 but got " +
                         (last.isRuntime() ? "a runtime " + last.kindText() + "; give the literal 1" : last.repr()));
  TILEWISE_TRY(Padding pad, paddingOf(padding, element, "tl.make_tensor_descriptor's padding_option"));
  TILEWISE_TRY(Elements extents, scalarInts(sema, shape, Scalar::Int32, "the shape of a descriptor"));
  TILEWISE_TRY(Elements steps, scalarInts(sema, strides, Scalar::Int64, "the strides of a descriptor"));
  // The hardware's copies demand 16 bytes of alignment of the base and of every line, so that much
  // may be counted on.
  OpSink &sink = sema.sink();
  pointer = sink.hint(pointer, Promise::Divisibility, {16});
  for (Operand &step : steps)
    if (step.isRuntime() && element.bytes() < 16)
      step = Operand(sink.hint(step.value(), Promise::Divisibility, {16 / int64_t(element.bytes())}));
  return Operand::ofRecord(tensorDescriptorClass(),
                           {Operand(pointer), Operand::ofTuple(std::move(extents)), Operand::ofTuple(std::move(steps)),
                            tupleOfInts(block), Operand::ofType(element), Operand::ofType(Type(element, block)),
                            Operand::ofString(pad == Padding::NaN ? "nan" : "zero")});
}

Result<Operand> makeBlockPointer(Sema &sema, const Operand &base, const Operand &shape, const Operand &strides,
                                 const Operand &offsets, const Operand &blockShape, const Operand &order) {
  TILEWISE_TRY(Value pointer, basePointer(base, "tl.make_block_ptr"));
  TILEWISE_TRY(auto block, blockShapeOf(sema, blockShape, "tl.make_block_ptr's block_shape"));
  size_t rank = block.size();
  for (const Operand *list : {&shape, &strides, &offsets})
    if (listOf(*list).size() != rank)
      return kernelFailure("Expected shape/strides/offsets/block_shape to have the same length, got " +
                           std::to_string(listOf(shape).size()) + ", " + std::to_string(listOf(strides).size()) + ", " +
                           std::to_string(listOf(offsets).size()) + " and " + std::to_string(rank));
  TILEWISE_TRY(auto dims, intsArgument(order, "tl.make_block_ptr's order"));
  llvm::SmallVector<int64_t, 4> sorted(dims);
  llvm::sort(sorted);
  for (size_t d = 0; d < std::max(rank, dims.size()); ++d)
    if (dims.size() != rank || sorted[d] != int64_t(d))
      return kernelFailure("Expected a permutation of (0, 1, ..., len(order)-1) in order, got " + order.repr() +
                           " for a block of rank " + std::to_string(rank));
  // All are runtime values: a variable may hold block pointers into matrices of known and of
  // unknown strides in turn.
  TILEWISE_TRY(Elements extents, wideValues(sema, shape, "the shape of a block pointer"));
  TILEWISE_TRY(Elements steps, wideValues(sema, strides, "the strides of a block pointer"));
  TILEWISE_TRY(Elements starts, offsetValues(sema, offsets, rank, /*narrowOnly=*/false));
  // A bool is one byte in memory.
  DType element = pointer.type.element.pointee();
  Type type(element.isBool() ? DType(Scalar::Int8) : element, block);
  if (element.isBool()) {
    TILEWISE_TRY(pointer, sema.cast(pointer, DType(Scalar::Int8).pointerTo(pointer.type.element.isConst())));
  }
  return Operand::ofRecord(blockPointerClass(),
                           {Operand(pointer), Operand::ofTuple(std::move(extents)), Operand::ofTuple(std::move(steps)),
                            Operand::ofTuple(std::move(starts)), tupleOfInts(block), tupleOfInts(dims),
                            blockPointerType(type), blockPointerType(type)});
}

Result<Operand> advance(Sema &sema, const Operand &blockPointer, const Operand &offsets) {
  if (!blockPointer.isRecord(*blockPointerClass()))
    return kernelFailure("tl.advance moves a block pointer, made by tl.make_block_ptr, got " + blockPointer.kindText());
  const Record &record = blockPointer.record();
  const Elements &before = record.field("offsets")->elements();
  TILEWISE_TRY(Elements deltas, offsetValues(sema, offsets, before.size(), /*narrowOnly=*/false));
  Elements moved;
  for (auto [start, delta] : llvm::zip_equal(before, deltas)) {
    TILEWISE_TRY(Operand sum, sema.binary(BinaryOperator::Add, start, delta));
    moved.push_back(std::move(sum));
  }
  Elements fields = record.fields;
  for (auto [name, field] : llvm::zip_equal(record.kind->fields, fields))
    if (name == "offsets")
      field = Operand::ofTuple(moved);
  return Operand::ofRecord(record.kind, std::move(fields));
}

/// Addresses and mask from the position of every line along each dimension: `indices[d]` is a block
/// of rank 1 with 64 bits.
static Result<BlockLanes> lanesAt(Sema &sema, const Record &record, llvm::ArrayRef<Operand> indices,
                                  llvm::ArrayRef<bool> checked) {
  const Elements &shape = record.field("shape")->elements(), &strides = record.field("strides")->elements();
  BlockLanes lanes;
  const Operand &base = *record.field("base");
  lanes.element = base.value().type.element.pointee();
  Operand total = Operand::none();
  auto join = [&](BinaryOperator op, Operand &into, const Operand &next) -> Result<void> {
    if (into.isNone()) {
      into = next;
      return {};
    }
    TILEWISE_TRY(into, sema.binary(op, into, next));
    return {};
  };
  for (size_t d = 0; d < indices.size(); ++d) {
    lanes.shape.push_back(indices[d].value().type.shape.front());
    llvm::SmallVector<int64_t> others;
    for (size_t e = 0; e < indices.size(); ++e)
      if (e != d)
        others.push_back(int64_t(e));
    TILEWISE_TRY(Value line, sema.expandDims(indices[d].value(), others));
    Operand index(line);
    if (strides[d].asInt64() == 1) {
      TILEWISE_CHECK(join(BinaryOperator::Add, total, index));
    } else {
      TILEWISE_TRY(Operand offset, sema.binary(BinaryOperator::Mul, index, strides[d]));
      TILEWISE_CHECK(join(BinaryOperator::Add, total, offset));
    }
    if (!checked[d])
      continue;
    Operand extent = shape[d];
    if (extent.isRuntime()) {
      TILEWISE_TRY(Value wide, sema.cast(extent.value(), Scalar::Int64));
      extent = Operand(wide);
    }
    TILEWISE_TRY(Operand fromStart, sema.compare(CompareOperator::Ge, index, Operand::ofInt(0)));
    TILEWISE_TRY(Operand toEnd, sema.compare(CompareOperator::Lt, index, extent));
    TILEWISE_TRY(Operand inside, sema.binary(BinaryOperator::BitAnd, fromStart, toEnd));
    TILEWISE_CHECK(join(BinaryOperator::BitAnd, lanes.mask, inside));
  }
  TILEWISE_TRY(lanes.pointers, sema.binary(BinaryOperator::Add, base, total));
  return lanes;
}

/// start, start + 1, ... for the block's extent, in 64 bits.
static Result<Operand> lineFrom(Sema &sema, const Operand &start, int64_t extent) {
  TILEWISE_TRY(Value range, sema.arange(Operand::ofInt(0), Operand::ofInt(extent)));
  TILEWISE_TRY(Value wide, sema.cast(range, Scalar::Int64));
  return sema.binary(BinaryOperator::Add, start, Operand(wide));
}

static Result<llvm::SmallVector<Operand>> linesFrom(Sema &sema, const Record &record, llvm::ArrayRef<Operand> starts) {
  llvm::SmallVector<Operand> lines;
  for (auto [start, extent] : llvm::zip_equal(starts, record.field("block_shape")->elements())) {
    TILEWISE_TRY(Operand line, lineFrom(sema, start, *extent.asInt64()));
    lines.push_back(std::move(line));
  }
  return lines;
}

Result<BlockLanes> blockPointerLanes(Sema &sema, const Record &blockPointer, const Operand &boundaryCheck) {
  size_t rank = blockPointer.field("block_shape")->elements().size();
  llvm::SmallVector<bool> checked(rank);
  if (!boundaryCheck.isNone()) {
    TILEWISE_TRY(auto dims, intsArgument(boundaryCheck, "boundary_check"));
    for (int64_t dim : dims) {
      if (dim < 0 || dim >= int64_t(rank))
        return kernelFailure("boundary_check names dimension " + std::to_string(dim) + " of a block of rank " +
                             std::to_string(rank));
      if (checked[size_t(dim)])
        return kernelFailure("Duplicate dimension in `boundary_check`: " + std::to_string(dim));
      checked[size_t(dim)] = true;
    }
  }
  TILEWISE_TRY(auto lines, linesFrom(sema, blockPointer, blockPointer.field("offsets")->elements()));
  return lanesAt(sema, blockPointer, lines, checked);
}

Result<BlockLanes> descriptorLanes(Sema &sema, const Record &descriptor, const Operand &offsets) {
  size_t rank = descriptor.field("block_shape")->elements().size();
  TILEWISE_TRY(Elements starts, offsetValues(sema, offsets, rank, /*narrowOnly=*/true));
  TILEWISE_TRY(auto lines, linesFrom(sema, descriptor, starts));
  return lanesAt(sema, descriptor, lines, llvm::SmallVector<bool>(rank, true));
}

Result<BlockLanes> descriptorRows(Sema &sema, const Record &descriptor, const Operand &rows, const Operand &column,
                                  llvm::StringRef what) {
  const Operand &blockShape = *descriptor.field("block_shape");
  const Elements &block = blockShape.elements();
  std::string name = "descriptor " + what.str();
  if (block.size() != 2)
    return kernelFailure("descriptor must be 2D, but got " + blockShape.repr());
  if (block[0].asInt64() != 1)
    return kernelFailure("descriptor block must have 1 row, but got " + blockShape.repr());
  if (!rows.isRuntime() || rows.value().type.rank() != 1)
    return kernelFailure("x offsets must be 1D, but got " + rows.kindText());
  const Type &type = rows.value().type;
  if (!type.element.is(Scalar::Int16) && !type.element.is(Scalar::Int32))
    return kernelFailure("x offsets must have dtype int16 or int32, but got " + type.element.str());
  if (type.shape.front() < 8)
    return kernelFailure(name + " must have at least 8 rows, but got " + shapeText(type.shape));
  DType element = descriptor.field("dtype")->type().element;
  int64_t least = 32 / int64_t(element.bits()) * 8;
  if (*block[1].asInt64() < least)
    return kernelFailure(name + " of " + element.str() + " must have at least " + std::to_string(least) +
                         " columns, but got " + block[1].repr());
  TILEWISE_TRY(Elements start, offsetValues(sema, column, 1, /*narrowOnly=*/true));
  TILEWISE_TRY(Operand columns, lineFrom(sema, start.front(), *block[1].asInt64()));
  TILEWISE_TRY(Value wideRows, sema.cast(rows.value(), Scalar::Int64));
  return lanesAt(sema, descriptor, {Operand(wideRows), columns}, {true, true});
}

} // namespace tilewise::frontend
