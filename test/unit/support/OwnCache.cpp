// Keeps what the tests compile out of the user's cache, also when the binary is run by hand.
#include <cstdlib>

namespace tilewise {

// Before main, and so before anything is compiled. ctest says the same by test/CacheOfTests.cmake.
static const int kCacheIsOwn = setenv("TILEWISE_CACHE_DIR", TILEWISE_TEST_CACHE, /*overwrite=*/0);

} // namespace tilewise
