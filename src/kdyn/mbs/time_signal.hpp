// SPDX-License-Identifier: Apache-2.0
// A number over time: a constant, a table, a formula in t, a motion, or what another program says while the run goes
// on. Tables are read by straight lines and held outside; two points at one time make a jump that counts from that time
// on. Right for forces. A motion is a table read by a spline [numerics E11]: what drives a body needs velocity and
// acceleration, and straight lines have none.
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
  const Curve& table() const { return table_; }              // empty for others
  const Curve& motion() const { return motion_; }            // empty for others
  const Formula* formula() const { return formula_.get(); }  // null for others
  bool is_zero() const { return is_constant() && constant_ == 0.0; }
  bool is_constant() const { return table_.empty() && motion_.empty() && !formula_ && !outside_; }

 private:
  double constant_ = 0.0;
  InterpolatingSpline::Values motion_at(double t) const;

  Curve table_, motion_;
  std::shared_ptr<const InterpolatingSpline> spline_;
  std::shared_ptr<const Formula> formula_;
  std::shared_ptr<const OutsideSignal> outside_;
};

// What a table of a motion cannot tell, in words: content near the limit of its sampling, a run that goes beyond it.
// `duration` of the run.
std::vector<std::string> doubts_about_motion(const Curve& motion, double duration);

// A number, a formula as text, [[t, value], ...], or {"motion": [[t, value], ...]}.
TimeSignal signal_from_json(const Json& in, const std::string& where);
Json signal_to_json(const TimeSignal& signal);

}  // namespace kdyn::mbs
