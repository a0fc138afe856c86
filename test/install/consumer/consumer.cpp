// A C++ program against the installed library: one kernel, one launch.
#include <tilewise/tilewise.hpp>

using namespace tilewise::literals;

int main() {
  auto add = tilewise::Kernel::load(KERNELS "/vector_add.py");
  auto x = tilewise::Tensor::from(std::vector<float>{1, 2, 3}), y = x.copy(), z = tilewise::Tensor::like(x);
  add[1](x, y, z, 3, "BLOCK"_a = 16);
  return z.toVector<float>() == std::vector<float>{2, 4, 6} ? 0 : 1;
}
