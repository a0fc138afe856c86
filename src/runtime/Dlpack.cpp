// DLPack in and out. Its structures are a fixed binary interface; they are declared here, so that
// nobody needs its header.
#include "runtime/DataType.h"
#include "runtime/Tensor.h"

namespace tilewise {

namespace {
enum : int32_t { kDeviceCpu = 1, kDeviceCuda = 2, kDeviceCudaHost = 3, kDeviceCudaManaged = 13 };

struct DlTensor {
  void *data;
  int32_t deviceType, deviceIndex;
  int32_t rank;
  uint8_t typeCode, typeBits;
  uint16_t lanes;
  int64_t *shape, *strides;
  uint64_t byteOffset;
};

struct DlManaged {
  DlTensor tensor;
  void *context;
  void (*deleter)(DlManaged *);
};

struct TypeRow {
  tw_dtype type;
  uint8_t code, bits;
};
} // namespace

static_assert(sizeof(DlTensor) == 48 && sizeof(DlManaged) == 64);

static constexpr TypeRow kTypes[] = {
    {TW_INT8, 0, 8},     {TW_INT16, 0, 16},    {TW_INT32, 0, 32},  {TW_INT64, 0, 64},      {TW_UINT8, 1, 8},
    {TW_UINT16, 1, 16},  {TW_UINT32, 1, 32},   {TW_UINT64, 1, 64}, {TW_FLOAT16, 2, 16},    {TW_FLOAT32, 2, 32},
    {TW_FLOAT64, 2, 64}, {TW_BFLOAT16, 4, 16}, {TW_BOOL, 6, 8},    {TW_FLOAT8E4M3, 10, 8}, {TW_FLOAT8E5M2, 12, 8},
};

static Result<Tensor> readTensor(const DlTensor &from) {
  tw_dtype dtype = TW_DTYPE_NONE;
  for (const TypeRow &row : kTypes)
    if (row.code == from.typeCode && row.bits == from.typeBits && from.lanes == 1)
      dtype = row.type;
  if (dtype == TW_DTYPE_NONE)
    return launchFailure("a DLPack tensor of type code " + std::to_string(from.typeCode) + " with " +
                         std::to_string(from.typeBits) + " bits and " + std::to_string(from.lanes) +
                         " lanes has no counterpart");
  tw_device device{TW_ENGINE_CPU, 0};
  switch (from.deviceType) {
  case kDeviceCpu:
  case kDeviceCudaHost:
    break;
  case kDeviceCuda:
  case kDeviceCudaManaged:
    device = {TW_ENGINE_CUDA, from.deviceIndex};
    break;
  default:
    return launchFailure("a DLPack tensor is on device type " + std::to_string(from.deviceType) +
                         ", expected CPU or CUDA");
  }
  const auto rank = size_t(from.rank);
  void *data = from.data ? static_cast<char *>(from.data) + from.byteOffset : nullptr;
  return Tensor::view(device, dtype, data, {from.shape, rank}, {from.strides, from.strides ? rank : 0});
}

Result<Tensor> Tensor::fromDlpack(void *managed) {
  if (!managed)
    return launchFailure("a null DLPack tensor");
  std::shared_ptr<void> storage(managed, [](void *pointer) {
    auto *owned = static_cast<DlManaged *>(pointer);
    if (owned->deleter)
      owned->deleter(owned);
  });
  Result<Tensor> tensor = readTensor(static_cast<DlManaged *>(managed)->tensor);
  if (tensor)
    tensor->storage = std::move(storage);
  return tensor;
}

Result<void *> Tensor::toDlpack() const {
  const TypeRow *type = nullptr;
  for (const TypeRow &row : kTypes)
    if (row.type == dtype)
      type = &row;
  if (!type)
    return internalFailure("a tensor's type is not in DLPack's table");
  // The exported structure, the shape it points to and a share of the memory, freed together.
  struct Export {
    DlManaged managed;
    Tensor tensor;
  };
  auto *made = new Export{{}, *this};
  DlTensor &to = made->managed.tensor;
  to = {};
  to.data = data;
  to.deviceType = isHost(device) ? kDeviceCpu : kDeviceCuda;
  to.deviceIndex = isHost(device) ? 0 : device.index;
  to.rank = int32_t(shape.size());
  to.typeCode = type->code;
  to.typeBits = type->bits;
  to.lanes = 1;
  to.shape = made->tensor.shape.data();
  to.strides = made->tensor.strides.data();
  made->managed.context = made;
  made->managed.deleter = [](DlManaged *managed) { delete static_cast<Export *>(managed->context); };
  return static_cast<void *>(&made->managed);
}

} // namespace tilewise
