// SPDX-License-Identifier: Apache-2.0
#include "kdyn/identify/internal/hydromount_residuals.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "kdyn/hydromount/first_harmonic.hpp"
#include "kdyn/hydromount/steady_state.hpp"
#include "kdyn/identify/internal/static_path.hpp"

namespace kdyn::inline identify {
namespace {

constexpr double pi = std::numbers::pi;
using C = std::complex<double>;

C plain(const Complex<double>& z) { return {z.re, z.im}; }

HydroLayout with_theta(const HydroLayout& layout, const Eigen::VectorXd& theta) {
  HydroLayout at = layout;
  for (std::size_t i = 0; i < layout.free.size(); ++i)
    at.values[static_cast<std::size_t>(layout.free[i])] = std::exp(theta[static_cast<Eigen::Index>(i)]);
  return at;
}

// Huber's cost as a residual: its square is the cost. `slope` is the factor on derivatives.
double robust(double r, double limit, double& slope) {
  const double size = std::abs(r);
  if (size <= limit) {
    slope = 1.0;
    return r;
  }
  const double value = std::sqrt(limit * (2.0 * size - limit));
  slope = limit / value;
  return std::copysign(value, r);
}

double misfit(const HydroProblem& problem, const HydroRow& row, const C& K) {
  const double k = std::log(std::abs(K) / row.k_dyn) / problem.sigma_k,
               angle = wrapped(std::arg(K) - row.loss_angle) / problem.sigma_angle;
  return k * k + angle * angle;
}

// d ln a / d ln r: positive on stable states, zero at a fold.
double root_slope(const FirstHarmonic<double>& balance, const HydroRow& row, double r) {
  constexpr double step = 1e-4;
  return std::log(balance.at_chamber_amplitude(r * (1.0 + step), row.omega).amplitude / row.amplitude) /
         std::log1p(step);
}

// All roots of a row; the stable one nearest the measurement becomes its chamber amplitude, and its distance from a
// fold the weight.
C choose_root(const HydroProblem& problem, const FirstHarmonic<double>& balance, HydroRow& row) {
  const std::vector<double> roots = chamber_amplitudes(balance, row.omega, row.amplitude);
  const C main = plain(balance.main_stiffness(row.frequency_hz, row.amplitude));
  row.several = roots.size() > 1;
  double best = std::numeric_limits<double>::infinity();
  C chosen = main;
  row.chamber_amplitude = -1.0;
  for (std::size_t i = 0; i < roots.size(); i += 2) {  // every second one is unstable
    const C K = (main + plain(balance.at_chamber_amplitude(roots[i], row.omega).stiffness)) + row.correction;
    const double m = misfit(problem, row, K);
    if (m < best) {
      best = m;
      chosen = K;
      row.chamber_amplitude = roots[i];
    }
  }
  constexpr double steep = 0.3;
  row.weight = row.chamber_amplitude > 0.0
                   ? std::clamp(root_slope(balance, row, row.chamber_amplitude) / steep, 0.03, 1.0)
                   : 1.0;
  return chosen;
}

// Model of a row: near its last root, or by the scan when that is lost or the residual is large.
C model_of(const HydroProblem& problem, const FirstHarmonic<double>& balance, HydroRow& row, double predicted = 1.0) {
  row.chamber_amplitude =
      chamber_amplitude_near(balance, row.omega, row.amplitude, predicted * row.anchor, row.anchor_slope);
  if (row.chamber_amplitude > 0.0) {
    const C K = (plain(balance.main_stiffness(row.frequency_hz, row.amplitude)) +
                 plain(balance.at_chamber_amplitude(row.chamber_amplitude, row.omega).stiffness)) +
                row.correction;
    if (!row.several || std::abs(std::log(K / std::polar(row.k_dyn, row.loss_angle))) < 0.06) return row.model = K;
  }
  return row.model = choose_root(problem, balance, row);
}

template <int N>
void fill_rows(HydroProblem& problem, const HydroLayout& layout, const Eigen::VectorXd& theta, bool coarse,
               Eigen::VectorXd& r, Eigen::MatrixXd& J, Eigen::Index& at) {
  using Scalar = Jet<N>;
  const auto count = static_cast<int>(layout.free.size());
  std::array<int, hydro_slot_count> index;
  index.fill(-1);
  for (int i = 0; i < count; ++i) index[static_cast<std::size_t>(layout.free[static_cast<std::size_t>(i)])] = i;
  const auto value_at = [&](int slot) {
    const auto s = static_cast<std::size_t>(slot);
    if (index[s] < 0) return Scalar(layout.values[s]);
    Scalar value(std::exp(theta[index[s]]));
    value.v[index[s]] = value.a;  // d exp(theta) = exp(theta)
    return value;
  };
  const HydroMount<Scalar> law = make_hydro<Scalar>(layout, value_at);
  const FirstHarmonic<Scalar> balance(law);
  problem.anchor_theta = theta;
  problem.anchor_shift.setZero(count, static_cast<Eigen::Index>(problem.rows.size()));
  for (std::size_t index_of_row = 0; index_of_row < problem.rows.size(); ++index_of_row) {
    HydroRow& row = problem.rows[index_of_row];
    if (coarse && !row.coarse) continue;
    // The last direction of the Jet is the chamber amplitude; the root's own derivative follows from amplitude = given.
    const auto point = balance.at_chamber_amplitude(Scalar(row.chamber_amplitude, N - 1), row.omega);
    const Complex<Scalar> main = balance.main_stiffness(row.frequency_hz, Scalar(row.amplitude));
    const Complex<Scalar> K = main + point.stiffness;
    const double slope = point.amplitude.v[N - 1];
    const double floor =
        0.02 * row.amplitude / row.chamber_amplitude;  // a fold: the derivative does not exist, its size is bounded
    const double safe = std::abs(slope) < floor ? std::copysign(floor, slope) : slope;
    row.anchor_slope = safe * row.chamber_amplitude / row.amplitude;
    double wk = 1.0, wa = 1.0;
    r[at] = robust(row.weight * std::log(std::abs(row.model) / row.k_dyn) / problem.sigma_k, problem.huber, wk);
    r[at + 1] =
        robust(row.weight * wrapped(std::arg(row.model) - row.loss_angle) / problem.sigma_angle, problem.huber, wa);
    wk *= row.weight / problem.sigma_k;
    wa *= row.weight / problem.sigma_angle;
    // d ln K = dK/K; real part: ln k_dyn, imaginary part: angle. The correction is constant.
    const C K0 = row.model;
    for (int i = 0; i < count; ++i) {
      const double root_shift = -point.amplitude.v[i] / safe;
      problem.anchor_shift(i, static_cast<Eigen::Index>(index_of_row)) = root_shift / row.chamber_amplitude;
      const C dK(K.re.v[i] + K.re.v[N - 1] * root_shift, K.im.v[i] + K.im.v[N - 1] * root_shift);
      const C d = dK / K0;
      J(at, i) = wk * d.real();
      J(at + 1, i) = wa * d.imag();
    }
    at += 2;
  }
}

// Static force along a loop, up to a constant: the main rubber alone, the fluid has time to flow.
template <class T, class Put>
void static_residuals(const HydroProblem& problem, const HydroMount<T>& law, Put&& put) {
  for (const StaticLoop& loop : problem.loops) {
    const std::vector<T> y = centred_friction(law.main_rubber.friction(), loop.displacement);
    std::vector<T> force(y.size());
    T offset(0.0);
    for (std::size_t i = 0; i < y.size(); ++i) {
      force[i] = law.main_rubber.static_stiffness * (loop.displacement[i] + y[i]);
      offset += (force[i] - loop.force[i]) / static_cast<double>(y.size());
    }
    for (std::size_t i = 0; i < y.size(); ++i) put(T((force[i] - loop.force[i] - offset) / problem.sigma_static));
  }
}

}  // namespace

double wrapped(double angle) { return std::remainder(angle, 2.0 * pi); }

int HydroProblem::residuals(const HydroLayout& layout, bool coarse) const {
  const auto used = std::count_if(rows.begin(), rows.end(), [&](const HydroRow& row) { return !coarse || row.coarse; });
  std::size_t total = 2 * static_cast<std::size_t>(used) + layout.free.size();
  for (const StaticLoop& loop : loops) total += loop.displacement.size();
  return static_cast<int>(total);
}

bool HydroProblem::evaluate(const HydroLayout& layout, const Eigen::VectorXd& theta, bool coarse, Eigen::VectorXd& r,
                            Eigen::MatrixXd* J) {
  ++evaluations;
  if (!theta.allFinite()) return false;
  const HydroLayout at_theta = with_theta(layout, theta);
  const HydroMount<double> law = make_hydro(at_theta);
  const FirstHarmonic<double> balance(law);
  Eigen::Index at = 0;
  const bool predict = anchor_theta.size() == theta.size();
  // Derivatives are asked for where residuals just were: the rows still hold their roots.
  const bool known = evaluated_theta.size() == theta.size() && evaluated_theta == theta;
  evaluated_theta.resize(0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    HydroRow& row = rows[i];
    if (coarse && !row.coarse) continue;
    if (!known) {
      const double shift = predict ? anchor_shift.col(static_cast<Eigen::Index>(i)).dot(theta - anchor_theta) : 0.0;
      model_of(*this, balance, row, std::exp(std::clamp(shift, -0.3, 0.3)));
    }
    const C K = row.model;
    if (!(std::abs(K) > 0.0) || !(row.chamber_amplitude > 0.0)) return false;
    double unused;
    r[at++] = robust(row.weight * std::log(std::abs(K) / row.k_dyn) / sigma_k, huber, unused);
    r[at++] = robust(row.weight * wrapped(std::arg(K) - row.loss_angle) / sigma_angle, huber, unused);
    if (J != nullptr) row.anchor = row.chamber_amplitude;  // derivatives are asked for where a step was accepted
  }
  evaluated_theta = theta;
  if (J != nullptr) {
    Eigen::Index start = 0;
    if (layout.free.size() < 8)
      fill_rows<8>(*this, layout, theta, coarse, r, *J, start);
    else
      fill_rows<18>(*this, layout, theta, coarse, r, *J, start);
  }
  if (!loops.empty()) {
    // Three unknowns act on a static loop: main stiffness, h and rho.
    using S = Jet<3>;
    const std::array<int, 3> slots = {hydro_main_k, hydro_main_h, hydro_main_rho};
    const HydroMount<S> dual = make_hydro<S>(at_theta, [&](int slot) {
      S value(at_theta.values[static_cast<std::size_t>(slot)]);
      for (int i = 0; i < 3; ++i)
        if (slot == slots[static_cast<std::size_t>(i)]) value.v[i] = value.a;
      return value;
    });
    static_residuals(*this, dual, [&](const S& residual) {
      r[at] = residual.a;
      if (J != nullptr)
        for (std::size_t i = 0; i < layout.free.size(); ++i) {
          const auto found = std::find(slots.begin(), slots.end(), layout.free[i]);
          (*J)(at, static_cast<Eigen::Index>(i)) = found == slots.end() ? 0.0 : residual.v[found - slots.begin()];
        }
      ++at;
    });
  }
  for (std::size_t i = 0; i < layout.free.size(); ++i, ++at) {
    const HydroPrior& prior = priors[static_cast<std::size_t>(layout.free[i])];
    r[at] = prior.sigma > 0.0 ? (theta[static_cast<Eigen::Index>(i)] - prior.mean) / prior.sigma : 0.0;
    if (J != nullptr && prior.sigma > 0.0) (*J)(at, static_cast<Eigen::Index>(i)) = 1.0 / prior.sigma;
  }
  return true;
}

void HydroProblem::forget_anchors() {
  anchor_theta.resize(0);
  evaluated_theta.resize(0);
}

void HydroProblem::choose_roots(const HydroLayout& layout, bool coarse) {
  forget_anchors();
  const HydroMount<double> law = make_hydro(layout);
  const FirstHarmonic<double> balance(law);
  // Folds come with the decoupler and the pressure limit; without them the last root is as good.
  for (HydroRow& row : rows) {
    if (coarse && !row.coarse) continue;
    row.model = layout.decoupler || layout.limit || !(row.anchor > 0.0) ? choose_root(*this, balance, row)
                                                                        : model_of(*this, balance, row);
    row.anchor = row.chamber_amplitude;
  }
}

void HydroProblem::correct(const HydroLayout& layout, bool both) {
  forget_anchors();
  const HydroMount<double> law = make_hydro(layout);
  const FirstHarmonic<double> first(law);
  SteadyOptions options;
  options.odd_harmonics = 3;
  options.tolerance = 1e-7;
  options.max_iterations = 20;
  options.loop = both || by_loops;
  const HarmonicBalance balance(law, 0.0, options);
  constexpr double off = 0.06;
  for (HydroRow& row : rows) {
    row.correction = 0.0;
    if (row.several || !(row.anchor > 0.0)) {
      row.model = choose_root(*this, first, row);
      row.anchor = row.chamber_amplitude;
    }
    const C one = model_of(*this, first, row), measured = std::polar(row.k_dyn, row.loss_angle);
    row.anchor = row.chamber_amplitude;
    if (!(row.chamber_amplitude > 0.0)) continue;
    const auto usable = [](const SteadyState& state) { return state.converged && state.stable; };
    const auto reduced = [&](const SteadyState& state) {
      return by_loops ? std::polar(state.response.k_dyn_loop, state.response.loss_angle_loop) : state.stiffness;
    };
    const auto distance = [&](const SteadyState& state) {
      return usable(state) ? std::abs(std::log(reduced(state) / measured)) : std::numeric_limits<double>::infinity();
    };
    SteadyState state;
    if (row.harmonics.size() > 0 && !row.several) state = balance.solve(row.frequency_hz, row.amplitude, row.harmonics);
    if (!(distance(state) < off)) {
      SteadyState other = balance.solve_from(row.frequency_hz, row.amplitude, row.chamber_amplitude);
      if (distance(other) < distance(state) || !usable(state)) state = std::move(other);
    }
    if (!(distance(state) < off)) {
      // Beside a fold the measured state may be one that the first harmonic does not have.
      SteadyState other = balance.solve_near(row.frequency_hz, row.amplitude, measured);
      if (distance(other) < 0.5 * distance(state)) state = std::move(other);
    }
    if (!usable(state)) {
      // The many harmonics jump elsewhere: the row lies between the folds of the two models and tells little.
      row.weight = std::min(row.weight, 0.1);
      row.model = one;
      row.harmonics.resize(0);
      row.response = {std::abs(one), std::arg(one), std::abs(one), std::arg(one)};
      continue;
    }
    row.response = state.response;
    row.correction = reduced(state) - one;
    row.model = reduced(state);
    // A chamber that moves differently by more than harmonics can make it is on another branch than the derivatives.
    const Eigen::Index first_one = balance.harmonics().front() == 0 ? 1 : 0;
    const double moves = row.amplitude * state.harmonics.segment(first_one, 2).norm() / row.chamber_amplitude;
    row.other_branch = std::max(moves, 1.0 / moves) > 1.4;
    if (row.other_branch) row.weight = std::min(row.weight, 0.03);
    row.harmonics = std::move(state.harmonics);
  }
}

double HydroProblem::chi_square(const HydroLayout& layout) {
  evaluated_theta.resize(0);
  const HydroMount<double> law = make_hydro(layout);
  const FirstHarmonic<double> balance(law);
  double sum = 0.0;
  for (HydroRow& row : rows) {
    const C K = model_of(*this, balance, row);
    double unused;
    const double k = robust(row.weight * std::log(std::abs(K) / row.k_dyn) / sigma_k, huber, unused),
                 angle = robust(row.weight * wrapped(std::arg(K) - row.loss_angle) / sigma_angle, huber, unused);
    sum += k * k + angle * angle;
  }
  return sum;
}

}  // namespace kdyn::inline identify
