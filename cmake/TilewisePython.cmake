# The Python of the package and the tests: `dev/setup --torch`'s environment if there is one, else Debian's, else the first in PATH.
foreach(candidate ${CMAKE_SOURCE_DIR}/.cache/venv/bin/python3 /usr/bin/python3)
  if(NOT Python3_EXECUTABLE AND EXISTS ${candidate})
    set(Python3_EXECUTABLE ${candidate})
  endif()
endforeach()
find_package(Python3 REQUIRED COMPONENTS Interpreter OPTIONAL_COMPONENTS Development.Module)
