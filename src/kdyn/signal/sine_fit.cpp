// SPDX-License-Identifier: Apache-2.0
#include "kdyn/signal/sine_fit.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <vector>

#include <Eigen/Dense>

#include "kdyn/base/angle.hpp"
#include "kdyn/base/error.hpp"

namespace kdyn::inline signal {
namespace {

constexpr int harmonics = 5;
constexpr double same_amplitude = 0.05;

double mean_of(std::span<const double> x) {
  double sum = 0.0;
  for (const double value : x) sum += value;
  return sum / static_cast<double>(x.size());
}

// First guess of the frequency: mean crossings of the displacement upward with a dead band, so that noise does not
// count.
double rough_frequency(std::span<const double> t, std::span<const double> u) {
  const auto [low, high] = std::minmax_element(u.begin(), u.end());
  const double middle = mean_of(u), band = 0.1 * (*high - *low);
  std::vector<double> crossings;
  bool below = false;
  for (std::size_t i = 0; i < u.size(); ++i) {
    if (u[i] < middle - band) below = true;
    if (below && u[i] > middle) {
      crossings.push_back(t[i]);
      below = false;
    }
  }
  if (crossings.size() < 2) return 0.0;
  // Median of the distances: a fade at the ends adds or loses one.
  std::vector<double> period;
  for (std::size_t i = 1; i < crossings.size(); ++i) period.push_back(crossings[i] - crossings[i - 1]);
  std::nth_element(period.begin(), period.begin() + static_cast<std::ptrdiff_t>(period.size() / 2), period.end());
  return 1.0 / period[period.size() / 2];
}

struct Fit {
  Eigen::VectorXd c;  // mean, slope, then cosine and sine of each harmonic
  double variance = 0.0;
  std::complex<double> harmonic(int k) const { return {c[2 * k], -c[2 * k + 1]}; }
};

// Mean, slope, cosine and sine of `count` harmonics at the times of a record, ready for several signals over them.
class HarmonicFit {
 public:
  HarmonicFit(std::span<const double> t, double frequency_hz, int count)
      : A_(static_cast<Eigen::Index>(t.size()), 2 + 2 * count) {
    const double centre = 0.5 * (t.front() + t.back()), length = t.back() - t.front();
    for (Eigen::Index i = 0; i < A_.rows(); ++i) {
      const double time = t[static_cast<std::size_t>(i)], phase = two_pi * frequency_hz * time;
      const std::complex<double> turn(std::cos(phase), std::sin(phase));
      A_(i, 0) = 1.0;
      A_(i, 1) = (time - centre) / length;
      std::complex<double> harmonic = turn;
      for (int k = 1; k <= count; ++k, harmonic *= turn)
        A_(i, 2 * k) = harmonic.real(), A_(i, 2 * k + 1) = harmonic.imag();
    }
    // Normal equations: the columns are nearly orthogonal over one cycle and more.
    normal_.compute(A_.transpose() * A_);
  }

  Eigen::VectorXd of(const Eigen::VectorXd& b) const { return normal_.solve(A_.transpose() * b); }
  const Eigen::MatrixXd& columns() const { return A_; }

 private:
  Eigen::MatrixXd A_;
  Eigen::LDLT<Eigen::MatrixXd> normal_;
};

Eigen::VectorXd vector_of(std::span<const double> x) {
  return Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size()));
}

Fit fit_signal(const HarmonicFit& basis, std::span<const double> x) {
  const Eigen::VectorXd b = vector_of(x);
  return {basis.of(b), (b.array() - b.mean()).matrix().squaredNorm()};
}

// What a sine leaves over, and the change of its frequency that leaves least to first order (Gauss-Newton; mean, slope
// and the sine are fitted anew with it).
struct SineMisfit {
  double residual = 0.0, step_hz = 0.0;
};

SineMisfit sine_misfit(std::span<const double> t, const Eigen::VectorXd& u, double frequency_hz) {
  const HarmonicFit basis(t, frequency_hz, 1);
  const Eigen::MatrixXd& A = basis.columns();
  const Eigen::VectorXd c = basis.of(u), left = u - A * c;
  const double centre = 0.5 * (t.front() + t.back());
  Eigen::VectorXd by_frequency(u.size());
  for (Eigen::Index i = 0; i < u.size(); ++i)
    by_frequency[i] = two_pi * (t[static_cast<std::size_t>(i)] - centre) * (c[3] * A(i, 2) - c[2] * A(i, 3));
  const Eigen::VectorXd own = by_frequency - A * basis.of(by_frequency);
  return {left.squaredNorm(), own.dot(left) / own.squaredNorm()};
}

