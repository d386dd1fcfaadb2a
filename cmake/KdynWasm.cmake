# The mount workbench for the browser (./dev wasm): the same modules, compiled by emscripten, for one page that runs without a server.
# Outside packages come as Debian's sources, which tools/wasm_packages.sh has put into KDYN_WASM_PACKAGES. What a browser has no use for or
# cannot do is left out by name below; KDYN_WASM_LEAVE_OUT names further modules.
set(KDYN_WASM_PACKAGES ${CMAKE_SOURCE_DIR}/build/wasm/packages CACHE PATH "Sources and libraries of tools/wasm_packages.sh")
set(KDYN_WASM_LEAVE_OUT "" CACHE STRING "Modules that are not compiled, beside those without which the workbench does well")
foreach(option TESTS BENCHMARKS FUZZ SLEPC WERROR HARDENING)
  set(KDYN_${option} OFF)
endforeach()
set(KDYN_PLAIN_POSIX ON)

# Exceptions and four numbers at a time are the machine's own; functions that nobody calls are left out by the linker.
add_compile_options(-fno-pic -fwasm-exceptions -msimd128 -ffunction-sections -fdata-sections -Wno-unused-command-line-argument)
add_compile_options("SHELL:-include ${CMAKE_SOURCE_DIR}/apps/wasm/library_gaps.hpp")
add_link_options(-fwasm-exceptions)

include(GNUInstallDirs)
set(KDYN_MODULE_FOLDER ${CMAKE_INSTALL_LIBDIR}/kdyn)
set(packages ${KDYN_WASM_PACKAGES})
function(kdyn_package name)
  add_library(${name} INTERFACE IMPORTED GLOBAL)
  target_include_directories(${name} SYSTEM INTERFACE ${ARGN})
endfunction()
kdyn_package(fmt::fmt ${packages}/include)
kdyn_package(nlohmann_json::nlohmann_json ${packages}/include)
kdyn_package(Eigen3::Eigen /usr/include/eigen3)
kdyn_package(Ceres::ceres ${packages}/include ${packages}/include/ceres/internal/miniglog)
kdyn_package(pugixml::pugixml ${packages}/include)
kdyn_package(ZLIB::ZLIB ${packages}/include)
kdyn_package(zip ${packages}/include)
kdyn_package(OpenSSL::Crypto ${CMAKE_SOURCE_DIR}/apps/wasm)  # openssl/: the few functions that kdyn calls
kdyn_package(SQLite::SQLite3 ${packages}/include)
kdyn_package(Threads::Threads ${packages}/include)  # none: work that is shared out is done by the one there is
foreach(library fmt ceres pugixml z zip sqlite3)
  set(file ${packages}/lib/lib${library}.a)
  if(NOT EXISTS ${file})
    message(FATAL_ERROR "${file} is missing: run ./dev wasm, or tools/wasm_packages.sh ${packages}")
  endif()
endforeach()
set_property(TARGET fmt::fmt PROPERTY INTERFACE_LINK_LIBRARIES ${packages}/lib/libfmt.a)
set_property(TARGET Ceres::ceres PROPERTY INTERFACE_LINK_LIBRARIES ${packages}/lib/libceres.a)
set_property(TARGET pugixml::pugixml PROPERTY INTERFACE_LINK_LIBRARIES ${packages}/lib/libpugixml.a)
set_property(TARGET ZLIB::ZLIB PROPERTY INTERFACE_LINK_LIBRARIES ${packages}/lib/libz.a)
set_property(TARGET zip PROPERTY INTERFACE_LINK_LIBRARIES ${packages}/lib/libzip.a ${packages}/lib/libz.a)
set_property(TARGET SQLite::SQLite3 PROPERTY INTERFACE_LINK_LIBRARIES ${packages}/lib/libsqlite3.a)
foreach(absent openblas metis hdf5::hdf5)
  add_library(${absent} INTERFACE IMPORTED GLOBAL)
endforeach()
foreach(found KDYN_LIBZIP KDYN_MATIO)  # what modules look for by name
  set(${found} ${packages}/lib/libzip.a CACHE FILEPATH "" FORCE)
endforeach()

# FMUs carry programs for Linux and Windows whatever kdyn runs on; those of multibody systems would need all of mbs once more.
find_program(KDYN_HOST_CXX NAMES clang++ g++ REQUIRED)
set(KDYN_FMU_COMPILER ${KDYN_HOST_CXX})
set(KDYN_FMU_PROCESSOR x86_64)
set(KDYN_FMU_WITHOUT_SYSTEMS ON)

# Left out: writing HDF5, processes, confinement by the kernel, structures, multibody models, studies.
set(app ${CMAKE_SOURCE_DIR}/src/kdyn/app)
file(GLOB KDYN_LEFT_OUT ${app}/structure/*.cpp ${app}/multibody/*.cpp ${app}/study/*.cpp ${app}/vehicle/vehicle*.cpp)
# What looks into files that others read.
list(REMOVE_ITEM KDYN_LEFT_OUT ${app}/structure/modal_inputs.cpp ${app}/multibody/model_picture.cpp ${app}/multibody/multibody_picture.cpp)
list(APPEND KDYN_LEFT_OUT ${app}/confine.cpp ${app}/internal/process.cpp
  ${CMAKE_SOURCE_DIR}/src/kdyn/io/internal/hdf5_write.cpp ${CMAKE_SOURCE_DIR}/src/kdyn/io/internal/hdf5_growing.cpp ${CMAKE_SOURCE_DIR}/src/kdyn/numerics/thin_svd.cpp)

add_compile_definitions(KDYN_WITHOUT_STRUCTURES)
include(KdynModule)
# Words and tables are most of the program: they are made small.
set(kdyn_words_flags -Oz)
add_subdirectory(web)
set(modules base data io signal numerics door element elastomer hydromount activemount rivals laws fe sysid rig modes mbs doctor identify insitu
  vehicle assess study report update fmu app)
set(KDYN_WASM_HEADERS_ONLY fe sysid insitu update study)  # what others ask them for at link time is left out with its callers
foreach(module IN LISTS modules)
  if(module IN_LIST KDYN_WASM_LEAVE_OUT OR module IN_LIST KDYN_WASM_HEADERS_ONLY)
    add_library(kdyn_${module} INTERFACE)
    target_link_libraries(kdyn_${module} INTERFACE kdyn::flags)
    add_library(kdyn::${module} ALIAS kdyn_${module})
  else()
    add_subdirectory(src/kdyn/${module})
  endif()
endforeach()
add_subdirectory(apps/wasm)
