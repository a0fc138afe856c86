# Included by ctest before any test runs: what the tests compile goes to a folder of the build, not to the user's cache.
set(ENV{TILEWISE_CACHE_DIR} ${CMAKE_CURRENT_LIST_DIR}/cache)
