// SPDX-License-Identifier: Apache-2.0
// Identification of an elastomer mount from bench data: dynamic-stiffness map, quasi-static loop and transient, alone
// or together.
//
// Weighted least squares on ln k_dyn and loss angle of each map row [identify E2], force of the static loop [identify
// E3] and of the transient [identify E4], with exact derivatives. Noise levels are estimated from the residuals and the
// fit is repeated with them. Parameters are fitted as logarithms; intervals are 95 % and multiplicative [identify E5].
//
// lambda is held (default 0.3803): alpha, gamma and lambda together have one degree of freedom that no data can tell.
// ymax is fitted only when a static loop shows it; from a sweep alone the friction is unlimited and a finding says so.
// Preloads need a static loop (then the static part is a curve) or become one static stiffness each.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kdyn/base/field.hpp"
#include "kdyn/base/progress.hpp"
#include "kdyn/data/bench.hpp"
#include "kdyn/data/finding.hpp"
#include "kdyn/data/parameter.hpp"
#include "kdyn/elastomer/elastomer.hpp"
#include "kdyn/element/mount.hpp"
#include "kdyn/identify/advisor.hpp"
#include "kdyn/identify/static_history.hpp"
#include "kdyn/identify/two_point.hpp"
#include "kdyn/numerics/dense.hpp"

namespace kdyn::inline identify {

enum class CurveUse { automatic, yes, no };

struct ElastomerFitOptions {
  FrictionLaw law = FrictionLaw::masing;
  Criterion criterion = Criterion::harmonic;
  std::map<std::string, double> fix;                        // parameter -> value it is held at
  std::vector<std::string> free;                            // parameters freed although held by default: lambda
  std::map<std::string, std::pair<double, double>> bounds;  // parameter -> [lower, upper]
  std::map<std::string, double> start;                      // parameter -> start value
  double weight_k_dyn = 1.0, weight_loss_angle = 1.0, weight_static = 1.0, weight_transient = 1.0;
  std::optional<double> noise_k_dyn_rel, noise_loss_angle_deg;  // known noise; otherwise estimated
  bool exclude_suspicious = true;                               // rows the data doctor calls outliers or duplicates
  CurveUse use_curve = CurveUse::automatic;
  std::int64_t curve_intervals = 6;
  std::int64_t max_iterations = 100;
  // Data-sheet mode: used when no data are given.
  std::optional<double> static_stiffness, dynamic_hardening_1, dynamic_hardening_2, loss_angle_deg;
  double amplitude_1 = 1e-4, amplitude_2 = 1e-3, layout_frequency_hz = 10.0;
};

const FieldTable& fields_of(const ElastomerFitOptions*);

struct ElastomerData {
  StiffnessMap map;  // rows of all map files
  std::vector<StaticLoop> loops;
  std::vector<BenchSeries> series;
  bool empty() const { return map.rows.empty() && loops.empty() && series.empty(); }
};

// How one group of residuals was met.
struct FitGroup {
  std::string name, unit;  // "k_dyn" in relative units, "loss_angle" in rad, "static" and "transient" in N
  std::size_t count = 0, down_weighted = 0;
  double noise = 0.0;  // standard deviation used in the weights
  bool noise_given = false;
  double widening = 1.0;  // factor on the intervals because neighbouring residuals are correlated
};

struct ElastomerFitResult {
  std::string status = "not run";  // converged | infeasible | not_converged | stopped
  std::string reason;
  Elastomer<double> law;
  Criterion criterion = Criterion::harmonic;
  AxisKind axis = AxisKind::translation;
  std::vector<ParameterEstimate> parameters;
  std::vector<std::string> correlation_names;
  Eigen::MatrixXd correlation;
  std::vector<std::string> not_told_apart;  // sentences about parameters the data cannot separate
  std::vector<FitGroup> groups;
  double rms_k_dyn_rel = 0.0, rms_loss_angle = 0.0;  // of the used map rows, loss angle in rad
  std::optional<double> rms_static, rms_transient;   // N
  std::vector<SteadyResponse> map_model;             // for every row of the map
  std::vector<bool> row_used;
  std::vector<std::vector<double>> loop_model, series_model;  // force at every sample
  std::vector<LoopHistory> loop_history;                      // what each static loop is taken to come after
  std::vector<Advice> advice;                                 // what to measure next
  std::vector<Finding> findings;
  std::vector<double> cost_history;
  int iterations = 0, evaluations = 0;
  double seconds = 0.0;
};

// Data empty: data-sheet mode. Wrong options throw; not converging is a status.
ElastomerFitResult fit_elastomer(const ElastomerData& data, const ElastomerFitOptions& options,
                                 Progress& progress = silent_progress());

}  // namespace kdyn::inline identify
