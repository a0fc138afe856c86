// A tensor: typed, strided memory on a device, owned or borrowed.
#pragma once

#include "runtime/Device.h"
#include "support/Error.h"
#include "tilewise/tilewise.h"

#include <memory>
#include <span>
#include <vector>

namespace tilewise {

struct Tensor {
  tw_device device{TW_ENGINE_CPU, 0};
  tw_dtype dtype = TW_FLOAT32;
  void *data = nullptr;
  std::vector<int64_t> shape, strides; ///< Strides in elements.
  std::shared_ptr<void> storage;       ///< Keeps `data` alive; null for borrowed memory.

  /// Zeroed, in row-major order.
  static Result<Tensor> create(tw_device device, tw_dtype dtype, std::span<const int64_t> shape);
  /// In memory that comes and goes in the stream's order.
  static Result<Tensor> createOn(tw_device device, tw_dtype dtype, std::span<const int64_t> shape, void *stream);
  /// Around memory of the caller's. No strides means row-major order.
  static Result<Tensor> view(tw_device device, tw_dtype dtype, void *data, std::span<const int64_t> shape,
                             std::span<const int64_t> strides);
  /// `managed` is a DLManagedTensor; taken over in every case.
  static Result<Tensor> fromDlpack(void *managed);
  Result<void *> toDlpack() const;

  size_t elements() const;
  /// From the first element's begin to the last one's end.
  size_t bytes() const;
  /// How far it reaches before `data`, where strides are negative.
  size_t bytesBefore() const;
  bool isRowMajor() const;
  Result<void> upload(const void *host, size_t bytes);
  Result<void> download(void *host, size_t bytes) const;
  /// As the next work on a stream; in row-major order only.
  Result<void> uploadOn(const void *host, size_t bytes, void *stream);
  Result<void> downloadOn(void *host, size_t bytes, void *stream) const;
};

} // namespace tilewise
