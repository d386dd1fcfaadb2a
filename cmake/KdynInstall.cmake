# `find_package(kdyn)` after install: targets kdyn::<module>, headers under include/kdyn, the program in bin/.
get_property(kdyn_modules GLOBAL PROPERTY KDYN_MODULES)
set(KDYN_CONFIG_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/kdyn)

set_target_properties(kdyn_flags PROPERTIES EXPORT_NAME flags)
install(TARGETS kdyn_flags ${kdyn_modules} EXPORT kdynTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library)
install(EXPORT kdynTargets NAMESPACE kdyn:: DESTINATION ${KDYN_CONFIG_DIR} COMPONENT library)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/src/kdyn DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT library
  FILES_MATCHING PATTERN "*.hpp" PATTERN internal EXCLUDE PATTERN test EXCLUDE)

list(TRANSFORM kdyn_modules REPLACE "^kdyn_" "" OUTPUT_VARIABLE kdyn_module_names)
configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/kdynConfig.cmake.in ${CMAKE_BINARY_DIR}/kdynConfig.cmake
  INSTALL_DESTINATION ${KDYN_CONFIG_DIR})
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(${CMAKE_BINARY_DIR}/kdynConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/kdynConfig.cmake ${CMAKE_BINARY_DIR}/kdynConfigVersion.cmake DESTINATION ${KDYN_CONFIG_DIR} COMPONENT library)
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE ${CMAKE_SOURCE_DIR}/NOTICE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program)
# The licence texts of what the program holds go with it.
install(FILES /usr/share/doc/libceres-dev/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright.libceres-dev COMPONENT program OPTIONAL)

# The bundled examples (kdyn example): beside the program, installed and in the build folder.
install(DIRECTORY ${CMAKE_SOURCE_DIR}/data DESTINATION ${CMAKE_INSTALL_DATADIR}/kdyn COMPONENT program)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DATADIR}/kdyn COMPONENT program)
install(FILES ${CMAKE_SOURCE_DIR}/src/kdyn/app/bundled_examples.json DESTINATION ${CMAKE_INSTALL_DATADIR}/kdyn RENAME examples.json COMPONENT program)
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/share/kdyn)
file(CREATE_LINK ${CMAKE_SOURCE_DIR}/src/kdyn/app/bundled_examples.json ${CMAKE_BINARY_DIR}/share/kdyn/examples.json SYMBOLIC)
foreach(folder data examples)
  file(CREATE_LINK ${CMAKE_SOURCE_DIR}/${folder} ${CMAKE_BINARY_DIR}/share/kdyn/${folder} SYMBOLIC)
endforeach()

# The book, where ./dev book has built it, and what the package is made of (./dev package): kdyn serve shows the first.
install(DIRECTORY ${CMAKE_SOURCE_DIR}/build/book/ DESTINATION ${CMAKE_INSTALL_DATADIR}/kdyn/book COMPONENT program OPTIONAL)
install(FILES ${CMAKE_BINARY_DIR}/sbom.cdx.json DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program OPTIONAL)
file(CREATE_LINK ${CMAKE_SOURCE_DIR}/build/book ${CMAKE_BINARY_DIR}/share/kdyn/book SYMBOLIC)

if(TARGET kdyn)
  install(TARGETS kdyn RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
  # Made by the program itself when it is installed: completion of words and the manual page.
  install(CODE "
    foreach(page bash:bash-completion/completions/kdyn zsh:zsh/vendor-completions/_kdyn fish:fish/vendor_completions.d/kdyn.fish man:man/man1/kdyn.1)
      string(REPLACE \":\" \";\" page \"\${page}\")
      list(GET page 0 word)
      list(GET page 1 file)
      if(word STREQUAL man)
        set(words man)
      else()
        set(words completion \${word})
      endif()
      set(path \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}/\${file}\")
      get_filename_component(folder \"\${path}\" DIRECTORY)
      file(MAKE_DIRECTORY \"\${folder}\")
      execute_process(COMMAND \"${CMAKE_BINARY_DIR}/kdyn\" \${words} OUTPUT_FILE \"\${path}\" COMMAND_ERROR_IS_FATAL ANY)
    endforeach()" COMPONENT program)
endif()
install(FILES ${CMAKE_SOURCE_DIR}/packaging/kdyn.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications COMPONENT program)
# What the packages hold, and nothing else: ./dev package builds these.
set(kdyn_parts ${kdyn_modules})
foreach(part kdyn kdyn_python kdyn_ranks kdyn_slepc)
  if(TARGET ${part})
    list(APPEND kdyn_parts ${part})
  endif()
endforeach()
add_custom_target(kdyn_package_parts DEPENDS ${kdyn_parts})
include(KdynPackage)
