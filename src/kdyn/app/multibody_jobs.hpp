// SPDX-License-Identifier: Apache-2.0
// Operations on multibody models.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kdyn/app/operation.hpp"
#include "kdyn/identify/insitu.hpp"

namespace kdyn::app {

struct SimulateJob {
  std::string model;
  std::optional<double> step_s, duration_s;  // instead of those of the model
  int samples = 2000;                        // most samples in result.json
};
Outcome simulate_job(const SimulateJob& job, Progress& progress);

// Bushings of a model from signals measured on the whole system.
struct InsituJob {
  std::string job;  // model file, or a file with these fields
  std::string model;
  std::string data;
  std::vector<std::string> signals;
  std::map<std::string, double> start;  // free parameters and where they begin
  std::optional<double> step_s, duration_s;
  InsituOptions fit;
};
Outcome insitu_job(const InsituJob& job, Progress& progress);

}  // namespace kdyn::app

namespace kdyn {
template <>
const FieldTable& field_table<app::InsituJob>();
template <>
const FieldTable& field_table<app::SimulateJob>();
}  // namespace kdyn
