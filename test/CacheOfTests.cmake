# Included by ctest before any test runs: what the tests compile and tune goes to a folder of the build, not to the user's caches.
set(ENV{TILEWISE_CACHE_DIR} ${CMAKE_CURRENT_LIST_DIR}/cache)
set(ENV{TRITON_CACHE_DIR} ${CMAKE_CURRENT_LIST_DIR}/cache/triton)
