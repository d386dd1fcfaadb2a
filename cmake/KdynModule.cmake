# One CMake target per module: kdyn_module(name DEPS a b LINK pkg::lib).
# The target is kdyn_<name>, used as kdyn::<name>; tests live in <module>/test/*_test.cpp.
# UNITY n: with KDYN_UNITY the compiler takes n sources at once, which parses their common headers once. For modules of many files that are
# quick in themselves; a group must stay below 20 s and 1 GB. ALONE: sources whose local names clash with a neighbour's.
# FOLDERS: parts of a large module. OWN_FLAGS: the module adds compiler flags, so that common headers, with those of
# PRECOMPILE, are parsed for it alone; its COLD sources (reading, checking) are compiled as those of other modules.

add_library(kdyn_flags INTERFACE)
add_library(kdyn::flags ALIAS kdyn_flags)
target_compile_features(kdyn_flags INTERFACE cxx_std_20)
target_compile_options(kdyn_flags INTERFACE
  $<BUILD_INTERFACE:-Wall> $<BUILD_INTERFACE:-Wextra> $<BUILD_INTERFACE:-Wpedantic>
  # Not in a group of sources (UNITY below), where a local name may have a namesake in another file.
  $<BUILD_INTERFACE:$<$<NOT:$<BOOL:$<TARGET_PROPERTY:UNITY_BUILD>>>:-Wshadow>>
  $<$<BOOL:${KDYN_WERROR}>:$<BUILD_INTERFACE:-Werror>>
  $<$<BOOL:${KDYN_PLAIN_POSIX}>:$<BUILD_INTERFACE:-DKDYN_PLAIN_POSIX>>
  # Debian's Eigen and Ceres headers trigger this one inside g++ 12 at -O2; it is a false positive there.
  $<$<CXX_COMPILER_ID:GNU>:$<BUILD_INTERFACE:-Wno-maybe-uninitialized>>
  # The compiler cleans its memory less often: a sixth of its time, for 50 MB.
  $<$<CXX_COMPILER_ID:GNU>:$<BUILD_INTERFACE:--param=ggc-min-heapsize=400000>>
  # A broken assumption of Eigen throws, see the file (cmake/precompiled.hpp brings it, too).
  $<BUILD_INTERFACE:$<$<AND:$<CONFIG:Release>,$<COMPILE_LANGUAGE:CXX>,$<NOT:$<BOOL:$<TARGET_PROPERTY:KDYN_PRECOMPILED>>>>:-includekdyn/base/eigen_check.hpp>>)
target_include_directories(kdyn_flags INTERFACE
  $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/src> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
include(KdynPrecompiled)

set(kdyn_below_numerics base data io door report)

# Words and tables around the computing: at -O1, and only small functions are inlined, which is a third of the compiler's time. What computes and
# what users wait for is not compiled so.
set(kdyn_words_flags "$<$<CONFIG:Release>:-O1>" "$<$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:Clang>>:SHELL:-mllvm -inline-threshold=25>")

function(kdyn_module name)
  cmake_parse_arguments(arg "OWN_FLAGS" "UNITY" "DEPS;LINK;TEST_LINK;ALONE;FOLDERS;PRECOMPILE;COLD" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS *.cpp internal/*.cpp)
  foreach(folder ${arg_FOLDERS})
    file(GLOB more CONFIGURE_DEPENDS ${folder}/*.cpp)
    list(APPEND sources ${more})
  endforeach()
  if(KDYN_LEFT_OUT)  # paths of what a platform has no use for (KdynWasm.cmake)
    list(REMOVE_ITEM sources ${KDYN_LEFT_OUT})
  endif()
  list(TRANSFORM arg_COLD PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  list(REMOVE_ITEM sources ${arg_COLD})
  list(TRANSFORM arg_DEPS PREPEND kdyn::)
  if(sources OR arg_COLD)
    add_library(kdyn_${name} STATIC ${sources})
    set(scope PUBLIC)
    if(arg_COLD)
      add_library(kdyn_${name}_cold OBJECT ${arg_COLD})
      set_target_properties(kdyn_${name}_cold PROPERTIES POSITION_INDEPENDENT_CODE ON)
      target_link_libraries(kdyn_${name}_cold PRIVATE kdyn::flags ${arg_DEPS} ${arg_LINK})
      kdyn_use_precompiled(kdyn_${name}_cold)
      target_sources(kdyn_${name} PRIVATE $<TARGET_OBJECTS:kdyn_${name}_cold>)
    endif()
    if(arg_OWN_FLAGS)
      kdyn_use_precompiled(kdyn_${name} OWN ${arg_PRECOMPILE})
    elseif(name IN_LIST kdyn_below_numerics)
      kdyn_use_precompiled(kdyn_${name} LIGHT)
    else()
      kdyn_use_precompiled(kdyn_${name})
    endif()
  else()
    add_library(kdyn_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  add_library(kdyn::${name} ALIAS kdyn_${name})
  set_target_properties(kdyn_${name} PROPERTIES EXPORT_NAME ${name} POSITION_INDEPENDENT_CODE ON)
  target_link_libraries(kdyn_${name} ${scope} kdyn::flags ${arg_DEPS} ${arg_LINK})
  set_property(GLOBAL APPEND PROPERTY KDYN_MODULES kdyn_${name})
  if(KDYN_UNITY AND arg_UNITY)
    set_target_properties(kdyn_${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${arg_UNITY})
    set_source_files_properties(${arg_ALONE} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    target_compile_options(kdyn_${name} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  endif()

  file(GLOB test_sources CONFIGURE_DEPENDS test/*_test.cpp)
  if(KDYN_TESTS AND test_sources)
    add_executable(test_${name} ${test_sources})
    target_link_libraries(test_${name} PRIVATE kdyn::${name} ${arg_TEST_LINK} GTest::gtest_main)
    kdyn_use_precompiled(test_${name} TESTS)
    if(name IN_LIST kdyn_below_numerics)
      target_link_libraries(test_${name} PRIVATE kdyn::numerics)  # whose solvers the precompiled headers name
    endif()
    target_compile_options(test_${name} PRIVATE ${kdyn_words_flags})  # what is tested is compiled as users get it; its tests need not be
    target_compile_definitions(test_${name} PRIVATE KDYN_SOURCE_DIR="${CMAKE_SOURCE_DIR}" KDYN_SHARED_DIR="${CMAKE_SOURCE_DIR}/../shared")
    set_target_properties(test_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
    gtest_discover_tests(test_${name} TEST_PREFIX "${name}." DISCOVERY_MODE PRE_TEST)
  endif()
endfunction()
