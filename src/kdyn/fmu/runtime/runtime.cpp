// SPDX-License-Identifier: Apache-2.0
// The binary of FMUs: FMI 2.0 and FMI 3.0 over every law of kdyn, compiled as one unit (CMakeLists.txt) to a shared
// library that needs the C library alone. It loads on glibc 2.28 and newer: the functions below are taken in their old
// versions, whose results are the same.
#if defined __linux__ && defined __x86_64__
__asm__(".symver exp, exp@GLIBC_2.2.5");
__asm__(".symver log, log@GLIBC_2.2.5");
__asm__(".symver pow, pow@GLIBC_2.2.5");
__asm__(".symver hypot, hypot@GLIBC_2.2.5");
#endif

#include "kdyn/fmu/runtime/fmi2.cpp"  // NOLINT: one unit, so that nothing but the functions of the standard is visible
#include "kdyn/fmu/runtime/fmi3.cpp"  // NOLINT
#if !defined _WIN32
#include "kdyn/fmu/runtime/support.cpp"  // NOLINT
#endif
