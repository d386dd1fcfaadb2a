// SPDX-License-Identifier: Apache-2.0
// The runs of a study: what each parameter is in each of them. Everything here follows from the job and its seed.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "kdyn/app/study/study_job.hpp"

namespace kdyn::app {

struct StudyColumn {
  std::string name, unit;
  PlaceUse use = PlaceUse::value;
  std::vector<std::string> places;
  // Values one by one: how each is called, its number where it has one, and what it sets.
  struct Level {
    std::string name;
    double number;  // NaN: none
    std::vector<std::pair<std::string, Json>> settings;
  };
  std::vector<Level> levels;
  study::Distribution distribution;
  bool has_levels() const { return !levels.empty(); }
  bool is_number() const;  // every value is one
};

class StudyPlan {
 public:
  explicit StudyPlan(const StudyJob& job);

  const std::vector<StudyColumn>& columns() const { return columns_; }
  std::size_t runs() const { return values_.rows; }
  std::size_t combinations() const { return combinations_; }  // of levels; they lie side by side in the order of runs
  // Of parameters with levels which one, else the value.
  double entry(std::size_t run, std::size_t column) const { return values_.at(run, column); }
  const StudyColumn::Level& level(std::size_t run, std::size_t column) const {
    return columns_[column].levels[static_cast<std::size_t>(entry(run, column))];
  }
  double number(std::size_t run, std::size_t column) const;     // NaN where a level has none
  std::string text(std::size_t run, std::size_t column) const;  // as tables show it
  // Runs that agree in every other parameter: by level of this one.
  std::vector<std::vector<std::size_t>> runs_by_level(std::size_t column) const;
  // Of the design optimise: runs are added while it goes on, at places in 0 .. 1 between the bounds.
  void add_run(const std::vector<double>& place);
  void remove_runs() { values_.rows = 0, values_.values.clear(); }
  std::vector<double> place(std::size_t run) const;
  const std::vector<Source>& inputs() const { return inputs_; }

 private:
  void add_population(const StudyPopulation& population, std::vector<StudyCorrelation>& correlations,
                      std::size_t index);
  void lay_out(const StudyJob& job, const std::vector<StudyCorrelation>& correlations);
  void read_list(const StudyJob& job);
  void begin_search(const StudyJob& job);

  std::vector<StudyColumn> columns_;
  study::Points values_;
  std::size_t combinations_ = 1;
  std::vector<Source> inputs_;
};

}  // namespace kdyn::app
