// SPDX-License-Identifier: Apache-2.0
#include "kdyn/vehicle/internal/fit.hpp"

#include <algorithm>
#include <cmath>

#include "kdyn/base/error.hpp"
#include "kdyn/numerics/least_squares.hpp"

namespace kdyn::inline vehicle::internal {
namespace {

constexpr int n = vehicle_dofs;

ChannelValues spread(const DecayLikelihood& likelihood, const Eigen::VectorXd& r, const ChannelValues& sigma) {
  ChannelValues out = likelihood.squares(r, sigma);
  for (int c = 0; c < n; ++c) {
    double& value = out[static_cast<std::size_t>(c)];
    value = std::sqrt(value / static_cast<double>(likelihood.free_samples()));
    // A channel that is met exactly (simulated data) must not become infinitely heavy.
    value = std::max(value, 1e-9 * sigma[static_cast<std::size_t>(c)]);
  }
  return out;
}

}  // namespace

std::vector<DecayLikelihood::Direction> Unknowns::directions() const {
  std::vector<DecayLikelihood::Direction> out;
  for (const int i : free) out.push_back(vehicle_parameters(symmetric)[static_cast<std::size_t>(i)].members);
  return out;
}

WeightedFit fit_weighted(const DecayLikelihood& likelihood, const Unknowns& unknowns, const Vehicle<double>& start,
                         const ChannelValues& sigma, const VehicleFitOptions& options, Progress& progress) {
  const auto directions = unknowns.directions();
  const auto count = static_cast<Eigen::Index>(directions.size());
  Eigen::VectorXd values = values_of(start, unknowns.symmetric);
  Eigen::VectorXd theta(count);
  for (Eigen::Index i = 0; i < count; ++i) theta[i] = std::log(values[unknowns.free[static_cast<std::size_t>(i)]]);
  const auto vehicle_at = [&](const Eigen::VectorXd& at) {
    Eigen::VectorXd all = values;
    for (Eigen::Index i = 0; i < count; ++i) all[unknowns.free[static_cast<std::size_t>(i)]] = std::exp(at[i]);
    return vehicle_from(all, unknowns.symmetric);
  };
  WeightedFit fit;
  fit.sigma = sigma;
  LeastSquaresProblem problem;
  problem.parameters = static_cast<int>(count);
  problem.residuals = likelihood.residual_count();
  problem.evaluate = [&](const Eigen::VectorXd& at, Eigen::VectorXd& r, Eigen::MatrixXd* J) {
    return likelihood.evaluate(vehicle_at(at), fit.sigma, r, directions, J);
  };
  constexpr double settled = 1e-6;  // relative; moves no parameter by a thousandth of its interval
  LeastSquaresOptions solver;
  solver.max_iterations = static_cast<int>(options.max_iterations);
  bool last = false;
  for (std::int64_t round = 0; !last; ++round) {
    last = round >= options.reweightings;
    if (round > 0) {
      const ChannelValues before = fit.sigma;
      fit.sigma = spread(likelihood, fit.residuals, fit.sigma);
      // Weights that have settled need no further rounds.
      double change = 0.0;
      for (std::size_t c = 0; c < before.size(); ++c)
        change = std::max(change, std::abs(fit.sigma[c] / before[c] - 1.0));
      last = last || change < settled;
    }
    // Before the last round the weights still change by more than this.
    solver.function_tolerance = last ? 1e-12 : 1e-6;
    solver.parameter_tolerance = last ? 1e-9 : 1e-5;
    const LeastSquaresResult solved = solve_least_squares(problem, theta, solver, progress);
    theta = solved.theta;
    fit.residuals = solved.residuals;
    fit.jacobian = solved.jacobian;
    fit.converged = solved.converged;
    fit.stopped = solved.stopped;
    fit.reason = solved.reason;
    fit.cost_history.insert(fit.cost_history.end(), solved.cost_history.begin(), solved.cost_history.end());
    fit.iterations += solved.iterations;
    fit.evaluations += solved.evaluations;
    if (solved.stopped) break;
  }
  fit.vehicle = vehicle_at(theta);
  // The weights that belong to the final residuals; what they change is second order [vehicle E24].
  const ChannelValues final_sigma = spread(likelihood, fit.residuals, fit.sigma);
  const double samples = static_cast<double>(n * likelihood.free_samples());
  fit.variance = fit.residuals.squaredNorm() / (samples - static_cast<double>(count));
  for (const double s : final_sigma)
    fit.objective += 2.0 * static_cast<double>(likelihood.free_samples()) * std::log(s);
  return fit;
}

std::vector<double> refine_starts(const DecaySet& measured, const Vehicle<double>& vehicle,
                                  const std::vector<double>& start_s, std::int64_t average, bool remove_offset) {
  // Pieces of 0.3 s: a wheel hops three times in it. A piece is judged by its first 30 ms, where new excitation would
  // show, and as a whole. A bump lifts the wheels: what the free motion leaves of them then is no small share of it. A
  // vehicle that is not as modelled (left and right differ, nonlinear dampers) leaves some per cent; cutting those away
  // would hide the misfit and cost data.
  constexpr double piece_s = 0.3, judged_s = 0.03, step_s = 0.01, limit = 1.8, excited_share = 0.1;
  struct Verdict {
    double over_noise = 0.0;  // mean square of the residual over the noise, of the first samples or of the whole piece;
                              // the larger counts
    double wheel_share = 0.0;  // rms of the first residuals of the wheels over the rms of their motion
  };
  const std::array<double, n> noise = estimate_noise(measured);
  std::vector<double> out;
  for (std::size_t i = 0; i < measured.records.size(); ++i) {
    const DecayRecord& record = measured.records[i];
    const double interval = record.interval * static_cast<double>(average);
    const auto piece = std::max<Eigen::Index>(2 * DecayLikelihood::shortest_record,
                                              static_cast<Eigen::Index>(std::llround(piece_s / interval)));
    const auto judged = std::max<Eigen::Index>(3, static_cast<Eigen::Index>(std::llround(judged_s / interval)));
    const auto step = std::max<Eigen::Index>(1, static_cast<Eigen::Index>(std::llround(step_s / record.interval)));
    const Eigen::Index length = record.samples.rows();
    const auto judge = [&](Eigen::Index from) {
      DecaySet one;
      one.kinds = measured.kinds;
      one.added = measured.added;
      DecayRecord part = record;
      part.samples = Eigen::MatrixXd(piece, n);
      for (Eigen::Index k = 0; k < piece; ++k)
        part.samples.row(k) = record.samples.middleRows(from + k * average, average).colwise().mean();
      part.interval = interval;
      one.records.push_back(part);
      const DecayLikelihood likelihood(one, remove_offset);
      ChannelValues sigma{};
      for (int c = 0; c < n; ++c)
        sigma[static_cast<std::size_t>(c)] =
            std::max(noise[static_cast<std::size_t>(c)] / std::sqrt(static_cast<double>(average)),
                     1e-6 * part.samples.col(c).norm());
      const Eigen::MatrixXd model = likelihood.model(vehicle, sigma)[0];
      Eigen::MatrixXd r = part.samples - model;
      if (remove_offset) r.rowwise() -= r.colwise().mean().eval();
      Verdict verdict;
      const auto rms = [](const auto& m) { return m.norm() / std::sqrt(static_cast<double>(m.size())); };
      verdict.wheel_share = rms(r.topRows(judged).rightCols(4)) / std::max(rms(part.samples.rightCols(4)), 1e-300);
      for (int c = 0; c < n; ++c) r.col(c) /= sigma[static_cast<std::size_t>(c)];
      const double whole = r.squaredNorm() / static_cast<double>(n * piece - 2 * n);
      verdict.over_noise = std::max(whole, r.topRows(judged).squaredNorm() / static_cast<double>(n * judged));
      return verdict;
    };
    const Eigen::Index last = length - piece * average;
    if (last < 0) {
      out.push_back(start_s[i]);
      continue;
    }
    // Forwards while the wheels are lifted, then backwards as long as pieces are free.
    auto at = std::min<Eigen::Index>(last, static_cast<Eigen::Index>(std::llround(start_s[i] / record.interval)));
    const Eigen::Index given = at, latest = std::min(last, 6 * length / 10);
    const auto lifted = [&](const Verdict& v) { return v.over_noise > limit && v.wheel_share > excited_share; };
    while (at + step <= latest && lifted(judge(at))) at += step;
    if (at + step > latest) at = given;  // never free: this vehicle is no judge
    while (at - step >= 0 && judge(at - step).over_noise <= limit) at -= step;
    if (at < step && at > 0 && judge(0).over_noise <= limit) at = 0;
    out.push_back(static_cast<double>(at) * record.interval);
  }
  return out;
}

std::vector<AddedMassCheck> check_added_mass(const DecayLikelihood& likelihood, const WeightedFit& fit,
                                             bool symmetric) {
  struct Entry {
    const char* name;
    DecayLikelihood::Direction members;
  };
  constexpr int first = DecayLikelihood::first_added_mass;
  std::vector<Entry> entries = {{"ms", {first}}, {"Iyy", {first + 1}}, {"Ixx", {first + 2}}};
  if (symmetric)
    entries.insert(entries.end(), {{"muf", {first + 3, first + 4}}, {"mur", {first + 5, first + 6}}});
  else
    entries.insert(entries.end(),
                   {{"muA", {first + 3}}, {"muB", {first + 4}}, {"muC", {first + 5}}, {"muD", {first + 6}}});
  std::vector<DecayLikelihood::Direction> directions;
  for (const Entry& entry : entries) directions.push_back(entry.members);
  Eigen::VectorXd r;
  Eigen::MatrixXd J;
  if (!likelihood.evaluate(fit.vehicle, fit.sigma, r, directions, &J)) return {};
  // [vehicle E25] What is left of each column beside the free parameters.
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(fit.jacobian);
  Eigen::MatrixXd turned = qr.householderQ().adjoint() * J;
  turned.topRows(fit.jacobian.cols()).setZero();
  const Eigen::MatrixXd own = qr.householderQ() * turned;
  std::vector<AddedMassCheck> out;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const auto column = own.col(static_cast<Eigen::Index>(i));
    const double size = column.squaredNorm();
    if (!(size > 0.0)) continue;
    out.push_back({entries[i].name, -column.dot(r) / size, std::sqrt(fit.variance / size)});
  }
  return out;
}

}  // namespace kdyn::inline vehicle::internal
