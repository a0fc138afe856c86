// What the examples share: the command line `--device reference|cpu|cuda`, data that is the same
// everywhere, and the comparison.
#pragma once

#include "KernelFile.hpp"

#include <tilewise/tilewise.hpp>

#include <cmath>
#include <cstdio>
#include <string_view>
#include <vector>

/// Runs `example` on the device that the command line names (the CPU without one). The exit code: 0
/// when it returned true, 1 when it returned false, 2 when it could not run.
template <typename Example> int runExample(int argc, char **argv, Example example) {
  std::string device = "cpu";
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) != "--device" || ++i == argc) {
      std::fprintf(stderr, "usage: %s [--device reference|cpu|cuda]\n", argv[0]);
      return 2;
    }
    device = argv[i];
  }
  try {
    return example(tilewise::Device(device)) ? 0 : 1;
  } catch (const tilewise::Error &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}

/// Loads a kernel of the library in kernels/; the name is needed when the file holds several.
inline tilewise::Kernel loadKernel(const std::string &file, const std::string &name = "") {
  return tilewise::Kernel::load(kernelFile(file), name);
}

/// height * sin(step * i): numbers of both signs without a pattern that tiles could hide.
inline std::vector<float> wave(size_t count, double step, double height = 1) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = float(height * std::sin(step * double(i)));
  return values;
}

/// Prints the largest difference, and whether it is within what rounding allows.
template <typename Expected>
bool compare(const char *what, const tilewise::Device &device, const std::vector<float> &got,
             const std::vector<Expected> &expected, double allowed) {
  double worst = got.size() == expected.size() ? 0 : INFINITY;
  for (size_t i = 0; i < got.size() && i < expected.size(); ++i) {
    const double error = std::fabs(double(got[i]) - double(expected[i]));
    worst = error > worst || std::isnan(error) ? error : worst;
  }
  const bool isGood = worst <= allowed;
  std::printf("%s on %s: %zu values, largest error %.2g, allowed %.2g: %s\n", what, device.text().c_str(), got.size(),
              worst, allowed, isGood ? "ok" : "WRONG");
  return isGood;
}
