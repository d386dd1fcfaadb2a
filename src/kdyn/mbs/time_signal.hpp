// SPDX-License-Identifier: Apache-2.0
// A number over time: a constant, a table, a formula in t, a motion, or what another program says while the run goes
// on. Tables are read by straight lines and held outside; two points at one time make a jump that counts from that time
// on. Right for forces. A motion is a table read by a spline [numerics E11]: what drives a body needs velocity and
// acceleration, and straight lines have none.
//
//   [mbs E40]  what acts is  offset + factor s(frequency_factor (t - time_shift))  of the signal s: 0, 1, 0 and 1 as a rule, each a parameter
//              that identification can search
#pragma once

#include <memory>
#include <string>

#include "kdyn/base/field.hpp"
#include "kdyn/numerics/formula.hpp"
#include "kdyn/numerics/interpolating_spline.hpp"

namespace kdyn::mbs {

// A signal from outside: a polynomial of third degree around t0, made anew before each step.
struct OutsideSignal {
  double t0 = 0.0;
  double value = 0.0, rate = 0.0, second_rate = 0.0, third_rate = 0.0;
};

// How a signal is used  [mbs E40].
struct SignalTuning {
  double offset = 0.0;  // of drives; used to see what another start does
  double factor = 1.0, time_shift_s = 0.0, frequency_factor = 1.0;
  bool plain() const { return offset == 0.0 && factor == 1.0 && time_shift_s == 0.0 && frequency_factor == 1.0; }
};
const FieldTable& fields_of(const SignalTuning*);  // without the offset
enum class SignalParameter { factor, time_shift, frequency_factor };

class TimeSignal {
 public:
  TimeSignal(double constant = 0.0) : constant_(constant) {}
  explicit TimeSignal(Curve table, const std::string& where = "table");
  explicit TimeSignal(const std::string& formula, const std::string& where = "formula");
  explicit TimeSignal(std::shared_ptr<const OutsideSignal> outside) : outside_(std::move(outside)) {}
  // Held outside its table; times must ascend strictly.
  static TimeSignal motion(Curve table, const std::string& where = "motion");

  double operator()(double t) const;
  // First and second derivative; of tables by differences over the time `span`.
  double rate(double t, double span = 1e-5) const;
  double second_rate(double t, double span = 1e-4) const;
  const Curve& table() const { return table_; }              // empty for others; not tuned
  const Curve& motion() const { return motion_; }            // empty for others; not tuned
  const Formula* formula() const { return formula_.get(); }  // null for others; not tuned
  bool is_zero() const { return is_constant() && (*this)(0.0) == 0.0; }
  bool is_constant() const { return table_.empty() && motion_.empty() && !formula_ && !outside_; }

  // [mbs E40]
  const SignalTuning& tuning() const { return tuning_; }
  // Times of a table of straight lines are changed for good: its rows are where steps end.
  void set_tuning(const SignalTuning& tuning);
  Curve acting_motion() const;  // the rows of a motion as they act
  double inner(double t) const { return tuned_ ? tuning_.frequency_factor * (t - tuning_.time_shift_s) : t; }
  // Whether its time can be searched: tables of straight lines have corners at every row.
  bool smooth() const { return formula_ || spline_; }
  // Change of value, rate and second rate with a parameter.
  struct Change {
    double value = 0.0, rate = 0.0, second = 0.0;
  };
  Change change(SignalParameter by, double t) const;

 private:
  double plain_value(double t) const;
  double plain_rate(double t, double span) const;
  double plain_second(double t, double span) const;
  InterpolatingSpline::Values motion_at(double t) const;

  double constant_ = 0.0;
  SignalTuning tuning_;
  bool tuned_ = false;
  Curve table_, motion_;
  std::shared_ptr<const InterpolatingSpline> spline_;
  std::shared_ptr<const Formula> formula_;
  std::shared_ptr<const OutsideSignal> outside_;
};

// What a table of a motion cannot tell, in words: content near the limit of its sampling, a run that goes beyond it.
// `duration` of the run.
std::vector<std::string> doubts_about_motion(const Curve& motion, double duration);

// A number, a formula as text, [[t, value], ...], {"motion": [[t, value], ...]}, or {"signal": one of these} with the
// fields of SignalTuning beside it.
TimeSignal signal_from_json(const Json& in, const std::string& where);
Json signal_to_json(const TimeSignal& signal);
// The tuning beside "signal".
SignalTuning tuning_from_json(const Json& in, const std::string& where);

}  // namespace kdyn::mbs
