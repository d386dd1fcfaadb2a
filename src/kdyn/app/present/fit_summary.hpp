// SPDX-License-Identifier: Apache-2.0
// What the results of all fits have in common, read from a result.json: for batches and for fits beside each other.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "kdyn/app/present/shared_results.hpp"
#include "kdyn/data/finding.hpp"
#include "kdyn/data/parameter.hpp"

namespace kdyn::app {

struct MapMisfit {
  double rms_k_dyn_rel = std::numeric_limits<double>::quiet_NaN(), rms_loss_deg = rms_k_dyn_rel;
};
const FieldTable& fields_of(const MapMisfit*);

// Of a fit, over all its data.
struct FitMisfit {
  MapMisfit map;
  std::optional<double> rms_static, rms_transient;
};
const FieldTable& fields_of(const FitMisfit*);

// As results hold it, whatever the axis.
struct SummaryRow {
  double frequency_hz = 0.0, amplitude = 0.0, preload = 0.0, k_dyn = 0.0, loss_angle_deg = 0.0;
  double k_dyn_model = 0.0, loss_angle_model_deg = 0.0;
  bool used = false;
};
const FieldTable& fields_of(const SummaryRow*);

struct FitSummary {
  std::optional<std::string> status, reason;
  std::string date, batch;
  AxisKind axis = AxisKind::translation;
  std::optional<std::vector<ParameterEstimate>> parameters;
  std::optional<Correlation> correlation;
  std::optional<FitMisfit> fit;
  std::vector<SummaryRow> map;
  std::vector<Finding> findings;

  const ParameterEstimate* find(const std::string& parameter) const;
  MapMisfit misfit() const { return fit ? fit->map : MapMisfit(); }
};
const FieldTable& fields_of(const FitSummary*);

// Errors name `where`.field.
FitSummary fit_summary(const Json& result, const std::string& where);

// Every parameter that one of the fits has, in the order they come.
std::vector<std::string> parameter_names(const std::vector<FitSummary>& fits);

}  // namespace kdyn::app
