// SPDX-License-Identifier: Apache-2.0
// A run at an accepted instant as plain numbers, so that it can be saved and go on later.
//
//   [mbs E60]  restored with the same model and the same options, a run takes the same steps to the last bit: beside the
//              state and the memory of the laws it holds the factor in use with its measured contraction, the
//              accelerations that the predictor needs, and where step control stands. With another step_s it begins
//              with a new factor and a constant predictor.
#pragma once

#include <string>
#include <vector>

#include "kdyn/base/field.hpp"
#include "kdyn/mbs/run.hpp"

namespace kdyn::mbs {

struct SavedLaw {
  std::string model;
  std::vector<double> memory;
};
struct SavedStop {
  double t = 0.0;
  bool jump = false;
};
// Where step control stands within a stretch.
struct SavedControl {
  std::vector<SavedStop> stops;
  long stop = 0, ticks = 0;
  int level = 0;
  double from = 0.0, to = 0.0, wanted = 0.0, followed = 0.0;
  std::vector<double> largest_load;
};

struct RunSnapshot {
  std::string format = "kdyn run 1";
  std::vector<std::string> bodies, joints;  // names, which tell another model
  double t = 0.0, h = 0.0, step_s = 0.0, rho_infinity = 0.0;
  long grid = 0;
  bool on_grid = true;
  VectorX q, v, vd, a, lambda;
  std::vector<SavedLaw> laws;
  std::vector<double> motion;  // deflection and rate of each axis
  VectorX w, wd, b;
  VectorX held;                            // of sampled controllers
  std::vector<std::vector<double>> units;  // where FMUs for co-simulation stand
  std::vector<double> load;                // of each axis, coupling included
  VectorX a1, a2;                          // accelerations of the two instants before
  int past = 0;
  double acceleration_scale = 0.0;
  std::vector<double> factor;  // empty: there is none
  double contraction = 1.0;
  int since_measured = 0;
  bool controlled = false;
  SavedControl control;
};

const FieldTable& fields_of(const SavedLaw*);
const FieldTable& fields_of(const SavedStop*);
const FieldTable& fields_of(const SavedControl*);
const FieldTable& fields_of(const RunSnapshot*);

// Runs on from a snapshot instead of from the start, where there is one; `end` takes the last accepted instant.
RunResult simulate_on(const System& system, const RunOptions& options, const RunSnapshot* from,
                      const std::string& where, const std::function<void(const Run&)>& observe, Progress& progress,
                      RunSnapshot& end);

}  // namespace kdyn::mbs
