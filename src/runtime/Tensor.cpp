// Tensors: shapes, memory, copies.
#include "runtime/Tensor.h"

#include "runtime/DataType.h"
#include "runtime/Streams.h"
#include "support/Try.h"

#include <cstring>

namespace tilewise {

/// Checks a shape and gives its row-major strides.
static Result<std::vector<int64_t>> rowMajorStrides(tw_dtype dtype, std::span<const int64_t> shape) {
  if (dataTypeBytes(dtype) == 0)
    return launchFailure("a tensor needs an element type");
  std::vector<int64_t> strides(shape.size());
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    if (shape[i] < 0)
      return launchFailure("dimension " + std::to_string(i) + " of a tensor is " + std::to_string(shape[i]) +
                           ", expected 0 or more");
    strides[i] = stride;
    if (__builtin_mul_overflow(stride, shape[i] > 0 ? shape[i] : 1, &stride) || stride > INT64_MAX / 8)
      return launchFailure("a tensor's shape has too many elements");
  }
  return strides;
}

/// A tensor on memory that `allocate` gives and `free` takes back.
template <typename Allocate, typename Free>
static Result<Tensor> createWith(tw_device device, tw_dtype dtype, std::span<const int64_t> shape, Allocate allocate,
                                 Free free) {
  TILEWISE_TRY(std::vector<int64_t> strides, rowMajorStrides(dtype, shape));
  Tensor tensor{device, dtype, nullptr, {shape.begin(), shape.end()}, std::move(strides), nullptr};
  TILEWISE_TRY(tensor.data, allocate(tensor.bytes()));
  tensor.storage = std::shared_ptr<void>(tensor.data, free);
  return tensor;
}

Result<Tensor> Tensor::create(tw_device device, tw_dtype dtype, std::span<const int64_t> shape) {
  return createWith(
      device, dtype, shape, [device](size_t bytes) { return allocateOn(device, bytes); },
      [device](void *data) { freeOn(device, data); });
}

Result<Tensor> Tensor::createOn(tw_device device, tw_dtype dtype, std::span<const int64_t> shape, void *stream) {
  return createWith(
      device, dtype, shape, [=](size_t bytes) { return allocateInOrder(device, bytes, stream); },
      [=](void *data) { freeInOrder(device, data, stream); });
}

Result<Tensor> Tensor::view(tw_device device, tw_dtype dtype, void *data, std::span<const int64_t> shape,
                            std::span<const int64_t> strides) {
  Result<std::vector<int64_t>> rowMajor = rowMajorStrides(dtype, shape);
  if (!rowMajor)
    return rowMajor.takeFailure();
  Tensor tensor{device, dtype, data, {shape.begin(), shape.end()}, std::move(*rowMajor), nullptr};
  if (!strides.empty())
    tensor.strides.assign(strides.begin(), strides.end());
  if (!data && tensor.elements() != 0)
    return launchFailure("a view of " + std::to_string(tensor.elements()) + " elements around a null pointer");
  return tensor;
}

size_t Tensor::elements() const {
  size_t count = 1;
  for (int64_t extent : shape)
    count *= size_t(extent);
  return count;
}

size_t Tensor::bytes() const {
  if (elements() == 0)
    return 0;
  size_t last = 0;
  for (size_t i = 0; i < shape.size(); ++i)
    last += size_t(shape[i] - 1) * size_t(strides[i] < 0 ? 0 : strides[i]);
  return (last + 1) * dataTypeBytes(dtype);
}

bool Tensor::isRowMajor() const {
  if (elements() == 0)
    return true;
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    if (shape[i] > 1 && strides[i] != stride)
      return false;
    stride *= shape[i];
  }
  return true;
}

static Result<void> checkCopy(const Tensor &tensor, size_t bytes) {
  const size_t held = tensor.elements() * dataTypeBytes(tensor.dtype);
  if (bytes != held)
    return launchFailure("a tensor of " + std::to_string(held) + " bytes cannot be copied from or to memory of " +
                         std::to_string(bytes));
  return {};
}

