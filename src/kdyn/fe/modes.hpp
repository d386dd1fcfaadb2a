// SPDX-License-Identifier: Apache-2.0
// Lowest modes of K phi = lambda M phi of large sparse models, with the proof that none was missed.
//
//   [fe E25] shift-invert block Lanczos: (K + s M)^-1 M phi = theta phi, lambda = 1 / theta - s, s > 0 so that free models need no supports
//   [fe E26] error bound |B s_last| of a Ritz pair; purification phi += Q_next (B s_last) / theta
//   [fe E24] Sturm check: the negative pivots of K - m M, m between the last wanted and the next eigenvalue, count the modes below
//   [fe E31] basis of modes of equal frequency (rigid ones too) that follows from their space alone
// Shapes have unit modal mass; the sign makes the component of largest size positive. Start vectors are seeded: two
// runs of block Lanczos agree bit for bit on one machine. Small models (up to 500 unknowns) are solved in full. Modes
// with M phi = 0 (massless motions) do not appear.
#pragma once

#include <string>
#include <vector>

#include "kdyn/base/field.hpp"
#include "kdyn/base/progress.hpp"
#include "kdyn/data/mode_set.hpp"
#include "kdyn/fe/assemble.hpp"
#include "kdyn/fe/eigensolver.hpp"

namespace kdyn::fe {

struct ModesOptions {
  int count = 20;
  double max_frequency_hz = 0.0;  // modes above are dropped; 0: all
  double shift_hz = 20.0;         // s = (2 pi shift)^2
  double tolerance = 1e-9;        // bound of the relative error of theta
  bool sturm_check = true;        // SLEPc makes it always: a method of single vectors knows no multiple modes otherwise
  EigenSolver eigensolver = EigenSolver::automatic;
  int threads = 0;             // 0: all of the machine
  double max_memory_gb = 0.0;  // a job that would need more is refused before it starts; 0: what is free
  std::int64_t seed = 1;
};

enum class ModesStatus { converged, not_converged, modes_missing, stopped };
const char* to_string(ModesStatus status);
const char* to_string(EigenSolver solver);

struct Modes {
  ModesStatus status = ModesStatus::converged;
  std::string reason;
  Eigen::VectorXd eigenvalues;   // (rad/s)^2, ascending; rigid modes are near zero
  Eigen::VectorXd frequency_hz;  // rigid modes as 0
  Eigen::MatrixXd shapes;        // unknowns x modes
  int rigid = 0;                 // modes whose frequency is zero for this model
  Eigen::VectorXd residual;      // |K phi - lambda M phi| / |(K + s M) phi|
  bool sturm_checked = false;
  double sturm_frequency_hz = 0.0;  // where it was checked
  int sturm_count = 0;              // modes below by the pivots
  EigenSolver solver = EigenSolver::lanczos;
  int vectors = 0;  // Lanczos vectors
  double factor_entries = 0.0;
  double expected_bytes = 0.0;  // memory as estimated before the factorisation; 0: not estimated
  double analysis_s = 0.0, factor_s = 0.0, lanczos_s = 0.0, sturm_s = 0.0;
  Eigen::MatrixXd attachment;  // (K + s M)^-1 loads
};

// `loads` (unknowns x any number, may be empty) are solved for along the way. Throws Error(bad_input) when K + s M is
// not positive definite, or when block Lanczos would need more memory than there is.
Modes find_modes(const SparseMatrix& stiffness, const SparseMatrix& mass, const std::vector<int>& group_of,
                 const ModesOptions& options, const Eigen::MatrixXd& loads = {},
                 Progress& progress = silent_progress());
Modes find_modes(const Assembly& assembly, const ModesOptions& options, Progress& progress = silent_progress());

// (K + s M)^-1 loads by the solver that find_modes would take.
Eigen::MatrixXd solve_shifted(const SparseMatrix& stiffness, const SparseMatrix& mass, const std::vector<int>& group_of,
                              const ModesOptions& options, const Eigen::MatrixXd& loads);

// As other parts of kdyn read modes: all six motions of the nodes in global axes. `nodes` (indices) chooses; empty
// takes all.
ModeSet mode_set_of(const Model& model, const Assembly& assembly, const Modes& modes,
                    const std::vector<int>& nodes = {});

const FieldTable& fields_of(const ModesOptions*);

}  // namespace kdyn::fe
