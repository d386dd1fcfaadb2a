// SPDX-License-Identifier: Apache-2.0
#include "kdyn/data/signal.hpp"

#include <cmath>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"

namespace kdyn::inline data {

const Signal* SignalSet::find(std::string_view signal) const {
  for (const Signal& one : signals)
    if (lower_case(one.name) == lower_case(signal)) return &one;
  return nullptr;
}

std::string SignalSet::place(std::size_t row) const { return fmt::format("{}:{}", name, lines.of(row)); }

double sampling_interval(const SignalSet& table, std::size_t begin, std::size_t end) {
  if (table.time.empty())
    throw_bad_input(fmt::format("{}:{}", table.name, table.header_line),
                    "there is no time column, so the sampling rate is not known", "add a column time_s");
  demand(begin < end && end <= table.rows, "a piece of a table has rows");
  if (end - begin < 2) throw_bad_input(table.place(begin), "one sample is no signal", "give at least two samples");
  // Order first: a time that falls back spoils the mean step, and the complaint would name the wrong row.
  for (std::size_t i = begin + 1; i < end; ++i)
    if (!(table.time[i] > table.time[i - 1]))
      throw_bad_input(table.place(i),
                      fmt::format("time does not rise: {:g} s after {:g} s", table.time[i], table.time[i - 1]),
                      "if the clock starts again here, give each part in a file of its own; delete repeated samples");
  const double step = (table.time[end - 1] - table.time[begin]) / static_cast<double>(end - begin - 1);
  for (std::size_t i = begin + 1; i < end; ++i) {
    const double here = table.time[i] - table.time[i - 1];
    if (std::abs(here - step) > 0.01 * step)
      throw_bad_input(
          table.place(i),
          fmt::format("the samples are not evenly spaced: a step of {:g} s among steps of {:g} s", here, step),
          "resample to one rate, or cut the record at the gap");
  }
  return step;
}

SignalSet evenly_sampled(const SignalSet& table) {
  SignalSet out;
  const double step = sampling_interval(table, 0, table.rows);
  for (const Signal& column : table.signals) {
    Signal& signal = out.signals.emplace_back(column);
    signal.dof = parse_dof(column.name);
    signal.start_s = table.time.front();
    signal.step_s = step;
  }
  out.source = table.source;
  out.findings = table.findings;
  return out;
}

}  // namespace kdyn::inline data
