# What makes a hole in a reader harder to use. Release builds only: sanitizers and debuggers want the plain program. tests/cli/test_binary.py looks
# at the result.
include(CheckCXXCompilerFlag)
include(CheckPIESupported)

if(KDYN_HARDENING AND CMAKE_BUILD_TYPE STREQUAL "Release")
  check_pie_supported(OUTPUT_VARIABLE kdyn_pie LANGUAGES C CXX)
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)
  # Twice defined where a distribution's compiler defines it already.
  add_compile_options(-fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
  check_cxx_compiler_flag(-fcf-protection KDYN_HAS_CF_PROTECTION)  # x86 only
  if(KDYN_HAS_CF_PROTECTION)
    add_compile_options(-fcf-protection)
  endif()
  add_link_options(-Wl,-z,relro,-z,now)
endif()