// The frequency at which the sine of the first harmonic explains most, within half a line of resolution of the guess:
// by Gauss-Newton steps, by golden section where those leave the range or do not settle.
double refined_frequency(std::span<const double> t, std::span<const double> displacement, double guess) {
  const Eigen::VectorXd u = vector_of(displacement);
  const double length = t.back() - t.front(), sharp = 1e-9 * guess;
  double lower = std::max(0.7 * guess, guess - 0.5 / length), upper = guess + 0.5 / length;
  double f = guess;
  for (int i = 0; i < 20; ++i) {
    const double step = sine_misfit(t, u, f).step_hz;
    f += step;
    if (!(f > lower && f < upper)) break;
    if (std::abs(step) < sharp) return f;
  }
  const auto misfit = [&](double at) { return sine_misfit(t, u, at).residual; };
  const double ratio = 0.5 * (std::sqrt(5.0) - 1.0);
  double a = upper - ratio * (upper - lower), b = lower + ratio * (upper - lower), fa = misfit(a), fb = misfit(b);
  for (int i = 0; i < 60 && upper - lower > sharp; ++i) {
    if (fa < fb)
      upper = b, b = a, fb = fa, a = upper - ratio * (upper - lower), fa = misfit(a);
    else
      lower = a, a = b, fa = fb, b = lower + ratio * (upper - lower), fb = misfit(b);
  }
  return 0.5 * (lower + upper);
}

struct SteadyPart {
  std::size_t first = 0, count = 0;
};

// Half cycles overlap so that the steady part is found to half a cycle.
SteadyPart steady_part(std::span<const double> t, std::span<const double> u, double frequency_hz) {
  const double step = 0.5 / frequency_hz;
  struct Cycle {
    std::size_t first, last;
    double amplitude;
  };
  std::vector<Cycle> cycles;
  for (double start = t.front(); start + 2.0 * step <= t.back() + 1e-9; start += step) {
    const auto first = static_cast<std::size_t>(std::lower_bound(t.begin(), t.end(), start) - t.begin());
    const auto last = static_cast<std::size_t>(std::upper_bound(t.begin(), t.end(), start + 2.0 * step) - t.begin());
    if (last - first < 8) return {};
    const auto part = u.subspan(first, last - first);
    const auto [low, high] = std::minmax_element(part.begin(), part.end());
    cycles.push_back({first, last, 0.5 * (*high - *low)});
  }
  double largest = 0.0;
  for (const Cycle& c : cycles) largest = std::max(largest, c.amplitude);
  SteadyPart best;
  for (std::size_t i = 0; i < cycles.size();) {
    if (cycles[i].amplitude < (1.0 - same_amplitude) * largest) {
      ++i;
      continue;
    }
    std::size_t k = i;
    while (k + 1 < cycles.size() && cycles[k + 1].amplitude >= (1.0 - same_amplitude) * largest) ++k;
    if (cycles[k].last - cycles[i].first > best.count) best = {cycles[i].first, cycles[k].last - cycles[i].first};
    i = k + 1;
  }
  return best;
}

}  // namespace

std::optional<SineReduction> reduce_sine_record(std::span<const double> time, std::span<const double> displacement,
                                                std::span<const double> force) {
  demand(time.size() == displacement.size() && time.size() == force.size(),
         "time, displacement and force have the same length");
  if (time.size() < 32) return std::nullopt;
  const double guess = rough_frequency(time, displacement);
  if (!(guess > 0.0)) return std::nullopt;
  const SteadyPart window = steady_part(time, displacement, guess);
  if (window.count < 32) return std::nullopt;
  const auto t = time.subspan(window.first, window.count), u = displacement.subspan(window.first, window.count),
             f = force.subspan(window.first, window.count);
  SineReduction out;
  out.frequency_hz = refined_frequency(t, u, guess);
  out.cycles = (t.back() - t.front()) * out.frequency_hz;
  out.first = window.first;
  out.count = window.count;
  if (out.cycles < 1.4) return std::nullopt;
  const HarmonicFit basis(t, out.frequency_hz, harmonics);
  const Fit travel = fit_signal(basis, u), load = fit_signal(basis, f);
  const std::complex<double> K = load.harmonic(1) / travel.harmonic(1);
  const auto share = [&](const Fit& fit, double n) {
    return fit.variance > 0.0 ? std::min(1.0, 0.5 * n * std::norm(fit.harmonic(1)) / fit.variance) : 0.0;
  };
  out.amplitude = std::abs(travel.harmonic(1));
  out.mean_force = load.c[0];
  out.k_dyn = std::abs(K);
  out.loss_angle = std::arg(K);
  out.purity = share(travel, static_cast<double>(window.count));
  out.force_purity = share(load, static_cast<double>(window.count));
  if (out.purity < 0.9 || !std::isfinite(out.k_dyn)) return std::nullopt;
  return out;
}

}  // namespace kdyn::inline signal
