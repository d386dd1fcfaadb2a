// SPDX-License-Identifier: Apache-2.0
#include "kdyn/numerics/fit_gate.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "kdyn/base/text.hpp"
#include "kdyn/numerics/fit_gate_widened.hpp"

namespace kdyn::inline numerics {
namespace {

double rms(const std::vector<double>& r, const std::vector<std::size_t>& of) {
  double sum = 0.0;
  for (const std::size_t i : of) sum += r[i] * r[i];
  return of.empty() ? 0.0 : std::sqrt(sum / static_cast<double>(of.size()));
}

// The quarter of an axis where the misfit is largest, when it stands out by half.
std::string worst_place(const GateChannel& channel) {
  std::string words;
  double most = 1.5 * channel.misfit();
  for (const GateAxis& axis : channel.axes) {
    if (axis.values.size() != channel.residuals.size() || axis.values.size() < 8) continue;
    std::vector<std::size_t> order(axis.values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return axis.values[a] < axis.values[b]; });
    if (!(axis.values[order.back()] > axis.values[order.front()])) continue;
    constexpr std::size_t parts = 4;
    for (std::size_t part = 0; part < parts; ++part) {
      const auto from = order.begin() + static_cast<std::ptrdiff_t>(part * order.size() / parts),
                 to = order.begin() + static_cast<std::ptrdiff_t>((part + 1) * order.size() / parts);
      const double here = rms(channel.residuals, {from, to});
      if (here <= most) continue;
      most = here;
      words = fmt::format(", worst at {} {:.3g} ... {:.3g} {} ({:.3g} {})", axis.name, axis.factor * axis.values[*from],
                          axis.factor * axis.values[*(to - 1)], axis.unit, channel.factor * here, channel.unit);
    }
  }
  return words;
}

}  // namespace

double GateChannel::misfit() const {
  std::vector<std::size_t> all(residuals.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return rms(residuals, all);
}

double GateChannel::allowed() const { return std::min(std::max(noise, finest), coarsest); }

GateVerdict judge_fit(const std::vector<GateChannel>& channels) {
  GateVerdict verdict;
  std::vector<std::pair<double, std::string>> parts;
  std::vector<std::string> scatter;
  for (const GateChannel& channel : channels) {
    if (channel.residuals.empty()) continue;
    const double misfit = channel.misfit(), allowed = channel.allowed();
    const double ratio = std::isfinite(misfit) ? misfit / allowed : std::numeric_limits<double>::infinity();
    verdict.worst = std::max(verdict.worst, ratio);
    if (misfit > channel.coarsest && channel.coarsest > channel.finest)
      scatter.push_back(fmt::format("{} by {:.2g} {} ({:.2g} {} is much)", channel.name, channel.factor * misfit,
                                    channel.unit, channel.factor * channel.coarsest, channel.unit));
    if (!(ratio > gate_factor)) continue;
    verdict.poor = true;
    parts.emplace_back(
        ratio, fmt::format("{} misses by {:.3g} {}, {:.2g} times {} ({:.2g} {}){}", channel.name,
                           channel.factor * misfit, channel.unit, ratio,
                           channel.noise > channel.coarsest ? "the stated scatter" : "the repeatability of such data",
                           channel.factor * allowed, channel.unit, worst_place(channel)));
  }
  // Where everything misses, the worst ones say it.
  constexpr std::size_t most = 4;
  const std::size_t all = parts.size();
  if (all > most) {
    std::stable_sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    parts.resize(most);
  }
  std::vector<std::string> words;
  for (auto& [ratio, text] : parts) words.push_back(std::move(text));
  if (all > most) words.push_back(fmt::format("and {} more", all - most));
  verdict.words = join(words, "; ");
  verdict.scatter = join(scatter, ", ");
  return verdict;
}

namespace {

void say_poor(const GateVerdict& verdict, const std::string& physics, const char* intervals, std::string& status,
              std::string& reason, std::vector<Finding>& findings) {
  if (status == "converged" || status == "done") {
    status = "poor_fit";
    reason = "the model does not describe the data: " + verdict.words;
  }
  findings.push_back({Severity::serious, "poor_fit", "fit",
                      fmt::format("the model does not describe the data: {}; intervals {}", verdict.words, intervals),
                      physics.empty()
                          ? "check units, signs and whether all data are of one part and direction; else another model"
                          : physics});
}

}  // namespace

void apply_gate_to_widened(const GateVerdict& verdict, const std::string& physics, std::string& status,
                           std::string& reason, std::vector<Finding>& findings) {
  if (verdict.poor) say_poor(verdict, physics, "are widened by what it leaves over", status, reason, findings);
}

void apply_gate(const GateVerdict& verdict, const std::string& physics, std::string& status, std::string& reason,
                std::vector<ParameterEstimate>& parameters, std::vector<Finding>& findings) {
  if (!verdict.poor && !verdict.scatter.empty())
    findings.push_back({Severity::warning, "scatter", "fit",
                        fmt::format("the data scatter about the model more than benches do: {}", verdict.scatter),
                        "look at the residuals in the report: rows of two parts, loose fixture or clamping; intervals "
                        "suppose that it is noise"});
  if (!verdict.poor) return;
  for (ParameterEstimate& p : parameters)
    if (p.status != ParameterStatus::fixed) p.std = p.lower_95 = p.upper_95 = std::numeric_limits<double>::quiet_NaN();
  say_poor(verdict, physics, "suppose that it does and are withheld", status, reason, findings);
}

void withhold_wide_intervals(std::vector<ParameterEstimate>& parameters, std::vector<Finding>& findings) {
  constexpr double decades = 1e3;
  std::vector<std::string> names;
  for (ParameterEstimate& p : parameters) {
    if (p.status == ParameterStatus::fixed || std::isnan(p.std)) continue;
    const bool wide = !std::isfinite(p.std) || (p.lower_95 > 0.0 ? p.upper_95 > decades * p.lower_95
                                                                 : p.lower_95 == 0.0 && !std::isfinite(p.upper_95));
    if (!wide) continue;
    p.std = std::numeric_limits<double>::infinity();
    names.push_back(p.name);
  }
  if (!names.empty())
    findings.push_back(
        {Severity::warning, "not_determined", join(names, ", "),
         fmt::format("the data do not determine {}: the interval is wider than three decades", join(names, ", ")),
         "the model may be used where the data lie; hold the parameter by fix, or measure what shows it"});
}

}  // namespace kdyn::inline numerics
