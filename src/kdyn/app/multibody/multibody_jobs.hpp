// SPDX-License-Identifier: Apache-2.0
// Operations on multibody models.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kdyn/app/multibody/assembled_start.hpp"
#include "kdyn/app/operation.hpp"
#include "kdyn/insitu/insitu.hpp"

namespace kdyn::app {

// How the signals of a run are written while it goes on.
enum class SeriesFormat { csv, hdf5, none };
struct SimulateJob {
  std::string model;
  std::optional<double> step_s, duration_s, step_tolerance;  // instead of those of the model
  std::map<std::string, double> parameters;                  // of the model, instead of its values
  std::vector<std::string> signals;                          // names or patterns; empty: all
  std::optional<double> output_step_s;                       // of the rows of the file; none: the grid of the run
  bool anti_alias = true;                                    // where rows are left out
  SeriesFormat series = SeriesFormat::csv;
  std::optional<int> samples;  // most samples in result.json
  std::string restart;         // state.json of another run
  bool allow_fmu = false;      // run the FMUs that the model names
  std::string title;
};
Outcome simulate_job(const SimulateJob& job, Progress& progress);

// Modes and frequency responses of a model made linear about its equilibrium.
struct ModesJob {
  std::string model;
  std::vector<std::string> inputs, outputs;  // empty: directions of the model's loads; accelerations of named markers
  std::map<std::string, double> parameters;  // of the model, instead of its values
  bool static_start = true;
  bool allow_fmu = false;  // run the FMUs that the model names
  std::optional<double> from_hz, to_hz;
  int lines = 400;
  std::string title;
};
Outcome modes_job(const ModesJob& job, Progress& progress);

// Mounts of a model from signals measured on the whole system.
// An experiment that differs in more than its data: what is not given is that of the job.
// What is known of a signal at the end of a run.
struct InsituEndPointJob {
  std::string signal;
  double value = 0.0, std = 0.0;
  std::string comment;
};
struct InsituExperimentJob {
  std::string name, data, model;
  std::optional<std::vector<std::string>> signals;
  std::optional<std::map<std::string, std::string>> columns;
  Json loads, gravity, run;  // instead of those of the model
  std::optional<std::vector<InsituEndPointJob>> end_points;
  std::string comment;
};
// What is known before: a bench result for an axis, or one parameter.
struct InsituPriorJob {
  std::string bench, axis, parameter;
  double widen = 1.0, value = 0.0, relative_std = 0.0, std = 0.0;
  std::string comment;
};
// Parameters that change together.
struct InsituTieJob {
  std::string parameter, to;  // parameter = ratio * to; `to` is free
  double ratio = 1.0;
  std::string comment;
};
struct InsituJob {
  std::string job;  // model file, or a file with these fields
  std::string model;
  std::vector<std::string> data;  // one file for each experiment on the model as it is
  std::vector<std::string> signals;
  std::map<std::string, std::string> columns;  // signal -> column of the data, where their names differ
  std::vector<InsituExperimentJob> experiments;
  std::map<std::string, double> start;  // free parameters and where they begin
  std::vector<InsituPriorJob> priors;
  std::vector<InsituTieJob> ties;
  std::vector<InsituEndPointJob> end_points;
  std::vector<Sensor> sensors;  // beside or instead of those of the model
  std::string resume;           // result.json of an earlier run
  std::optional<double> step_s, duration_s;
  std::string title;
  InsituOptions fit;
};
Outcome insitu_job(const InsituJob& job, Progress& progress);
// The first word may be a job file or the model itself.
Operation insitu_operation();

// What a job describes, read from its files.
struct InsituInputs {
  InsituJob job;
  std::vector<InsituExperiment> experiments;
  std::vector<InsituParameter> parameters;
  std::vector<InsituPrior> priors;
  std::vector<std::vector<std::string>> units;  // of each experiment's signals
  Json model;                                   // of the first experiment, as read
  std::string model_folder;                     // where that model lies
  std::vector<std::string> model_files;         // that it read: laws, bodies and signals
  std::string title;
  std::vector<Source> sources;
  std::vector<Finding> findings;
  std::vector<InsituIteration> earlier;  // history of the run that is resumed
  std::vector<NamedStart> starts;        // of each experiment
};
InsituInputs read_insitu(const InsituJob& job);
// The model with the values that were found: what kdyn simulate runs next. Files that it reads go along.
std::string identified_model(const InsituInputs& inputs, const InsituResult& result, std::vector<OutputFile>& files);

report::Document insitu_report(const InsituInputs& inputs, const InsituResult& result);

const FieldTable& fields_of(const InsituExperimentJob*);
const FieldTable& fields_of(const InsituPriorJob*);
const FieldTable& fields_of(const InsituTieJob*);
const FieldTable& fields_of(const InsituEndPointJob*);
const FieldTable& fields_of(const InsituJob*);
const FieldTable& fields_of(const SimulateJob*);
const FieldTable& fields_of(const ModesJob*);

// Their results, defined beside the functions.
struct SimulateOutput;
struct ModesOutput;
struct InsituOutput;
const FieldTable& fields_of(const SimulateOutput*);
const FieldTable& fields_of(const ModesOutput*);
const FieldTable& fields_of(const InsituOutput*);

}  // namespace kdyn::app
