// SPDX-License-Identifier: Apache-2.0
#include "kdyn/app/present/fit_summary.hpp"

#include <algorithm>

#include "kdyn/base/field_known.hpp"

namespace kdyn::app {

const FieldTable& fields_of(const SummaryRow*) {
  using R = SummaryRow;
  static const FieldTable table = FieldTable::results<R>("map row", [](FieldTable& t) {
    t.add(&R::frequency_hz, "frequency_hz", "Hz", "Frequency");
    t.add(&R::amplitude, "amplitude_m", "m or rad", "Amplitude").alias("amplitude_rad");
    t.add(&R::preload, "preload_n", "N or N*m", "Preload").alias("preload_nm");
    t.add(&R::k_dyn, "k_dyn", "N/m or N*m/rad", "Dynamic stiffness");
    t.add(&R::loss_angle_deg, "loss_angle_deg", "deg", "Loss angle");
    t.add(&R::k_dyn_model, "k_dyn_model", "N/m or N*m/rad", "Dynamic stiffness of the model");
    t.add(&R::loss_angle_model_deg, "loss_angle_model_deg", "deg", "Loss angle of the model");
    t.add(&R::used, "used", "-", "Whether the fit used it");
  });
  return table;
}

const FieldTable& fields_of(const MapMisfit*) {
  using M = MapMisfit;
  static const FieldTable table = FieldTable::results<M>("misfit of a map", [](FieldTable& t) {
    t.add(&M::rms_k_dyn_rel, "rms_kdyn_rel", "-", "Relative misfit of the dynamic stiffness, rms");
    t.add(&M::rms_loss_deg, "rms_loss_deg", "deg", "Misfit of the loss angle, rms");
  });
  return table;
}

const FieldTable& fields_of(const FitMisfit*) {
  using M = FitMisfit;
  static const FieldTable table = FieldTable::results<M>("misfit of a fit", [](FieldTable& t) {
    t.include(&M::map, field_table<MapMisfit>());
    t.add(&M::rms_static, "rms_static_n", "N or N*m", "Misfit of static loops, rms");
    t.add(&M::rms_transient, "rms_transient_n", "N or N*m", "Misfit of transients, rms");
  });
  return table;
}

const FieldTable& fields_of(const FitSummary*) {
  using S = FitSummary;
  static const FieldTable table = FieldTable::results<S>("summary of a fit", [](FieldTable& t) {
    t.add(&S::status, "status", "-", "Status of the fit");
    t.add(&S::reason, "reason", "-", "Reason of the status");
    t.add(&S::date, "date", "-", "Date as the files state it");
    t.add(&S::batch, "batch", "-", "Batch as the files state it");
    t.add(&S::axis, "axis", "-", "Kind of axis").one_of({"translation", "rotation"});
    t.add(&S::parameters, "parameters", "-", "Identified parameters").keyed_by("name");
    t.add(&S::correlation, "correlation", "-", "Correlation of the estimates");
    t.add(&S::fit, "fit", "-", "Misfit of the data");
    t.add(&S::map, "map", "-", "Rows of the map");
    t.add(&S::findings, "findings", "-", "What was noticed");
  });
  return table;
}

const ParameterEstimate* FitSummary::find(const std::string& parameter) const {
  if (!parameters) return nullptr;
  const auto it = std::find_if(parameters->begin(), parameters->end(),
                               [&](const ParameterEstimate& p) { return p.name == parameter; });
  return it == parameters->end() ? nullptr : &*it;
}

FitSummary fit_summary(const Json& result, const std::string& where) {
  FitSummary out;
  from_known_fields(out, result, where);
  return out;
}

std::vector<std::string> parameter_names(const std::vector<FitSummary>& fits) {
  std::vector<std::string> names;
  for (const FitSummary& fit : fits)
    for (const ParameterEstimate& p : fit.parameters.value_or(std::vector<ParameterEstimate>()))
      if (std::find(names.begin(), names.end(), p.name) == names.end()) names.push_back(p.name);
  return names;
}

}  // namespace kdyn::app
