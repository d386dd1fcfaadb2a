// SPDX-License-Identifier: Apache-2.0
// Options and functions of the operations: files in, verb, result and report out.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "kdyn/app/inputs.hpp"
#include "kdyn/app/operation.hpp"
#include "kdyn/identify/elastomer_fit.hpp"
#include "kdyn/rig/linear_model.hpp"
#include "kdyn/rig/rig.hpp"

namespace kdyn::app {

struct InspectJob {
  std::vector<std::string> files;
  ReadHints read;
  std::string save_layout;       // name: keep columns and units given here for files with this header
  bool layout_for_user = false;  // in the user's folder instead of the project's
};
Outcome inspect(const InspectJob& job, Progress& progress);

// One of several sines that are run together.
struct SineTerm {
  double frequency_hz = 0.0, amplitude_m = 0.0, phase_deg = 0.0;
};
const FieldTable& fields_of(const SineTerm*);

struct RigJob {
  std::string model;
  std::string axis;
  std::string input;
  double input_scale = 1.0, input_offset_m = 0.0;  // displacement of the file times scale plus offset
  std::vector<SineTerm> sines;
  ReadHints read;
  Json motion = Json::object();  // of a bushing's axes: rig/bushing_rig.hpp
  std::vector<double> motion_factors = {1.0};
  RigOptions rig;
};
Outcome rig(const RigJob& job, Progress& progress);

struct LineariseJob {
  std::string model;
  std::string axis;
  LinearModelOptions linear;
};
Outcome linearise_job(const LineariseJob& job, Progress& progress);

// Results of fits beside each other.
struct CompareResultsJob {
  std::vector<std::string> results;
};
Outcome compare_results(const CompareResultsJob& job, Progress& progress);

// A map with a temperature column: one law with factors per temperature, or a law for each temperature.
enum class TemperatureMode { scale, separate };

struct FitElastomerJob {
  std::vector<std::string> data;
  TemperatureMode temperature_mode = TemperatureMode::scale;
  ReadHints read;
  std::vector<std::int64_t> leave_out;  // left_out.hpp
  std::string title;
  std::map<std::string, std::pair<double, double>> tolerances;  // of a batch (mount/population.hpp)
  ElastomerFitOptions fit;
};
Outcome fit_elastomer_job(const FitElastomerJob& job, Progress& progress);
// One fit per temperature with the trend of every parameter; called by the above.
Outcome fit_separate_temperatures(const FitElastomerJob& job, const BenchInputs& inputs, Progress& progress);

const FieldTable& fields_of(const InspectJob*);
const FieldTable& fields_of(const RigJob*);
const FieldTable& fields_of(const LineariseJob*);
const FieldTable& fields_of(const CompareResultsJob*);
const FieldTable& fields_of(const FitElastomerJob*);

// Their results, defined beside the functions.
struct InspectOutput;
struct RigOutput;
struct BushingRigOutput;
struct LineariseOutput;
struct CompareResultsOutput;
struct FitElastomerOutput;
struct SeparateTemperaturesOutput;
struct BatchOutput;
const FieldTable& fields_of(const InspectOutput*);
const FieldTable& fields_of(const RigOutput*);
const FieldTable& fields_of(const BushingRigOutput*);
const FieldTable& fields_of(const LineariseOutput*);
const FieldTable& fields_of(const CompareResultsOutput*);
const FieldTable& fields_of(const FitElastomerOutput*);
const FieldTable& fields_of(const SeparateTemperaturesOutput*);
const FieldTable& fields_of(const BatchOutput*);

}  // namespace kdyn::app
