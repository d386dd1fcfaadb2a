// SPDX-License-Identifier: Apache-2.0
#include "kdyn/identify/internal/fit_setup.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/doctor/doctor.hpp"
#include "kdyn/elastomer/elastomer_model.hpp"
#include "kdyn/identify/internal/alternatives.hpp"
#include "kdyn/identify/internal/start_values.hpp"

namespace kdyn::inline identify {
namespace {

double& parameter(Elastomer<double>& law, std::size_t slot) {
  double Elastomer<double>::*const members[] = {&Elastomer<double>::static_stiffness,
                                                &Elastomer<double>::alpha,
                                                &Elastomer<double>::beta,
                                                &Elastomer<double>::gamma,
                                                &Elastomer<double>::lambda,
                                                &Elastomer<double>::rdl,
                                                &Elastomer<double>::rho};
  return law.*members[slot];
}

std::size_t slot_of(const std::string& name, const std::string& where) {
  for (std::size_t s = 0; s < slot_count; ++s)
    if (name == slot_names[s]) return s;
  throw_bad_input(where + "." + name, fmt::format("{} is no parameter of the elastomer", in_quotes(name)),
                  suggest(name, {slot_names.begin(), slot_names.end()}));
}

void check_value(const std::string& name, double value, const std::string& where) {
  check_bounds(*field_table<Elastomer<double>>().find(name), value, where + "." + name);
}

// Records that show the static curve: the static loops, without them the transients.
struct CurveRecord {
  const std::vector<double>&u, &f;
};
std::vector<CurveRecord> curve_records(const ElastomerData& data) {
  std::vector<CurveRecord> records;
  for (const StaticLoop& loop : data.loops) records.push_back({loop.displacement, loop.force});
  if (records.empty())
    for (const BenchSeries& series : data.series) records.push_back({series.displacement, series.force});
  return records;
}

// Spline through the middle of the records' branches, by linear least squares: the start of the curve.
Eigen::VectorXd spline_through(const ElastomerData& data, const SplineGrid& grid, double force_scale) {
  const int n = grid.coefficients();
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, n);
  Eigen::VectorXd b = Eigen::VectorXd::Zero(n), basis(n);
  Spline<double> unit{grid, std::vector<double>(static_cast<std::size_t>(n), 0.0)};
  for (const CurveRecord& record : curve_records(data))
    for (std::size_t i = 0; i < record.u.size(); ++i) {
      for (int j = 0; j < n; ++j) {
        unit.c[static_cast<std::size_t>(j)] = 1.0;
        basis[j] = unit.value(record.u[i]);
        unit.c[static_cast<std::size_t>(j)] = 0.0;
      }
      A += basis * basis.transpose();
      b += basis * (record.f[i] / force_scale);
    }
  A.diagonal().array() += 1e-9 * A.diagonal().mean();
  return A.ldlt().solve(b);
}

// [identify E9] Sines about a preload may reach beyond the static loop. The curve is continued there by whole
// intervals, as its last cubic within `bend_beyond` of the loop's force range in the fourth difference of the
// coefficients; the map, which feels it, tells more. Straight on, a one-sided loop would make the mount softer than it
// is on the far side.
constexpr int most_beyond = 3;  // intervals; further out the curve is straight
constexpr double bend_beyond = 0.05;

struct Beyond {
  int below = 0, above = 0;  // intervals added

