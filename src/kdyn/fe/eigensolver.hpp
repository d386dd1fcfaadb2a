// SPDX-License-Identifier: Apache-2.0
// Who solves an eigenproblem: the block Lanczos of this module within one process, or SLEPc and MUMPS over all ranks of
// mpirun.
//
// Block Lanczos gives the same bits on any number of ranks and threads, for every rank computes the whole problem.
// SLEPc shares factor and vectors among the ranks; sums over ranks are rounded differently, so modes agree to about ten
// digits and not in all bits (docs/finite_elements.md).
#pragma once

#include <string>

namespace kdyn::fe {

enum class EigenSolver { automatic, lanczos, slepc };

// From here on `automatic` takes SLEPc when there are several ranks: the factor of a shell model needs about 8 GiB.
inline constexpr int distributed_from = 1'500'000;  // unknowns

// Lanczos or SLEPc for a model of this size in this run.
EigenSolver chosen_solver(EigenSolver asked, int unknowns);

// Where the SLEPc module lies, or an empty text: KDYN_SLEPC_MODULE, beside the program, above it, in ../lib/kdyn, where
// kdyn was installed.
std::string find_slepc_module();

}  // namespace kdyn::fe
