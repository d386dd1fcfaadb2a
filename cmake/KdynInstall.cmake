# `find_package(kdyn)` after install: targets kdyn::<module>, headers under include/kdyn, the program in bin/.
get_property(kdyn_modules GLOBAL PROPERTY KDYN_MODULES)
set(KDYN_CONFIG_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/kdyn)

set_target_properties(kdyn_flags PROPERTIES EXPORT_NAME flags)
install(TARGETS kdyn_flags ${kdyn_modules} EXPORT kdynTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT kdynTargets NAMESPACE kdyn:: DESTINATION ${KDYN_CONFIG_DIR})
install(DIRECTORY ${CMAKE_SOURCE_DIR}/src/kdyn DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.hpp" PATTERN internal EXCLUDE PATTERN test EXCLUDE)

configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/kdynConfig.cmake.in ${CMAKE_BINARY_DIR}/kdynConfig.cmake
  INSTALL_DESTINATION ${KDYN_CONFIG_DIR})
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(${CMAKE_BINARY_DIR}/kdynConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/kdynConfig.cmake ${CMAKE_BINARY_DIR}/kdynConfigVersion.cmake DESTINATION ${KDYN_CONFIG_DIR})
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

if(TARGET kdyn)
  install(TARGETS kdyn RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