  Eigen::VectorXd extend(const Eigen::VectorXd& c, SplineGrid& grid) const {
    Eigen::VectorXd out(c.size() + below + above);
    out.segment(below, c.size()) = c;
    for (Eigen::Index i = below - 1; i >= 0; --i)
      out[i] = 4.0 * out[i + 1] - 6.0 * out[i + 2] + 4.0 * out[i + 3] - out[i + 4];
    for (Eigen::Index i = below + c.size(); i < out.size(); ++i)
      out[i] = 4.0 * out[i - 1] - 6.0 * out[i - 2] + 4.0 * out[i - 3] - out[i - 4];
    const double step = grid.step();
    grid = {grid.lower - below * step, grid.upper + above * step, grid.intervals + below + above};
    return out;
  }
};

Beyond beyond_the_loop(const ElastomerData& data, const std::vector<std::size_t>& rows, const Candidate<double>& c) {
  const SplineGrid& grid = c.spline.grid;
  double low = grid.lower, high = grid.upper;
  for (const std::size_t i : rows) {
    const MapRow& row = data.map.rows[i];
    const double u0 = std::clamp(c.at_preload(row.preload).u0, grid.lower, grid.upper);
    low = std::min(low, u0 - row.amplitude), high = std::max(high, u0 + row.amplitude);
  }
  // A sliver beyond is no interval.
  const auto intervals = [&](double reach) {
    return std::clamp(static_cast<int>(std::ceil(reach / grid.step() - 0.02)), 0, most_beyond);
  };
  Beyond out{intervals(grid.lower - low), intervals(high - grid.upper)};
  while (out.below + out.above > std::max(0, most_unknowns - static_cast<int>(slot_count) - grid.coefficients()))
    --(out.below > out.above ? out.below : out.above);
  return out;
}

// A curve is worth it when the mean line of the static loop bends by more than 1.5 % of its force range.
bool loop_is_curved(const ElastomerData& data, const SplineGrid& grid, double force_scale) {
  const Eigen::VectorXd c = spline_through(data, grid, 1.0);
  Spline<double> spline{grid, {c.data(), c.data() + c.size()}};
  std::vector<double> u, f;
  for (int i = 0; i <= 50; ++i) {
    u.push_back(grid.lower + (grid.upper - grid.lower) * i / 50.0);
    f.push_back(spline.value(u.back()));
  }
  const double k = secant_slope(u, f);
  double mean = 0.0, bend = 0.0;
  for (std::size_t i = 0; i < u.size(); ++i) mean += (f[i] - k * u[i]) / static_cast<double>(u.size());
  for (std::size_t i = 0; i < u.size(); ++i) bend = std::max(bend, std::abs(f[i] - k * u[i] - mean));
  return bend > 0.015 * force_scale;
}

struct Range {
  double lower, upper;
};

// Wide enough for every mount, narrow enough to keep exp() and the closed forms in range; `a` is a typical amplitude.
Range default_bounds(std::size_t slot, double start, double a) {
  switch (slot) {
    case slot_stiffness: return {1e-3 * start, 1e3 * start};
    case slot_alpha: return {1e-7, 1e5};
    case slot_beta: return {1e-5, 1e4};
    case slot_gamma: return {1e-8, 1e4};
    case slot_lambda: return {1e-6, 1e5};
    case slot_rdl: return {1e-6 * a, 1e3 * a};
    case slot_rho: return {1e-3 / a, 1e5 / a};
    default: return {1e-4 * a, 1e4 * a};
  }
}

double typical_amplitude(const ElastomerData& data, const std::vector<std::size_t>& rows) {
  double sum = 0.0;
  if (!rows.empty()) {
    for (const std::size_t i : rows) sum += std::log(data.map.rows[i].amplitude);
    return std::exp(sum / static_cast<double>(rows.size()));
  }
  const auto& u = !data.loops.empty() ? data.loops.front().displacement : data.series.front().displacement;
  const auto [low, high] = std::minmax_element(u.begin(), u.end());
  return std::max(1e-9, 0.25 * (*high - *low));
}

// Stiffness at each preload over that of all: mean of the logarithms of k_dyn. Rows of a mount that is three times as
// stiff under load would otherwise look like a strange rubber, and the fit start far from any solution.
std::map<double, double> relative_at_preloads(const StiffnessMap& map, const std::vector<std::size_t>& rows) {
  struct Mean {
    double sum = 0.0, count = 0.0;
  };
  std::map<double, Mean> means;
  Mean all;
  for (const std::size_t i : rows) {
    const double k = std::log(map.rows[i].k_dyn);
    Mean& mean = means[map.rows[i].preload];
    mean.sum += k, ++mean.count;
    all.sum += k, ++all.count;
  }
  std::map<double, double> relative;
  for (const auto& [preload, mean] : means) relative[preload] = std::exp(mean.sum / mean.count - all.sum / all.count);
  return relative;
}

}  // namespace

