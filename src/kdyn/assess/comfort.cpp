// SPDX-License-Identifier: Apache-2.0
#include "kdyn/assess/comfort.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "kdyn/base/text.hpp"

namespace kdyn::inline assess {

std::string comfort_reaction(double a) {
  // The ranges of the standard overlap; each begins here where the one before it has its geometric middle of the
  // overlap.
  constexpr std::array<std::pair<double, const char*>, 6> scale = {{{0.315, "not uncomfortable"},
                                                                    {0.56, "a little uncomfortable"},
                                                                    {0.9, "fairly uncomfortable"},
                                                                    {1.4, "uncomfortable"},
                                                                    {2.24, "very uncomfortable"},
                                                                    {1e300, "extremely uncomfortable"}}};
  for (const auto& [upper, word] : scale)
    if (a < upper) return word;
  return scale.back().second;
}

std::string vdi_perception(double a) {
  constexpr std::array<std::pair<double, const char*>, 5> scale = {{{0.010, "not perceptible"},
                                                                    {0.020, "just perceptible"},
                                                                    {0.080, "well perceptible"},
                                                                    {0.315, "strongly perceptible"},
                                                                    {1e300, "very strongly perceptible"}}};
  for (const auto& [upper, word] : scale)
    if (a < upper) return word;
  return scale.back().second;
}

Comfort assess_comfort(std::span<const double> acceleration, double rate_hz, Weighting weighting, double factor) {
  Comfort out;
  out.weighting = weighting;
  out.factor = factor;
  const std::size_t n = acceleration.size();
  if (n == 0) return out;
  // [assess E2] The mean is no vibration but gravity or an offset; switched on at the first sample it would ring as a
  // step.
  double mean = 0.0;
  for (const double a : acceleration) mean += a / static_cast<double>(n);
  std::vector<double> vibration(acceleration.begin(), acceleration.end());
  for (double& a : vibration) a -= mean;
  out.mean = mean;
  out.weighted = apply_weighting(vibration, rate_hz, weighting);
  const double dt = 1.0 / rate_hz;
  double square = 0.0, fourth = 0.0, plain = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    const double a = out.weighted[i], a2 = a * a;
    square += a2;
    fourth += a2 * a2;
    plain += vibration[i] * vibration[i];
    out.peak = std::max(out.peak, std::abs(a));
  }
  out.rms = std::sqrt(square / static_cast<double>(n));  // [assess E3]
  out.unweighted_rms = std::sqrt(plain / static_cast<double>(n));
  out.vdv = std::pow(fourth * dt, 0.25);  // [assess E5]
  out.crest_factor = out.rms > 0.0 ? out.peak / out.rms : 0.0;
  // [assess E4] A sum over the last second; the sum is built anew now and then so that rounding does not pile up.
  const auto window = std::max<std::size_t>(1, static_cast<std::size_t>(std::llround(rate_hz)));
  out.running.resize(n);
  double sum = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    sum += out.weighted[i] * out.weighted[i];
    if (i >= window) sum -= out.weighted[i - window] * out.weighted[i - window];
    if (i % window == 0) {
      sum = 0.0;
      for (std::size_t j = i + 1 > window ? i + 1 - window : 0; j <= i; ++j) sum += out.weighted[j] * out.weighted[j];
    }
    out.running[i] = std::sqrt(std::max(0.0, sum) / static_cast<double>(std::min(i + 1, window)));
    if (i + 1 >= std::min(window, n) && out.running[i] > out.mtvv)
      out.mtvv = out.running[i], out.mtvv_at_s = static_cast<double>(i) * dt;
  }
  const double length = static_cast<double>(n) * dt;
  out.shocks = out.crest_factor > 9.0 || out.mtvv > 1.5 * out.rms || out.vdv > 1.75 * out.rms * std::pow(length, 0.25);
  out.reaction = comfort_reaction(factor * out.rms);
  out.perception = vdi_perception(out.rms);
  return out;
}

std::optional<AxisRule> axis_rule(std::string_view channel, bool rotation) {
  const std::string name = lower_case(channel);
  AxisRule rule;
  rule.rotation = rotation;
  const auto has = [&](std::string_view word) { return name.find(word) != std::string::npos; };
  rule.point = has("backrest") || has("back_")                  ? "backrest"
               : has("feet") || has("foot") || has("floor")     ? "feet"
               : has("seat") || has("driver") || has("cushion") ? "seat"
                                                                : "";
  // The axis is the last word, or the last letter of it: seat_z, seatZ, a_seat_rx.
  const auto cut = name.find_last_of("_ -.");
  const std::string last = cut == std::string::npos ? name : name.substr(cut + 1);
  if (last.empty()) return std::nullopt;
  const char axis = last.back();
  if (axis < 'x' || axis > 'z' || (cut == std::string::npos && last.size() > 1 && rule.point.empty()))
    return std::nullopt;
  rule.axis = axis;
  rule.rotation = rotation || (last.size() == 2 && last.front() == 'r');
  if (rule.rotation) {
    rule.weighting = Weighting::We;
    rule.factor = axis == 'x' ? 0.63 : axis == 'y' ? 0.4 : 0.2;
  } else if (rule.point == "backrest") {
    rule.weighting = axis == 'x' ? Weighting::Wc : Weighting::Wd;
    rule.factor = axis == 'x' ? 0.8 : axis == 'y' ? 0.5 : 0.4;
  } else if (rule.point == "feet") {
    rule.weighting = Weighting::Wk;
    rule.factor = axis == 'z' ? 0.4 : 0.25;
  } else {
    rule.weighting = axis == 'z' ? Weighting::Wk : Weighting::Wd;
    rule.factor = 1.0;
  }
  return rule;
}

double vibration_total(const std::vector<Comfort>& axes) {
  double sum = 0.0;
  for (const Comfort& c : axes) sum += c.factor * c.factor * c.rms * c.rms;  // [assess E6]
  return std::sqrt(sum);
}

}  // namespace kdyn::inline assess
