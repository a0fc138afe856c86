# The device library: src/libdevice's functions compiled for NVIDIA GPUs over LLVM's libclc, as bitcode that the library carries inside (150 KB).
#
# tilewise_device_library(OUTPUT file.bc SOURCES file.cpp...)
function(tilewise_device_library)
  cmake_parse_arguments(ARG "" "OUTPUT" "SOURCES" ${ARGN})
  find_file(LIBCLC_NVPTX nvptx64--nvidiacl.bc PATHS /usr/lib/clc /usr/share/clc NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH REQUIRED)
  set(flags --target=nvptx64-nvidia-cuda -nocudalib -nocudainc -nostdinc++ -std=c++20 -O2 -ffreestanding -fno-exceptions -fno-rtti -fno-builtin
    # The host's C++ headers hold templates and constants alone; they only want to know which system they are on.
    -ffp-contract=off -D__x86_64__ -isystem ${CMAKE_CURRENT_SOURCE_DIR}/library/include)
  foreach(folder IN LISTS CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES)
    list(APPEND flags -idirafter ${folder})
  endforeach()
  set(parts)
  foreach(source IN LISTS ARG_SOURCES)
    cmake_path(GET source STEM name)
    set(part ${CMAKE_CURRENT_BINARY_DIR}/device-${name}.bc)
    add_custom_command(OUTPUT ${part}
      COMMAND ${LLVM_TOOLS_DIR}/clang++ ${flags} -I ${CMAKE_SOURCE_DIR}/src -emit-llvm -c ${source} -o ${part} -MD -MF ${part}.d
      DEPFILE ${part}.d DEPENDS ${source} COMMENT "device library: ${name}")
    list(APPEND parts ${part})
  endforeach()
  add_custom_command(OUTPUT ${ARG_OUTPUT}
    COMMAND ${LLVM_TOOLS_DIR}/llvm-link ${parts} -o ${ARG_OUTPUT}.own
    # libclc names another operating system in its triple.
    COMMAND ${LLVM_TOOLS_DIR}/llvm-link --suppress-warnings ${ARG_OUTPUT}.own --only-needed ${LIBCLC_NVPTX} -o ${ARG_OUTPUT}
    DEPENDS ${parts} ${LIBCLC_NVPTX} COMMENT "device library")
endfunction()
