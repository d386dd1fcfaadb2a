// SPDX-License-Identifier: Apache-2.0
#include "kdyn/identify/master_curve.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/identify/internal/master_spline.hpp"
#include "kdyn/identify/internal/shift_laws.hpp"
#include "kdyn/identify/temperature_fit.hpp"
#include "kdyn/numerics/dense.hpp"
#include "kdyn/numerics/statistics.hpp"

namespace kdyn::inline identify {
namespace {

constexpr double uncertain_from = 0.5;       // decades, half width of the interval
constexpr double not_determined_from = 1.5;  // likewise: more than a factor of 30 in time
constexpr double least_overlap = 0.1;        // decades: less is continuation, not comparison
constexpr double poor_storage = 0.05;        // misfit of the storage that no superposition leaves
constexpr double poor_loss = 0.10;           // likewise of the loss

void check_rows(const std::vector<ModulusRow>& rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const ModulusRow& r = rows[i];
    const auto fail = [&](const char* what, double value) {
      throw_bad_input(fmt::format("row {}", i + 1), fmt::format("{} is {:g}", what, value),
                      "frequency and storage have to be above 0, the temperature above -273.15 degC");
    };
    if (!(r.frequency_hz > 0.0) || !std::isfinite(r.frequency_hz)) fail("the frequency", r.frequency_hz);
    if (!(r.storage > 0.0) || !std::isfinite(r.storage)) fail("the storage modulus", r.storage);
    if (!std::isfinite(r.loss)) fail("the loss modulus", r.loss);
    if (!(r.temperature_c > -273.15) || !std::isfinite(r.temperature_c)) fail("the temperature", r.temperature_c);
  }
}

std::size_t nearest_index(const std::vector<double>& levels, double value) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < levels.size(); ++i)
    if (std::abs(levels[i] - value) < std::abs(levels[best] - value)) best = i;
  return best;
}

struct ReducedRange {
  double low = 1e300, high = -1e300;
  double shared(const ReducedRange& other) const { return std::min(high, other.high) - std::max(low, other.low); }
};
std::vector<ReducedRange> reduced_ranges(const MasterSets& sets, const std::vector<double>& log_a) {
  std::vector<ReducedRange> ranges(sets.levels);
  for (const MasterSample& s : sets.samples) {
    ReducedRange& r = ranges[s.level];
    r.low = std::min(r.low, s.x + log_a[s.level]);
    r.high = std::max(r.high, s.x + log_a[s.level]);
  }
  return ranges;
}

// Decades of reduced frequency that a level shares with all others together.
double overlap_of(const std::vector<ReducedRange>& ranges, std::size_t level) {
  std::vector<std::pair<double, double>> shared;
  for (std::size_t j = 0; j < ranges.size(); ++j)
    if (j != level && ranges[j].shared(ranges[level]) > 0.0)
      shared.emplace_back(std::max(ranges[j].low, ranges[level].low), std::min(ranges[j].high, ranges[level].high));
  std::sort(shared.begin(), shared.end());
  double sum = 0.0, reached = -1e300;
  for (const auto& [a, b] : shared) {
    sum += std::max(0.0, b - std::max(a, reached));
    reached = std::max(reached, b);
  }
  return sum;
}

// Which levels hang together with the reference by overlaps that can tell a shift.
std::vector<bool> linked_levels(const std::vector<ReducedRange>& ranges, std::size_t reference) {
  std::vector<bool> linked(ranges.size(), false);
  linked[reference] = true;
  for (bool grew = true; grew;) {
    grew = false;
    for (std::size_t i = 0; i < ranges.size(); ++i)
      for (std::size_t j = 0; j < ranges.size() && !linked[i]; ++j)
        if (linked[j] && ranges[i].shared(ranges[j]) >= least_overlap) linked[i] = grew = true;
  }
  return linked;
}

