// SPDX-License-Identifier: Apache-2.0
// What the finite-element module and the SLEPc module (src/kdyn/mpi/slepc) say to each other: plain data and C
// functions.
//
// The module is a shared library of its own, opened when a job asks for it: programs do not load the hundred libraries
// of PETSc otherwise. Every function is called by all ranks of the run at once with the same numbers, and gives all of
// them the same numbers back. Within, matrices, factor and vectors are distributed by rows. Without mpirun there is one
// rank.
#pragma once

namespace kdyn::fe {

// Symmetric, upper triangle by rows: what Eigen holds of a lower triangle by columns. Columns ascend within a row.
struct SlepcMatrix {
  const int* start;
  const int* column;
  const double* value;
};

struct SlepcRun {
  static constexpr int current = 1;
  int version = current;  // of this header, compared by the module
  int size = 0;
  SlepcMatrix stiffness{}, mass{};
  // Called on every rank in between; when one of them answers 1, all stop. `done` is the share of the modes that have
  // converged.
  int (*stop)(void* context, double done) = nullptr;
  void* context = nullptr;
  char message[512] = {};  // what went wrong
};

// How a run ended.
enum SlepcEnd : int { slepc_done, slepc_not_converged, slepc_stopped, slepc_not_definite, slepc_failed };

struct SlepcModes {
  double shift = 0.0, tolerance = 0.0;
  int wanted = 0, most_restarts = 0;
  const double* start = nullptr;  // size
  // Vectors that are known already and must not be found again: columns of `size` values. More of a multiple mode are
  // found in this way.
  const double* known = nullptr;
  int known_count = 0;
  const double* loads = nullptr;  // columns of `size` values, solved for with (K + s M)
  double* solutions = nullptr;
  int load_count = 0;
  // Found: theta = 1 / (lambda + s), descending; shapes in columns of `size` values.
  double* theta = nullptr;
  double* shapes = nullptr;
  int found = 0, vectors = 0;
  double factor_entries = 0.0, factor_s = 0.0, solve_s = 0.0;
};

struct SlepcInertia {
  double at = 0.0;               // of K - at M
  const double* load = nullptr;  // size; a system is solved with it
  int negative = 0, zero = 0;
  double misfit = 0.0;  // |A x - b| / |b|
};

using SlepcModesFunction = int(SlepcRun*, SlepcModes*);
using SlepcInertiaFunction = int(SlepcRun*, SlepcInertia*);
inline constexpr const char* slepc_modes_name = "kdyn_slepc_modes";
inline constexpr const char* slepc_inertia_name = "kdyn_slepc_inertia";

}  // namespace kdyn::fe
