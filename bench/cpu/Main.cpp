// dev/bench cpu: what the CPU engine reaches beside its peers, as rows of a table.
#include "Works.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace bench {

void mustAgree(const std::string &what, const std::vector<float> &got, const std::vector<float> &expected,
               double relative) {
  for (size_t i = 0; i < expected.size(); ++i)
    if (!(std::fabs(double(got[i]) - expected[i]) <= relative * (1 + std::fabs(expected[i])))) {
      std::fprintf(stderr, "%s: element %zu is %g, its peer says %g\n", what.c_str(), i, got[i], expected[i]);
      std::exit(1);
    }
}

} // namespace bench

int main(int argc, char **argv) {
  const bench::Options options = bench::readOptions(argc, argv);
  // What a compile costs is not what finding its result costs; and the compiles of one program each
  // would be warned of, hundreds of times.
  setenv("TILEWISE_CACHE_MB", "0", /*overwrite=*/1);
  try {
    tilewise::setWarnings("no-launch-grid");
    std::printf("%s, %d threads\n\n| work | rates | ours against them |\n|---|---|---|\n",
                tilewise::Device("cpu").name().c_str(), bench::threadsOfTheEngine());
    bench::streams(options);
    bench::rows(options);
    bench::matmuls(options);
    bench::attention(options);
    bench::collects(options);
    bench::scaling(options);
    bench::checked(options);
    bench::costs(options);
  } catch (const tilewise::Error &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
