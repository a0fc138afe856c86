// A kernel whose programs are repeated, launched on the fake driver: one block for each of its four
// multiprocessors, and the grid that was asked for behind all other parameters.
#include <tilewise/tilewise.hpp>

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>

using namespace tilewise;

static const char *kText = R"(
import triton
import triton.language as tl

@triton.jit
def product(a, b, c, K, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    m = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    n = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    k = tl.arange(0, 64)
    acc = tl.zeros((ROWS, COLUMNS), tl.float32)
    for first in range(0, K, 64):
        x = tl.load(a + m[:, None] * 4096 + (first + k)[None, :])
        y = tl.load(b + (first + k)[:, None] * 4096 + n[None, :])
        acc = tl.dot(x, y, acc)
    tl.store(c + m[:, None] * 4096 + n[None, :], acc.to(tl.float16))
)";

static int failures = 0;
static void expect(bool isGood, const char *what) {
  std::printf("%s: %s\n", isGood ? "ok" : "FAILED", what);
  failures += !isGood;
}

int main() {
  void *driver = dlopen(std::getenv("TILEWISE_LIBCUDA"), RTLD_NOW);
  auto *grid = static_cast<unsigned *>(dlsym(driver, "fakeGrid"));
  auto *parameters = static_cast<unsigned *>(dlsym(driver, "fakeParameters"));
  const Device gpu("cuda:0");
  auto product = Kernel::fromSource(kText, "product");
  Tensor a(DType::Float16, {4096, 4096}, gpu), b(DType::Float16, {4096, 4096}, gpu),
      c(DType::Float16, {4096, 4096}, gpu);
  auto launch = [&](Grid size) { product[size].with(Options().withNumWarps(8))(a, b, c, 4096, 128, 256); };
  // Three pointers, K, which is a multiple of 16, and two tensor maps.
  *static_cast<unsigned *>(dlsym(driver, "fakeFirst")) = 6;
  launch({32, 16, 1});
  expect(grid[0] == 4 && grid[1] == 1 && grid[2] == 1, "512 programs are done by four");
  expect(parameters[0] == 32 && parameters[1] == 16 && parameters[2] == 1, "the code knows the grid");
  launch({3, 1, 1});
  expect(grid[0] == 3 && parameters[0] == 3, "three programs need no more");
  launch({0, 16, 1});
  expect(grid[0] == 3, "a grid without programs launches nothing");
  return failures != 0;
}
