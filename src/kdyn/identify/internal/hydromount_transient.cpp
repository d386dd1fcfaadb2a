// SPDX-License-Identifier: Apache-2.0
#include "kdyn/identify/internal/hydromount_transient.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "kdyn/base/error.hpp"
#include "kdyn/element/simulate.hpp"
#include "kdyn/hydromount/hydromount_model.hpp"
#include "kdyn/identify/map_noise.hpp"
#include "kdyn/numerics/statistics.hpp"

namespace kdyn::inline identify {
namespace {

constexpr std::size_t most_walked = 20'000, most_compared = 1'500;

double square_sum(const Eigen::VectorXd& r) { return r.size() > 0 ? r.squaredNorm() : 1e300; }

HydroLayout moved(const HydroLayout& layout, const Eigen::VectorXd& theta) {
  HydroLayout at = layout;
  for (std::size_t i = 0; i < layout.free.size(); ++i)
    at.values[static_cast<std::size_t>(layout.free[i])] = std::exp(theta[static_cast<Eigen::Index>(i)]);
  return at;
}

Eigen::VectorXd theta_of(const HydroLayout& layout) {
  Eigen::VectorXd theta(static_cast<Eigen::Index>(layout.free.size()));
  for (std::size_t i = 0; i < layout.free.size(); ++i)
    theta[static_cast<Eigen::Index>(i)] = std::log(layout.values[static_cast<std::size_t>(layout.free[i])]);
  return theta;
}

// The valve alone on what the map told, by the records alone.
void settle_valve(const HydroTransients& records, const HydroFeatures& features, HydroLayout& layout) {
  HydroLayout valve = layout;
  valve.free = layout.limit ? std::vector<int>{hydro_limit} : std::vector<int>{hydro_bypass, hydro_threshold};
  LeastSquaresProblem squares;
  const auto count = static_cast<Eigen::Index>(valve.free.size());
  squares.parameters = static_cast<int>(count);
  squares.residuals = static_cast<int>(records.residuals(layout).size());
  squares.lower.resize(count), squares.upper.resize(count);
  for (Eigen::Index i = 0; i < count; ++i) {
    const auto slot = static_cast<std::size_t>(valve.free[static_cast<std::size_t>(i)]);
    squares.lower[i] = std::log(features.lower[slot]), squares.upper[i] = std::log(features.upper[slot]);
  }
  squares.evaluate = [&](const Eigen::VectorXd& theta, Eigen::VectorXd& r, Eigen::MatrixXd* J) {
    const HydroLayout at = moved(valve, theta);
    const Eigen::VectorXd here = records.residuals(at);
    if (here.size() == 0) return false;
    r = here / records.noise();
    if (J != nullptr) *J = records.slopes(at, here) / records.noise();
    return true;
  };
  LeastSquaresOptions settings;
  settings.max_iterations = 12;
  settings.function_tolerance = 1e-3;
  const Eigen::VectorXd start = theta_of(valve).cwiseMax(squares.lower).cwiseMin(squares.upper);
  const LeastSquaresResult found = solve_least_squares(squares, start, settings, silent_progress());
  layout.values = moved(valve, found.theta).values;
}

// A limit or a bypass that opens in the records: thresholds over what the chamber reaches there, the best is settled.
std::optional<HydroLayout> valve_in(const HydroTransients& records, const HydroFeatures& features,
                                    const HydroLayout& without) {
  const double before = square_sum(records.residuals(without)), force = records.chamber_force(without);
  std::optional<HydroLayout> best;
  double least = before;
  for (const bool limit : {true, false}) {
    std::optional<HydroLayout> here;
    double lowest = 1e300;
    for (const double share : {0.15, 0.3, 0.5, 0.7})
      for (const double opening : limit ? std::vector{1.0} : std::vector{0.3, 1.0, 3.0}) {
        HydroLayout layout = without;
        layout.limit = limit, layout.bypass = !limit;
        if (limit) {
          layout.values[hydro_limit] = share * force;
          layout.values[hydro_limit_width] = 0.05;
        } else {
          layout.values[hydro_threshold] = share * force;
          layout.values[hydro_bypass] = opening * features.values[hydro_bypass];
        }
        const double sum = square_sum(records.residuals(layout));
        if (sum < lowest) lowest = sum, here = layout;
      }
    settle_valve(records, features, *here);
    const double sum = square_sum(records.residuals(*here));
    if (sum < least) least = sum, best = here;
  }
  // [identify E34] It must explain half of what is left, as any level must earn its place.
  return best && least < 0.5 * before ? best : std::nullopt;
}

}  // namespace

HydroTransients::HydroTransients(const std::vector<BenchSeries>& series) {
  double square = 0.0, count = 0.0;
  for (BenchSeries one : series) {
    if (one.time.size() < 16 || one.force.size() != one.time.size()) continue;
    if (one.time.size() > most_walked) {
      one.time.resize(most_walked), one.displacement.resize(most_walked), one.force.resize(most_walked);
      cut_ = true;
    }
    const GateChannel channel = force_channel("transient", AxisKind::translation, {}, one.force, one.force);
    square += channel.allowed() * channel.allowed(), count += 1.0;
    std::vector<std::size_t> samples;
    const std::size_t stride = std::max<std::size_t>(1, (one.time.size() + most_compared - 1) / most_compared);
    for (std::size_t i = 0; i < one.time.size(); i += stride) samples.push_back(i);
    samples_.push_back(std::move(samples));
    velocity_.push_back(velocity_of(one.time, one.displacement));
    series_.push_back(std::move(one));
  }
  noise_ = count > 0.0 ? std::sqrt(square / count) : 1.0;
}

std::vector<double> HydroTransients::force(const HydroLayout& layout, std::size_t record) const {
  HydroMount<double> law = make_hydro(layout);
  prepare(law, "fit");
  const std::unique_ptr<Mount> mount = make_mount(law);
  const BenchSeries& one = series_[record];
  std::vector<double> out = simulate(*mount, one.time, one.displacement, velocity_[record]);
  double shift = 0.0;
  for (const std::size_t i : samples_[record])
    shift += (one.force[i] - out[i]) / static_cast<double>(samples_[record].size());
  for (double& f : out) f += shift;
  return out;
}

Eigen::VectorXd HydroTransients::residuals(const HydroLayout& layout) const {
  std::vector<double> all;
  for (std::size_t k = 0; k < series_.size(); ++k) {
    try {
      const std::vector<double> model = force(layout, k);
      for (const std::size_t i : samples_[k]) all.push_back(model[i] - series_[k].force[i]);
    } catch (const Error&) {
      return {};
    }
  }
  const Eigen::VectorXd out = Eigen::Map<const Eigen::VectorXd>(all.data(), static_cast<Eigen::Index>(all.size()));
  return out.allFinite() ? out : Eigen::VectorXd();
}

Eigen::MatrixXd HydroTransients::slopes(const HydroLayout& layout, const Eigen::VectorXd& at) const {
  constexpr double step = 1e-4;
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(at.size(), static_cast<Eigen::Index>(layout.free.size()));
  for (std::size_t i = 0; i < layout.free.size(); ++i) {
    HydroLayout other = layout;
    other.values[static_cast<std::size_t>(layout.free[i])] *= std::exp(step);
    const Eigen::VectorXd there = residuals(other);
    if (there.size() == at.size()) J.col(static_cast<Eigen::Index>(i)) = (there - at) / step;
  }
  return J;
}

double HydroTransients::chamber_force(const HydroLayout& layout) const {
  HydroLayout rubber = layout;
  rubber.values[hydro_chamber_k] *= 1e-6;
  rubber.limit = rubber.bypass = false;
  double most = 1.0;
  for (std::size_t k = 0; k < series_.size(); ++k) {
    const std::vector<double> whole = force(layout, k), main = force(rubber, k);
    for (const std::size_t i : samples_[k]) most = std::max(most, std::abs(whole[i] - main[i]));
  }
  return most;
}

HydroTransientFit fit_with_transients(HydroFitter& fitter, const HydroTransients& records, bool look_for_valves,
                                      HydroFitted& fitted) {
  HydroProblem& problem = fitter.problem;
  HydroTransientFit out;
  const auto misfit = [&] {
    const Eigen::VectorXd r = records.residuals(fitted.layout);
    return r.size() > 0 ? std::sqrt(r.squaredNorm() / static_cast<double>(r.size())) : 1e300;
  };
  out.sigma = records.noise();
  // Twice what the record repeats to is no noise.
  if (look_for_valves && !fitted.layout.limit && !fitted.layout.bypass && misfit() > 2.0 * out.sigma)
    if (const auto valve = valve_in(records, fitted.features, fitted.layout)) {
      fitted.layout = *valve;
      fitted.detail = valve->limit ? HydroDetail::limit : HydroDetail::bypass;
      if (valve->limit) fitted.layout.free.insert(fitted.layout.free.end(), {hydro_limit, hydro_limit_width});
      if (valve->bypass) fitted.layout.free.insert(fitted.layout.free.end(), {hydro_bypass, hydro_threshold});
      std::sort(fitted.layout.free.begin(), fitted.layout.free.end());
      for (HydroRow& row : problem.rows) row.harmonics.resize(0);  // a limit adds even ones
      problem.correct(fitted.layout);
    }
  HydroLayout& layout = fitted.layout;
  problem.huber = 5.0;
  const auto count = static_cast<Eigen::Index>(layout.free.size());
  for (int round = 0; round < 3 && !fitter.stopped(); ++round) {
    problem.forget_anchors();
    const int rows = problem.residuals(layout, false), samples = static_cast<int>(records.residuals(layout).size());
    LeastSquaresProblem squares;
    squares.parameters = static_cast<int>(count);
    squares.residuals = rows + samples;
    squares.lower.resize(count), squares.upper.resize(count);
    for (Eigen::Index i = 0; i < count; ++i) {
      const auto slot = static_cast<std::size_t>(layout.free[static_cast<std::size_t>(i)]);
      squares.lower[i] = std::log(fitted.features.lower[slot]),
      squares.upper[i] = std::log(fitted.features.upper[slot]);
    }
    const double weight = 1.0 / (out.sigma * out.widening);
    Eigen::VectorXd map_r = Eigen::VectorXd::Zero(rows);
    Eigen::MatrixXd map_J = Eigen::MatrixXd::Zero(rows, count);
    squares.evaluate = [&](const Eigen::VectorXd& theta, Eigen::VectorXd& r, Eigen::MatrixXd* J) {
      map_J.setZero();
      if (!problem.evaluate(layout, theta, false, map_r, J != nullptr ? &map_J : nullptr)) return false;
      const HydroLayout at = moved(layout, theta);
      const Eigen::VectorXd here = records.residuals(at);
      if (here.size() != samples) return false;
      r << map_r, weight * here;
      if (J != nullptr) *J << map_J, weight * records.slopes(at, here);
      return true;
    };
    LeastSquaresOptions settings;
    settings.max_iterations = round == 0 ? 12 : 8;
    settings.function_tolerance = round == 2 ? 1e-6 : 1e-3;
    settings.gradient_tolerance = settings.parameter_tolerance = 1e-9;
    const Eigen::VectorXd start = theta_of(layout).cwiseMax(squares.lower).cwiseMin(squares.upper);
    const LeastSquaresResult found = solve_least_squares(squares, start, settings, fitter.progress());
    fitter.iterations += found.iterations;
    fitter.history.insert(fitter.history.end(), found.cost_history.begin(), found.cost_history.end());
    layout.values = moved(layout, found.theta).values;
    fitted.converged = found.converged || round < 2;
    // Noise of the records from what is left, as far as a bench may have it.
    out.residuals = records.residuals(layout);
    std::vector<double> left(out.residuals.data(), out.residuals.data() + out.residuals.size());
    const double q = lag_one_correlation(left);
    out.widening = q > 3.0 / std::sqrt(static_cast<double>(left.size()))
                       ? std::sqrt((1.0 + std::min(q, 0.98)) / (1.0 - std::min(q, 0.98)))
                       : 1.0;
    out.sigma = std::max(1e-9, std::sqrt(out.residuals.squaredNorm() / static_cast<double>(left.size())));
    if (round < 2) problem.correct(layout);
    // What the report takes the covariance from.
    fitter.last.theta = theta_of(layout);
    problem.forget_anchors();
    problem.evaluate(layout, fitter.last.theta, false, map_r, &map_J);
    fitter.last.residuals = map_r, fitter.last.jacobian = map_J;
    fitter.last.converged = fitted.converged, fitter.last.reason = found.reason;
  }
  out.slopes = records.slopes(layout, out.residuals);
  fitted.chi_square = problem.chi_square(layout);
  fitted.rows = problem.rows;
  return out;
}

}  // namespace kdyn::inline identify
