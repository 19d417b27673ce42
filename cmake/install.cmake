# What `cmake --install` leaves behind beside the rooms and the tool: the package files for find_package(Tenet), the
# protocols, the templates of `tenet new` and the licence.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Tenet)

install(EXPORT TenetTargets NAMESPACE Tenet:: DESTINATION ${package_dir})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/TenetConfig.cmake.in ${PROJECT_BINARY_DIR}/TenetConfig.cmake
  INSTALL_DESTINATION ${package_dir})
# Before 1.0 a new minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/TenetConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/TenetConfig.cmake ${PROJECT_BINARY_DIR}/TenetConfigVersion.cmake
  ${CMAKE_CURRENT_LIST_DIR}/TenetDerive.cmake ${CMAKE_CURRENT_LIST_DIR}/TenetMonitor.cmake
  DESTINATION ${package_dir})

install(DIRECTORY ${PROJECT_SOURCE_DIR}/protocols DESTINATION ${CMAKE_INSTALL_DATADIR}/tenet
  FILES_MATCHING PATTERN "*.tenet" PATTERN "*.md")
install(DIRECTORY ${PROJECT_SOURCE_DIR}/templates DESTINATION ${CMAKE_INSTALL_DATADIR}/tenet
  PATTERN "build" EXCLUDE)
# Where `tenet new` looks from the build tree, as it is from an installed program.
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/share/tenet)
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/templates ${PROJECT_BINARY_DIR}/share/tenet/templates SYMBOLIC)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/docs/third-party.md
  DESTINATION ${CMAKE_INSTALL_DOCDIR})
