// SPDX-License-Identifier: Apache-2.0
#include "kdyn/identify/internal/hydromount_fit_result.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include "kdyn/base/text.hpp"
#include "kdyn/hydromount/hydromount_model.hpp"
#include "kdyn/identify/internal/hydromount_advise.hpp"
#include "kdyn/identify/internal/static_path.hpp"
#include "kdyn/numerics/meet.hpp"
#include "kdyn/numerics/statistics.hpp"

namespace kdyn::inline identify {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double pi = std::numbers::pi;

void set_log_interval(ParameterEstimate& p, double value, double sd, double t) {
  p.value = value;
  p.std = value * sd;
  p.lower_95 = std::isfinite(sd) ? value * std::exp(-t * sd) : 0.0;
  p.upper_95 = std::isfinite(sd) ? value * std::exp(t * sd) : infinity;
}

ParameterEstimate estimate(const char* name, const char* unit, const char* meaning, ParameterStatus status) {
  ParameterEstimate p;
  p.name = name;
  p.unit = unit;
  p.meaning = meaning;
  p.status = status;
  return p;
}

// Noise of the map from its residuals, unless it is given: weights of the covariance  [identify E5].
struct Noise {
  double k = 0.0, angle = 0.0, widening_k = 1.0, widening_angle = 1.0;
};

double widening(const std::vector<double>& residuals) {
  const double rho = lag_one_correlation(residuals);
  return rho > 3.0 / std::sqrt(static_cast<double>(residuals.size()))
             ? std::sqrt((1.0 + std::min(rho, 0.95)) / (1.0 - std::min(rho, 0.95)))
             : 1.0;
}

Noise noise_of(const HydroProblem& problem, const HydroMountFitOptions& options, std::size_t unknowns,
               HydroMountFitResult& result) {
  std::vector<const HydroRow*> order;
  for (const HydroRow& row : problem.rows) order.push_back(&row);
  std::sort(order.begin(), order.end(), [](const HydroRow* a, const HydroRow* b) {
    const long la = std::lround(20.0 * std::log(a->amplitude)), lb = std::lround(20.0 * std::log(b->amplitude));
    return la != lb ? la < lb : a->omega < b->omega;
  });
  std::vector<double> k, angle;
  for (const HydroRow* row : order) {
    const double rk = std::log(std::abs(row->model) / row->k_dyn), ra = wrapped(std::arg(row->model) - row->loss_angle);
    if (std::abs(rk) > problem.huber * problem.sigma_k || std::abs(ra) > problem.huber * problem.sigma_angle) continue;
    k.push_back(rk);
    angle.push_back(ra);
  }
  const double share =
      std::max(0.1, 1.0 - static_cast<double>(unknowns) / (2.0 * static_cast<double>(problem.rows.size())));
  const auto rms = [&](const std::vector<double>& x) {
    double s = 0.0;
    for (const double v : x) s += v * v;
    return std::max(1e-9, std::sqrt(s / (std::max(1.0, static_cast<double>(x.size())) * share)));
  };
  Noise noise{rms(k), rms(angle), widening(k), widening(angle)};
  const std::size_t down = problem.rows.size() - k.size();
  if (options.noise_k_dyn_rel) noise.k = *options.noise_k_dyn_rel;
  if (options.noise_loss_angle_deg) noise.angle = *options.noise_loss_angle_deg * pi / 180.0;
  result.groups.push_back(
      {"k_dyn", "-", problem.rows.size(), down, noise.k, options.noise_k_dyn_rel.has_value(), noise.widening_k});
  result.groups.push_back({"loss_angle", "rad", problem.rows.size(), down, noise.angle,
                           options.noise_loss_angle_deg.has_value(), noise.widening_angle});
  return noise;
}

// Where the drawing is silent a typical size is assumed; the map is the same for any.
struct Geometry {
  double chamber = 0.0, channel = 0.0, length = 0.0, density = 0.0, ratio = 0.0;
  bool chamber_known = false, channel_known = false, length_known = false, density_known = false,
       channel_from_mass = false, density_from_mass = false;
};

Geometry geometry_of(const HydroMountFitOptions& options, double effective_mass) {
  Geometry g;
  g.chamber_known = options.chamber_area.has_value();
  g.channel_known = options.channel_area.has_value();
  g.length_known = options.channel_length.has_value();
  g.density_known = options.fluid_density.has_value();
  g.chamber = options.chamber_area.value_or(5e-3);
  g.density = options.fluid_density.value_or(1050.0);
  if (g.channel_known) {
    g.channel = *options.channel_area;
  } else if (g.length_known) {
    g.channel = g.density * *options.channel_length * g.chamber * g.chamber / effective_mass;
    g.channel_from_mass = true;
  } else {
    g.channel = 0.01 * g.chamber;
  }
  g.ratio = g.channel / g.chamber;
  const double fluid_mass = effective_mass * g.ratio * g.ratio;
  if (g.length_known && g.channel_known && !g.density_known) {
    g.length = *options.channel_length;
    g.density = fluid_mass / (g.channel * g.length);
    g.density_from_mass = true;
  } else {
    g.length = fluid_mass / (g.density * g.channel);
  }
  return g;
}

HydroMount<double> law_with(const Geometry& g, const HydroLayout& layout, const HydroMountFitOptions& options) {
  HydroMount<double> law = make_hydro(layout);
  law.chamber_area = g.chamber;
  law.channel_area = g.channel;
  law.channel_length = g.length;
  law.fluid_density = g.density;
  law.fluid_damping_linear = layout.values[hydro_linear] * g.ratio * g.ratio;
  law.fluid_damping_nonlinear = layout.values[hydro_power] * std::pow(g.ratio, layout.exponent + 1.0);
  if (options.coupled_damping) {
    law.coupled_damping = true;
    law.fluid_damping_nonlinear /= law.fluid_damping_linear;
  }
  if (layout.bypass) {
    law.bypass_area = layout.values[hydro_bypass] * std::pow(g.chamber, 1.5) / std::sqrt(2.0 / g.density);
    law.bypass_threshold = layout.values[hydro_threshold] / g.chamber;
  }
  if (layout.limit) {
    law.pressure_limit = layout.values[hydro_limit] / g.chamber;
    law.pressure_limit_smoothing = layout.values[hydro_limit_width] * *law.pressure_limit;
  }
  return law;
}

// A quantity made of powers of the unknowns: its logarithm is linear in theta.
struct Monomial {
  const char *name, *unit, *meaning;
  double value;
  std::vector<std::pair<int, double>> powers;
};

double sd_of(const Monomial& quantity, const HydroLayout& layout, const Covariance& covariance) {
  Eigen::VectorXd g = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(layout.free.size()));
  for (const auto& [slot, power] : quantity.powers) {
    const auto found = std::find(layout.free.begin(), layout.free.end(), slot);
    if (found != layout.free.end()) g[found - layout.free.begin()] += power;
  }
  for (const Eigen::VectorXd& direction : covariance.not_determined)
    if (std::abs(g.dot(direction)) > 1e-6) return infinity;
  return std::sqrt(std::max(0.0, g.dot(covariance.covariance * g)));
}

