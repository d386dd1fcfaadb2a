// SPDX-License-Identifier: Apache-2.0
// Measured signals over time, in SI: what recordings, tables, universal, MATLAB and HDF5 files hold, and what frf,
// assess, insitu, vehicle and multibody models take from them.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kdyn/data/bench.hpp"
#include "kdyn/data/dof.hpp"
#include "kdyn/data/finding.hpp"

namespace kdyn::inline data {

struct Signal {
  std::string name;          // without the unit
  std::string unit;          // of the values, SI: "m/s^2"; empty when the file does not tell
  std::string written_unit;  // as the file writes it; empty when it writes none
  Dof dof;
  double start_s = 0.0, step_s = 0.0;  // even sampling; step 0: at the times of the set
  std::vector<double> values;
};

// Signals that were recorded together. Either each has its own even sampling and they may differ in length and step, or
// they are the columns of a table and share its rows and times, which need not be even.
struct SignalSet {
  std::vector<Signal> signals;
  std::vector<double> time;                               // s, of each row; empty without a time column
  std::map<std::string, std::vector<std::string>> texts;  // columns of text by lower-case name
  LineNumbers lines;
  std::size_t rows = 0;
  std::string name;  // of the file, for messages
  std::size_t header_line = 0;
  Source source;
  std::vector<Finding> findings;

  const Signal* find(std::string_view signal) const;  // by name, any case
  std::string place(std::size_t row) const;           // "file:line"
};

// Step of evenly sampled times [begin, end) of the rows; throws when there is no time column, time does not rise or the
// steps differ by more than 1 %.
double sampling_interval(const SignalSet& table, std::size_t begin, std::size_t end);

// The columns of a table with their start and step; throws as above.
SignalSet evenly_sampled(const SignalSet& table);

}  // namespace kdyn::inline data
