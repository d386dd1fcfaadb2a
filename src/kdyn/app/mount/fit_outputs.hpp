// SPDX-License-Identifier: Apache-2.0
// What results of the fits of rubber and hydro mounts have in common: the compared map, and the tests a model passes
// before it goes into a simulation.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "kdyn/app/present/shared_results.hpp"
#include "kdyn/element/mount.hpp"
#include "kdyn/rig/trust.hpp"

namespace kdyn::app {

// A row of the map beside the model.
struct FittedRow {
  AxisKind axis;
  const MapRow& measured;
  double k_dyn, loss_angle;  // of the model
  bool used;
  std::optional<bool> several_states{};  // of a hydro mount
};
const FieldTable& fields_of(const FittedRow*);

// Where the model was compared with data; null without a map.
struct ValidRange {
  AxisKind axis;
  std::optional<std::pair<double, double>> frequency_hz, amplitude, preload;
};
const FieldTable& fields_of(const ValidRange*);
ValidRange valid_range(const StiffnessMap& map);

struct TrustShown {
  TrustResult trust;
  std::optional<ValidRange> valid;
};
const FieldTable& fields_of(const TrustShown*);

// status, reason and axis, as all fits begin; `fit` gives the result of the identification.
template <class Output, class Fit>
void add_fit_status(FieldTable& t, Fit fit) {
  t.add([fit](const Output& o) { return fit(o).status; }, "status", "-",
        "converged, not_converged, infeasible, stopped");
  t.add([fit](const Output& o) { return fit(o).reason; }, "reason", "-", "Why");
}

// When it was measured and of which batch it is.
template <class Output>
void add_origin(FieldTable& t) {
  t.add([](const Output& o) { return o.date; }, "date", "-", "Date as the files state it").unless_empty();
  t.add([](const Output& o) { return o.batch; }, "batch", "-", "Batch as the files state it").unless_empty();
}

// parameters, correlation and what the data cannot separate.
template <class Output, class Fit>
void add_estimates(FieldTable& t, Fit fit) {
  t.add([fit](const Output& o) { return fit(o).parameters; }, "parameters", "-", "Identified parameters, SI")
      .keyed_by("name");
  t.add(
      [fit](const Output& o) {
        return Correlation{fit(o).correlation_names, fit(o).correlation};
      },
      "correlation", "-", "Correlation of the estimates");
  t.add([fit](const Output& o) { return fit(o).not_told_apart; }, "not_told_apart", "-",
        "Parameters the data cannot separate");
}

}  // namespace kdyn::app
