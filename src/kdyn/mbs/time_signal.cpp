// SPDX-License-Identifier: Apache-2.0
#include "kdyn/mbs/time_signal.hpp"

#include <cmath>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/json.hpp"
#include "kdyn/numerics/linear_table.hpp"

namespace kdyn::mbs {

TimeSignal::TimeSignal(Curve table, const std::string& where) : table_(std::move(table)) {
  if (table_.empty()) throw_bad_input(where, "the table is empty", "give rows [time, value]");
  for (std::size_t i = 0; i < table_.size(); ++i) {
    if (!std::isfinite(table_[i].first) || !std::isfinite(table_[i].second))
      throw_bad_input(fmt::format("{}[{}]", where, i), "a table row is no finite number", "repair or remove the row");
    if (i > 0 && table_[i].first < table_[i - 1].first)
      throw_bad_input(fmt::format("{}[{}]", where, i), "the time of a table falls", "sort the rows by time; equal times make a jump");
  }
}

TimeSignal::TimeSignal(const std::string& formula, const std::string& where) : formula_(std::make_shared<const Formula>(formula, where)) {}

double TimeSignal::operator()(double t) const {
  if (formula_) return (*formula_)(t).value;
  // Times of steps are n h: a jump at a step's time must not be missed by the last digit.
  return table_.empty() ? constant_ : table_value(table_, t + 1e-12 * std::abs(t));
}

double TimeSignal::rate(double t, double span) const {
  if (formula_) return (*formula_)(t).rate;
  return table_.empty() ? 0.0 : ((*this)(t + span) - (*this)(t - span)) / (2.0 * span);
}

double TimeSignal::second_rate(double t, double span) const {
  if (table_.empty() && !formula_) return 0.0;
  if (formula_) return ((*formula_)(t + span).rate - (*formula_)(t - span).rate) / (2.0 * span);
  return ((*this)(t + span) - 2.0 * (*this)(t) + (*this)(t - span)) / (span * span);
}

TimeSignal signal_from_json(const Json& in, const std::string& where) {
  if (in.is_number() && std::isfinite(in.get<double>())) return TimeSignal(in.get<double>());
  if (in.is_string()) return TimeSignal(in.get<std::string>(), where);
  if (in.is_array()) {
    Curve table;
    for (std::size_t i = 0; i < in.size(); ++i) {
      const Json& row = in[i];
      if (!row.is_array() || row.size() != 2 || !row[0].is_number() || !row[1].is_number())
        throw_bad_input(fmt::format("{}[{}]", where, i), "a row of the table is not [time, value] with two numbers", "give two finite numbers in every row");
      table.emplace_back(row[0].get<double>(), row[1].get<double>());
    }
    return TimeSignal(std::move(table), where);
  }
  throw_bad_input(where, "this is no signal", "give a number, a formula in t as text, or a table [[t, value], ...]");
}

}  // namespace kdyn::mbs
