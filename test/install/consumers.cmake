# cmake --install, then configure, build and run consumer/ against nothing but the installed tree: by find_package, by pkg-config, from Python.
function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ECHO STDOUT RESULT_VARIABLE code)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "exit code ${code}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix --strip)
run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/consumer -B ${WORK}/build -G Ninja -DCMAKE_PREFIX_PATH=${WORK}/prefix
  -DCMAKE_C_COMPILER=${CC} -DCMAKE_CXX_COMPILER=${CXX})
run(${CMAKE_COMMAND} --build ${WORK}/build)
run(${WORK}/build/consumer-cpp)
run(${WORK}/build/consumer-c)
run(${WORK}/prefix/bin/tilewise list ${WORK}/prefix/share/tilewise/kernels/softmax.py)
run(${WORK}/prefix/bin/tilewise-opt --version)
# The examples are a project of their own there.
run(${CMAKE_COMMAND} -S ${WORK}/prefix/share/tilewise/examples -B ${WORK}/examples -G Ninja -DCMAKE_PREFIX_PATH=${WORK}/prefix -DCMAKE_CXX_COMPILER=${CXX})
run(${CMAKE_COMMAND} --build ${WORK}/examples --target example-vector_add)
run(${WORK}/examples/example-vector_add)
# So is the one whose program needs no Tilewise.
run(${CMAKE_COMMAND} -S ${WORK}/prefix/share/tilewise/examples/ahead_of_time -B ${WORK}/ahead -G Ninja -DCMAKE_PREFIX_PATH=${WORK}/prefix -DCMAKE_C_COMPILER=${CC})
run(${CMAKE_COMMAND} --build ${WORK}/ahead)
run(${WORK}/ahead/rows)
execute_process(COMMAND ldd ${WORK}/ahead/rows OUTPUT_VARIABLE libraries COMMAND_ERROR_IS_FATAL ANY)
if(libraries MATCHES "tilewise|stdc")
  message(FATAL_ERROR "a program with a kernel compiled ahead of time needs ${libraries}")
endif()
# A project of C++ alone, in a folder with a blank, for a CPU and a GPU; what the kernel's file imports is part of what it is made from.
set(cxx "${WORK}/C++ alone")
file(COPY ${CMAKE_CURRENT_LIST_DIR}/../lit/cli/Inputs/imports.py ${CMAKE_CURRENT_LIST_DIR}/../lit/cli/Inputs/imported.py DESTINATION ${cxx})
file(WRITE ${cxx}/CMakeLists.txt [[
cmake_minimum_required(VERSION 3.25)
project(CxxAlone LANGUAGES CXX)
find_package(Tilewise REQUIRED)
tilewise_add_kernel(scale FILE imports.py SIGNATURE "*fp32" CONFIG "SHAPE=(16, 2)")
tilewise_add_kernel(gpu_scale FILE imports.py SIGNATURE "*fp32" CONFIG "SHAPE=(16, 2)" TARGET cuda:90)
add_executable(main main.cpp)
target_link_libraries(main PRIVATE scale gpu_scale)
]])
file(WRITE ${cxx}/main.cpp [[
#include "gpu_scale.h"
#include "scale.h"
int main(int count, char **) {
  float x[16] = {1};
  const uint32_t grid[3] = {1, 1, 1};
  if (count > 1)
    return gpu_scale(nullptr, grid, 0);
  return scale(grid, x) == 0 ? int(x[0]) : 100;
}
]])
run(${CMAKE_COMMAND} -S ${cxx} -B ${cxx}/build -G Ninja -DCMAKE_PREFIX_PATH=${WORK}/prefix -DCMAKE_CXX_COMPILER=${CXX})
foreach(factor IN ITEMS 2 3)
  file(READ ${cxx}/imported.py text)
  string(REGEX REPLACE "x \\* [0-9]" "x * ${factor}" text "${text}")
  file(WRITE ${cxx}/imported.py "${text}")
  run(${CMAKE_COMMAND} --build ${cxx}/build)
  execute_process(COMMAND ${cxx}/build/main RESULT_VARIABLE code)
  if(NOT code EQUAL factor)
    message(FATAL_ERROR "the kernel's result is ${code}, expected ${factor}: a file that it imports has changed")
  endif()
