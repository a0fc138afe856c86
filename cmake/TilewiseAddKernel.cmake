# tilewise_add_kernel: a kernel compiled ahead of time, as a library of the project that calls it.
#
#   tilewise_add_kernel(NAME FILE file.py [KERNEL kernel] SIGNATURE "..." ["..."...] [TARGET cpu:x86-64-v3...]
#                       [DEFINE NAME=value...])
#
# The target NAME has the header NAME.h with the launch function NAME, and links without Tilewise; see docs/aot.md. Tilewise_TOOL is the program that
# compiles it.
function(tilewise_add_kernel name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "FILE;KERNEL" "SIGNATURE;TARGET;DEFINE")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_FILE OR NOT arg_SIGNATURE)
    message(FATAL_ERROR "tilewise_add_kernel(${name} ...) needs FILE and SIGNATURE, and knows KERNEL, TARGET and DEFINE besides")
  endif()
  cmake_path(ABSOLUTE_PATH arg_FILE)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/${name}_kernel)
  set(words)
  foreach(word IN ITEMS SIGNATURE TARGET DEFINE)
    string(TOLOWER ${word} flag)
    foreach(value IN LISTS arg_${word})
      list(APPEND words "--${flag}=${value}")
    endforeach()
  endforeach()
  set(kernel ${arg_FILE})
  if(arg_KERNEL)
    string(APPEND kernel ":${arg_KERNEL}")
  endif()
  add_custom_command(OUTPUT ${folder}/${name}.h ${folder}/lib${name}.a
    COMMAND ${Tilewise_TOOL} build ${kernel} --name=${name} ${words} -o ${folder}
    DEPENDS ${arg_FILE} COMMENT "Compiling the kernel ${name}" VERBATIM)
  add_custom_target(${name}_build DEPENDS ${folder}/${name}.h ${folder}/lib${name}.a)
  add_library(${name} INTERFACE)
  add_dependencies(${name} ${name}_build)
  target_include_directories(${name} INTERFACE ${folder})
  target_link_libraries(${name} INTERFACE ${folder}/lib${name}.a)
endfunction()
