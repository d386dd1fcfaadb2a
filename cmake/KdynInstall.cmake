# `find_package(kdyn)` after install: targets kdyn::<module>, headers under include/kdyn, the program in bin/.
get_property(kdyn_modules GLOBAL PROPERTY KDYN_MODULES)
set(KDYN_CONFIG_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/kdyn)

set_target_properties(kdyn_flags PROPERTIES EXPORT_NAME flags)
install(TARGETS kdyn_flags ${kdyn_modules} EXPORT kdynTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT kdynTargets NAMESPACE kdyn:: DESTINATION ${KDYN_CONFIG_DIR})
install(DIRECTORY ${CMAKE_SOURCE_DIR}/src/kdyn DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.hpp" PATTERN internal EXCLUDE PATTERN test EXCLUDE)

list(TRANSFORM kdyn_modules REPLACE "^kdyn_" "" OUTPUT_VARIABLE kdyn_module_names)
configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/kdynConfig.cmake.in ${CMAKE_BINARY_DIR}/kdynConfig.cmake
  INSTALL_DESTINATION ${KDYN_CONFIG_DIR})
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(${CMAKE_BINARY_DIR}/kdynConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/kdynConfig.cmake ${CMAKE_BINARY_DIR}/kdynConfigVersion.cmake DESTINATION ${KDYN_CONFIG_DIR})
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

# The bundled examples (kdyn example): beside the program, installed and in the build folder.
install(DIRECTORY ${CMAKE_SOURCE_DIR}/data DESTINATION ${CMAKE_INSTALL_DATADIR}/kdyn)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DATADIR}/kdyn)
install(FILES ${CMAKE_SOURCE_DIR}/src/kdyn/app/bundled_examples.json DESTINATION ${CMAKE_INSTALL_DATADIR}/kdyn RENAME examples.json)
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/share/kdyn)
file(CREATE_LINK ${CMAKE_SOURCE_DIR}/src/kdyn/app/bundled_examples.json ${CMAKE_BINARY_DIR}/share/kdyn/examples.json SYMBOLIC)
foreach(folder data examples)
  file(CREATE_LINK ${CMAKE_SOURCE_DIR}/${folder} ${CMAKE_BINARY_DIR}/share/kdyn/${folder} SYMBOLIC)
endforeach()

if(TARGET kdyn)
  install(TARGETS kdyn RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