endforeach()
# What is wrong with a kernel's call is said when the project is configured.
function(expect_refusal arguments message)
  file(WRITE ${WORK}/wrong/CMakeLists.txt "cmake_minimum_required(VERSION 3.25)\nproject(Wrong LANGUAGES C)\nfind_package(Tilewise REQUIRED)\ntilewise_add_kernel(k ${arguments})\n")
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${WORK}/wrong -B ${WORK}/wrong/build -G Ninja -DCMAKE_PREFIX_PATH=${WORK}/prefix -DCMAKE_C_COMPILER=${CC}
    RESULT_VARIABLE code ERROR_VARIABLE told OUTPUT_QUIET)
  string(REGEX REPLACE "[ \n]+" " " told "${told}")
  if(code EQUAL 0 OR NOT told MATCHES "${message}")
    message(FATAL_ERROR "tilewise_add_kernel(k ${arguments}) should say '${message}': ${told}")
  endif()
endfunction()
expect_refusal("FILE a.py SIGNATURE i32" "there is no kernel file '.*/wrong/a.py'")
expect_refusal("FILE a.py SIGNATURE i32 KERNEL k TARGETS cpu" "does not know 'TARGETS'")
expect_refusal("FILE a.py" "needs FILE and SIGNATURE")
# Without CMake.
file(GLOB_RECURSE pc ${WORK}/prefix/*/tilewise.pc)
cmake_path(GET pc PARENT_PATH pc_folder)
find_program(PKG_CONFIG pkg-config)
if(PKG_CONFIG)
  set(ENV{PKG_CONFIG_PATH} ${pc_folder})
  execute_process(COMMAND ${PKG_CONFIG} --cflags --libs --define-prefix tilewise OUTPUT_VARIABLE flags COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(flags UNIX_COMMAND "${flags}")
  execute_process(COMMAND ${PKG_CONFIG} --variable=libdir tilewise OUTPUT_VARIABLE libdir OUTPUT_STRIP_TRAILING_WHITESPACE)
  run(${CXX} -std=c++17 "-DKERNELS=\"${WORK}/prefix/share/tilewise/kernels\"" ${CMAKE_CURRENT_LIST_DIR}/consumer/consumer.cpp -o ${WORK}/by-pkg-config
    ${flags} -Wl,-rpath,${libdir})
  run(${WORK}/by-pkg-config)
endif()
# The tool finds the package below its prefix; the package is found by PYTHONPATH alone.
file(GLOB_RECURSE native ${WORK}/prefix/*/_native.abi3.so)
if(native)
  cmake_path(GET native PARENT_PATH package)
  cmake_path(GET package PARENT_PATH packages)
  cmake_path(GET PYTHON PARENT_PATH python_folder)
  run(${CMAKE_COMMAND} -E env --unset=PYTHONPATH "PATH=${python_folder}:$ENV{PATH}" ${WORK}/prefix/bin/tilewise learn --dir=${WORK}/course)
  # Debian's Python reads dist-packages below /usr/local.
  file(GLOB debians ${WORK}/prefix/lib/python3*/dist-packages)
  if(debians)
    run(${CMAKE_COMMAND} -E env --unset=PYTHONPATH ${PYTHON} -c "import site; site.addsitedir('${debians}'); import tilewise; assert tilewise.__file__.startswith('${WORK}/prefix')")
  endif()
  set(ENV{PYTHONPATH} ${packages})
  set(ENV{PYTHONDONTWRITEBYTECODE} 1)
  run(${PYTHON} ${CMAKE_CURRENT_LIST_DIR}/consumer/consumer.py)
endif()
file(REMOVE_RECURSE ${WORK})