std::vector<Monomial> derived_quantities(const HydroMount<double>& law, const HydroLayout& layout, const Geometry& g) {
  const HydroValues& v = layout.values;
  std::vector<Monomial> all = {
      {"resonance_frequency",
       "Hz",
       "Fluid on the chamber spring without damping",
       std::sqrt(v[hydro_chamber_k] / v[hydro_mass]) / (2.0 * pi),
       {{hydro_chamber_k, 0.5}, {hydro_mass, -0.5}}},
      {"damping_ratio",
       "-",
       "Linear damping over critical damping",
       v[hydro_linear] / (2.0 * std::sqrt(v[hydro_chamber_k] * v[hydro_mass])),
       {{hydro_linear, 1.0}, {hydro_chamber_k, -0.5}, {hydro_mass, -0.5}}},
      {"fluid_damping_linear",
       "N*s/m",
       "Linear damping in the channel",
       law.fluid_damping_linear,
       {{hydro_linear, 1.0}}},
      {"fluid_damping_nonlinear",
       "N*(s/m)^n",
       "Nonlinear damping in the channel",
       law.fluid_damping_nonlinear,
       {{hydro_power, 1.0}}},
  };
  if (law.coupled_damping) all.back().powers.push_back({hydro_linear, -1.0});
  if (g.channel_from_mass) {
    // R ~ 1/M: damping in the channel inherits the mass.
    all.push_back({"channel_area", "m^2", "Cross-section of the channel", law.channel_area, {{hydro_mass, -1.0}}});
    all[2].powers.push_back({hydro_mass, -2.0});
    all[3].powers.push_back({hydro_mass, law.coupled_damping ? 1.0 - layout.exponent : -(layout.exponent + 1.0)});
  } else if (g.density_from_mass) {
    all.push_back({"fluid_density", "kg/m^3", "Density of the fluid", law.fluid_density, {{hydro_mass, 1.0}}});
  } else {
    all.push_back({"channel_length", "m", "Length of the channel", law.channel_length, {{hydro_mass, 1.0}}});
  }
  if (layout.rubber) {
    all.push_back({"main_rdl",
                   "m",
                   "rdl of the main rubber's friction",
                   law.main_rubber.rdl,
                   {{hydro_main_h, 1.0}, {hydro_main_rho, -1.0}}});
    all.push_back({"chamber_rdl",
                   "m",
                   "rdl of the chamber rubber's friction",
                   law.chamber_rubber.rdl,
                   {{hydro_chamber_h, 1.0}, {hydro_chamber_rho, -1.0}}});
  }
  if (layout.bypass) {
    all.push_back({"bypass_area", "m^2", "Area of the bypass orifice", *law.bypass_area, {{hydro_bypass, 1.0}}});
    all.push_back({"bypass_threshold",
                   "Pa",
                   "Pressure at which the bypass opens",
                   *law.bypass_threshold,
                   {{hydro_threshold, 1.0}}});
  }
  if (layout.limit)
    all.push_back({"pressure_limit",
                   "Pa",
                   "Pressure below rest at which the rebound side gives way",
                   *law.pressure_limit,
                   {{hydro_limit, 1.0}}});
  return all;
}

