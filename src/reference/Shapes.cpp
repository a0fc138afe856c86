// Ops that place elements: program ids, range, splat, broadcast, permute, join, split, gather.
#include "reference/Code.h"

#include "ir/Tile.h"

using namespace mlir;

namespace tilewise::reference {
namespace {

struct AxisDetails : Details {
  unsigned axis = 0;
};

template <bool kCount> void programAlongAxis(const Instruction &i, Frame &frame) {
  unsigned axis = i.as<AxisDetails>().axis;
  std::fill_n(frame.at<uint32_t>(i.out[0]), i.count, (kCount ? frame.grid : frame.program)[axis]);
}

template <bool kCount> bool decodeProgram(Operation *op, unsigned axis, Decoder &decoder) {
  auto details = std::make_unique<AxisDetails>();
  details->axis = axis;
  Instruction &instruction = decoder.append(op);
  instruction.execute = programAlongAxis<kCount>;
  instruction.details = std::move(details);
  return true;
}

struct RangeDetails : Details {
  uint32_t start = 0;
};

void fillRange(const Instruction &i, Frame &frame) {
  uint32_t *out = frame.at<uint32_t>(i.out[0]);
  for (size_t k = 0; k < i.count; ++k)
    out[k] = i.as<RangeDetails>().start + uint32_t(k);
}

/// A range does not depend on the program: it is filled once per frame.
bool decodeRange(tile::RangeOp op, Decoder &decoder) {
  auto details = std::make_unique<RangeDetails>();
  details->start = op.getStart();
  Slot slot = decoder.slotOf(op.getResult());
  Instruction &instruction = decoder.appendConstant();
  instruction.count = elementCountOf(op.getType());
  instruction.out = {slot};
  instruction.execute = fillRange;
  instruction.details = std::move(details);
  return true;
}

template <typename T> void splat(const Instruction &i, Frame &frame) {
  std::fill_n(frame.at<T>(i.out[0]), i.count, *frame.at<T>(i.in[0]));
}

/// out[index] = source[sum of strides * index]
struct StridedDetails : Details {
  SmallVector<int64_t> shape, strides;
};

template <typename T> void stridedCopy(const Instruction &i, Frame &frame) {
  const auto &details = i.as<StridedDetails>();
  const T *source = frame.at<T>(i.in[0]);
  T *out = frame.at<T>(i.out[0]);
  size_t rank = details.shape.size();
  int64_t inner = details.shape[rank - 1], innerStride = details.strides[rank - 1];
  SmallVector<int64_t> index(rank, 0);
  for (const T *end = out + i.count; out != end; out += inner) {
    int64_t offset = 0;
    for (size_t d = 0; d + 1 < rank; ++d)
      offset += index[d] * details.strides[d];
    const T *row = source + offset;
    if (innerStride == 0)
      std::fill_n(out, inner, *row);
    else if (innerStride == 1)
      std::copy_n(row, inner, out);
    else
      for (int64_t k = 0; k < inner; ++k)
        out[k] = row[k * innerStride];
    for (size_t d = rank - 1; d-- > 0;) {
      if (++index[d] < details.shape[d])
        break;
      index[d] = 0;
    }
  }
}

SmallVector<int64_t> rowMajorStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (size_t d = shape.size(); d-- > 1;)
    strides[d - 1] = strides[d] * shape[d];
  return strides;
}

bool decodeStrided(Operation *op, SmallVector<int64_t> strides, Decoder &decoder) {
  auto details = std::make_unique<StridedDetails>();
  Type type = op->getResult(0).getType();
  details->shape.assign(tile::shapeOf(type).begin(), tile::shapeOf(type).end());
  details->strides = std::move(strides);
  Instruction &instruction = decoder.append(op);
  visitBytes(bytesOf(*kindOf(type)),
             [&](auto tag) { instruction.execute = stridedCopy<typename decltype(tag)::Type>; });
  instruction.details = std::move(details);
  return true;
}

bool decodeBroadcast(tile::BroadcastOp op, Decoder &decoder) {
  ArrayRef<int64_t> from = tile::shapeOf(op.getSource().getType());
  SmallVector<int64_t> strides = rowMajorStrides(from);
  for (size_t d = 0; d < from.size(); ++d)
    if (from[d] == 1)
      strides[d] = 0;
  return decodeStrided(op, std::move(strides), decoder);
}

bool decodePermute(tile::PermuteOp op, Decoder &decoder) {
  SmallVector<int64_t> from = rowMajorStrides(tile::shapeOf(op.getSource().getType())), strides;
  for (int32_t dim : op.getOrder())
    strides.push_back(from[dim]);
  return decodeStrided(op, std::move(strides), decoder);
}

template <typename T> void join(const Instruction &i, Frame &frame) {
  const T *a = frame.at<T>(i.in[0]), *b = frame.at<T>(i.in[1]);
  T *out = frame.at<T>(i.out[0]);
  for (size_t k = 0; k < i.count / 2; ++k) {
    out[2 * k] = a[k];
    out[2 * k + 1] = b[k];
  }
}

template <typename T> void split(const Instruction &i, Frame &frame) {
  const T *source = frame.at<T>(i.in[0]);
  T *a = frame.at<T>(i.out[0]), *b = frame.at<T>(i.out[1]);
  for (size_t k = 0; k < i.count; ++k) {
    a[k] = source[2 * k];
    b[k] = source[2 * k + 1];
  }
}

struct GatherDetails : Details {
  /// Along the axis: of the source, of the indices; elements behind one step of the axis.
  int64_t extent = 0, indices = 0, inner = 0;
};

template <typename T, typename Index> void gather(const Instruction &i, Frame &frame) {
  const auto &details = i.as<GatherDetails>();
  const T *source = frame.at<T>(i.in[0]);
  const Index *indices = frame.at<Index>(i.in[1]);
  T *out = frame.at<T>(i.out[0]);
  for (size_t k = 0; k < i.count; ++k) {
    int64_t behind = int64_t(k) % details.inner, outer = int64_t(k) / (details.inner * details.indices);
    int64_t at = Int<Index>::sext(indices[k]);
    bool inside = at >= 0 && at < details.extent;
    out[k] = inside ? source[(outer * details.extent + at) * details.inner + behind] : T(0);
  }
}

bool decodeGather(tile::GatherOp op, Decoder &decoder) {
  ArrayRef<int64_t> source = tile::shapeOf(op.getSource().getType()),
                    indices = tile::shapeOf(op.getIndices().getType());
  auto details = std::make_unique<GatherDetails>();
  details->extent = source[op.getAxis()];
  details->indices = indices[op.getAxis()];
  details->inner = 1;
  for (int64_t extent : source.drop_front(op.getAxis() + 1))
    details->inner *= extent;
  Instruction &instruction = decoder.append(op);
  visitBytes(bytesOf(*kindOf(op.getType())), [&](auto tag) {
    visitInt(*kindOf(op.getIndices().getType()), [&](auto index) {
      instruction.execute = gather<typename decltype(tag)::Type, typename decltype(index)::Type>;
    });
  });
  instruction.details = std::move(details);
  return true;
}

} // namespace

