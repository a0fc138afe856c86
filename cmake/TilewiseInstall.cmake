# cmake --install: the library, its headers, the tools, the kernel library, the examples, the Python package, and what find_package(Tilewise) and
# pkg-config read.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Tilewise)

install(TARGETS tilewise EXPORT TilewiseTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/tilewise DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY ${CMAKE_SOURCE_DIR}/kernels DESTINATION ${CMAKE_INSTALL_DATADIR}/tilewise FILES_MATCHING PATTERN "*.py" PATTERN "*.hpp")
install(EXPORT TilewiseTargets NAMESPACE Tilewise:: DESTINATION ${package_dir})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/TilewiseConfig.cmake.in ${CMAKE_BINARY_DIR}/TilewiseConfig.cmake
  INSTALL_DESTINATION ${package_dir} PATH_VARS CMAKE_INSTALL_DATADIR CMAKE_INSTALL_BINDIR)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/TilewiseConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_LIST_DIR}/TilewiseAddKernel.cmake ${CMAKE_BINARY_DIR}/TilewiseConfig.cmake ${CMAKE_BINARY_DIR}/TilewiseConfigVersion.cmake DESTINATION ${package_dir})

install(TARGETS tilewise-opt RUNTIME)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DATADIR}/tilewise)
configure_file(${CMAKE_CURRENT_LIST_DIR}/tilewise.pc.in ${CMAKE_BINARY_DIR}/tilewise.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/tilewise.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# What of others is inside the library, under which terms: the files of the packages it was taken from.
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/tilewise/licenses RENAME Tilewise)
foreach(part LLVM=llvm-19-dev MLIR=libmlir-19-dev libclc=libclc-19 zlib=zlib1g-dev zstd=libzstd-dev libstdc++=libstdc++6)
  string(REPLACE "=" ";" part ${part})
  list(GET part 0 name)
  list(GET part 1 package)
  file(REAL_PATH /usr/share/doc/${package}/copyright terms)
  if(EXISTS ${terms})
    install(FILES ${terms} DESTINATION ${CMAKE_INSTALL_DATADIR}/tilewise/licenses RENAME ${name})
  endif()
endforeach()
if(EXISTS /usr/share/common-licenses/Apache-2.0)
  install(FILES /usr/share/common-licenses/Apache-2.0 DESTINATION ${CMAKE_INSTALL_DATADIR}/tilewise/licenses)
endif()
if(SKBUILD)
  install(CODE "set(PREFIX \${CMAKE_INSTALL_PREFIX})\ninclude(${CMAKE_CURRENT_LIST_DIR}/WheelLayout.cmake)")
endif()