void note_geometry(const Geometry& g, HydroMountFitResult& result) {
  std::vector<std::string> assumed;
  if (!g.chamber_known) assumed.push_back(fmt::format("chamber_area = {:.3g} m^2", g.chamber));
  if (!g.channel_known && !g.channel_from_mass) assumed.push_back(fmt::format("channel_area = {:.3g} m^2", g.channel));
  if (!g.density_known && !g.density_from_mass)
    assumed.push_back(fmt::format("fluid_density = {:g} kg/m^3", g.density));
  if (assumed.empty()) return;
  result.findings.push_back(
      {Severity::note, "geometry_not_seen", "chamber_area",
       "a stiffness map does not show areas, channel length and density; assumed: " + join(assumed, ", ") +
           ". Force and displacement do not depend on it; pressure and fluid velocity do",
       "give what the drawing tells with --chamber-area, --channel-area, --channel-length, --fluid-density"});
}

// What the data do not show, in words.
void note_unseen(const HydroLayout& layout, const HydroFeatures& features, const HydroProblem& problem,
                 const Covariance& covariance, HydroMountFitResult& result) {
  for (std::size_t i = 0; i < layout.free.size(); ++i) {
    const auto slot = static_cast<std::size_t>(layout.free[i]);
    const HydroSlotInfo& info = hydro_slots[slot];
    const double value = layout.values[slot], sd = covariance.standard_deviation[static_cast<Eigen::Index>(i)];
    const bool low = value<1.05 * features.lower[slot], high = value> features.upper[slot] / 1.05;
    const double prior = problem.priors[slot].sigma;
    const bool friction = slot == hydro_main_h || slot == hydro_chamber_h;
    if (low && (friction || slot == hydro_main_c || slot == hydro_chamber_c || slot == hydro_linear ||
                slot == hydro_power || slot == hydro_residual))
      result.findings.push_back(
          {Severity::note, "not_present", info.name,
           fmt::format("{} ran to its lower bound: this effect is not present in the data", info.name),
           "nothing to do; the model does without it"});
    else if (low || high)
      result.findings.push_back(
          {Severity::warning, "at_bound", info.name,
           fmt::format("{} ran to its {} bound {:.4g} {}", info.name, low ? "lower" : "upper", value, info.unit),
           "check the data, or hold the parameter by fix"});
    else if (prior > 0.0 && sd > 0.7 * prior)
      result.findings.push_back(
          {Severity::note, "not_seen", info.name,
           fmt::format("the data say next to nothing about {}: its value is what is usual for rubber", info.name),
           "do not read a meaning into it; other frequencies or amplitudes would be needed"});
    else if (!std::isfinite(sd) || sd > 0.5)
      result.findings.push_back(
          {Severity::note, "weakly_seen", info.name,
           fmt::format("{} is only weakly determined: standard deviation {:.0f} %", info.name, 100.0 * sd),
           "use its interval, not its value"});
  }
  for (const Eigen::VectorXd& direction : covariance.not_determined) {
    std::vector<std::string> members;
    for (Eigen::Index i = 0; i < direction.size(); ++i)
      if (std::abs(direction[i]) > 0.1)
        members.push_back(hydro_slots[static_cast<std::size_t>(layout.free[static_cast<std::size_t>(i)])].name);
    result.not_told_apart.push_back(join(members, ", ") + (members.size() > 1
                                                               ? " together are not determined by the data"
                                                               : " is not determined by the data"));
  }
  for (Eigen::Index i = 0; i < covariance.correlation.rows(); ++i)
    for (Eigen::Index j = i + 1; j < covariance.correlation.cols(); ++j)
      if (std::abs(covariance.correlation(i, j)) > 0.95)
        result.not_told_apart.push_back(
            fmt::format("{} and {} move together (correlation {:.3f})",
                        hydro_slots[static_cast<std::size_t>(layout.free[static_cast<std::size_t>(i)])].name,
                        hydro_slots[static_cast<std::size_t>(layout.free[static_cast<std::size_t>(j)])].name,
                        covariance.correlation(i, j)));
}

}  // namespace

