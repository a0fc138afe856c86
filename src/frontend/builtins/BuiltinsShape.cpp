// Builtins that change the shape of blocks or move their elements.
#include "frontend/builtins/BuiltinArguments.h"
#include "support/Try.h"

namespace tilewise::frontend {

using Arguments = llvm::ArrayRef<Operand>;

static Result<Operand> broadcast(CallContext &context, Arguments a) {
  TILEWISE_TRY(Value x, context.sema()->toValue(a[0]));
  TILEWISE_TRY(Value y, context.sema()->toValue(a[1]));
  Value *both[] = {&x, &y};
  TILEWISE_CHECK(context.sema()->broadcastAll(both));
  return Operand::ofTuple({Operand(x), Operand(y)});
}

static Result<Operand> broadcastTo(CallContext &context, Arguments a) {
  TILEWISE_TRY(Value x, context.sema()->toValue(a[0]));
  TILEWISE_TRY(auto shape, shapeArgument(a[1], "tl.broadcast_to's shape"));
  TILEWISE_CHECK(context.sema()->checkShape(shape));
  return asOperand(context.sema()->broadcastTo(x, shape));
}

static Result<Operand> expandDims(CallContext &context, Arguments a) {
  TILEWISE_TRY(Value x, context.sema()->toValue(a[0]));
  TILEWISE_TRY(auto axes, intsArgument(a[1], "tl.expand_dims' axis"));
  return asOperand(context.sema()->expandDims(x, axes));
}

static Result<Operand> reshape(CallContext &context, Arguments a) {
  TILEWISE_TRY(Value x, context.sema()->toValue(a[0]));
  TILEWISE_TRY(auto shape, shapeArgument(a[1], "tl.reshape's shape"));
  return asOperand(context.sema()->reshape(x, shape));
}

static Result<Operand> ravel(CallContext &context, Arguments a) {
  TILEWISE_TRY(Value x, context.sema()->toValue(a[0]));
  return asOperand(context.sema()->reshape(x, x.type.numElements()));
}

static Result<Operand> item(CallContext &context, Arguments a) {
  TILEWISE_TRY(Value x, context.sema()->toValue(a[0]));
  return asOperand(context.sema()->reshape(x, {}));
}

static Result<Operand> permute(CallContext &context, Arguments a) {
  TILEWISE_TRY(Value x, context.sema()->toValue(a[0]));
  TILEWISE_TRY(auto order, shapeArgument(a[1], "tl.permute's dims"));
  return asOperand(context.sema()->permute(x, order));
}

/// Without dims the last two change places.
static Result<Operand> trans(CallContext &context, Arguments a) {
  TILEWISE_TRY(Value x, context.sema()->toValue(a[0]));
  TILEWISE_TRY(auto order, shapeArgument(a[1], "tl.trans' dims"));
  if (order.empty()) {
    if (x.type.rank() < 2)
      return kernelFailure("tl.trans needs a block of rank 2 or more, got " + x.type.str());
    for (size_t d = 0; d < x.type.rank(); ++d)
      order.push_back(int64_t(d));
    std::swap(order[order.size() - 1], order[order.size() - 2]);
  }
  return asOperand(context.sema()->permute(x, order));
}

static Result<Operand> squeeze(CallContext &context, Arguments a) {
  TILEWISE_TRY(Value x, context.sema()->toValue(a[0]));
  TILEWISE_TRY(int64_t dim, intArgument(a[1], "tl.squeeze's dim"));
  int64_t at = dim < 0 ? dim + int64_t(x.type.rank()) : dim;
  if (at < 0 || at >= int64_t(x.type.rank()) || x.type.shape[size_t(at)] != 1)
    return kernelFailure("tl.squeeze needs a dimension of extent 1, got dim " + std::to_string(dim) + " of " +
                         x.type.str());
  auto shape = x.type.shape;
  shape.erase(shape.begin() + at);
  return asOperand(context.sema()->reshape(x, shape));
}

static Result<Operand> join(CallContext &context, Arguments a) { return asOperand(context.sema()->join(a[0], a[1])); }

static Result<Operand> split(CallContext &context, Arguments a) {
  TILEWISE_TRY(Value x, context.sema()->toValue(a[0]));
  TILEWISE_TRY(Sema::Pair halves, context.sema()->split(x));
  return Operand::ofTuple({Operand(halves.lhs), Operand(halves.rhs)});
}

static Result<Operand> gather(CallContext &context, Arguments a) {
  TILEWISE_TRY(Value source, context.sema()->toValue(a[0]));
  TILEWISE_TRY(Value indices, context.sema()->toValue(a[1]));
  TILEWISE_TRY(int64_t axis, intArgument(a[2], "tl.gather's axis"));
  return asOperand(context.sema()->gather(source, indices, axis));
}

static Result<Operand> histogram(CallContext &context, Arguments a) {
  TILEWISE_TRY(Value source, context.sema()->toValue(a[0]));
  TILEWISE_TRY(int64_t bins, intArgument(a[1], "tl.histogram's num_bins"));
  return asOperand(context.sema()->histogram(source, bins, a[2]));
}

static constexpr Builtin kRows[] = {
    {"tl.broadcast", "input, other", Builtin::None, broadcast},
    {"tl.broadcast_to", "input, *shape", Builtin::Method, broadcastTo},
    {"tl.expand_dims", "input, axis", Builtin::Method, expandDims},
    {"tl.unsqueeze", "x, dim", Builtin::None, expandDims},
    {"tl.squeeze", "x, dim", Builtin::None, squeeze},
    {"tl.reshape", "input, *shape, can_reorder=False", Builtin::Method, reshape},
    {"tl.view", "input, *shape", Builtin::Method, reshape},
    {"tl.ravel", "x, can_reorder=False", Builtin::Method, ravel},
    {"tl.tensor.item", "self", Builtin::None, item},
    {"tl.permute", "input, *dims", Builtin::Method, permute},
    {"tl.trans", "input, *dims", Builtin::Method, trans},
    {"tl.join", "a, b", Builtin::None, join},
    {"tl.split", "a", Builtin::Method, split},
    {"tl.gather", "src, index, axis", Builtin::Method, gather},
    {"tl.histogram", "input, num_bins, mask=None", Builtin::Method, histogram},
};

llvm::ArrayRef<Builtin> shapeBuiltins() { return kRows; }

} // namespace tilewise::frontend
