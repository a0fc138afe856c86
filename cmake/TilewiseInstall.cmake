# cmake --install: the library, its headers, the tools, the kernel library, the examples, the Python package, and what find_package(Tilewise) and
# pkg-config read.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Tilewise)

install(TARGETS tilewise EXPORT TilewiseTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/tilewise DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY ${CMAKE_SOURCE_DIR}/kernels DESTINATION ${CMAKE_INSTALL_DATADIR}/tilewise FILES_MATCHING PATTERN "*.py")
install(EXPORT TilewiseTargets NAMESPACE Tilewise:: DESTINATION ${package_dir})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/TilewiseConfig.cmake.in ${CMAKE_BINARY_DIR}/TilewiseConfig.cmake
  INSTALL_DESTINATION ${package_dir} PATH_VARS CMAKE_INSTALL_DATADIR CMAKE_INSTALL_BINDIR)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/TilewiseConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_LIST_DIR}/TilewiseAddKernel.cmake ${CMAKE_BINARY_DIR}/TilewiseConfig.cmake ${CMAKE_BINARY_DIR}/TilewiseConfigVersion.cmake DESTINATION ${package_dir})

install(TARGETS tilewise-opt RUNTIME)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DATADIR}/tilewise)
configure_file(${CMAKE_CURRENT_LIST_DIR}/tilewise.pc.in ${CMAKE_BINARY_DIR}/tilewise.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/tilewise.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
