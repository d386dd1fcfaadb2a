// SPDX-License-Identifier: Apache-2.0
// Identification of a hydro mount from a dynamic-stiffness map, with or without a static loop.
//
// What a map can see [identify E30]: stiffness and rubber of both springs, the effective mass M = m_K/R^2 and damping
// d/R^2, b/R^(n+1) of the fluid, the decoupler and the bypass force. Areas, length and density are mapped back where
// the drawing tells them; the rest is assumed and said to be so. Start values come from the data alone [identify E31].
//
// Weighted least squares on ln k_dyn and loss angle with the first-harmonic balance and exact derivatives, in stages;
// then the map is corrected by the ratio of the balance with harmonics 1, 3, 5 to the first-harmonic one and fitted
// again [identify E32]. Levels of detail are built on one another: constant springs, amplitude-dependent rubber,
// decoupler with membrane slope, then bypass or pressure limit where they show; each must earn its parameters [identify
// E33]. Where the mount jumps, the steady state nearest the measurement is compared. Not fitted: friction limit ymax,
// coupling of the damping (a reading only).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kdyn/base/field.hpp"
#include "kdyn/base/progress.hpp"
#include "kdyn/data/finding.hpp"
#include "kdyn/data/parameter.hpp"
#include "kdyn/hydromount/hydromount.hpp"
#include "kdyn/hydromount/steady_state.hpp"
#include "kdyn/identify/elastomer_fit.hpp"
#include "kdyn/identify/temperature_fit.hpp"
#include "kdyn/numerics/dense.hpp"

namespace kdyn::inline identify {

enum class HydroDetail { automatic, springs, rubber, decoupler, bypass, limit };
const char* to_string(HydroDetail detail);
std::vector<std::string> hydro_detail_names();  // of all levels, for tables of options and results

struct HydroMountFitOptions {
  HydroDetail detail = HydroDetail::automatic;
  Criterion criterion = Criterion::harmonic;
  std::optional<double> fluid_damping_exponent;  // 2 or 3 are tried when it is not given
  std::optional<double> chamber_area, channel_area, channel_length, fluid_density;  // from the drawing
  bool coupled_damping = false;       // how the nonlinear coefficient is written into the model
  std::map<std::string, double> fix;  // parameter -> value it is held at
  std::optional<double> preload;      // N; by default the preload with most rows
  std::optional<double> noise_k_dyn_rel, noise_loss_angle_deg;
  bool use_transients = true;    // otherwise they are left for validation
  bool priors = true;            // weak log-normal priors on the rubber and the decoupler
  std::int64_t corrections = 2;  // harmonic corrections
  std::int64_t max_iterations = 60;
};

const FieldTable& fields_of(const HydroMountFitOptions*);

// One level of detail and what it gained.
struct HydroLevel {
  HydroDetail detail = HydroDetail::springs;
  double exponent = 2.0;
  int parameters = 0;
  double chi_square = 0.0;  // weighted squares of the map, per residual
  double rms_k_dyn_rel = 0.0, rms_loss_angle = 0.0;
  bool tried = false, accepted = false, chosen = false;
  std::string note;
};

struct HydroMountFitResult {
  std::string status = "not run";  // converged | not_converged | stopped
  std::string reason;
  HydroMount<double> law;
  double preload = 0.0;
  Criterion criterion = Criterion::harmonic;
  std::vector<ParameterEstimate> parameters;
  std::vector<std::string> correlation_names;
  Eigen::MatrixXd correlation;
  std::vector<std::string> not_told_apart;
  std::vector<HydroLevel> levels;
  std::vector<FitGroup> groups;
  double rms_k_dyn_rel = 0.0, rms_loss_angle = 0.0;
  std::optional<double> rms_static, rms_transient;
  std::vector<SteadyResponse> map_model;  // by harmonic balance, for every row of the map; not used rows too
  std::vector<bool> row_used, at_fold;    // at_fold: several steady states exist at this row
  std::vector<std::vector<double>> loop_model, series_model;
  std::vector<TemperatureLevel> temperatures;  // of a map measured at several  [identify E36]
  std::vector<Advice> advice;                  // what to measure next
  std::vector<Finding> findings;
  std::vector<double> cost_history;
  int iterations = 0, evaluations = 0;
  double seconds = 0.0;
};

HydroMountFitResult fit_hydromount(const ElastomerData& data, const HydroMountFitOptions& options,
                                   Progress& progress = silent_progress());

}  // namespace kdyn::inline identify