void check_parameter_names(const ElastomerFitOptions& options) {
  for (const auto& [name, value] : options.fix) {
    slot_of(name, "fix");
    check_value(name, value, "fix");
  }
  for (const auto& [name, value] : options.start) {
    slot_of(name, "start");
    check_value(name, value, "start");
    const auto it = options.bounds.find(name);
    if (it != options.bounds.end() && !(value >= it->second.first && value <= it->second.second))
      throw_bad_input(
          "start." + name,
          fmt::format("{:g} is outside its bounds [{:g}, {:g}]", value, it->second.first, it->second.second),
          "start inside the bounds or widen them");
  }
  for (const auto& [name, range] : options.bounds) {
    slot_of(name, "bounds");
    check_value(name, range.first, "bounds");
    check_value(name, range.second, "bounds");
    if (!(range.first > 0.0))
      throw_bad_input("bounds." + name, fmt::format("lower bound {:g} is not > 0", range.first),
                      "parameters are fitted as logarithms; give a small positive bound");
    if (options.fix.contains(name))
      throw_bad_input("bounds." + name, "this parameter is held by fix", "remove it from bounds or from fix");
  }
  for (const std::string& name : options.free) {
    slot_of(name, "free");
    if (options.fix.contains(name))
      throw_bad_input("free." + name, "this parameter is held by fix", "remove it from free or from fix");
  }
}

Elastomer<double> held_law(const ElastomerFitOptions& options) {
  Elastomer<double> law;
  law.law = options.law;
  for (const auto& [name, value] : options.fix) {
    const std::size_t slot = slot_of(name, "fix");
    if (slot == slot_ymax)
      law.ymax = value;
    else
      parameter(law, slot) = value;
  }
  return law;
}

std::vector<Finding> examine_all(const ElastomerData& data) {
  std::vector<Finding> findings;
  const auto add = [&](std::vector<Finding> more) { findings.insert(findings.end(), more.begin(), more.end()); };
  if (!data.map.rows.empty()) add(examine(data.map));
  for (const StaticLoop& loop : data.loops) add(examine(loop));
  for (const BenchSeries& series : data.series) add(examine(series));
  add(examine_together(data.map.rows.empty() ? nullptr : &data.map, data.loops.empty() ? nullptr : &data.loops.front(),
                       data.series.empty() ? nullptr : &data.series.front()));
  return findings;
}

std::vector<bool> usable_rows(const ElastomerData& data, const ElastomerFitOptions& options,
                              std::vector<Finding>& findings) {
  std::vector<bool> used(data.map.rows.size(), true);
  if (!options.exclude_suspicious || data.map.rows.empty()) return used;
  const std::vector<bool> suspicious = suspicious_rows(data.map);
  const auto count = std::count(suspicious.begin(), suspicious.end(), true);
  if (count == 0) return used;
  // Half the map cannot be wrong by itself: then the doctor's findings stand, but the fit keeps all rows.
  if (2 * static_cast<std::size_t>(count) > used.size()) return used;
  for (std::size_t i = 0; i < used.size(); ++i) used[i] = !suspicious[i];
  findings.push_back({Severity::note, "rows_left_out", data.map.source.path,
                      fmt::format("{} of {} map rows take no part in the fit", count, used.size()),
                      "switch off the option exclude_suspicious to keep them"});
  return used;
}

bool may_fit_limit(const ElastomerData& data, const ElastomerFitOptions& options) {
  return std::any_of(data.loops.begin(), data.loops.end(), shows_hysteresis) && !options.fix.contains("ymax");
}

