// Builtins: block pointers and tensor descriptors.
#include "frontend/builtins/BlockAccess.h"
#include "frontend/builtins/BuiltinArguments.h"
#include "support/Try.h"

namespace tilewise::frontend {

using Arguments = llvm::ArrayRef<Operand>;

static Result<Operand> makeBlockPtr(CallContext &context, Arguments a) {
  return makeBlockPointer(*context.sema(), a[0], a[1], a[2], a[3], a[4], a[5]);
}

static Result<Operand> advanceBlockPtr(CallContext &context, Arguments a) {
  return advance(*context.sema(), a[0], a[1]);
}

static Result<Operand> makeTensorDescriptor(CallContext &context, Arguments a) {
  return makeDescriptor(*context.sema(), a[0], a[1], a[2], a[3], a[4]);
}

static Result<const Record *> descriptorOf(const Operand &operand) {
  if (!operand.isRecord(*tensorDescriptorClass()))
    return kernelFailure("expected a tensor descriptor, got " + operand.kindText());
  return &operand.record();
}

static Result<Operand> load(CallContext &context, Arguments a) {
  TILEWISE_TRY(const Record *descriptor, descriptorOf(a[0]));
  TILEWISE_TRY(BlockLanes lanes, descriptorLanes(*context.sema(), *descriptor, a[1]));
  return asOperand(context.sema()->load(lanes.pointers, lanes.mask, paddingValue(descriptorPadding(*descriptor)), {}));
}

/// The value to be written, which must have the block's shape; a cast to the element type is the
/// store's.
static Result<void> checkStored(CallContext &context, const Operand &value, llvm::ArrayRef<int64_t> shape) {
  TILEWISE_TRY(Value stored, context.sema()->toValue(value));
  if (llvm::ArrayRef<int64_t>(stored.type.shape) != shape)
    return kernelFailure("expected value shape " + shapeText(shape) + ", got " + shapeText(stored.type.shape));
  return {};
}

static Result<Operand> store(CallContext &context, Arguments a) {
  TILEWISE_TRY(const Record *descriptor, descriptorOf(a[0]));
  TILEWISE_TRY(BlockLanes lanes, descriptorLanes(*context.sema(), *descriptor, a[1]));
  TILEWISE_CHECK(checkStored(context, a[2], lanes.shape));
  TILEWISE_CHECK(context.sema()->store(lanes.pointers, a[2], lanes.mask, {}));
  return Operand::none();
}

/// Which elements a descriptor's atomics take: those of the hardware's bulk reductions.
static bool takes(Sema::Atomic op, DType type) {
  bool isInt = type.is(Scalar::Int32) || type.is(Scalar::UInt32) || type.is(Scalar::UInt64);
  if (op == Sema::Atomic::Add)
    return isInt || type.is(Scalar::Fp32) || type.is(Scalar::Fp16) || type.is(Scalar::Bf16);
  return isInt || type.is(Scalar::Int64);
}

template <Sema::Atomic op> static Result<Operand> atomic(CallContext &context, Arguments a) {
  TILEWISE_TRY(const Record *descriptor, descriptorOf(a[0]));
  TILEWISE_TRY(BlockLanes lanes, descriptorLanes(*context.sema(), *descriptor, a[1]));
  TILEWISE_CHECK(checkStored(context, a[2], lanes.shape));
  bool isExtremum = op == Sema::Atomic::Min || op == Sema::Atomic::Max;
  if (isExtremum && (lanes.element.is(Scalar::Fp16) || lanes.element.is(Scalar::Bf16)))
    return kernelFailure("16-bit float types require native tma support, got a descriptor of " + lanes.element.str());
  if (!takes(op, lanes.element))
    return kernelFailure("Unsupported dtype: this atomic of a descriptor does not take " + lanes.element.str());
  TILEWISE_TRY(Value ignored, context.sema()->atomic(op, lanes.pointers, a[2], lanes.mask, {}));
  (void)ignored;
  return Operand::none();
}

static Result<Operand> gather(CallContext &context, Arguments a) {
  TILEWISE_TRY(const Record *descriptor, descriptorOf(a[0]));
  TILEWISE_TRY(BlockLanes lanes, descriptorRows(*context.sema(), *descriptor, a[1], a[2], "gather"));
  return asOperand(context.sema()->load(lanes.pointers, lanes.mask, paddingValue(descriptorPadding(*descriptor)), {}));
}

static Result<Operand> scatter(CallContext &context, Arguments a) {
  TILEWISE_TRY(const Record *descriptor, descriptorOf(a[0]));
  TILEWISE_TRY(BlockLanes lanes, descriptorRows(*context.sema(), *descriptor, a[2], a[3], "scatter"));
  TILEWISE_CHECK(checkStored(context, a[1], lanes.shape));
  TILEWISE_CHECK(context.sema()->store(lanes.pointers, a[1], lanes.mask, {}));
  return Operand::none();
}

static constexpr llvm::StringLiteral kDescriptor = "base, shape, strides, block_shape, padding_option='zero'";

static constexpr Builtin kRows[] = {
    {"tl.make_block_ptr", "base, shape, strides, offsets, block_shape, order", Builtin::None, makeBlockPtr},
    {"tl.advance", "base, offsets", Builtin::None, advanceBlockPtr},
    {"block_ptr.advance", "self, offsets", Builtin::None, advanceBlockPtr},
    {"tl.make_tensor_descriptor", kDescriptor, Builtin::None, makeTensorDescriptor},
    {"tl._experimental_make_tensor_descriptor", kDescriptor, Builtin::None, makeTensorDescriptor},
    {"tl.load_tensor_descriptor", "desc, offsets", Builtin::None, load},
    {"tl.store_tensor_descriptor", "desc, offsets, value", Builtin::None, store},
    {"tensor_descriptor.load", "self, offsets", Builtin::None, load},
    {"tensor_descriptor.store", "self, offsets, value", Builtin::None, store},
    {"tensor_descriptor.atomic_add", "self, offsets, value", Builtin::None, atomic<Sema::Atomic::Add>},
    {"tensor_descriptor.atomic_min", "self, offsets, value", Builtin::None, atomic<Sema::Atomic::Min>},
    {"tensor_descriptor.atomic_max", "self, offsets, value", Builtin::None, atomic<Sema::Atomic::Max>},
    {"tensor_descriptor.atomic_and", "self, offsets, value", Builtin::None, atomic<Sema::Atomic::And>},
    {"tensor_descriptor.atomic_or", "self, offsets, value", Builtin::None, atomic<Sema::Atomic::Or>},
    {"tensor_descriptor.atomic_xor", "self, offsets, value", Builtin::None, atomic<Sema::Atomic::Xor>},
    {"tensor_descriptor.gather", "self, x_offsets, y_offset", Builtin::None, gather},
    {"tensor_descriptor.scatter", "self, value, x_offsets, y_offset", Builtin::None, scatter},
};

llvm::ArrayRef<Builtin> descriptorBuiltins() { return kRows; }

} // namespace tilewise::frontend
