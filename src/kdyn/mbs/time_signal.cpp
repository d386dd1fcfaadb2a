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
  if (outside_) {
    const OutsideSignal& s = *outside_;
    const double dt = t - s.t0;
    return s.value + dt * (s.rate + dt * (0.5 * s.second_rate + dt * s.third_rate / 6.0));
  }
  // Times of steps are n h: a jump at a step's time must not be missed by the last digit.
  return table_.empty() ? constant_ : table_value(table_, t + 1e-12 * std::abs(t));
}

double TimeSignal::rate(double t, double span) const {
  if (formula_) return (*formula_)(t).rate;
  if (outside_) return outside_->rate + (t - outside_->t0) * (outside_->second_rate + 0.5 * (t - outside_->t0) * outside_->third_rate);
  return table_.empty() ? 0.0 : ((*this)(t + span) - (*this)(t - span)) / (2.0 * span);
}

double TimeSignal::second_rate(double t, double span) const {
  if (outside_) return outside_->second_rate + (t - outside_->t0) * outside_->third_rate;
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
        throw_bad_input(fmt::format("{}[{}]", where, i), "a row of the table is not [time, value] with two numbers",
                        "give two finite numbers in every row");
      table.emplace_back(row[0].get<double>(), row[1].get<double>());
    }
    return TimeSignal(std::move(table), where);
  }
  throw_bad_input(where, "this is no signal", "give a number, a formula in t as text, or a table [[t, value], ...]");
}

Json signal_to_json(const TimeSignal& signal) {
  demand(signal.is_constant() || signal.formula() != nullptr || !signal.table().empty(), "a signal from outside is no part of a model");
  if (signal.formula() != nullptr) return signal.formula()->text();
  if (signal.is_constant()) return signal(0.0);
  Json rows = Json::array();
  for (const auto& [t, value] : signal.table()) rows.push_back(Json::array({t, value}));
  return rows;
}

}  // namespace kdyn::mbs
