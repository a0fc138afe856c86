// A kernel that forgot its program id: what comes out, and the warning that says why.
// vector_add.cpp is the same without the mistake.
#include "Example.hpp"

using namespace tilewise::literals;

static bool buggyAdd(tilewise::Device device) {
  const int n = 10, block = 4;
  const std::vector<float> x{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, y(n, 1.0f);

  std::string warnings;
  tilewise::setLogCallback([&](tilewise::LogLevel level, std::string_view text) {
    if (level == tilewise::LogLevel::Warning)
      warnings += std::string(text) + "\n";
  });
  auto dx = tilewise::Tensor::from(x, {n}, device), dy = tilewise::Tensor::from(y, {n}, device),
       dz = tilewise::Tensor::like(dx);
  loadKernel("buggy_add.py")[tilewise::cdiv(n, block)](dx, dy, dz, n, "BLOCK"_a = block);
  tilewise::setLogCallback({});

  std::printf("the compiler warned:\n%s\nexpected", warnings.c_str());
  for (int i = 0; i < n; ++i)
    std::printf(" %g", x[i] + y[i]);
  std::printf("\ngot     ");
  const auto z = dz.toVector<float>();
  for (float value : z)
    std::printf(" %g", value);
  std::printf("\n");
  // This example is right when the result is wrong in just this way, and when the warning names the
  // cause.
  const std::vector<float> wrong{1, 2, 3, 4, 0, 0, 0, 0, 0, 0};
  return compare("buggy_add", device, z, wrong, 0) && warnings.find("same-address-store") != std::string::npos;
}

int main(int argc, char **argv) { return runExample(argc, argv, buggyAdd); }
