// SPDX-License-Identifier: Apache-2.0
#include "kdyn/mbs/time_signal.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kdyn/base/angle.hpp"
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
      throw_bad_input(fmt::format("{}[{}]", where, i), "the time of a table falls",
                      "sort the rows by time; equal times make a jump");
  }
}

TimeSignal TimeSignal::motion(Curve table, const std::string& where) {
  TimeSignal out(table, where);  // checks the rows
  for (std::size_t i = 1; i < table.size(); ++i)
    if (!(table[i].first > table[i - 1].first))
      throw_bad_input(fmt::format("{}[{}]", where, i), "two rows of a motion have the same time: a body cannot jump",
                      "remove one of the rows");
  out.table_.clear();
  out.motion_ = std::move(table);
  out.spline_ = std::make_shared<const InterpolatingSpline>(out.motion_);
  return out;
}

TimeSignal::TimeSignal(const std::string& formula, const std::string& where)
    : formula_(std::make_shared<const Formula>(formula, where)) {}

InterpolatingSpline::Values TimeSignal::motion_at(double t) const {
  // Times of steps carry rounding: the ends themselves belong to the motion.
  const double hair = 1e-9 * (spline_->upper() - spline_->lower());
  if (t < spline_->lower() - hair) return {motion_.front().second, 0.0, 0.0};
  if (t > spline_->upper() + hair) return {motion_.back().second, 0.0, 0.0};
  return (*spline_)(t);
}

double TimeSignal::operator()(double t) const {
  if (spline_) return motion_at(t).value;
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
  if (spline_) return motion_at(t).slope;
  if (formula_) return (*formula_)(t).rate;
  if (outside_)
    return outside_->rate +
           (t - outside_->t0) * (outside_->second_rate + 0.5 * (t - outside_->t0) * outside_->third_rate);
  return table_.empty() ? 0.0 : ((*this)(t + span) - (*this)(t - span)) / (2.0 * span);
}

double TimeSignal::second_rate(double t, double span) const {
  if (spline_) return motion_at(t).second;
  if (outside_) return outside_->second_rate + (t - outside_->t0) * outside_->third_rate;
  if (table_.empty() && !formula_) return 0.0;
  if (formula_) return ((*formula_)(t + span).rate - (*formula_)(t - span).rate) / (2.0 * span);
  return ((*this)(t + span) - 2.0 * (*this)(t) + (*this)(t - span)) / (span * span);
}

// Roughness of a sine of 11 samples per period: promised is what 12 give, 0.27.
constexpr double sampled_well = 0.32;

std::vector<std::string> doubts_about_motion(const Curve& motion, double duration) {
  std::vector<std::string> out;
  const double rough = roughness(motion);
  if (rough > 1.0)
    out.push_back(
        fmt::format("the motion changes as fast as its sampling lets it (fourth over second differences {:.2g}; 0.3 is "
                    "smooth): noise or "
                    "kinks, which its velocity and acceleration magnify",
                    rough));
  else if (rough > sampled_well) {
    // A sine of frequency f has (2 sin(pi f/fs))^2.
    const double rate = static_cast<double>(motion.size() - 1) / (motion.back().first - motion.front().first),
                 reached = rate * std::asin(0.5 * std::sqrt(rough)) / (0.5 * two_pi);
    out.push_back(fmt::format(
        "the motion, or noise in it, is as fast as {:.3g} Hz, above a twelfth of its {:.3g} samples per second: "
        "between so few samples its accelerations are off by more than 1 %",
        reached, rate));
  }
  const InterpolatingSpline spline(motion);
  double fastest = 0.0;
  for (const auto& [t, value] : motion) fastest = std::max(fastest, std::abs(spline(t).slope));
  const auto jump = [&](double t) { return std::abs(spline(t).slope) > 0.01 * fastest; };
  if (motion.front().first > 1e-9 * duration && jump(motion.front().first))
    out.push_back(fmt::format(
        "the motion begins at {:.6g} s with a velocity of {:.3g} 1/s; before that it is held: the velocity jumps",
        motion.front().first, spline(motion.front().first).slope));
  if (motion.back().first < (1.0 - 1e-9) * duration)
    out.push_back(fmt::format(
        "the motion ends at {:.6g} s, the run at {:.6g} s; its last value is held{}", motion.back().first, duration,
        jump(motion.back().first)
            ? fmt::format(" and its velocity of {:.3g} 1/s jumps to 0", spline(motion.back().first).slope)
            : ""));
  return out;
}

TimeSignal signal_from_json(const Json& in, const std::string& where) {
  if (in.is_object() && in.size() == 1 && in.contains("motion"))
    return TimeSignal::motion(signal_from_json(in["motion"], where + ".motion").table(), where);
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
  demand(signal.is_constant() || signal.formula() != nullptr || !signal.table().empty() || !signal.motion().empty(),
         "a signal from outside is no part of a model");
  if (signal.formula() != nullptr) return signal.formula()->text();
  if (signal.is_constant()) return signal(0.0);
  const bool moves = !signal.motion().empty();
  Json rows = Json::array();
  for (const auto& [t, value] : moves ? signal.motion() : signal.table()) rows.push_back(Json::array({t, value}));
  return moves ? Json{{"motion", std::move(rows)}} : rows;
}

}  // namespace kdyn::mbs
