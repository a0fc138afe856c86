# Compiler and linker flags for every target.
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

# -O2 instead of CMake's -O3: the compiler's own speed does not differ measurably, the build is shorter.
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
set(CMAKE_C_FLAGS_RELEASE "-O2 -DNDEBUG")
add_compile_options(-Wall -Wextra -Wno-unused-parameter -ffunction-sections -fdata-sections)
add_link_options(-fuse-ld=lld -Wl,--gc-sections)
# LLVM's headers use __STDC_* on older systems only; its archives carry RTTI, ours stay without exceptions below src/api.
add_compile_definitions(_GNU_SOURCE)

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
  # Without a time stamp inside it a precompiled header can be cached, too.
  add_compile_options("SHELL:-Xclang -fno-pch-timestamp")
endif()

# A sanitizer's build is for this machine.
if(TILEWISE_SANITIZER)
  set(TILEWISE_PORTABLE OFF)
endif()

if(TILEWISE_SANITIZER STREQUAL "address")
  add_compile_options(-fsanitize=address,undefined -fno-sanitize=vptr,function -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
elseif(TILEWISE_SANITIZER STREQUAL "thread")
  add_compile_options(-fsanitize=thread -fno-omit-frame-pointer)
  add_link_options(-fsanitize=thread)
endif()
