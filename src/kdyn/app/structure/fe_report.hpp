// SPDX-License-Identifier: Apache-2.0
// The report on a finite-element model.
#pragma once

#include <string>
#include <vector>

#include "kdyn/fe/doctor.hpp"
#include "kdyn/report/document.hpp"

namespace kdyn::app {

struct FeReportInput {
  std::string title;
  int unknowns = 0;
  const fe::Diagnosis& diagnosis;
  const fe::Modes& modes;
  ModeSet drawn;  // what is animated; its geometry may be empty
  const std::vector<Finding>& findings;
  std::vector<double> reduced_hz;  // empty: no reduction
  double reduction_error = 0.0;
  int reduced_size = 0;
};
report::Document fe_report(const FeReportInput& in);

}  // namespace kdyn::app
