// SPDX-License-Identifier: Apache-2.0
// What happens when an assumption of Eigen is broken (sizes that do not fit, an index out of range):
// kdyn::Error(internal), exit code 5, instead of a process that aborts and takes a server or a batch with it. Release
// builds include this file before every source (cmake/KdynModule.cmake); builds for finding bugs keep Eigen's abort,
// which sanitizers and fuzzers need.
#pragma once

namespace kdyn::inline base {

[[noreturn, gnu::cold]] void eigen_assumption_broken(const char* what, const char* file, int line);

}  // namespace kdyn::inline base

#ifdef KDYN_EIGEN_UNCHECKED
#define eigen_assert(holds) static_cast<void>(0)
#else
#define KDYN_EIGEN_THROWS
#define eigen_assert(holds) \
  ((holds) ? static_cast<void>(0) : ::kdyn::eigen_assumption_broken(#holds, __FILE__, __LINE__))
#endif