size_t Tensor::bytesBefore() const {
  size_t first = 0;
  for (size_t i = 0; i < shape.size(); ++i)
    if (strides[i] < 0 && elements() != 0)
      first += size_t(shape[i] - 1) * size_t(-strides[i]);
  return first * dataTypeBytes(dtype);
}

/// Calls `copy` with the offset in elements of each element, in row-major order.
template <typename Copy> static void forEachOffset(const Tensor &tensor, Copy copy) {
  const size_t rank = tensor.shape.size();
  std::vector<int64_t> index(rank);
  int64_t offset = 0;
  for (size_t count = tensor.elements(); count-- > 0;) {
    copy(offset);
    for (size_t d = rank; d-- > 0;) {
      offset += tensor.strides[d];
      if (++index[d] < tensor.shape[d])
        break;
      offset -= tensor.strides[d] * tensor.shape[d];
      index[d] = 0;
    }
  }
}

/// What a strided tensor on another device than the host is copied through: all the memory between
/// its ends.
static Result<std::vector<char>> readAll(const Tensor &tensor) {
  std::vector<char> all(tensor.bytesBefore() + tensor.bytes());
  const char *begin = static_cast<const char *>(tensor.data) - tensor.bytesBefore();
  if (Result<void> read = copyToHost(tensor.device, all.data(), begin, all.size()); !read)
    return read.takeFailure();
  return all;
}

static void scatter(const Tensor &tensor, char *to, const void *host) {
  const size_t element = dataTypeBytes(tensor.dtype);
  const char *from = static_cast<const char *>(host);
  forEachOffset(tensor, [&](int64_t offset) {
    std::memcpy(to + offset * int64_t(element), from, element);
    from += element;
  });
}

static void gather(const Tensor &tensor, const char *from, void *host) {
  const size_t element = dataTypeBytes(tensor.dtype);
  char *to = static_cast<char *>(host);
  forEachOffset(tensor, [&](int64_t offset) {
    std::memcpy(to, from + offset * int64_t(element), element);
    to += element;
  });
}

Result<void> Tensor::upload(const void *host, size_t bytes) {
  if (Result<void> checked = checkCopy(*this, bytes); !checked)
    return checked;
  if (isRowMajor())
    return copyToDevice(device, data, host, bytes);
  if (isHost(device)) {
    scatter(*this, static_cast<char *>(data), host);
    return {};
  }
  Result<std::vector<char>> all = readAll(*this);
  if (!all)
    return all.takeFailure();
  scatter(*this, all->data() + bytesBefore(), host);
  return copyToDevice(device, static_cast<char *>(data) - bytesBefore(), all->data(), all->size());
}

static Result<void> checkQueuedCopy(const Tensor &tensor, size_t bytes) {
  if (!tensor.isRowMajor())
    return launchFailure("a tensor that is not in row-major order cannot be copied on a stream: its elements are "
                         "gathered on the host, which has to wait; copy it without a stream");
  return checkCopy(tensor, bytes);
}

Result<void> Tensor::uploadOn(const void *host, size_t bytes, void *stream) {
  TILEWISE_CHECK(checkQueuedCopy(*this, bytes));
  return queueCopyToDevice(device, data, host, bytes, stream);
}

Result<void> Tensor::downloadOn(void *host, size_t bytes, void *stream) const {
  TILEWISE_CHECK(checkQueuedCopy(*this, bytes));
  return queueCopyToHost(device, host, data, bytes, stream);
}

Result<void> Tensor::download(void *host, size_t bytes) const {
  if (Result<void> checked = checkCopy(*this, bytes); !checked)
    return checked;
  if (isRowMajor())
    return copyToHost(device, host, data, bytes);
  if (isHost(device)) {
    gather(*this, static_cast<const char *>(data), host);
    return {};
  }
  Result<std::vector<char>> all = readAll(*this);
  if (!all)
    return all.takeFailure();
  gather(*this, all->data() + bytesBefore(), host);
  return {};
}

} // namespace tilewise
