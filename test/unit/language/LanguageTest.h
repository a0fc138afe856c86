// Kernels given as text, run on an engine, for tests of what single functions of the language give.
#pragma once

#include "tilewise/tilewise.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace tilewise::test {

/// A kernel `k` after the usual imports, with what stands before it.
inline Kernel kernelOf(const std::string &text) {
  return Kernel::fromSource("import triton\nimport triton.language as tl\n" + text, "k", "test.py");
}

/// Both engines that run on every machine.
class OnHost : public testing::TestWithParam<const char *> {
protected:
  Device device() const { return Device(GetParam()); }
  template <typename T> Tensor tensor(const std::vector<T> &values, Shape shape = {}) const {
    Tensor made(dtypeOf<T>(), shape.empty() ? Shape{std::int64_t(values.size())} : shape, device());
    made.upload(values);
    return made;
  }
  template <typename T> Tensor zeros(Shape shape) const { return Tensor(dtypeOf<T>(), shape, device()); }
};

/// Numbers in [low, high) that are the same everywhere.
inline std::vector<double> spread(size_t count, double low, double high, uint64_t seed = 1) {
  std::vector<double> values;
  for (size_t i = 0; i < count; ++i) {
    seed = seed * 6364136223846793005 + 1442695040888963407;
    values.push_back(low + (high - low) * double(seed >> 11) * 0x1p-53);
  }
  return values;
}
template <typename T> std::vector<T> spreadAs(size_t count, double low, double high, uint64_t seed = 1) {
  std::vector<T> values;
  for (double value : spread(count, low, high, seed))
    values.push_back(T(value));
  return values;
}

#define TILEWISE_ON_HOST(Suite)                                                                                        \
  INSTANTIATE_TEST_SUITE_P(Engines, Suite, testing::Values("reference", "cpu"),                                        \
                           [](const auto &info) { return std::string(info.param); })

template <typename Exception, typename Body> std::string messageOf(Body body) {
  try {
    body();
  } catch (const Exception &error) {
    return error.what();
  }
  return "nothing was thrown";
}

} // namespace tilewise::test
