// SPDX-License-Identifier: Apache-2.0
// What a study found, as result.json, tables and report show it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "kdyn/app/study/study_optimise.hpp"
#include "kdyn/app/study/study_plan.hpp"
#include "kdyn/study/analysis.hpp"

namespace kdyn::app {

// Of one response by one parameter.
struct StudyEffect {
  std::string parameter;
  study::Effect effect;
  std::optional<study::SensitivityIndex> index;
};

struct StudyLevel {
  std::string name;
  study::Spread spread;
  study::PairedDifference against_first;  // runs that agree in all else; of the first level: nothing
};
struct StudyLevels {
  std::string parameter;
  std::vector<StudyLevel> levels;
};

struct StudyResponseResult {
  std::string name, unit;
  std::vector<double> values;  // of all runs; NaN: failed
  study::Spread spread;
  double r_squared = study::not_known;
  std::vector<StudyEffect> effects;
  std::vector<StudyLevels> levels;
};

struct StudyFailure {
  std::string reason;
  std::size_t runs = 0, first = 0;
};

struct KeptRun {
  std::size_t run = 0;
  std::string folder, why;
  std::vector<std::pair<std::string, std::string>> parameters;
  std::vector<std::pair<std::string, double>> responses;
};

struct StudyResult {
  std::string status, reason;
  std::size_t done = 0, failed = 0, missing = 0, taken_over = 0;
  std::vector<char> finished, is_done;  // of each run
  std::vector<std::string> reasons;     // of each run
  std::vector<StudyResponseResult> responses;
  std::vector<StudyFailure> failures;
  std::vector<KeptRun> kept;
  std::optional<StudyOptimum> optimum;  // of the design optimise
  std::vector<Finding> findings;
};

// All of it, as result.json holds it.
struct StudyOutput {
  const StudyJob& job;
  const StudyPlan& plan;
  const StudyResult& result;
  std::vector<std::string> files;
};

void add_optimum(report::Document& document, const StudyOptimum& optimum);
std::string runs_csv(const StudyPlan& plan, const StudyResult& result);
std::string runs_hdf5(const StudyPlan& plan, const StudyResult& result);
report::Document study_report(const std::string& title, const StudyJob& job, const StudyPlan& plan,
                              const StudyResult& result);

}  // namespace kdyn::app
