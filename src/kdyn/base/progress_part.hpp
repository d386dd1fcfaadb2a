// SPDX-License-Identifier: Apache-2.0
// A step of a longer job: its progress from 0 to 1 is a share of the whole.
#pragma once

#include "kdyn/base/progress.hpp"

namespace kdyn {

class ProgressPart final : public Progress {
 public:
  ProgressPart(Progress& whole, double from, double to) : whole_(whole), from_(from), to_(to) {}
  void report(double fraction, std::string_view what) override { whole_.report(fraction < 0.0 ? fraction : from_ + (to_ - from_) * fraction, what); }
  bool stop_requested() const override { return whole_.stop_requested(); }

 private:
  Progress& whole_;
  double from_, to_;
};

}  // namespace kdyn
