// tw_tensor_*.
#include "api/Status.h"
#include "runtime/Tensor.h"
#include "tilewise/stream.h"

using namespace tilewise;

struct tw_tensor {
  Tensor tensor;
};

/// Hands a made tensor to the caller.
static Result<void> give(Result<Tensor> made, tw_tensor **tensor) {
  if (!made)
    return made.takeFailure();
  *tensor = new tw_tensor{std::move(*made)};
  return {};
}

tw_status tw_tensor_create(tw_device device, tw_dtype dtype, const int64_t *shape, size_t rank, tw_tensor **tensor) {
  return guarded([&] { return give(Tensor::create(device, dtype, {shape, rank}), tensor); });
}

tw_status tw_tensor_view(tw_device device, tw_dtype dtype, void *data, const int64_t *shape, const int64_t *strides,
                         size_t rank, tw_tensor **tensor) {
  return guarded(
      [&] { return give(Tensor::view(device, dtype, data, {shape, rank}, {strides, strides ? rank : 0}), tensor); });
}

tw_status tw_tensor_create_on(tw_device device, tw_dtype dtype, const int64_t *shape, size_t rank, void *stream,
                              tw_tensor **tensor) {
  return guarded([&] { return give(Tensor::createOn(device, dtype, {shape, rank}, stream), tensor); });
}

void tw_tensor_destroy(tw_tensor *tensor) { delete tensor; }

void *tw_tensor_data(const tw_tensor *tensor) { return tensor->tensor.data; }
tw_dtype tw_tensor_dtype(const tw_tensor *tensor) { return tensor->tensor.dtype; }
tw_device tw_tensor_device(const tw_tensor *tensor) { return tensor->tensor.device; }
size_t tw_tensor_rank(const tw_tensor *tensor) { return tensor->tensor.shape.size(); }
const int64_t *tw_tensor_shape(const tw_tensor *tensor) { return tensor->tensor.shape.data(); }
const int64_t *tw_tensor_strides(const tw_tensor *tensor) { return tensor->tensor.strides.data(); }
size_t tw_tensor_bytes(const tw_tensor *tensor) { return tensor->tensor.bytes(); }

tw_status tw_tensor_upload(tw_tensor *tensor, const void *host, size_t bytes) {
  return guarded([&] { return tensor->tensor.upload(host, bytes); });
}

tw_status tw_tensor_download(const tw_tensor *tensor, void *host, size_t bytes) {
  return guarded([&] { return tensor->tensor.download(host, bytes); });
}

tw_status tw_tensor_upload_on(tw_tensor *tensor, const void *host, size_t bytes, void *stream) {
  return guarded([&] { return tensor->tensor.uploadOn(host, bytes, stream); });
}

tw_status tw_tensor_download_on(const tw_tensor *tensor, void *host, size_t bytes, void *stream) {
  return guarded([&] { return tensor->tensor.downloadOn(host, bytes, stream); });
}

tw_status tw_tensor_from_dlpack(void *managed, tw_tensor **tensor) {
  return guarded([&] { return give(Tensor::fromDlpack(managed), tensor); });
}

tw_status tw_tensor_to_dlpack(const tw_tensor *tensor, void **managed) {
  return guarded([&]() -> Result<void> {
    Result<void *> made = tensor->tensor.toDlpack();
    if (!made)
      return made.takeFailure();
    *managed = *made;
    return {};
  });
}