void report_hydro_fit(const ElastomerData& data, const HydroMountFitOptions& options, const HydroLayout& layout,
                      const HydroFeatures& features, HydroProblem& problem, const LeastSquaresResult& fit,
                      const HydroTransientFit* transients, HydroMountFitResult& result) {
  problem.correct(layout, true);
  // Misfit and model of every row.
  const double nan = std::numeric_limits<double>::quiet_NaN();
  result.map_model.assign(data.map.rows.size(), {nan, nan, nan, nan});
  double k_square = 0.0, angle_square = 0.0;
  for (const HydroRow& row : problem.rows) {
    result.map_model[row.source] = row.response;
    result.at_fold[row.source] = row.several || row.other_branch;
    const bool loop = problem.by_loops;
    const double k = (loop ? row.response.k_dyn_loop : row.response.k_dyn) / row.k_dyn - 1.0,
                 angle = wrapped((loop ? row.response.loss_angle_loop : row.response.loss_angle) - row.loss_angle);
    k_square += k * k / static_cast<double>(problem.rows.size());
    angle_square += angle * angle / static_cast<double>(problem.rows.size());
  }
  result.rms_k_dyn_rel = std::sqrt(k_square);
  result.rms_loss_angle = std::sqrt(angle_square);

  // Covariance with the noise the residuals show.
  const Noise noise = noise_of(problem, options, layout.free.size(), result);
  Eigen::MatrixXd J = fit.jacobian;
  const auto map_rows = static_cast<Eigen::Index>(problem.rows.size());
  for (Eigen::Index i = 0; i < map_rows; ++i) {
    J.row(2 * i) *= problem.sigma_k / (noise.k * noise.widening_k);
    J.row(2 * i + 1) *= problem.sigma_angle / (noise.angle * noise.widening_angle);
  }
  if (!problem.loops.empty()) {
    const Eigen::Index first = 2 * map_rows,
                       count = fit.residuals.size() - first - static_cast<Eigen::Index>(layout.free.size());
    std::vector<double> residuals;
    for (Eigen::Index i = 0; i < count; ++i) residuals.push_back(fit.residuals[first + i] * problem.sigma_static);
    const double level =
        std::max(1e-9, std::sqrt(fit.residuals.segment(first, count).squaredNorm() / static_cast<double>(count)) *
                           problem.sigma_static);
    const double wide = widening(residuals);
    J.middleRows(first, count) *= problem.sigma_static / (level * wide);
    result.rms_static = level;
    result.groups.push_back({"static", "N", static_cast<std::size_t>(count), 0, level, false, wide});
  }
  if (transients != nullptr) {
    const Eigen::Index rows = J.rows();
    J.conservativeResize(rows + transients->slopes.rows(), Eigen::NoChange);
    J.bottomRows(transients->slopes.rows()) = transients->slopes / (transients->sigma * transients->widening);
    result.rms_transient = transients->sigma;
    result.groups.push_back({"transient", "N", static_cast<std::size_t>(transients->residuals.size()), 0,
                             transients->sigma, false, transients->widening});
  }
  const Covariance covariance = covariance_of(J);
  result.advice = advise_hydro(problem, layout, J, noise.k, noise.angle, result.preload);
  const double t = student_t_quantile(
      0.975, std::max(1.0, 2.0 * static_cast<double>(map_rows) - static_cast<double>(layout.free.size())));

  const Geometry g = geometry_of(options, layout.values[hydro_mass]);
  result.law = law_with(g, layout, options);
  prepare(result.law, "fit");
  for (std::size_t s = 0; s < hydro_slots.size(); ++s) {
    const HydroSlotInfo& info = hydro_slots[s];
    const auto found = std::find(layout.free.begin(), layout.free.end(), static_cast<int>(s));
    ParameterEstimate p = estimate(info.name, info.unit, info.meaning, ParameterStatus::free);
    if (found != layout.free.end()) {
      set_log_interval(p, layout.values[s], covariance.standard_deviation[found - layout.free.begin()], t);
      result.correlation_names.push_back(p.name);
    } else if (options.fix.contains(info.name)) {
      p.value = p.lower_95 = p.upper_95 = layout.values[s];
      p.status = ParameterStatus::fixed;
    } else {
      continue;
    }
    result.parameters.push_back(std::move(p));
  }
  for (const Monomial& quantity : derived_quantities(result.law, layout, g)) {
    ParameterEstimate p = estimate(quantity.name, quantity.unit, quantity.meaning, ParameterStatus::derived);
    set_log_interval(p, quantity.value, sd_of(quantity, layout, covariance), t);
    result.parameters.push_back(std::move(p));
  }
  const auto fixed = [&](const char* name, const char* unit, const char* meaning, double value) {
    ParameterEstimate p = estimate(name, unit, meaning, ParameterStatus::fixed);
    p.value = p.lower_95 = p.upper_95 = value;
    result.parameters.push_back(std::move(p));
  };
  fixed("chamber_area", "m^2",
        g.chamber_known ? "Piston area of the chamber, from the drawing" : "Piston area of the chamber, assumed",
        g.chamber);
  if (!g.channel_from_mass)
    fixed("channel_area", "m^2",
          g.channel_known ? "Cross-section of the channel, from the drawing" : "Cross-section of the channel, assumed",
          g.channel);
  if (!g.density_from_mass)
    fixed("fluid_density", "kg/m^3", g.density_known ? "Density of the fluid, given" : "Density of the fluid, assumed",
          g.density);
  fixed("fluid_damping_exponent", "-",
        options.fluid_damping_exponent ? "Exponent of the nonlinear damping, given"
                                       : "Exponent of the nonlinear damping, the better of 2 and 3",
        layout.exponent);
  result.correlation = covariance.correlation;

  note_unseen(layout, features, problem, covariance, result);
  note_geometry(g, result);
  const auto several = std::count(result.at_fold.begin(), result.at_fold.end(), true);
  if (several > 0)
    result.findings.push_back({Severity::note, "folds", "map",
                               fmt::format("at {} rows the model has several steady states: the mount jumps there, and "
                                           "what a rig shows depends on the direction of its sweep",
                                           several),
                               "the state nearest the measurement is compared; see the picture"});
  for (const StaticLoop& loop : data.loops) {
    std::vector<double> force = centred_friction(result.law.main_rubber.friction(), loop.displacement);
    for (std::size_t i = 0; i < force.size(); ++i)
      force[i] = result.law.main_rubber.static_stiffness * (loop.displacement[i] + force[i]);
    meet(force, loop.force);
    result.loop_model.push_back(std::move(force));
  }
}

}  // namespace kdyn::inline identify
