// SPDX-License-Identifier: Apache-2.0
// Operations of the active mount: `kdyn aem` and `kdyn fit activemount`.
#pragma once

#include <string>
#include <vector>

#include "kdyn/activemount/analysis.hpp"
#include "kdyn/app/operation.hpp"
#include "kdyn/identify/active_mount_fit.hpp"

namespace kdyn::app {

struct AemJob {
  std::string model;
  AnalysisOptions analysis;
};
Outcome aem(const AemJob& job, Progress& progress);

struct FitActiveMountJob {
  std::vector<std::string> data;
  std::string model;  // geometry and start values; empty: the published mount
  ActiveMountFitOptions fit;
};
Outcome fit_active_mount_job(const FitActiveMountJob& job, Progress& progress);

report::Document aem_report(const std::string& title, const ActiveMountModel& model, const AnalysisOptions& options,
                            const ActiveAnalysis& analysis);
report::Document active_fit_report(const std::string& title, const std::vector<ActiveFrfPoint>& points,
                                   const ActiveMountFitResult& fit);

const FieldTable& fields_of(const AemJob*);
const FieldTable& fields_of(const FitActiveMountJob*);

// Their results.
struct AemOutput {
  const AemJob& job;
  const ActiveMountModel& model;
  const ActiveAnalysis& analysis;
};
struct FitActiveMountOutput;
const FieldTable& fields_of(const AemOutput*);
const FieldTable& fields_of(const FitActiveMountOutput*);

}  // namespace kdyn::app
