// SPDX-License-Identifier: Apache-2.0
#include "kdyn/app/exchange/export_loss.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kdyn/app/present/display.hpp"
#include "kdyn/base/angle.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/element/bushing.hpp"

namespace kdyn::app {
namespace {

// What a reading off a bench curve would not show.
constexpr double unseen_rel = 0.005, unseen_angle = 0.25 * degree;

// Two digits are what such a figure is worth.
std::string percent(double rel) {
  const double value = 100.0 * rel;
  return value < 9.95 ? fmt::format("{:.2g} %", value) : fmt::format("{:.0f} %", value);
}

std::string place_words(double frequency_hz, double amplitude, AxisKind axis) {
  const AxisDisplay units = axis_display(axis);
  return fmt::format("{:.3g} Hz, {:.3g} {}", frequency_hz, amplitude * units.displacement.factor,
                     units.displacement.unit);
}

// The axes of a file that holds one need no name.
std::string prefix(const ExportComparison& all, std::size_t axis) {
  const auto count = std::count_if(all.axes.begin(), all.axes.end(), [](const auto& one) { return one.has_value(); });
  return count < 2 ? "" : std::string(axis_names[axis]) + " ";
}

// The largest of these differences over all axes; where none is above what can be seen: -1.
template <class Shown>
std::ptrdiff_t worst_axis(const ExportComparison& all, Shown&& shown) {
  std::ptrdiff_t worst = -1;
  double most = 0.0;
  for (std::size_t axis = 0; axis < all.axes.size(); ++axis) {
    if (!all.axes[axis]) continue;
    const std::optional<DifferenceShown>& d = shown(*all.axes[axis]);
    if (!d || d->of.none()) continue;
    // Degrees of loss angle and per cent of stiffness are felt alike: 1 deg turns a stiffness by 1.7 % of itself.
    const double size = std::max({d->of.k_dyn_rel, d->of.loss_angle, d->of.static_rel, d->of.path_rel,
                                  d->of.hot_k_dyn_rel, d->of.hot_loss_angle});
    if (size > most) most = size, worst = static_cast<std::ptrdiff_t>(axis);
  }
  return worst;
}

std::string difference_words(const ExportComparison& all, std::size_t axis, const DifferenceShown& d) {
  std::string what;
  if (d.of.k_dyn_rel >= unseen_rel)
    what = fmt::format("{} off at {}", percent(d.of.k_dyn_rel),
                       place_words(d.of.k_dyn_at.frequency_hz, d.of.k_dyn_at.amplitude, d.axis));
  else if (d.of.loss_angle >= unseen_angle)
    what = fmt::format("{:.2g} deg off at {}", d.of.loss_angle / degree,
                       place_words(d.of.loss_angle_at.frequency_hz, d.of.loss_angle_at.amplitude, d.axis));
  else if (d.of.path_rel >= unseen_rel)
    what = fmt::format("{} of the force on a random path", percent(d.of.path_rel));
  else if (d.of.static_rel >= unseen_rel)
    what = fmt::format("{} of the static force", percent(d.of.static_rel));
  else if (d.of.hot_k_dyn_rel >= unseen_rel || d.of.hot_loss_angle >= unseen_angle)
    what = fmt::format("{} off at {:g} degC", percent(d.of.hot_k_dyn_rel), d.of.hot_at_c);
  else
    return "less than 0.5 %";
  return prefix(all, axis) + "up to " + what;
}

std::string damper_words(const ExportComparison& all) {
  std::ptrdiff_t worst = -1, wide = worst_axis(
                                 all, [](const ExportedAxis&a) -> auto& { return a.read_back; });
  double most = -1.0;
  for (std::size_t axis = 0; axis < all.axes.size(); ++axis)
    if (all.axes[axis] && all.axes[axis]->chosen_point) {
      const ChosenPoint& p = *all.axes[axis]->chosen_point;
      if (const double off = std::abs(p.k_dyn_file / p.k_dyn - 1.0); off > most)
        most = off, worst = static_cast<std::ptrdiff_t>(axis);
    }
  if (worst < 0) return "";
  if (wide < 0) return "whole model";
  const ChosenPoint& p = *all.axes[static_cast<std::size_t>(worst)]->chosen_point;
  const double off = p.k_dyn_file / p.k_dyn - 1.0;
  std::string out = prefix(all, static_cast<std::size_t>(worst));
  out += std::abs(off) < unseen_rel
             ? "stiffness right at "
             : fmt::format("{} too {} at ", percent(std::abs(off)), off < 0.0 ? "soft" : "stiff");
  out += place_words(p.frequency_hz, p.amplitude, p.axis);
  const DifferenceShown& d = *all.axes[static_cast<std::size_t>(wide)]->read_back;
  if (d.of.k_dyn_rel > 1.1 * std::abs(off))
    out += fmt::format("; {}up to {} elsewhere", prefix(all, static_cast<std::size_t>(wide)), percent(d.of.k_dyn_rel));
  return out;
}

std::string keys_words(const ExportComparison& all) {
  std::string out = "whole model";
  const auto own = worst_axis(
      all, [](const ExportedAxis& a) -> auto& { return a.read_back; });
  if (own >= 0)
    out = difference_words(all, static_cast<std::size_t>(own), *all.axes[static_cast<std::size_t>(own)]->read_back);
  const auto others = worst_axis(
      all, [](const ExportedAxis& a) -> auto& { return a.without_kdyn_blocks; });
  const bool blind = std::any_of(all.axes.begin(), all.axes.end(), [](const std::optional<ExportedAxis>& a) {
    return a && a->lost_by_others && *a->lost_by_others == std::vector<std::string>{"everything"};
  });
  if (blind)
    out += "; other readers find no mount";
  else if (others >= 0)
    out += "; other readers " + difference_words(all, static_cast<std::size_t>(others),
                                                 *all.axes[static_cast<std::size_t>(others)]->without_kdyn_blocks);
  return out;
}

}  // namespace

ExportLoss loss_of(const ExportOutput& output, const ExportJob& job) {
  ExportLoss out;
  for (const Finding& finding : output.findings)
    if (!out.severity || finding.severity > *out.severity) out.severity = finding.severity;
  if (!output.comparison)
    out.words = output.findings.empty() ? "whole model" : "whole model but for its table of temperatures";
  else
    out.words = job.to == ExportTarget::ubf ? keys_words(*output.comparison) : damper_words(*output.comparison);
  if (output.comparison && output.comparison->coupling_rel.value_or(0.0) >= unseen_rel)
    out.words += "; the coupling of the axes for kdyn alone";
  if (out.severity == Severity::serious) out.words = "does not read back: see the findings";
  return out;
}

}  // namespace kdyn::app
