// What the tests of kernels share: every engine by every float type, data, and comparison with
// plain C++ and with the reference engine.
//
// Each comparison prints one line, so that a run on another machine can be kept:
//     result kernel=softmax engine=cuda:0 dtype=fp16 size=61x999 against=c++ rule=bound worst=0.31
// `worst` is the largest error over its bound; under rule=bits it counts the values that differ.
#pragma once

#include "TestRoot.h"
#include "tilewise/tilewise.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <tuple>

namespace tilewise::test {

/// The C++ type of an element type, handed to a generic lambda as a value.
template <typename Body> auto withFloatType(DType dtype, Body body) {
  switch (dtype) {
  case DType::Float16:
    return body(float16());
  case DType::BFloat16:
    return body(bfloat16());
  case DType::Float64:
    return body(double());
  default:
    return body(float());
  }
}

/// One rounding to an element type, and half the distance between 1 and the next value.
template <typename T> double rounded(double value) { return double(T(value)); }
template <typename T> double halfEpsilon() {
  return std::is_same_v<T, double>    ? 0x1p-53
         : std::is_same_v<T, float>   ? 0x1p-24
         : std::is_same_v<T, float16> ? 0x1p-11
                                      : 0x1p-8;
}
/// Half of the smallest step below the normal numbers.
template <typename T> double halfSmallest() {
  return std::is_same_v<T, float16>    ? 0x1p-25
         : std::is_same_v<T, bfloat16> ? 0x1p-134
         : std::is_same_v<T, float>    ? 0x1p-150
                                       : 0;
}

/// Numbers in [low, high) that are the same everywhere, already rounded to T.
template <typename T> std::vector<T> noise(size_t count, double low, double high, uint64_t seed) {
  std::vector<T> values;
  values.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    seed = seed * 6364136223846793005 + 1442695040888963407;
    values.push_back(T(low + (high - low) * double(seed >> 11) * 0x1p-53));
  }
  return values;
}

class KernelTest : public testing::TestWithParam<std::tuple<const char *, DType>> {
protected:
  void SetUp() override {
    const std::string engine = std::get<0>(GetParam());
    device_ = Device(engine == "gpu" ? "cuda:0" : engine);
    if (tw_device_count(tw_engine(device_.get().engine)) == 0)
      GTEST_SKIP() << "this machine has no " << engine;
  }

  Device device() const { return device_; }
  DType dtype() const { return std::get<1>(GetParam()); }
  bool isReference() const { return device_ == Device("reference"); }

  static Kernel load(const std::string &file, const std::string &name = "") {
    return Kernel::load(rootPath("kernels/" + file), name);
  }

  /// Equal bits; the first few that differ are told.
  template <typename T>
  void expectBits(const std::string &size, const char *against, const std::vector<T> &got,
                  const std::vector<T> &expected) {
    ASSERT_EQ(got.size(), expected.size());
    size_t wrong = 0;
    for (size_t i = 0; i < got.size(); ++i)
      if (std::memcmp(&got[i], &expected[i], sizeof(T)) != 0 && wrong++ < 3)
        ADD_FAILURE() << "element " << i << " is " << double(got[i]) << ", expected by " << against << " "
                      << double(expected[i]);
    report(size, against, "bits", double(wrong));
  }

  /// |got - expected| <= bound, element by element.
  template <typename T>
  void expectBound(const std::string &size, const char *against, const std::vector<T> &got,
                   const std::vector<double> &expected, const std::vector<double> &bound) {
    ASSERT_EQ(got.size(), expected.size());
    double worst = 0;
    int told = 0;
    for (size_t i = 0; i < got.size(); ++i) {
      const double error = std::fabs(double(got[i]) - expected[i]) / bound[i];
      if (!(error <= 1) && told++ < 3)
        ADD_FAILURE() << "element " << i << " is " << double(got[i]) << ", expected by " << against << " "
                      << expected[i] << " within " << bound[i];
      worst = error > worst || std::isnan(error) ? error : worst;
    }
    report(size, against, "bound", worst);
  }

private:
  void report(const std::string &size, const char *against, const char *rule, double worst) {
    const std::string test = testing::UnitTest::GetInstance()->current_test_info()->test_suite_name();
    std::printf("result kernel=%s engine=%s dtype=%s size=%s against=%s rule=%s worst=%.3g\n",
                test.substr(test.find('/') + 1).c_str(), device_.text().c_str(), name(dtype()).c_str(), size.c_str(),
                against, rule, worst);
  }

  Device device_;
};

inline std::string caseName(const testing::TestParamInfo<KernelTest::ParamType> &info) {
  return std::get<0>(info.param) + ("_" + name(std::get<1>(info.param)));
}

/// The test names end in /reference_fp32, /cpu_fp16, /gpu_bf16, ...
#define TILEWISE_ON_EVERY_ENGINE(Suite, ...)                                                                           \
  INSTANTIATE_TEST_SUITE_P(Kernels, Suite,                                                                             \
                           testing::Combine(testing::Values("reference", "cpu", "gpu"), testing::Values(__VA_ARGS__)), \
                           tilewise::test::caseName)

} // namespace tilewise::test