void add_findings(const MasterCurveOptions& options, MasterCurveResult& result) {
  const auto note = [&](Severity severity, const char* code, std::string where, std::string message,
                        std::string remedy) {
    result.findings.push_back({severity, code, std::move(where), std::move(message), std::move(remedy)});
  };
  std::string weak, lonely;
  for (const ShiftFactor& f : result.factors) {
    if (f.status == "not_determined" && f.linked)
      weak += fmt::format("{}{:.4g}", weak.empty() ? "" : ", ", f.temperature_c);
    if (!f.linked) lonely += fmt::format("{}{:.4g}", lonely.empty() ? "" : ", ", f.temperature_c);
  }
  if (!weak.empty())
    note(Severity::warning, "shift_not_determined", "temperature",
         fmt::format("the data do not tell the shift factors at {} degC: the curves are flat there, or too noisy for "
                     "their slope",
                     weak),
         "use the law of the shift factors there, or measure in steps that reach the slope");
  if (!lonely.empty())
    note(Severity::warning, "no_overlap", "temperature",
         fmt::format("the curves at {} degC do not overlap with those that lead to the reference: their shift factors "
                     "follow from the smooth continuation of the master curve alone",
                     lonely),
         "measure in smaller steps of temperature, or over more decades of frequency");
  if (result.noise_loss_rel > poor_loss)
    note(Severity::warning, "loss_does_not_superpose", "data",
         fmt::format("the loss curves do not fall onto one: {:.0f} % of the loss is left",
                     100.0 * result.noise_loss_rel),
         "trust the storage; the material has several mechanisms that shift differently, or the loss is poorly "
         "measured");
  if (result.noise_storage_rel > poor_storage)
    note(Severity::serious, "no_superposition", "data",
         fmt::format("the curves do not fall onto one: {:.1f} % of the storage is left",
                     100.0 * result.noise_storage_rel),
         options.vertical == VerticalShift::none
             ? "allow vertical shifts (--vertical free); check that all rows are of one material and state"
             : "check that all rows are of one material and state; several mechanisms do not superpose");
  if (options.vertical == VerticalShift::free)
    note(Severity::note, "vertical_free", "vertical",
         "vertical shifts are free: where curves are straight on logarithmic axes they cannot be told from horizontal "
         "ones",
         "nothing to do; compare with --vertical entropic");
}

}  // namespace

