// A copy of much memory and a matrix product, timed.
#include "runtime/bench/Ceilings.h"

#include "cache/Folder.h"
#include "runtime/Device.h"
#include "runtime/Kernel.h"
#include "runtime/Tensor.h"
#include "runtime/bench/Measure.h"
#include "runtime/tune/KeptMemory.h"
#include "support/Bytes.h"
#include "support/Try.h"

#include <algorithm>
#include <bit>

namespace tilewise::bench {

static constexpr llvm::StringLiteral kKind = "ceilings";

static constexpr llvm::StringLiteral kText = R"(import triton
import triton.language as tl


@triton.jit
def copy(x_ptr, z_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(z_ptr + at, tl.load(x_ptr + at, mask=at < n), mask=at < n)


@triton.jit
def multiply(a_ptr, b_ptr, c_ptr, N: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr):
    m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    k = tl.arange(0, BLOCK_K)
    acc = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for done in range(0, N, BLOCK_K):
        a = tl.load(a_ptr + m[:, None] * N + (done + k)[None, :])
        b = tl.load(b_ptr + (done + k)[:, None] * N + n[None, :])
        acc = tl.dot(a, b, acc, input_precision="ieee")
    tl.store(c_ptr + m[:, None] * N + n[None, :], acc)
)";

// Eight times the largest cache of today's servers would be gigabytes; this is beyond most of them,
// and small enough for any machine.
static constexpr int64_t kCopied = 64 << 20; ///< Floats, read and written.
static constexpr int64_t kSide = 1024;       ///< Of the matrices; blocks divide it.

static cache::Key keyOf(const std::string &device) { return cache::KeyBuilder(kKind).add(device).finish(); }

std::optional<Ceilings> knownCeilings(tw_device device) {
  cache::Folder *folder = cache::Folder::ofProcess();
  Result<std::string> text = tune::deviceTextForTuning(device);
  std::optional<cache::Entry> entry = folder && text ? folder->read(keyOf(*text), kKind) : std::nullopt;
  if (!entry)
    return std::nullopt;
  ByteReader reader{entry->payload};
  Ceilings known;
  known.gigabytesPerSecond = std::bit_cast<double>(reader.number());
  known.gigaflops = std::bit_cast<double>(reader.number());
  return reader.broken ? std::nullopt : std::optional(known);
}

/// Seconds of the fastest tenth: a ceiling is what it can do, not what it does on a busy day.
static Result<double> secondsOf(tw_device device, Kernel &kernel, std::vector<int64_t> grid,
                                std::vector<tw_argument> arguments) {
  TILEWISE_TRY(const std::vector<double> times,
               measure(device, nullptr,
                       [&] { return kernel.launch(device, nullptr, grid, arguments, LaunchOptions()); },
                       {50, 500, false}));
  return quantile(times, 0.1) * 1e-3;
}

Result<Ceilings> measureCeilings(tw_device device) {
  auto source = Source::create(kText.str(), "ceilings.py", 1);
  TILEWISE_TRY(std::unique_ptr<Kernel> copy, Kernel::create(source, "copy"));
  TILEWISE_TRY(std::unique_ptr<Kernel> multiply, Kernel::create(source, "multiply"));
  Ceilings found;
  {
    const int64_t shape[] = {kCopied};
    TILEWISE_TRY(Tensor x, Tensor::create(device, TW_FLOAT32, shape));
    TILEWISE_TRY(Tensor z, Tensor::create(device, TW_FLOAT32, shape));
    TILEWISE_TRY(const double seconds, secondsOf(device, *copy, {kCopied / 16384},
                                                 {tw_pointer(x.data, TW_FLOAT32), tw_pointer(z.data, TW_FLOAT32),
                                                  tw_int(kCopied), tw_int(16384)}));
    found.gigabytesPerSecond = 2 * 4 * double(kCopied) / seconds / 1e9;
  }
  const int64_t shape[] = {kSide, kSide};
  TILEWISE_TRY(Tensor a, Tensor::create(device, TW_FLOAT32, shape));
  TILEWISE_TRY(Tensor b, Tensor::create(device, TW_FLOAT32, shape));
  TILEWISE_TRY(Tensor c, Tensor::create(device, TW_FLOAT32, shape));
  // The best of some: which one that is depends on the machine.
  double best = 0;
  for (auto [m, n, k] : {std::array<int64_t, 3>{64, 64, 64}, {128, 64, 64}, {128, 128, 64}, {64, 128, 128}}) {
    Result<double> seconds =
        secondsOf(device, *multiply, {kSide / m, kSide / n},
                  {tw_pointer(a.data, TW_FLOAT32), tw_pointer(b.data, TW_FLOAT32), tw_pointer(c.data, TW_FLOAT32),
                   tw_int(kSide), tw_int(m), tw_int(n), tw_int(k)});
    if (seconds)
      best = std::max(best, 2 * double(kSide) * kSide * kSide / *seconds / 1e9);
  }
  found.gigaflops = best;
  if (cache::Folder *folder = cache::Folder::ofProcess()) {
    TILEWISE_TRY(const std::string text, tune::deviceTextForTuning(device));
    ByteWriter bytes;
    bytes.number(std::bit_cast<uint64_t>(found.gigabytesPerSecond));
    bytes.number(std::bit_cast<uint64_t>(found.gigaflops));
    folder->write({keyOf(text), kKind.str(), "ceilings of " + text, std::move(bytes.bytes)});
  }
  return found;
}

} // namespace tilewise::bench
