# cpack: one tarball of what cmake --install installs, for systems with glibc 2.31 or later where the build is TILEWISE_PORTABLE; dev/package checks it.
set(CPACK_GENERATOR TGZ)
set(CPACK_PACKAGE_NAME tilewise)
set(CPACK_PACKAGE_VENDOR Tilewise)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "The Triton kernel language, compiled natively")
string(TOLOWER "${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR}" package_system)
set(CPACK_PACKAGE_FILE_NAME tilewise-${PROJECT_VERSION}-${package_system})
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
# What is packed is what has been built: tests and examples are no part of it.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)
include(CPack)
