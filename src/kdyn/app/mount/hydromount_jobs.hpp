// SPDX-License-Identifier: Apache-2.0
// Operations on hydro mounts: files in, verb, result and report out.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "kdyn/app/operation.hpp"
#include "kdyn/door/read.hpp"
#include "kdyn/identify/hydromount_fit.hpp"
#include "kdyn/rig/trust.hpp"

namespace kdyn::app {

struct FitHydroMountJob {
  std::vector<std::string> data;
  ReadHints read;
  std::vector<std::int64_t> leave_out;  // left_out.hpp
  std::string title;
  std::map<std::string, std::pair<double, double>> tolerances;  // of a batch (mount/population.hpp)
  HydroMountFitOptions fit;
};
Outcome fit_hydromount_job(const FitHydroMountJob& job, Progress& progress);

// The branches of steady states that the report draws: one for each amplitude of the map.
std::vector<SteadyBranch> traced_branches(const ElastomerData& data, const HydroMountFitResult& fit);

report::Document hydromount_report(const std::string& title, const ElastomerData& data, const HydroMountFitResult& fit,
                                   const std::vector<SteadyBranch>& branches, const TrustResult& trust);

const FieldTable& fields_of(const FitHydroMountJob*);

struct FitHydroMountOutput;
struct FitHydroMountStopped;
const FieldTable& fields_of(const FitHydroMountOutput*);
const FieldTable& fields_of(const FitHydroMountStopped*);

}  // namespace kdyn::app
