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

const FieldTable& fields_of(const SignalTuning*) {
  using S = SignalTuning;
  static const FieldTable table = FieldTable::of<S>("signal", [](FieldTable& t) {
    t.add(&S::factor, "factor", "-", "The signal is multiplied by this");
    t.add(&S::time_shift_s, "time_shift_s", "s", "The signal comes later by this");
    t.add(&S::frequency_factor, "frequency_factor", "-", "Its frequencies are multiplied by this").above(0.0);
  });
  return table;
}

void TimeSignal::set_tuning(const SignalTuning& tuning) {
  tuning_ = tuning;
  if (!table_.empty()) {
    for (auto& row : table_) row.first = row.first / tuning.frequency_factor + tuning.time_shift_s;
    tuning_.time_shift_s = 0.0, tuning_.frequency_factor = 1.0;
  }
  tuned_ = !tuning_.plain();
}

Curve TimeSignal::acting_motion() const {
  Curve out = motion_;
  for (auto& [t, value] : out) {
    t = t / tuning_.frequency_factor + tuning_.time_shift_s;
    value = tuning_.offset + tuning_.factor * value;
  }
  return out;
}

double TimeSignal::operator()(double t) const {
  return tuned_ ? tuning_.offset + tuning_.factor * plain_value(inner(t)) : plain_value(t);
}
double TimeSignal::rate(double t, double span) const {
  const double f = tuning_.frequency_factor;
  return tuned_ ? tuning_.factor * f * plain_rate(inner(t), f * span) : plain_rate(t, span);
}
double TimeSignal::second_rate(double t, double span) const {
  const double f = tuning_.frequency_factor;
  return tuned_ ? tuning_.factor * f * f * plain_second(inner(t), f * span) : plain_second(t, span);
}

// [mbs E40] made linear.
TimeSignal::Change TimeSignal::change(SignalParameter by, double t) const {
  const double f = tuning_.frequency_factor, u = inner(t), since = t - tuning_.time_shift_s;
  if (by == SignalParameter::factor)
    return {plain_value(u), f * plain_rate(u, f * 1e-5), f * f * plain_second(u, f * 1e-4)};
  demand(smooth(), "the time of a formula or a motion is searched");
  Formula::Rates s{};
  if (formula_) {
    s = formula_->rates(u);
  } else {
    const InterpolatingSpline::Values m = motion_at(u);
    s = {m.value, m.slope, m.second, m.third};
  }
  const double g = tuning_.factor;
  if (by == SignalParameter::time_shift) return {-g * f * s.rate, -g * f * f * s.second, -g * f * f * f * s.third};
  return {g * s.rate * since, g * (s.rate + f * s.second * since), g * f * (2.0 * s.second + f * s.third * since)};
}

double TimeSignal::plain_value(double t) const {
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

double TimeSignal::plain_rate(double t, double span) const {
  if (spline_) return motion_at(t).slope;
  if (formula_) return (*formula_)(t).rate;
  if (outside_)
    return outside_->rate +
           (t - outside_->t0) * (outside_->second_rate + 0.5 * (t - outside_->t0) * outside_->third_rate);
  return table_.empty() ? 0.0 : (plain_value(t + span) - plain_value(t - span)) / (2.0 * span);
}

double TimeSignal::plain_second(double t, double span) const {
  if (spline_) return motion_at(t).second;
  if (formula_) return formula_->rates(t).second;
  if (outside_) return outside_->second_rate + (t - outside_->t0) * outside_->third_rate;
  if (table_.empty()) return 0.0;
  return (plain_value(t + span) - 2.0 * plain_value(t) + plain_value(t - span)) / (span * span);
}

namespace {

// Roughness of a sine of 11 samples per period: promised is what 12 give, 0.27.
constexpr double sampled_well = 0.32;

// The longest part without gaps: more than three times the usual interval between two rows.
Curve without_gaps(const Curve& motion, std::vector<std::string>& doubts) {
  std::vector<double> intervals;
  for (std::size_t i = 1; i < motion.size(); ++i) intervals.push_back(motion[i].first - motion[i - 1].first);
  if (intervals.size() < 5) return motion;
  const auto middle = intervals.begin() + static_cast<std::ptrdiff_t>(intervals.size() / 2);
  std::nth_element(intervals.begin(), middle, intervals.end());
  const double usual = *middle;
  std::size_t begin = 0, best = 0, length = 0;
  for (std::size_t i = 1; i <= motion.size(); ++i) {
    const bool gap = i < motion.size() && motion[i].first - motion[i - 1].first > 3.0 * usual;
    if (gap)
      doubts.push_back(fmt::format(
          "between {:.6g} s and {:.6g} s there are no rows, {:.0f} times the usual interval: the motion there is "
          "invented by the spline",
          motion[i - 1].first, motion[i].first, (motion[i].first - motion[i - 1].first) / usual));
    if (!gap && i < motion.size()) continue;
    if (i - begin > length) length = i - begin, best = begin;
    begin = i;
  }
  return {motion.begin() + static_cast<std::ptrdiff_t>(best),
          motion.begin() + static_cast<std::ptrdiff_t>(best + length)};
}

}  // namespace

std::vector<std::string> doubts_about_motion(const Curve& motion, double duration) {
  std::vector<std::string> out;
  const Curve part = without_gaps(motion, out);
  if (out.size() > 3) out = {fmt::format("{}; and {} more gaps", out.front(), out.size() - 1)};
  const double rough = roughness(part);
  if (rough > 1.0)
    out.push_back(
        fmt::format("the motion changes as fast as its sampling lets it (fourth over second differences {:.2g}; 0.3 is "
                    "smooth): noise or "
                    "kinks, which its velocity and acceleration magnify",
                    rough));
  else if (rough > sampled_well) {
    // A sine of frequency f has (2 sin(pi f/fs))^2.
    const double rate = static_cast<double>(part.size() - 1) / (part.back().first - part.front().first),
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
  if (in.is_object() && in.contains("signal")) {
    TimeSignal out = signal_from_json(in["signal"], where + ".signal");
    out.set_tuning(tuning_from_json(in, where));
    return out;
  }
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

SignalTuning tuning_from_json(const Json& in, const std::string& where) {
  Json given = in;
  given.erase("signal");
  if (given.contains("comment")) given.erase("comment");
  SignalTuning out;
  from_json_fields(out, given, where);
  if (const Json& inner = in["signal"]; inner.is_object() && inner.contains("signal"))
    throw_bad_input(where + ".signal", "a signal with factors stands inside another", "write the factors once");
  return out;
}

Json signal_to_json(const TimeSignal& signal) {
  demand(signal.is_constant() || signal.formula() != nullptr || !signal.table().empty() || !signal.motion().empty(),
         "a signal from outside is no part of a model");
  if (signal.is_constant()) return signal(0.0);
  if (!signal.tuning().plain()) {
    TimeSignal untuned = signal;
    untuned.set_tuning({});
    Json out;
    to_json_fields(signal.tuning(), out);
    out["signal"] = signal_to_json(untuned);
    return out;
  }
  if (signal.formula() != nullptr) return signal.formula()->text();
  const bool moves = !signal.motion().empty();
  Json rows = Json::array();
  for (const auto& [t, value] : moves ? signal.motion() : signal.table()) rows.push_back(Json::array({t, value}));
  return moves ? Json{{"motion", std::move(rows)}} : rows;
}

}  // namespace kdyn::mbs