bool decodeShapes(Operation *op, Decoder &decoder) {
  auto byBytes = [&](auto choose) {
    visitBytes(bytesOf(*kindOf(op->getResult(0).getType())),
               [&](auto tag) { decoder.append(op).execute = choose(tag); });
    return true;
  };
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case([&](tile::ProgramIdOp op) { return decodeProgram<false>(op, op.getAxis(), decoder); })
      .Case([&](tile::NumProgramsOp op) { return decodeProgram<true>(op, op.getAxis(), decoder); })
      .Case([&](tile::RangeOp op) { return decodeRange(op, decoder); })
      .Case<tile::SplatOp>([&](auto) { return byBytes([](auto tag) { return splat<typename decltype(tag)::Type>; }); })
      // Row-major order does not change; a promise changes nothing at all.
      .Case<tile::ExpandDimsOp, tile::ReshapeOp, tile::HintOp>([&](Operation *op) {
        decoder.alias(op->getResult(0), op->getOperand(0));
        return true;
      })
      .Case([&](tile::BroadcastOp op) { return decodeBroadcast(op, decoder); })
      .Case([&](tile::PermuteOp op) { return decodePermute(op, decoder); })
      .Case<tile::JoinOp>([&](auto) { return byBytes([](auto tag) { return join<typename decltype(tag)::Type>; }); })
      .Case<tile::SplitOp>([&](auto) { return byBytes([](auto tag) { return split<typename decltype(tag)::Type>; }); })
      .Case([&](tile::GatherOp op) { return decodeGather(op, decoder); })
      .Default(false);
}

} // namespace tilewise::reference
