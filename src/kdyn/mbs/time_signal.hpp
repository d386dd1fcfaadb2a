// SPDX-License-Identifier: Apache-2.0
// A number over time: a constant, a table or a formula in t.
// Tables are read by straight lines and held outside; two points at one time make a jump that counts from that time on.
#pragma once

#include <memory>
#include <string>

#include "kdyn/base/field.hpp"
#include "kdyn/numerics/formula.hpp"

namespace kdyn::mbs {

class TimeSignal {
 public:
  TimeSignal(double constant = 0.0) : constant_(constant) {}
  explicit TimeSignal(Curve table, const std::string& where = "table");
  explicit TimeSignal(const std::string& formula, const std::string& where = "formula");

  double operator()(double t) const;
  // First and second derivative; of tables by differences over the time `span`.
  double rate(double t, double span = 1e-5) const;
  double second_rate(double t, double span = 1e-4) const;
  const Curve& table() const { return table_; }              // empty for others
  const Formula* formula() const { return formula_.get(); }  // null for others
  bool is_zero() const { return table_.empty() && !formula_ && constant_ == 0.0; }

 private:
  double constant_ = 0.0;
  Curve table_;
  std::shared_ptr<const Formula> formula_;
};

// A number, a formula as text, or [[t, value], ...].
TimeSignal signal_from_json(const Json& in, const std::string& where);

}  // namespace kdyn::mbs
