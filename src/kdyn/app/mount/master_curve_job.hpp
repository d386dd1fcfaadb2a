// SPDX-License-Identifier: Apache-2.0
// Operation `kdyn fit mastercurve`: curves at several temperatures on one, with shift factors.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kdyn/app/operation.hpp"
#include "kdyn/door/read.hpp"
#include "kdyn/identify/master_curve.hpp"

namespace kdyn::app {

struct MasterCurveJob {
  std::vector<std::string> data;
  ReadHints read;
  std::string title;
  std::optional<double> amplitude;  // of maps
  MasterCurveOptions curve;
};
const FieldTable& fields_of(const MasterCurveJob*);

// What the curves are made of, and how it is shown.
struct MasterCurveInputs {
  std::vector<ModulusRow> rows;
  bool stiffness = false;  // N/m of a map instead of Pa
  std::string note;        // which rows of a map
  std::vector<Finding> findings;
  std::vector<Source> inputs;
};

Outcome fit_master_curve_job(const MasterCurveJob& job, Progress& progress);
report::Document master_curve_report(const std::string& title, const MasterCurveInputs& inputs,
                                     const MasterCurveResult& result);

struct MasterCurveOutput;
const FieldTable& fields_of(const MasterCurveOutput*);

}  // namespace kdyn::app
