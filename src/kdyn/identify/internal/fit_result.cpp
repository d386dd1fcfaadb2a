// SPDX-License-Identifier: Apache-2.0
#include "kdyn/identify/internal/fit_result.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include "kdyn/base/text.hpp"
#include "kdyn/elastomer/elastomer_model.hpp"
#include "kdyn/element/angular_unit.hpp"
#include "kdyn/identify/internal/alternatives.hpp"
#include "kdyn/numerics/jet_eigen.hpp"
#include "kdyn/numerics/statistics.hpp"

namespace kdyn::inline identify {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr int curve_export_points = 241;

std::string unit_for(const std::string& unit, AxisKind axis) {
  return axis == AxisKind::translation ? unit : angular_unit(unit.c_str());
}

ParameterEstimate describe(std::size_t slot, AxisKind axis) {
  const Field* field = field_table<Elastomer<double>>().find(slot_names[slot]);
  ParameterEstimate p;
  p.name = field->name;
  p.unit = unit_for(field->unit, axis);
  p.meaning = field->meaning;
  return p;
}

// [identify E5] Interval of a parameter whose logarithm has this standard deviation.
void set_log_interval(ParameterEstimate& p, double value, double sd, double t) {
  p.value = value;
  p.std = value * sd;
  p.lower_95 = std::isfinite(sd) ? value * std::exp(-t * sd) : 0.0;
  p.upper_95 = std::isfinite(sd) ? value * std::exp(t * sd) : infinity;
}

// Quantities made of the unknowns, as logarithms, with their derivatives.
struct Derived {
  const char *name, *unit, *meaning;
};
constexpr Derived derived_quantities[] = {
    {"c", "s", "lambda gamma: damping of the Kelvin-Voigt part over static stiffness"},
    {"t1", "s", "beta gamma / alpha: zero of the Kelvin-Voigt part"},
    {"t2", "s", "(1 + beta) gamma / alpha: pole of the Kelvin-Voigt part"},
};

template <class T>
std::array<T, 3> derived_logs(const Elastomer<T>& law) {
  using std::log;
  return {T(log(law.lambda * law.gamma)), T(log(law.beta * law.gamma / law.alpha)),
          T(log((1.0 + law.beta) * law.gamma / law.alpha))};
}

using J = Jet<24>;

double sd_of(const J& quantity, const Covariance& covariance) {
  const Eigen::VectorXd g = derivatives(quantity).head(covariance.covariance.rows());
  for (const Eigen::VectorXd& direction : covariance.not_determined)
    if (std::abs(g.dot(direction)) > 1e-6) return infinity;
  return std::sqrt(std::max(0.0, g.dot(covariance.covariance * g)));
}

// Where the one static stiffness of a curve is told: at the smallest preload of the map, or in the middle of the static
// loop.
struct ReferencePoint {
  double u;
  std::string words;
};
ReferencePoint reference_point(const ElastomerData& data, const Candidate<double>& c, AxisKind axis) {
  if (data.map.rows.empty())
    return {0.5 * (c.layout->grid.lower + c.layout->grid.upper),
            data.loops.empty() ? "in the middle of the record" : "in the middle of the static loop"};
  double preload = data.map.rows.front().preload;
  if (!c.layout->sine_preloads.empty())
    preload = c.layout->sine_preloads.front();
  else
    for (const MapRow& row : data.map.rows)
      if (std::abs(row.preload) < std::abs(preload)) preload = row.preload;
  return {c.at_preload(preload).u0,
          fmt::format("at preload {:g} {}", preload, axis == AxisKind::translation ? "N" : "N*m")};
}

// The spline as a table of rising points; where it does not rise (noise at the ends) the points are left out.
Curve curve_of(const Spline<double>& spline, double offset) {
  Curve points;
  for (int i = 0; i < curve_export_points; ++i) {
    const double u = spline.grid.lower + (spline.grid.upper - spline.grid.lower) * i / (curve_export_points - 1.0);
    const double f = spline.value(u) - offset;
    if (points.empty() || f > points.back().second) points.emplace_back(u, f);
  }
  return points;
}

// Zero displacement lies inside, and friction is empty there or the loop reaches about as far to either side.
bool offset_can_be_seen(const StaticLoop& loop, const LoopHistory& history) {
  const auto [low, high] = std::minmax_element(loop.displacement.begin(), loop.displacement.end());
  const double shorter = std::min(-*low, *high), longer = std::max(-*low, *high);
  return shorter > 0.5 * longer || (history.passes == 1 && shorter > -0.01 * longer);
}

void explain_indistinct(const Covariance& covariance, const std::vector<std::string>& names,
                        ElastomerFitResult& result) {
  for (const Eigen::VectorXd& direction : covariance.not_determined) {
    std::vector<std::string> members;
    for (Eigen::Index i = 0; i < direction.size(); ++i)
      if (std::abs(direction[i]) > 0.1 && static_cast<std::size_t>(i) < names.size())
        members.push_back(names[static_cast<std::size_t>(i)]);
    if (!members.empty())
      result.not_told_apart.push_back(fmt::format("{} {} not determined by the data", join(members, ", "),
                                                  members.size() > 1 ? "together are" : "is"));
  }
  for (std::size_t i = 0; i < names.size(); ++i)
    for (std::size_t j = i + 1; j < names.size(); ++j) {
      const double r = result.correlation(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
      if (std::abs(r) > 0.95)
        result.not_told_apart.push_back(
            fmt::format("{} and {} move together (correlation {:.3f})", names[i], names[j], r));
    }
}

void note_bounds(const FitSetup& setup, const Eigen::VectorXd& theta, ElastomerFitResult& result) {
  for (std::size_t s = 0; s < slot_count; ++s) {
    const int at = setup.layout.at[s];
    if (at < 0) continue;
    const bool low = theta[at]<setup.lower[at] + 1e-3, high = theta[at]> setup.upper[at] - 1e-3;
    if (!low && !high) continue;
    const bool friction = (s == slot_rdl && low) || (s == slot_rho && low);
    result.findings.push_back(
        {Severity::warning, "at_bound", slot_names[s],
         friction ? fmt::format("{} ran to its lower bound: friction is not present in these data", slot_names[s])
                  : fmt::format("{} ran to its {} bound {:.4g}", slot_names[s], low ? "lower" : "upper",
                                std::exp(theta[at])),
         friction ? "a law without friction describes them as well"
                  : "check the data, widen the bound, or hold the parameter by fix"});
  }
}

void predict(const ElastomerData& data, ElastomerFitResult& result) {
  double k_square = 0.0, angle_square = 0.0;
  std::size_t used = 0;
  for (std::size_t i = 0; i < data.map.rows.size(); ++i) {
    const MapRow& row = data.map.rows[i];
    result.map_model.push_back(
        steady_response(result.law, row.frequency_hz, row.amplitude, static_displacement(result.law, row.preload)));
  }
  for (std::size_t i = 0; i < data.map.rows.size(); ++i) {
    if (!result.row_used[i]) continue;
    const MapRow& row = data.map.rows[i];
    const SteadyResponse& model = result.map_model[i];
    const bool loop = result.criterion == Criterion::loop;
    const double k = loop ? model.k_dyn_loop : model.k_dyn, angle = loop ? model.loss_angle_loop : model.loss_angle;
    k_square += (k / row.k_dyn - 1.0) * (k / row.k_dyn - 1.0);
    angle_square += (angle - row.loss_angle) * (angle - row.loss_angle);
    ++used;
  }
  if (used > 0) {
    result.rms_k_dyn_rel = std::sqrt(k_square / static_cast<double>(used));
    result.rms_loss_angle = std::sqrt(angle_square / static_cast<double>(used));
  }
  const auto rms = [](const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return std::sqrt(sum / static_cast<double>(a.size()));
  };
  const std::unique_ptr<Mount> mount = make_mount(result.law);
  for (std::size_t i = 0; i < data.loops.size(); ++i) {
    StaticComparison loop = compare_static(*mount, data.loops[i], result.loop_history[i]);
    result.rms_static = std::max(result.rms_static.value_or(0.0), loop.rms);
    result.findings.push_back({Severity::note, "loop_history", data.loops[i].source.path,
                               "static loop: " + to_words(loop.history, loop.rest, data.loops[i].axis) +
                                   "; this history describes the loop best",
                               "if the test ran differently, check the static misfit"});
    result.loop_model.push_back(std::move(loop.force));
  }
  for (const BenchSeries& series : data.series) {
    result.series_model.push_back(series_force(result.law, series));
    result.rms_transient = std::max(result.rms_transient.value_or(0.0), rms(result.series_model.back(), series.force));
  }
}

}  // namespace

void report_fit(const ElastomerData& data, const ElastomerFitOptions& options, const FitSetup& setup,
                const LeastSquaresResult& fit, const Eigen::MatrixXd& spread, ElastomerFitResult& result) {
  const Layout& layout = setup.layout;
  const Eigen::VectorXd& theta = fit.theta;
  result.criterion = options.criterion;
  result.axis = !data.map.rows.empty() ? data.map.axis
                : !data.loops.empty()  ? data.loops.front().axis
                                       : data.series.front().axis;
  Covariance covariance = covariance_of(fit.jacobian);
  if (spread.size() > 0) add_spread(covariance, spread);
  const double dof = std::max(1.0, static_cast<double>(fit.residuals.size() - theta.size()));
  const double t = student_t_quantile(0.975, dof);

  const Candidate<double> c = make_candidate<double>(layout, [&](int i) { return theta[i]; });
  const Candidate<J> dual = make_candidate<J>(layout, [&](int i) { return J(theta[i], i); });
  result.law = c.law;
  for (std::size_t s = 0; s < slot_count; ++s) {
    ParameterEstimate p = describe(s, result.axis);
    const int at = layout.at[s];
    if (at >= 0) {
      set_log_interval(p, std::exp(theta[at]), covariance.standard_deviation[at], t);
      p.status = ParameterStatus::free;
      result.correlation_names.push_back(p.name);
    } else if (s == slot_stiffness && layout.mode == StaticMode::spline) {
      const ReferencePoint where = reference_point(data, c, result.axis);
      // Sines are told where their preload is, wherever that lies on the curve.
      const J k = layout.sine_preloads.empty() ? dual.spline.slope(J(where.u))
                                               : dual.at_preload(layout.sine_preloads.front()).k;
      using std::log;
      set_log_interval(p, k.a, sd_of(log(k), covariance), t);
      p.meaning = "Slope of the static curve " + where.words;
      p.status = ParameterStatus::derived;
    } else if (s == slot_stiffness && layout.mode == StaticMode::per_preload) {
      const std::size_t first = 0;
      set_log_interval(p, c.preload_k[first], covariance.standard_deviation[layout.preload_at], t);
      p.meaning = fmt::format("Static stiffness at preload {:g} {}", layout.preloads[first],
                              result.axis == AxisKind::translation ? "N" : "N*m");
      p.status = ParameterStatus::free;
    } else if (data.map.rows.empty() && data.series.empty() && s < slot_rdl && s != slot_stiffness &&
               !options.fix.contains(p.name)) {
      set_log_interval(p, c.law.*Elastomer<double>::members[s], typical_rubber_spread, t);
      p.meaning += "; typical of rubber, not seen by a static loop";
      p.status = ParameterStatus::derived;
    } else {
      p.value = s == slot_ymax ? (c.law.ymax ? *c.law.ymax : nan) : c.law.*Elastomer<double>::members[s];
      p.lower_95 = p.upper_95 = p.value;
      p.status = ParameterStatus::fixed;
    }
    if (s == slot_stiffness) result.law.static_stiffness = p.value;
    result.parameters.push_back(std::move(p));
  }
  for (std::size_t i = 1; i < layout.preloads.size(); ++i) {
    ParameterEstimate p = describe(slot_stiffness, result.axis);
    p.name = fmt::format("static_stiffness_{}", i + 1);
    p.meaning = fmt::format("Static stiffness at preload {:g} {}", layout.preloads[i],
                            result.axis == AxisKind::translation ? "N" : "N*m");
    set_log_interval(p, c.preload_k[i], covariance.standard_deviation[layout.preload_at + static_cast<int>(i)], t);
    result.parameters.push_back(std::move(p));
  }
  for (std::size_t i = 1; i < layout.sine_preloads.size(); ++i) {
    ParameterEstimate p = describe(slot_stiffness, result.axis);
    p.name = fmt::format("static_stiffness_{}", i + 1);
    p.meaning = fmt::format("Slope of the static curve at preload {:g} {}", layout.sine_preloads[i],
                            result.axis == AxisKind::translation ? "N" : "N*m");
    const J k = dual.at_preload(layout.sine_preloads[i]).k;
    using std::log;
    set_log_interval(p, k.a, sd_of(log(k), covariance), t);
    p.status = ParameterStatus::derived;
    result.parameters.push_back(std::move(p));
  }
  if (layout.at[slot_alpha] >= 0 || layout.at[slot_beta] >= 0 || layout.at[slot_gamma] >= 0) {
    const std::array<J, 3> logs = derived_logs(dual.law);
    for (std::size_t i = 0; i < logs.size(); ++i) {
      ParameterEstimate p;
      p.name = derived_quantities[i].name;
      p.unit = derived_quantities[i].unit;
      p.meaning = derived_quantities[i].meaning;
      set_log_interval(p, std::exp(logs[i].a), sd_of(logs[i], covariance), t);
      p.status = ParameterStatus::derived;
      result.parameters.push_back(std::move(p));
    }
  }
  const auto count = static_cast<Eigen::Index>(result.correlation_names.size());
  result.correlation = covariance.correlation.topLeftCorner(count, count);
  if (layout.mode == StaticMode::spline) {
    const double offset = c.sensor_offset();
    result.law.curve_points = curve_of(c.spline, offset);
    // Sines about a preload do not reach the unloaded mount: a straight line leads there.
    Curve& points = result.law.curve_points;
    if (!layout.sine_preloads.empty() && !layout.zero_seen && points.front().first * points.front().second > 0.0 &&
        points.back().first * points.back().second > 0.0)
      points.insert(points.front().first > 0.0 ? points.begin() : points.end(), {0.0, 0.0});
    // A sensor is accused only where the loop can show it: friction shifts a one-sided loop that was cycled before.
    const double sd = sd_of(dual.sensor_offset(), covariance);
    if (!data.loops.empty() && offset_can_be_seen(data.loops.front(), result.loop_history.front()) &&
        std::abs(offset) > std::max(1e-3 * layout.force_scale, 3.0 * sd))
      result.findings.push_back(
          {Severity::note, "static_offset", data.loops.front().source.path,
           fmt::format(
               "the static loop reads {:.3g} +- {:.2g} {} at zero displacement, friction taken off; this is taken as "
               "an offset of the force sensor",
               offset, t * sd, result.axis == AxisKind::translation ? "N" : "N*m"),
           "check the zero of force and displacement"});
  }
  if (layout.mode == StaticMode::per_preload) result.law.curve_points = points_of(c.preload_curve, layout.preloads);
  prepare(result.law, "fit");

  explain_indistinct(covariance, result.correlation_names, result);
  note_bounds(setup, theta, result);
  for (const FitGroup& group : result.groups)
    if (group.widening > 1.5)
      result.findings.push_back(
          {Severity::note, "correlated_residuals", group.name,
           fmt::format(
               "neighbouring residuals of {} are alike: the model does not explain everything there; its weight is "
               "reduced and intervals are wider ({:.1f} times)",
               group.name, group.widening),
           "look at the residuals in the report"});
  predict(data, result);
}

void report_sheet(const TwoPointInput& input, const ElastomerFitOptions& options, const TwoPointResult& solved,
                  ElastomerFitResult& result) {
  result.criterion = options.criterion;
  // Uncertainty of the sheet's own numbers, carried through by solving for slightly changed ones; unknown when no noise
  // is given.
  std::array<double, 3> variance = {nan, nan, nan};  // of lambda, ln rdl, ln rho
  if (options.noise_k_dyn_rel && options.noise_loss_angle_deg && solved.status == "converged") {
    variance.fill(0.0);
    const auto add = [&](auto change, double sd) {
      TwoPointInput moved = input;
      change(moved);
      const Elastomer<double> law = identify_two_point(solved.law, moved, options.criterion).law;
      const std::array<double, 3> step = {law.lambda - solved.law.lambda, std::log(law.rdl / solved.law.rdl),
                                          std::log(law.rho / solved.law.rho)};
      for (std::size_t i = 0; i < 3; ++i) variance[i] += std::pow(step[i] / 1e-5 * sd, 2);
    };
    add([&](TwoPointInput& x) { x.dynamic_hardening_1 *= 1.0 + 1e-5; }, *options.noise_k_dyn_rel);
    add([&](TwoPointInput& x) { x.dynamic_hardening_2 *= 1.0 + 1e-5; }, *options.noise_k_dyn_rel);
    add([&](TwoPointInput& x) { x.loss_angle += 1e-5; }, *options.noise_loss_angle_deg * std::numbers::pi / 180.0);
  }
  for (std::size_t s = 0; s < slot_count; ++s) {
    ParameterEstimate p = describe(s, AxisKind::translation);
    p.value = s == slot_ymax ? solved.law.ymax.value_or(nan) : solved.law.*Elastomer<double>::members[s];
    p.lower_95 = p.upper_95 = p.value;
    p.status = ParameterStatus::fixed;
    if (s == slot_lambda || s == slot_rdl || s == slot_rho) {
      constexpr double z = 1.959963984540054;
      p.status = ParameterStatus::free;
      if (s == slot_lambda) {
        p.std = std::sqrt(variance[0]);
        p.lower_95 = p.value - z * p.std;
        p.upper_95 = p.value + z * p.std;
      } else {
        set_log_interval(p, p.value, std::sqrt(variance[s == slot_rdl ? 1 : 2]), z);
        if (std::isnan(p.std)) p.lower_95 = p.upper_95 = nan;
      }
    }
    result.parameters.push_back(std::move(p));
  }
  if (std::isnan(variance[0]))
    result.findings.push_back({Severity::note, "no_uncertainty", "data sheet",
                               "three numbers give three parameters: the data sheet does not tell how certain they are",
                               "give noise_k_dyn_rel and noise_loss_angle_deg of the sheet's values to get intervals"});
  result.correlation.resize(0, 0);
  const auto one = steady_response(solved.law, input.frequency_hz, input.amplitude_1, 0.0),
             two = steady_response(solved.law, input.frequency_hz, input.amplitude_2, 0.0);
  const bool loop = options.criterion == Criterion::loop;
  const double k = solved.law.static_stiffness;
  const double e1 = (loop ? one.k_dyn_loop : one.k_dyn) / (k * input.dynamic_hardening_1) - 1.0;
  const double e2 = (loop ? two.k_dyn_loop : two.k_dyn) / (k * input.dynamic_hardening_2) - 1.0;
  result.rms_k_dyn_rel = std::sqrt(0.5 * (e1 * e1 + e2 * e2));
  result.rms_loss_angle = std::abs((loop ? one.loss_angle_loop : one.loss_angle) - input.loss_angle);
}

void report_typical(const ElastomerFitOptions& options, ElastomerFitResult& result) {
  constexpr double z = 1.959963984540054;
  result.criterion = options.criterion;
  for (std::size_t s = 0; s < slot_count; ++s) {
    ParameterEstimate p = describe(s, AxisKind::translation);
    p.value = s == slot_ymax ? result.law.ymax.value_or(nan) : result.law.*Elastomer<double>::members[s];
    p.lower_95 = p.upper_95 = p.value;
    p.status = ParameterStatus::fixed;
    if (s != slot_stiffness && s != slot_ymax && !options.fix.contains(p.name)) {
      set_log_interval(p, p.value, typical_rubber_spread, z);
      p.meaning += "; typical of rubber, not measured";
      p.status = ParameterStatus::derived;
    }
    result.parameters.push_back(std::move(p));
  }
  result.findings.push_back({Severity::warning, "typical_rubber", "data sheet",
                             "the static stiffness alone says nothing about frequency and amplitude: they are those of "
                             "a typical rubber, within a "
                             "factor of four",
                             "add dynamic_hardening_1, dynamic_hardening_2 and loss_angle_deg, or measure a map"});
  result.correlation.resize(0, 0);
}

}  // namespace kdyn::inline identify