FitSetup make_setup(const ElastomerData& data, const ElastomerFitOptions& options, const Comparison& comparison,
                    bool with_limit, std::vector<Finding>& findings) {
  FitSetup setup;
  Layout& layout = setup.layout;
  layout.base = held_law(options);
  layout.at.fill(-1);
  const bool dynamic_data = !comparison.rows.empty() || !data.series.empty();
  const bool hysteresis = std::any_of(comparison.history.begin(), comparison.history.end(),
                                      [](const LoopHistory& h) { return h.passes > 0; });

  std::set<double> preloads;
  for (const std::size_t i : comparison.rows) preloads.insert(data.map.rows[i].preload);
  const bool stiffness_held = options.fix.contains("static_stiffness");
  if (const std::vector<CurveRecord> records = curve_records(data); !records.empty()) {
    double lower = 1e300, upper = -1e300, f_lower = 1e300, f_upper = -1e300;
    for (const CurveRecord& record : records) {
      const auto [u0, u1] = std::minmax_element(record.u.begin(), record.u.end());
      const auto [f0, f1] = std::minmax_element(record.f.begin(), record.f.end());
      lower = std::min(lower, *u0), upper = std::max(upper, *u1);
      f_lower = std::min(f_lower, *f0), f_upper = std::max(f_upper, *f1);
    }
    if (!(upper > lower))
      throw_bad_input(data.loops.empty() ? data.series.front().source.path : data.loops.front().source.path,
                      "the displacement of the record does not change", "check the displacement column");
    layout.grid = {lower, upper, static_cast<int>(options.curve_intervals)};
    layout.force_scale = f_upper - f_lower;
    layout.zero_seen = lower <= 0.0 && upper >= 0.0;
    // Several preloads without a loop tell the curve by themselves.
    const bool preloads_tell = data.loops.empty() && preloads.size() > 1;
    const bool wanted =
        options.use_curve == CurveUse::yes || (options.use_curve == CurveUse::automatic && !preloads_tell &&
                                               loop_is_curved(data, layout.grid, layout.force_scale));
    if (wanted && !stiffness_held) layout.mode = StaticMode::spline;
  }
  if (layout.mode == StaticMode::constant && data.loops.empty() && preloads.size() > 1 && !stiffness_held) {
    layout.mode = StaticMode::per_preload;
    layout.preloads.assign(preloads.begin(), preloads.end());
    if (layout.preloads.size() > 12)
      throw_bad_input(data.map.source.path, fmt::format("{} different preloads and no static curve", preloads.size()),
                      "add the static loop, or round the preloads to their nominal values");
  }

  // Start values.
  Elastomer<double> start = layout.base;
  Eigen::VectorXd coefficients;
  Beyond beyond;
  std::vector<double> relative(data.map.rows.size(), 1.0);
  if (layout.mode == StaticMode::spline) {
    coefficients = spline_through(data, layout.grid, layout.force_scale);
    Candidate<double> c;
    c.mode = StaticMode::spline;
    c.layout = &layout;
    c.spline.grid = layout.grid;
    for (const double x : coefficients) c.spline.c.push_back(layout.force_scale * x);
    beyond = beyond_the_loop(data, comparison.rows, c);
    for (const std::size_t i : comparison.rows)
      relative[i] = std::max(c.at_preload(data.map.rows[i].preload).k,
                             1e-6 * layout.force_scale / (layout.grid.upper - layout.grid.lower));
  }
  std::map<double, double> at_preload;
  if (layout.mode == StaticMode::per_preload) {
    at_preload = relative_at_preloads(data.map, comparison.rows);
    for (const std::size_t i : comparison.rows) relative[i] = at_preload.at(data.map.rows[i].preload);
  }
  const double a = typical_amplitude(data, comparison.rows);
  if (!data.loops.empty())
    start.static_stiffness = secant_slope(data.loops.front().displacement, data.loops.front().force);
  if (!comparison.rows.empty())
    start_from_map(data.map, comparison.rows, relative, start);
  else if (!data.series.empty() && data.loops.empty())
    start.static_stiffness = secant_slope(data.series.front().displacement, data.series.front().force);
  if (!(start.static_stiffness > 0.0))
    throw_bad_input(
        data.map.rows.empty() ? (data.loops.empty() ? data.series.front().source.path : data.loops.front().source.path)
                              : data.map.source.path,
        "force falls with displacement: no positive static stiffness fits", "check the sign of force and displacement");
  for (const auto& [name, value] : options.fix)
    if (const std::size_t slot = slot_of(name, "fix"); slot != slot_ymax) parameter(start, slot) = value;
  for (const auto& [name, value] : options.start)
    if (const std::size_t slot = slot_of(name, "start"); slot != slot_ymax) parameter(start, slot) = value;

  // Which are free.
  std::vector<double> theta, lower, upper;
  const auto free = [&](double value, Range range) {
    theta.push_back(std::log(std::clamp(value, range.lower, range.upper)));
    lower.push_back(std::log(range.lower));
    upper.push_back(std::log(range.upper));
    return static_cast<int>(theta.size()) - 1;
  };
  for (std::size_t s = 0; s < slot_count; ++s) {
    const std::string name = slot_names[s];
    const bool asked = std::find(options.free.begin(), options.free.end(), name) != options.free.end();
    bool is_free = !options.fix.contains(name);
    if (s == slot_stiffness) is_free = is_free && layout.mode == StaticMode::constant;
    if (s == slot_lambda) is_free = is_free && asked;
    if (s == slot_alpha || s == slot_beta || s == slot_gamma || s == slot_lambda) is_free = is_free && dynamic_data;
    if (s == slot_ymax) is_free = with_limit || (is_free && asked);
    // What no loop shows is not invented: without hysteresis there is no friction in the model.
    if (!dynamic_data && !hysteresis && (s == slot_rdl || s == slot_rho || s == slot_ymax)) {
      is_free = false;
      if (s == slot_rdl && !options.fix.contains(name)) parameter(start, s) = 0.0;
    }
    double value = s == slot_ymax ? 4.0 * start.rdl : parameter(start, s);
    if (s == slot_ymax && options.start.contains(name)) value = options.start.at(name);
    if (s < slot_ymax) parameter(layout.base, s) = value;
    if (!is_free) continue;
    Range range = default_bounds(s, value, a);
    if (const auto it = options.bounds.find(name); it != options.bounds.end())
      range = {it->second.first, it->second.second};
    layout.at[s] = free(value, range);
  }
  if (!dynamic_data)
    findings.push_back({Severity::warning, "static_only", data.loops.front().source.path,
                        "a static loop tells nothing about frequency: alpha, beta, gamma and lambda are those of a "
                        "typical rubber, with wide intervals",
                        "add a dynamic-stiffness map or a transient"});
  if (!dynamic_data && !hysteresis)
    findings.push_back(
        {Severity::warning, "no_hysteresis", data.loops.front().source.path,
         "the static curve shows no hysteresis: the model has no friction, and so no dependence on amplitude",
         "record a full slow loop, add a dynamic-stiffness map, or give rdl and rho by fix"});
  if (!dynamic_data)
    for (const std::size_t s : {std::size_t{slot_rdl}, std::size_t{slot_rho}})
      if (layout.at[s] >= 0)
        setup.priors.push_back({{{layout.at[s], 1.0}}, std::log(parameter(start, s)), typical_rubber_spread});
  if (layout.mode == StaticMode::per_preload)
    findings.push_back({Severity::note, "curve_from_preloads", data.map.source.path,
                        "there is no static loop: the static curve is laid through one stiffness per preload and is "
                        "straight beyond the outermost",
                        "add the static loop; a sine that reaches beyond the preloads is described better then"});
  if (layout.mode == StaticMode::per_preload) {
    layout.preload_at = static_cast<int>(theta.size());
    for (const double preload : layout.preloads) {
      const double k = start.static_stiffness * at_preload.at(preload);
      free(k, default_bounds(slot_stiffness, k, a));
    }
  }
  if (layout.mode == StaticMode::spline) {
    layout.spline_at = static_cast<int>(theta.size());
    coefficients = beyond.extend(coefficients, layout.grid);
    // [identify E9]
    const int last = layout.grid.coefficients() - 5;
    for (int i = 0; i <= last; ++i)
      if (i < beyond.below || i > last - beyond.above)
        setup.priors.push_back({{{layout.spline_at + i, 1.0},
                                 {layout.spline_at + i + 1, -4.0},
                                 {layout.spline_at + i + 2, 6.0},
                                 {layout.spline_at + i + 3, -4.0},
                                 {layout.spline_at + i + 4, 1.0}},
                                0.0,
                                bend_beyond});
    for (const double x : coefficients) {
      theta.push_back(x);
      lower.push_back(-1e3);
      upper.push_back(1e3);
    }
  }
  layout.size = static_cast<int>(theta.size());
  if (layout.size == 0)
    throw_bad_input("fix", "every parameter is held: there is nothing to fit", "free at least one parameter");
  if (layout.size >= comparison.residuals())
    throw_bad_input(data.map.source.path,
                    fmt::format("{} values cannot determine {} parameters", comparison.residuals(), layout.size),
                    "measure more points or hold parameters by fix");
  setup.start = Eigen::Map<Eigen::VectorXd>(theta.data(), layout.size);
  setup.lower = Eigen::Map<Eigen::VectorXd>(lower.data(), layout.size);
  setup.upper = Eigen::Map<Eigen::VectorXd>(upper.data(), layout.size);
  return setup;
}

void continue_from(const FitSetup& from, const Eigen::VectorXd& theta, FitSetup& to) {
  to.start = in_layout(from.layout, theta, to.layout, to.start).cwiseMax(to.lower).cwiseMin(to.upper);
}

FitSetup continued(FitSetup setup, const Eigen::VectorXd& theta) {
  setup.start = theta;
  return setup;
}

}  // namespace kdyn::inline identify
