// SPDX-License-Identifier: Apache-2.0
// How functions of the standard leave a shared library.
#pragma once

#if defined _WIN32
#define KDYN_FMI_EXPORT extern "C" __declspec(dllexport)
#elif defined __GNUC__
#define KDYN_FMI_EXPORT extern "C" __attribute__((visibility("default")))
#else
#define KDYN_FMI_EXPORT extern "C"
#endif
#define KDYN_FMI_JOIN2(a, b) a##b
#define KDYN_FMI_JOIN(a, b) KDYN_FMI_JOIN2(a, b)
