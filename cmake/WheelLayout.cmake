# An installed tree -> the same without symbolic links, which a wheel cannot hold: cmake -D PREFIX=... -P WheelLayout.cmake
#
# libtilewise.so.0 is the library; libtilewise.so is a line of text that sends linkers there.
file(GLOB libraries LIST_DIRECTORIES false ${PREFIX}/lib/libtilewise.so.*.*)
foreach(library IN LISTS libraries)
  cmake_path(GET library FILENAME name)
  file(REMOVE ${PREFIX}/lib/libtilewise.so ${PREFIX}/lib/libtilewise.so.0)
  file(RENAME ${library} ${PREFIX}/lib/libtilewise.so.0)
  file(WRITE ${PREFIX}/lib/libtilewise.so "INPUT(libtilewise.so.0)\n")
  file(GLOB targets ${PREFIX}/lib/cmake/Tilewise/TilewiseTargets*.cmake)
  foreach(file IN LISTS targets)
    file(READ ${file} text)
    string(REPLACE ${name} libtilewise.so.0 text "${text}")
    file(WRITE ${file} "${text}")
  endforeach()
endforeach()
# It is for working on Tilewise itself, and as large as the library.
file(REMOVE ${PREFIX}/bin/tilewise-opt)
