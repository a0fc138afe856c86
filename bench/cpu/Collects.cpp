// Works that gather, sort, scan and count, against the loop a person would write, on the same
// threads.
#include "Works.h"

#include <algorithm>
#include <atomic>

using namespace tilewise::literals;
using tilewise::cdiv, tilewise::DType, tilewise::Kernel, tilewise::Tensor;

namespace bench {
namespace {

const char *const kKernels = R"(
import triton
import triton.language as tl

@triton.jit
def sort_rows(x_ptr, y_ptr, COLUMNS: tl.constexpr):
    at = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    tl.store(y_ptr + at, tl.sort(tl.load(x_ptr + at)))

@triton.jit
def cumsum_rows(x_ptr, y_ptr, COLUMNS: tl.constexpr):
    at = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    tl.store(y_ptr + at, tl.cumsum(tl.load(x_ptr + at), 0))

@triton.jit
def argmax_rows(x_ptr, y_ptr, COLUMNS: tl.constexpr):
    row = tl.program_id(0)
    tl.store(y_ptr + row, tl.argmax(tl.load(x_ptr + row * COLUMNS + tl.arange(0, COLUMNS)), 0))

@triton.jit
def histogram_rows(x_ptr, y_ptr, COLUMNS: tl.constexpr, BINS: tl.constexpr):
    row = tl.program_id(0)
    counts = tl.histogram(tl.load(x_ptr + row * COLUMNS + tl.arange(0, COLUMNS)), BINS)
    tl.store(y_ptr + row * BINS + tl.arange(0, BINS), counts)

@triton.jit
def add_to_one(x_ptr, y_ptr, COLUMNS: tl.constexpr):
    at = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    tl.atomic_add(y_ptr, tl.sum(tl.load(x_ptr + at), 0))

@triton.jit
def add_to_many(x_ptr, at_ptr, y_ptr, COLUMNS: tl.constexpr):
    i = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    tl.atomic_add(y_ptr + tl.load(at_ptr + i), tl.load(x_ptr + i))
)";

constexpr int64_t kRows = 4096, kColumns = 1024;
constexpr size_t kCount = size_t(kRows * kColumns);

/// Ours and `row(in, out, index)` for every row.
template <typename Row> void contestOfRows(const Options &options, const char *name, const char *kernelName, Row row) {
  Contest contest(options, name);
  if (!contest.isWanted())
    return;
  const std::vector<float> data = noise(kCount);
  std::vector<float> plain(kCount);
  auto x = Tensor::from(data, {kRows, kColumns}), y = Tensor::like(x);
  auto kernel = Kernel::fromSource(kKernels, kernelName);
  auto ours = [&] { kernel[kRows](x, y, "COLUMNS"_a = kColumns); };
  contest.unit(double(kCount) / 1e9, "G elements/s");
  contest.add("ours", ours);
  contest.add("plain loop", [&] {
    team().split(kRows, 1, [&](size_t first, size_t last) {
      for (size_t i = first; i < last; ++i)
        row(&data[i * kColumns], plain.data(), i);
    });
  });
  contest.bar("plain loop", 1.0 / 3);
  contest.run();
  ours();
  mustAgree(name, y.toVector<float>(), plain, 1e-3);
}

void histogram(const Options &options) {
  Contest contest(options, "histogram of rows, 4096x1024, 256 bins");
  if (!contest.isWanted())
    return;
  const int64_t bins = 256;
  std::vector<int32_t> data(kCount), plain(size_t(kRows * bins));
  const std::vector<float> random = noise(kCount);
  for (size_t i = 0; i < kCount; ++i)
    data[i] = int32_t((random[i] + 1) * 127.9f);
  auto x = Tensor::from(data, {kRows, kColumns});
  Tensor y(DType::Int32, {kRows, bins});
  auto kernel = Kernel::fromSource(kKernels, "histogram_rows");
  contest.unit(double(kCount) / 1e9, "G elements/s");
  contest.add("ours", [&] { kernel[kRows](x, y, "COLUMNS"_a = kColumns, "BINS"_a = bins); });
  contest.add("plain loop", [&] {
    team().split(kRows, 1, [&](size_t first, size_t last) {
      for (size_t row = first; row < last; ++row) {
        int32_t *counts = &plain[row * bins];
        std::fill(counts, counts + bins, 0);
        for (size_t i = 0; i < kColumns; ++i)
          ++counts[data[row * kColumns + i]];
      }
    });
  });
  contest.bar("plain loop", 1.0 / 3);
  contest.run();
}

void atomics(const Options &options) {
  Contest one(options, "atomic add to one address, 4096 rows of 1024"), many(options, "atomic add to many addresses");
  const std::vector<float> random = noise(kCount);
  std::vector<int32_t> ones(kCount, 1), places(kCount);
  for (size_t i = 0; i < kCount; ++i)
    places[i] = int32_t((random[i] + 1) * 32767);
  auto x = Tensor::from(ones), at = Tensor::from(places);
  Tensor sum(DType::Int32, {65536});
  std::vector<int32_t> plain(65536);
  if (one.isWanted()) {
    auto kernel = Kernel::fromSource(kKernels, "add_to_one");
    one.unit(double(kCount) / 1e9, "G elements/s");
    one.add("ours", [&] { kernel[kRows](x, sum, "COLUMNS"_a = kColumns); });
    one.add("plain loop", [&] {
      team().split(kRows, 1, [&](size_t first, size_t last) {
        for (size_t row = first; row < last; ++row) {
          int32_t total = 0;
          for (size_t i = 0; i < kColumns; ++i)
            total += ones[row * kColumns + i];
          std::atomic_ref(plain[0]).fetch_add(total);
        }
      });
    });
    one.bar("plain loop", 1.0 / 3);
    one.run();
  }
  if (many.isWanted()) {
    auto kernel = Kernel::fromSource(kKernels, "add_to_many");
    many.unit(double(kCount) / 1e9, "G elements/s");
    many.add("ours", [&] { kernel[kRows](x, at, sum, "COLUMNS"_a = kColumns); });
    many.add("plain loop", [&] {
      team().split(kCount, 1, [&](size_t first, size_t last) {
        for (size_t i = first; i < last; ++i)
          std::atomic_ref(plain[size_t(places[i])]).fetch_add(ones[i]);
      });
    });
    many.bar("plain loop", 1.0 / 3);
    many.run();
  }
}

} // namespace

void collects(const Options &options) {
  contestOfRows(options, "sort of rows, 4096x1024 fp32", "sort_rows", [](const float *in, float *out, size_t row) {
    std::copy(in, in + kColumns, out + row * kColumns);
    std::sort(out + row * kColumns, out + (row + 1) * kColumns);
  });
  contestOfRows(options, "cumsum of rows, 4096x1024 fp32", "cumsum_rows", [](const float *in, float *out, size_t row) {
    float sum = 0;
    for (size_t i = 0; i < kColumns; ++i)
      out[row * kColumns + i] = sum += in[i];
  });
  contestOfRows(options, "argmax of rows, 4096x1024 fp32", "argmax_rows", [](const float *in, float *out, size_t row) {
    out[row] = float(std::max_element(in, in + kColumns) - in);
  });
  histogram(options);
  atomics(options);
}

} // namespace bench
