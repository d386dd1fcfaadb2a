// SPDX-License-Identifier: Apache-2.0
// Updating of a finite-element model by measured frequency responses, one part or several nominally identical ones.
//
//   1. modes and a smooth model of the responses by identification (sysid), equalised to one damping ratio
//   2. small parametric model (surrogate.hpp); gate: what the data can determine (identifiability.hpp)
//   3. calibration from several starts with continuation in damping (multistart.hpp)
//   4. check of the basis at the optimum; beyond its limit it is rebuilt there and the calibration continued [update E13]
//   5. modes paired with the test before and after, damping mapped back, metric on channels that were kept aside, uncertainty
// Parts share model, parameters and options; population.hpp compares them.
#pragma once

#include <limits>
#include <map>
#include <string>
#include <vector>

#include "kdyn/base/field.hpp"
#include "kdyn/data/parameter.hpp"
#include "kdyn/update/channels.hpp"
#include "kdyn/update/full_model.hpp"
#include "kdyn/update/identifiability.hpp"
#include "kdyn/update/monte_carlo.hpp"
#include "kdyn/update/multistart.hpp"
#include "kdyn/update/pair_modes.hpp"
#include "kdyn/update/surrogate.hpp"
#include "kdyn/update/target_noise.hpp"

namespace kdyn::update {

struct UpdateOptions {
  std::vector<double> band_hz;
  std::vector<double> damping = {0.20, 0.10, 0.05, 0.02};
  std::vector<double> lines_per_half_bandwidth = {1.0, 1.0, 1.0, 2.0};
  DampingKind damping_kind = DampingKind::automatic;
  std::vector<std::string> validation;                   // outputs kept aside: labels 12+Z, or nodes 12
  std::vector<std::string> validation_inputs;            // the same of forces
  std::vector<std::string> leave_out, leave_out_inputs;  // outputs and forces that are not used at all
  bool leave_out_faulty = false;                         // and those that channels.hpp finds
  std::vector<std::string> phases;                       // groups freed in each phase, "a,b"; "all"; empty: all at once
  int starts = 3;
  std::int64_t seed = 1;
  int max_iterations = 60;
  int basis_modes = 40;
  int sensitivity_modes = 12;
  double shift_hz = 100.0;
  fe::EigenSolver eigensolver = fe::EigenSolver::automatic;
  double basis_limit_percent = 100.0 * basis_error_limit;
  int rebuilds = 3;
  bool mesh_check = true;  // [update E35]
  double mac_limit = 0.5;
  double target_percent = 4.0;
  bool suggest = true;
  int bootstrap_draws = 100;
  int block_lines = 10;
  int noise_draws = 12;
  bool resolved_only = false;
  int monte_carlo_draws = 0;
  std::string checkpoint;
};

// One part: its responses, and where the channels sit in the model.
struct Part {
  std::string name;
  FrequencyResponse responses;
  std::vector<std::pair<std::string, std::string>> channel_map;  // label in the data, label in the model
  std::map<std::string, Eigen::Vector3d>
      directions{};  // label in the data: direction in global axes, where the label does not tell it
  // Equalised already, one for each stage: identification is skipped, and what it would tell (modes, damping, noise) is
  // not known.
  std::vector<EqualisedResponses> equalised{};
  double noise_percent = 1.0;  // of the mean of a channel; taken for equalised responses without covariance
};

struct UncertaintyMethod {
  std::string name, measures;                                      // what it measures, and what it does not
  Eigen::VectorXd std;                                             // of the ratios
  double quantile = 1.96;                                          // half interval / std
  double to_reference = std::numeric_limits<double>::quiet_NaN();  // median over the parameters of std / std of
                                                                   // re-calibration, where that was made
  Eigen::VectorXd mean{};  // over draws, of the ratios; empty for methods without draws
};

// The metric [update E4] on channels of the calibration and on those kept aside (NaN when there are none): over all
// samples, as in the paper, and over resolved ones [update E27].
struct Metrics {
  double calibration = 0.0, validation = 0.0;
  double resolved_calibration = 0.0, resolved_validation = 0.0;
};

// [update E29] Above this ratio of what the model leaves to what noise leaves nothing counts as determined.
inline constexpr double model_error_limit = 2.0;

// [update E35] The same calibration with a mesh twice as fine; empty when it was not made.
struct MeshCheck {
  double model_to_noise = std::numeric_limits<double>::quiet_NaN();  // r on that mesh
  Eigen::VectorXd ratio;                                             // its optimum
  double share = 0.0;                                                // of the deviation that the finer mesh takes away

  bool made() const { return ratio.size() > 0; }
};

struct PartResult {
  std::string name, status, reason;
  ModalResult identified;
  ResponseKind kind = ResponseKind::accelerance;
  std::vector<Dof> outputs, inputs;                      // in the model
  std::vector<Eigen::Vector3d> output_axes, input_axes;  // directions in global axes; zero: as the dof says
  std::vector<bool> calibration, validation;             // channels
  std::vector<Stage> stages;
  fe::ReducedModel model;  // the surrogate the result stands on
  int basis_modes = 0, basis_attachments = 0, basis_sensitivities = 0, basis_rebuilt = 0;
  double basis_error_nominal = 0.0,
         basis_error = 0.0;  // relative, at the nominal parameters' far end (first optimum) and at the end
  Gate gate, gate_at_optimum;
  std::vector<Suggestion> suggestions;
  MultiStart starts;
  Calibration optimum;
  Metrics metric_before, metric;
  Metrics noise_metric;  // of the retests of target_noise.hpp against the test: what a perfect model would have left
                         // over, median
  double resolved_percent = 100.0;  // of the samples
  // [update E29] Root of what the model leaves over what noise leaves, resolved samples; NaN without noise draws.
  double model_to_noise = std::numeric_limits<double>::quiet_NaN();
  Eigen::VectorXd model_error_std;  // [update E30] of the ratios, what the error of the model adds; may be empty
  MeshCheck finer_mesh;
  std::string likely_error;  // in words; empty where the model describes the test
  std::vector<ChannelFault> channel_faults;
  TargetNoise noise;
  ModesAtSensors test, before, after;  // elastic modes
  Pairing pairs_before, pairs_after;
  Eigen::VectorXd damping_after;  // of the elastic modes, mapped back
  Eigen::VectorXd own_damping;    // with loss factors: what each elastic mode has beside them; else empty
  double damped_misfit = 0.0;     // |H - H_X| / |H_X| of the raw responses with mapped damping, unweighted
  double mass_before = 0.0, mass_after = 0.0;
  std::vector<UncertaintyMethod> uncertainty;
  std::vector<ParameterEstimate> parameters;
  std::vector<Finding> findings;
};

struct UpdateResult {
  std::string status, reason;  // converged | poor_fit | not_converged | stopped
  std::vector<PartResult> parts;
  std::vector<Finding> findings;
};

// `key` names the job for its checkpoint.
UpdateResult run_update(const FullModel& model, const std::vector<Part>& parts, const ModalOptions& identification,
                        const UpdateOptions& options, const std::string& key, Progress& progress = silent_progress());

// What the paper and this module say about each method, in one sentence.
const char* what_it_measures(const std::string& method);

const FieldTable& fields_of(const UpdateOptions*);

}  // namespace kdyn::update