MasterCurveResult fit_master_curve(const std::vector<ModulusRow>& rows, const MasterCurveOptions& options,
                                   Progress& progress) {
  check_rows(rows);
  MasterCurveResult result;
  std::vector<double> temperatures;
  for (const ModulusRow& r : rows) temperatures.push_back(r.temperature_c);
  const std::vector<double> levels = temperature_levels(temperatures);
  if (levels.size() < 2)
    throw_bad_input("data", fmt::format("the data have {} temperature{}", levels.size(), levels.size() == 1 ? "" : "s"),
                    "a master curve needs two temperatures or more; a column temperature tells them");
  const std::size_t reference = nearest_index(levels, options.reference_c.value_or(23.0));
  if (options.reference_c && std::abs(levels[reference] - *options.reference_c) > 2.0)
    throw_bad_input("reference_c", fmt::format("no rows are within 2 degrees of {:g} degC", *options.reference_c),
                    fmt::format("the nearest temperature of the data is {:.4g} degC", levels[reference]));
  result.reference_c = levels[reference];

  MasterSets sets;
  sets.levels = levels.size();
  sets.reference = reference;
  sets.free_vertical = options.vertical == VerticalShift::free;
  std::vector<double> entropic(levels.size(), 1.0);
  if (options.vertical == VerticalShift::entropic)
    for (std::size_t i = 0; i < levels.size(); ++i) entropic[i] = (levels[i] + 273.15) / (levels[reference] + 273.15);
  std::vector<std::size_t> count(levels.size(), 0);
  for (const ModulusRow& r : rows) {
    const std::size_t level = nearest_index(levels, r.temperature_c);
    ++count[level];
    result.level_of.push_back(level);
    MasterSample s;
    s.level = level;
    s.x = std::log10(r.frequency_hz);
    s.y[0] = std::log(r.storage / entropic[level]);
    s.y[1] = r.loss > 0.0 ? std::log(r.loss / entropic[level]) : std::numeric_limits<double>::quiet_NaN();
    sets.samples.push_back(s);
  }
  result.rows = rows;
  for (std::size_t i = 0; i < levels.size(); ++i)
    if (count[i] < 3)
      throw_bad_input("data", fmt::format("there are {} rows at {:.4g} degC", count[i], levels[i]),
                      "each temperature needs three frequencies or more; leave others out");
  sets.temperature_c = levels;

  // The loss takes part where it falls onto one curve together with the storage; else it follows and is told.
  sets.loss_moves = options.shift_by != ShiftBy::storage;
  MasterSplineFit fit = fit_master_spline(sets, progress);
  result.shifted_by = sets.loss_moves && fit.has_loss ? ShiftBy::both : ShiftBy::storage;
  if (options.shift_by == ShiftBy::automatic && (!fit.converged || fit.noise[1] > poor_loss)) {
    sets.loss_moves = false;
    fit = fit_master_spline(sets, progress);
    result.shifted_by = ShiftBy::storage;
  }
  const std::vector<ReducedRange> ranges = reduced_ranges(sets, fit.log_a);
  const std::vector<bool> linked = linked_levels(ranges, reference);
  result.iterations = fit.iterations;
  result.status = fit.converged ? "converged" : "not_converged";
  result.reason =
      fit.converged ? fmt::format("{} temperatures on one curve", levels.size()) : "the shift factors did not settle";
  result.noise_storage_rel = fit.noise[0];
  result.noise_loss_rel = fit.noise[1];
  const double t = student_t_quantile(0.975, std::max(1.0, fit.degrees_of_freedom));
  for (std::size_t i = 0; i < levels.size(); ++i) {
    ShiftFactor f;
    f.temperature_c = levels[i];
    f.rows = count[i];
    f.log_a = fit.log_a[i];
    f.linked = linked[i];
    f.log_a_std = linked[i] ? fit.log_a_std[i] : std::numeric_limits<double>::infinity();
    f.log_a_lower = f.log_a - t * f.log_a_std;
    f.log_a_upper = f.log_a + t * f.log_a_std;
    f.b = entropic[i] * std::exp(fit.log_b[i]);
    f.b_lower = f.b * std::exp(-t * fit.log_b_std[i]);
    f.b_upper = f.b * std::exp(t * fit.log_b_std[i]);
    f.overlap_decades = overlap_of(ranges, i);
    const double half = t * f.log_a_std;
    f.status = i == reference                  ? "reference"
               : !(half < not_determined_from) ? "not_determined"
               : half > uncertain_from         ? "uncertain"
                                               : "determined";
    double square[2] = {0.0, 0.0}, n[2] = {0.0, 0.0};
    for (const MasterSample& s : sets.samples) {
      if (s.level != i) continue;
      for (int c = 0; c < 2; ++c)
        if (std::isfinite(s.y[c])) {
          square[c] += std::pow(s.y[c] - fit.log_b[i] - fit.curve(c, s.x + fit.log_a[i]), 2);
          n[c] += 1.0;
        }
    }
    f.rms_storage_rel = std::sqrt(square[0] / std::max(1.0, n[0]));
    f.rms_loss_rel = std::sqrt(square[1] / std::max(1.0, n[1]));
    result.factors.push_back(std::move(f));
  }
  result.laws = fit_shift_laws(levels, reference, fit.log_a, fit.covariance);
  if (!result.laws.empty())
    for (ShiftFactor& f : result.factors)
      f.law_log_a = log_a_of(result.laws.front(), f.temperature_c, result.reference_c);
  double low = 1e300, high = -1e300;
  for (const ReducedRange& r : ranges) low = std::min(low, r.low), high = std::max(high, r.high);
  constexpr int points = 201;
  for (int i = 0; i < points; ++i) {
    const double x = low + (high - low) * i / (points - 1);
    result.curve.push_back({std::pow(10.0, x), std::exp(fit.curve(0, x)),
                            fit.has_loss ? std::exp(fit.curve(1, x)) : std::numeric_limits<double>::quiet_NaN()});
  }
  add_findings(options, result);
  if (result.noise_storage_rel > poor_storage && result.status == "converged") {
    result.status = "poor_fit";
    for (const Finding& f : result.findings)
      if (f.code == "no_superposition") result.reason = f.message;
  }
  return result;
}

const FieldTable& fields_of(const MasterCurveOptions*) {
  using O = MasterCurveOptions;
  static const FieldTable table = FieldTable::of<O>("master curve", [](FieldTable& t) {
    t.add(&O::reference_c, "reference_c", "degC",
          "Reference temperature, one of the data's; null: the one nearest to 23 degC");
    t.add(&O::shift_by, "shift_by", "-",
          "What the shifts are found by: storage (the loss is moved along and checked), both, or automatic: both where "
          "the loss falls onto one curve too")
        .one_of({"automatic", "storage", "both"});
    t.add(&O::vertical, "vertical", "-",
          "Vertical shifts: none; entropic (stiffness of a rubber network, proportional to absolute temperature); free")
        .one_of({"none", "entropic", "free"});
  });
  return table;
}

}  // namespace kdyn::inline identify
