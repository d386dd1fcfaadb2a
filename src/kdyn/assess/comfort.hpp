// SPDX-License-Identifier: Apache-2.0
// Ride comfort of one acceleration signal and of a point in several axes: ISO 2631-1, with the words of VDI 2057.
//
//   [assess E3] a_w = sqrt(1/T int a_w(t)^2 dt)                          weighted rms
//   [assess E4] a_w(t0) = sqrt(1/tau int_(t0-tau)^t0 a_w^2 dt), tau = 1 s   running rms; its largest value is MTVV
//   [assess E5] VDV = (int a_w^4 dt)^(1/4), m/s^1.75;  crest factor = max |a_w(t)| / a_w
//   [assess E6] a_v = sqrt(sum_i k_i^2 a_wi^2)                            vibration total value of a point
// Running rms or VDV are the better measure of shocks: crest factor above 9, MTVV > 1.5 a_w or VDV > 1.75 a_w T^(1/4).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "kdyn/assess/weighting.hpp"

namespace kdyn::inline assess {

struct Comfort {
  Weighting weighting = Weighting::Wk;
  double factor = 1.0;  // k of [assess E6]
  double mean = 0.0;    // taken off before weighting: gravity, or the offset of a sensor
  double rms = 0.0, unweighted_rms = 0.0;
  double mtvv = 0.0, mtvv_at_s = 0.0;
  double vdv = 0.0, peak = 0.0, crest_factor = 0.0;
  bool shocks = false;           // the rms alone underestimates
  std::string reaction;          // ISO 2631-1, C.2.3: "a little uncomfortable"; of the factor times rms
  std::string perception;        // VDI 2057: "strongly perceptible"
  std::vector<double> weighted;  // a_w(t)
  std::vector<double> running;   // running rms at every sample; before tau has passed, over what has passed
};

Comfort assess_comfort(std::span<const double> acceleration, double rate_hz, Weighting weighting, double factor = 1.0);

// Place and axis of a channel by its name: seat_x, backrest_y, floor_z, seat_ry ... -> weighting and k of ISO 2631-1
// for comfort.
struct AxisRule {
  std::string point;  // seat, backrest, feet; "" when the name does not tell
  char axis = 0;      // x, y, z; 0 unknown
  bool rotation = false;
  Weighting weighting = Weighting::Wk;
  double factor = 1.0;
};
std::optional<AxisRule> axis_rule(std::string_view channel, bool rotation);

double vibration_total(const std::vector<Comfort>& axes);

std::string comfort_reaction(double acceleration);  // m/s^2
std::string vdi_perception(double acceleration);

}  // namespace kdyn::inline assess
