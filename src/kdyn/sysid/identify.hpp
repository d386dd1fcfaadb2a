// SPDX-License-Identifier: Apache-2.0
// Modal identification: from measured frequency responses to a stable state-space model and its modes, without hand
// tuning.
//
//   1. poles and shapes of all orders by the subspace method (or the LSCF method), stabilisation diagram, tracks that last are candidates
//   2. residual poles beside the band are added: they stand for the modes outside it                            [sysid E13]
//   3. B, C, D by alternation, poles by Gauss-Newton steps on the misfit itself
//   4. candidates whose removal would hardly be noticed are dropped, weakest first                              [sysid E14]
// Data of a finite system without noise show in the singular values; they are taken at that order and nothing is
// selected or added.
// What one model leaves over systematically is asked twice more [sysid E20]: with heavily damped poles allowed, then in
// parts of the band, whose modes are joined in one last fit. The answer that follows the data best is kept.
//
// Frequencies in Hz, poles in rad/s, damping ratios -Re/|lambda|. Every model is stable. The misfit is norm(H_model -
// H)/norm(H), unweighted, over all lines and channels of the band, whatever the weighting of the fit. It does not tell
// structural from viscous damping, and takes the structure for linear and constant during the test.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kdyn/base/field.hpp"
#include "kdyn/base/progress.hpp"
#include "kdyn/data/finding.hpp"
#include "kdyn/data/frequency_response.hpp"
#include "kdyn/numerics/dense.hpp"
#include "kdyn/sysid/frf_matrix.hpp"
#include "kdyn/sysid/modal_model.hpp"
#include "kdyn/sysid/stabilise.hpp"

namespace kdyn::inline sysid {

enum class IdentifyMethod { subspace, lscf };

struct ModalOptions {
  std::vector<double> band_hz{};  // two frequencies; empty: all lines
  IdentifyMethod method = IdentifyMethod::subspace;
  FrfWeighting weighting = FrfWeighting::none;
  int max_order = 0;    // states of the largest model of the diagram; 0: 60, more when that is not enough
  int order = 0;        // 0: by the diagram; else all in-band poles of this order within the limits
  int block_rows = 0;   // 0: by the number of outputs
  double map_hz = 0.0;  // centre of the bilinear map; 0: geometric centre of the band
  int residual_above = -1, residual_below = -1;  // pole pairs beside the band; -1: by the number of inputs and outputs
  double residual_from = 0.0;                    // first residual pole above the band over its top; 0: 1.15
  double residual_damping = 0.01;
  int alternations = 4;
  bool refine_poles = true;
  int max_pole_steps = 30;
  StabiliseOptions limits{};
  double min_gain = 0.25;  // a mode must lower the systematic part of the cost by this part
  std::vector<double> select_hz{}, add_hz{}, drop_hz{};  // manual override: exactly these, these too, not these
  bool uncertainty = true;
  double added_decay =
      -1.0;  // 1/s, of an exponential window: taken off every pole [sysid E19]; below 0: as the data say
};

struct IdentifiedMode {
  std::complex<double> pole;
  double frequency_hz = 0.0, damping = 0.0;
  double frequency_std_hz = 0.0, damping_std = 0.0;  // 0 when not computed
  Eigen::VectorXcd shape;                            // outputs; scaled to unit modal mass where a driving point allows
  Eigen::VectorXcd participation;                    // inputs; largest 1
  double phase_collinearity = 0.0;
  double contribution = 0.0;  // norm of the mode's own response over norm of the data, in band
  double gain = 0.0;          // growth of the cost without it
  int seen_orders = 0;        // of the diagram
};

struct DroppedCandidate {
  double frequency_hz = 0.0, damping = 0.0;
  std::string reason;
};

struct ModalResult {
  std::string status, reason;  // done | nothing_found | stopped
  FrfMatrix frf;               // what was identified from, in band
  ModalModel model;
  ModalModel fitted;         // as fitted to the data, with the decay of a window still in it
  double added_decay = 0.0;  // 1/s, taken off
  StateSpace state_space;
  std::vector<IdentifiedMode> modes;  // by frequency
  std::vector<DroppedCandidate> dropped;
  double misfit = 0.0;                    // [sysid E12]; 1 when nothing was found
  double residual_correlation = 0.0;      // of neighbouring lines: 0 noise, 1 something systematic
  double misfit_without_residuals = 0.0;  // same modes, D, no residual poles
  Eigen::VectorXd channel_misfit;         // same definition for each channel
  Eigen::VectorXd singular_values;
  int exact_order = 0;  // > 0: data of a finite system
  int max_order_used = 0, block_rows_used = 0;
  int parts_of_band = 1;          // identified one by one and joined
  double max_damping_used = 0.0;  // limit of a mode's damping ratio
  double map_hz_used = 0.0;
  Diagram diagram;
  Eigen::MatrixXd auto_mac;
  std::string shape_scaling;  // "unit modal mass by driving point 14+Z" or why not
  bool shapes_scaled = false;
  int pole_steps = 0;
  bool converged = false;
  std::vector<double> cost_history;
  std::vector<Finding> findings;
  double seconds = 0.0;
};

ModalResult identify_modes(const FrequencyResponse& frf, const ModalOptions& options,
                           Progress& progress = silent_progress());

// The gate of all identifications (numerics/fit_gate.hpp) on a finished one: responses that the modes leave
// unexplained, against their scatter along frequency or the measured variance.
void judge_modes(ModalResult& result);

// Largest singular value of the responses at each line, all inputs together: the mode indicator below the stabilisation
// diagram.
Eigen::VectorXd mode_indicator(const FrfMatrix& frf);

const FieldTable& fields_of(const ModalOptions*);

}  // namespace kdyn::inline sysid
