// SPDX-License-Identifier: Apache-2.0
#include "kdyn/vehicle/internal/fit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/numerics/least_squares.hpp"

namespace kdyn::inline vehicle::internal {
namespace {

ChannelValues spread(const Likelihood& likelihood, const Eigen::VectorXd& r, const ChannelValues& sigma) {
  ChannelValues out = likelihood.squares(r.head(likelihood.residual_count()), sigma);
  for (std::size_t c = 0; c < out.size(); ++c)
    // A channel that is met exactly (simulated data) must not become infinitely heavy.
    out[c] = std::max(std::sqrt(out[c] / likelihood.free_samples()), 1e-9 * sigma[c]);
  return out;
}

// How far the next Gauss-Newton step would go, in standard deviations of residuals of variance 1. Data without noise are
// met to rounding, which has no such scale: steps that change nothing count as none.
double distance_to_best(const Eigen::MatrixXd& jacobian, const Eigen::VectorXd& residuals) {
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(jacobian);
  constexpr double nothing = 1e-5;  // of logarithms, metres and hundredths of a second
  if (qr.solve(residuals).lpNorm<Eigen::Infinity>() < nothing) return 0.0;
  const Eigen::VectorXd turned = qr.householderQ().adjoint() * residuals;
  return turned.head(qr.rank()).norm();
}

}  // namespace

std::vector<ChannelUnknown> channel_unknowns(const std::vector<DecayChannel>& channels) {
  std::vector<ChannelUnknown> out;
  for (std::size_t i = 0; i < channels.size(); ++i) {
    const DecayChannel& c = channels[i];
    const int at = static_cast<int>(i);
    if (c.gain_unknown) out.push_back({at, ChannelValue::gain, c.gain_std / std::abs(c.gain)});
    if (c.delay_unknown) out.push_back({at, ChannelValue::delay, c.delay_std_s / delay_unit});
    if (c.turns_with >= 0 && std::none_of(channels.begin(), channels.begin() + at, [&](const DecayChannel& earlier) {
          return earlier.turns_with == c.turns_with;
        }))
      out.push_back({at, ChannelValue::turn, c.turn_std});
    if (c.place_unknown) out.insert(out.end(), {{at, ChannelValue::x, 0.0}, {at, ChannelValue::y, 0.0}});
  }
  return out;
}

Eigen::VectorXd Unknowns::theta_of(const Assumed& assumed) const {
  const Eigen::VectorXd values = values_of(assumed.vehicle, symmetric);
  const auto& parameters = vehicle_parameters(symmetric, layout);
  Eigen::VectorXd theta(count());
  Eigen::Index k = 0;
  for (const int i : free)
    theta[k++] = parameters[static_cast<std::size_t>(i)].signed_length ? values[i] : std::log(values[i]);
  for (const ChannelUnknown& u : channel) {
    const DecayChannel& c = assumed.channels[static_cast<std::size_t>(u.channel)];
    theta[k++] = u.what == ChannelValue::gain    ? std::log(std::abs(c.gain))
                 : u.what == ChannelValue::delay ? c.delay_s / delay_unit
                 : u.what == ChannelValue::x     ? c.x
                 : u.what == ChannelValue::y     ? c.y
                                                 : c.turn_z;
  }
  return theta;
}

Assumed Unknowns::at(const Eigen::VectorXd& theta, const Assumed& base) const {
  Eigen::VectorXd values = values_of(base.vehicle, symmetric);
  const auto& parameters = vehicle_parameters(symmetric, layout);
  Eigen::Index k = 0;
  for (const int i : free) {
    values[i] = parameters[static_cast<std::size_t>(i)].signed_length ? theta[k] : std::exp(theta[k]);
    ++k;
  }
  Assumed out{vehicle_from(values, symmetric, layout), base.channels};
  if (wheelbase) out.vehicle.b = *wheelbase - out.vehicle.a;
  for (const ChannelUnknown& u : channel) {
    DecayChannel& c = out.channels[static_cast<std::size_t>(u.channel)];
    const double value = theta[k++];
    if (u.what == ChannelValue::gain) c.gain = std::copysign(std::exp(value), c.gain);
    if (u.what == ChannelValue::delay) c.delay_s = delay_unit * value;
    if (u.what == ChannelValue::x) c.x = value;
    if (u.what == ChannelValue::y) c.y = value;
    if (u.what == ChannelValue::turn)
      for (DecayChannel& other : out.channels)
        if (other.turns_with == c.turns_with) other.turn_to(value);
  }
  return out;
}

std::vector<Direction> Unknowns::directions(const Assumed& assumed) const {
  std::vector<Direction> out;
  Vehicle<double> copy = assumed.vehicle;
  const auto members = copy.members();
  const int lever = 3 + 4 * layout.wheels();
  for (const int i : free) {
    const VehicleParameter& p = vehicle_parameters(symmetric, layout)[static_cast<std::size_t>(i)];
    Direction direction;
    for (const int m : p.members) {
      const double rate = p.signed_length ? 1.0 : *members[static_cast<std::size_t>(m)];
      direction.parts.emplace_back(m, rate);
      if (wheelbase && m == lever) direction.parts.emplace_back(lever + 1, -rate);
    }
    out.push_back(std::move(direction));
  }
  for (const ChannelUnknown& u : channel) {
    Direction direction{{{index_of(u.channel, u.what), u.what == ChannelValue::delay ? delay_unit : 1.0}}};
    // The other axes of a turned sensor.
    for (std::size_t c = static_cast<std::size_t>(u.channel) + 1;
         c < assumed.channels.size() && u.what == ChannelValue::turn; ++c)
      if (assumed.channels[c].turns_with == assumed.channels[static_cast<std::size_t>(u.channel)].turns_with)
        direction.parts.emplace_back(index_of(static_cast<int>(c), u.what), 1.0);
    out.push_back(std::move(direction));
  }
  return out;
}

WeightedFit fit_weighted(const Likelihood& likelihood, const Unknowns& unknowns, const Assumed& start,
                         const ChannelValues& sigma, const VehicleFitOptions& options, Progress& progress,
                         Effort effort) {
  Eigen::VectorXd theta = unknowns.theta_of(start);
  // Where prior knowledge about sensors stands, from the values in the job on.
  std::vector<std::pair<Eigen::Index, double>> prior;
  for (std::size_t i = 0; i < unknowns.channel.size(); ++i)
    if (unknowns.channel[i].std > 0.0)
      prior.emplace_back(static_cast<Eigen::Index>(unknowns.free.size() + i), unknowns.channel[i].std);
  const Eigen::VectorXd expected = unknowns.theta_of({start.vehicle, likelihood.channels()});
  // What the decays do not tell stays near its start instead of following the noise: a factor of 7 is one standard
  // deviation, which moves nothing that is determined (by 1e-4 of an interval at 30 dB).
  constexpr double vague = 2.0;
  const auto known = static_cast<Eigen::Index>(prior.size());
  for (std::size_t i = 0; i < unknowns.free.size(); ++i) prior.emplace_back(static_cast<Eigen::Index>(i), vague);
  const Eigen::Index count = unknowns.count(), rows = likelihood.residual_count();
  WeightedFit fit;
  fit.sigma = sigma;
  LeastSquaresProblem problem;
  problem.parameters = static_cast<int>(count);
  problem.residuals = static_cast<int>(rows + static_cast<Eigen::Index>(prior.size()));
  problem.evaluate = [&](const Eigen::VectorXd& at, Eigen::VectorXd& r, Eigen::MatrixXd* J) {
    const Assumed assumed = unknowns.at(at, start);
    if (!likelihood.evaluate(assumed, fit.sigma, r,
                             J != nullptr ? unknowns.directions(assumed) : std::vector<Direction>{}, J))
      return false;
    r.conservativeResize(problem.residuals);
    if (J != nullptr) J->conservativeResize(problem.residuals, Eigen::NoChange);
    for (std::size_t k = 0; k < prior.size(); ++k) {
      const auto [i, std] = prior[k];
      const Eigen::Index row = rows + static_cast<Eigen::Index>(k);
      r[row] = (at[i] - expected[i]) / std;
      if (J != nullptr) J->row(row).setZero(), (*J)(row, i) = 1.0 / std;
    }
    return true;
  };
  constexpr double settled = 1e-6;  // relative; moves no parameter by a thousandth of its interval
  const bool rough = effort == Effort::rough;
  LeastSquaresOptions solver;
  solver.max_iterations = static_cast<int>(options.max_iterations);
  bool last = false;
  for (std::int64_t round = 0; !last; ++round) {
    last = rough || round >= options.reweightings;
    if (round > 0) {
      const ChannelValues before = fit.sigma;
      fit.sigma = spread(likelihood, fit.residuals, fit.sigma);
      // Weights that have settled need no further rounds.
      double change = 0.0;
      for (std::size_t c = 0; c < before.size(); ++c)
        change = std::max(change, std::abs(fit.sigma[c] / before[c] - 1.0));
      last = last || change < settled;
    }
    // Near enough for the next weights, which differ by less than `settled` then.
    solver.function_tolerance = rough ? 1e-6 : last ? 1e-12 : 1e-9;
    solver.parameter_tolerance = rough ? 1e-5 : last ? 1e-9 : 1e-7;
    const LeastSquaresResult solved = solve_least_squares(problem, theta, solver, progress);
    theta = solved.theta;
    fit.residuals = solved.residuals.head(rows + known);
    fit.jacobian = solved.jacobian.topRows(rows + known);
    fit.converged = solved.converged;
    fit.distance = distance_to_best(solved.jacobian, solved.residuals);
    fit.stopped = solved.stopped;
    fit.reason = solved.reason;
    fit.cost_history.insert(fit.cost_history.end(), solved.cost_history.begin(), solved.cost_history.end());
    fit.iterations += solved.iterations;
    fit.evaluations += solved.evaluations;
    if (solved.stopped) break;
  }
  fit.assumed = unknowns.at(theta, start);
  // The weights that belong to the final residuals; what they change is second order [vehicle E24].
  const ChannelValues final_sigma = spread(likelihood, fit.residuals, fit.sigma);
  const double samples = static_cast<double>(sigma.size()) * likelihood.free_samples();
  fit.variance = fit.residuals.squaredNorm() / (samples - static_cast<double>(count));
  // A search may end where its steps fail rather than where the fit is best.
  constexpr double nearly = 0.5;  // standard deviations
  if (fit.converged && fit.distance > nearly * std::sqrt(fit.variance)) {
    fit.converged = false;
    fit.reason = fmt::format("the search ended {:.2g} standard deviations before the best fit",
                             fit.distance / std::sqrt(fit.variance));
  }
  for (const double s : final_sigma) fit.objective += 2.0 * likelihood.free_samples() * std::log(s);
  if (rough) fit.sigma = final_sigma;
  return fit;
}

std::vector<double> refine_starts(const DecaySet& measured, const Assumed& assumed, const std::vector<double>& start_s,
                                  std::int64_t average, bool remove_offset) {
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
  const int n = measured.channel_count();
  const std::vector<double> noise = estimate_noise(measured);
  std::vector<int> wheels;  // channels that show how the wheels move
  for (int c = 0; c < n; ++c)
    for (const double w : measured.channels[static_cast<std::size_t>(c)].wheel)
      if (w != 0.0 && (wheels.empty() || wheels.back() != c)) wheels.push_back(c);
  if (wheels.empty())
    for (int c = 0; c < n; ++c) wheels.push_back(c);
  std::vector<double> out;
  for (std::size_t i = 0; i < measured.records.size(); ++i) {
    const DecayRecord& record = measured.records[i];
    const double interval = record.interval * static_cast<double>(average);
    const auto piece = std::max<Eigen::Index>(2 * DecayLikelihood::shortest_record(measured.layout),
                                              static_cast<Eigen::Index>(std::llround(piece_s / interval)));
    const auto judged = std::max<Eigen::Index>(3, static_cast<Eigen::Index>(std::llround(judged_s / interval)));
    const auto step = std::max<Eigen::Index>(1, static_cast<Eigen::Index>(std::llround(step_s / record.interval)));
    const Eigen::Index length = record.samples.rows();
    const auto judge = [&](Eigen::Index from) {
      DecaySet one;
      one.layout = measured.layout;
      one.channels = measured.channels;
      one.added = measured.added;
      one.points = measured.points;
      DecayRecord part = record;
      part.samples = Eigen::MatrixXd(piece, n);
      for (Eigen::Index k = 0; k < piece; ++k)
        part.samples.row(k) = record.samples.middleRows(from + k * average, average).colwise().mean();
      part.interval = interval;
      one.records.push_back(part);
      const DecayLikelihood likelihood(one, remove_offset);
      ChannelValues sigma(noise.size());
      for (int c = 0; c < n; ++c)
        sigma[static_cast<std::size_t>(c)] =
            std::max(noise[static_cast<std::size_t>(c)] / std::sqrt(static_cast<double>(average)),
                     1e-6 * part.samples.col(c).norm());
      const Eigen::MatrixXd model = likelihood.model(assumed, sigma)[0];
      Eigen::MatrixXd r = part.samples - model;
      if (remove_offset) r.rowwise() -= r.colwise().mean().eval();
      Verdict verdict;
      const auto rms = [](const auto& m) { return m.norm() / std::sqrt(static_cast<double>(m.size())); };
      Eigen::MatrixXd left(judged, static_cast<Eigen::Index>(wheels.size())), moved(piece, left.cols());
      for (std::size_t k = 0; k < wheels.size(); ++k) {
        left.col(static_cast<Eigen::Index>(k)) = r.col(wheels[k]).head(judged);
        moved.col(static_cast<Eigen::Index>(k)) = part.samples.col(wheels[k]);
      }
      verdict.wheel_share = rms(left) / std::max(rms(moved), 1e-300);
      for (int c = 0; c < n; ++c) r.col(c) /= sigma[static_cast<std::size_t>(c)];
      const double whole = r.squaredNorm() / static_cast<double>(n * piece - 2 * measured.layout.dofs());
      verdict.over_noise = std::max(whole, r.topRows(judged).squaredNorm() / static_cast<double>(n * judged));
      return verdict;
    };
    const Eigen::Index last = length - piece * average;
    if (last < 0 || record.road.rows() > 0) {
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

std::vector<Score> scores(const Likelihood& likelihood, const WeightedFit& fit,
                          const std::vector<Direction>& directions) {
  Eigen::VectorXd r;
  Eigen::MatrixXd J;
  std::vector<Score> out(directions.size(), {0.0, std::numeric_limits<double>::infinity()});
  if (directions.empty() || !likelihood.evaluate(fit.assumed, fit.sigma, r, directions, &J)) return out;
  // [vehicle E25] What is left of each column beside the unknowns.
  const Eigen::MatrixXd found = fit.jacobian.topRows(J.rows());
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(found);
  Eigen::MatrixXd turned = qr.householderQ().adjoint() * J;
  turned.topRows(qr.rank()).setZero();
  const Eigen::MatrixXd own = qr.householderQ() * turned;
  for (std::size_t i = 0; i < directions.size(); ++i) {
    const auto at = static_cast<Eigen::Index>(i);
    const double size = own.col(at).squaredNorm();
    if (size > 1e-20 * J.col(at).squaredNorm() && size > 0.0)
      out[i] = {-own.col(at).dot(r) / size, std::sqrt(fit.variance / size)};
  }
  return out;
}

}  // namespace kdyn::inline vehicle::internal
