# LLVM and MLIR 19 as static archives: target `tilewise_llvm`, and `tilewise_tablegen` for .td files.
#
# Debian's CMake packages point the imported target LLVM at the shared library, so that a process would hold two LLVMs. The archives
# are named directly instead; lld takes from them just the members that something refers to, in any order.
find_program(LLVM_CONFIG NAMES llvm-config-19 HINTS /usr/lib/llvm-19/bin REQUIRED)
execute_process(COMMAND ${LLVM_CONFIG} --prefix OUTPUT_VARIABLE LLVM_PREFIX OUTPUT_STRIP_TRAILING_WHITESPACE)
set(LLVM_TOOLS_DIR ${LLVM_PREFIX}/bin)
# A build for another architecture runs this machine's tools, and takes headers and archives of the other's.
set(TILEWISE_LLVM_PREFIX ${LLVM_PREFIX} CACHE PATH "LLVM and MLIR for the architecture that is built for")

set(llvm_components core support irreader orcjit passes target analysis mc bitwriter)
foreach(backend IN LISTS TILEWISE_TARGETS)
  string(TOLOWER ${backend} component)
  list(APPEND llvm_components ${component})
endforeach()
if(TILEWISE_WITH_AARCH64 AND "X86" IN_LIST TILEWISE_TARGETS)
  list(APPEND llvm_components aarch64)
endif()
execute_process(COMMAND ${LLVM_CONFIG} --link-static --libfiles ${llvm_components}
  OUTPUT_VARIABLE llvm_archives OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
separate_arguments(llvm_archives)
list(TRANSFORM llvm_archives REPLACE "^${LLVM_PREFIX}/" "${TILEWISE_LLVM_PREFIX}/")
file(GLOB mlir_archives ${TILEWISE_LLVM_PREFIX}/lib/libMLIR*.a)

# One linker script names them all, so that a failing link command stays readable.
list(JOIN mlir_archives "\n" mlir_archive_lines)
list(JOIN llvm_archives "\n" llvm_archive_lines)
set(llvm_link_script ${CMAKE_BINARY_DIR}/llvm-archives.ld)
file(WRITE ${llvm_link_script} "INPUT(\n${mlir_archive_lines}\n${llvm_archive_lines}\n)\n")

add_library(tilewise_llvm INTERFACE)
target_include_directories(tilewise_llvm SYSTEM INTERFACE ${TILEWISE_LLVM_PREFIX}/include)
# LLVM packs with them; as archives, where what is built is for other systems, too.
set(packers z zstd)
if(TILEWISE_PORTABLE)
  find_library(ZLIB_ARCHIVE libz.a REQUIRED)
  find_library(ZSTD_ARCHIVE libzstd.a REQUIRED)
  set(packers ${ZLIB_ARCHIVE} ${ZSTD_ARCHIVE})
endif()
target_link_libraries(tilewise_llvm INTERFACE ${llvm_link_script} ${packers} dl pthread m)
foreach(backend IN LISTS TILEWISE_TARGETS)
  target_compile_definitions(tilewise_llvm INTERFACE TILEWISE_WITH_${backend}=1)
endforeach()

# tilewise_tablegen(TARGET target SOURCE file.td OUTPUTS name "flags" name "flags" ...)
function(tilewise_tablegen)
  cmake_parse_arguments(ARG "" "TARGET;SOURCE" "OUTPUTS;DEPENDS" ${ARGN})
  set(source ${CMAKE_CURRENT_SOURCE_DIR}/${ARG_SOURCE})
  set(generated)
  while(ARG_OUTPUTS)
    list(POP_FRONT ARG_OUTPUTS output flags)
    separate_arguments(flags)
    add_custom_command(
      OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${output}
      COMMAND ${LLVM_TOOLS_DIR}/mlir-tblgen ${flags} -I ${CMAKE_CURRENT_SOURCE_DIR} -I ${CMAKE_SOURCE_DIR}/src -I ${LLVM_PREFIX}/include
              ${source} --write-if-changed -o ${CMAKE_CURRENT_BINARY_DIR}/${output} -d ${CMAKE_CURRENT_BINARY_DIR}/${output}.d
      DEPFILE ${CMAKE_CURRENT_BINARY_DIR}/${output}.d
      DEPENDS ${source}
      COMMENT "tablegen ${output}")
    list(APPEND generated ${CMAKE_CURRENT_BINARY_DIR}/${output})
  endwhile()
  add_custom_target(${ARG_TARGET} DEPENDS ${generated})
endfunction()
