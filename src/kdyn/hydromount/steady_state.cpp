// SPDX-License-Identifier: Apache-2.0
#include "kdyn/hydromount/steady_state.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "kdyn/base/error.hpp"
#include "kdyn/hydromount/first_harmonic.hpp"

namespace kdyn::inline hydromount {
namespace {

constexpr double pi = std::numbers::pi;
using Eigen::MatrixXd;
using Eigen::RowVectorXd;
using Eigen::VectorXd;

std::vector<int> chosen_harmonics(const HydroMount<double>& law, const SteadyOptions& options) {
  std::vector<int> set = options.harmonics;
  if (set.empty()) {
    if (!law.odd_hydraulics()) set.push_back(0);
    for (int h = 1; h <= 2 * options.odd_harmonics - 1; h += law.odd_hydraulics() ? 2 : 1) set.push_back(h);
  }
  std::sort(set.begin(), set.end());
  demand(std::find(set.begin(), set.end(), 1) != set.end() && set.front() >= 0,
         "the harmonics contain the first one and no negative one");
  return set;
}

}  // namespace

struct HarmonicBalance::Work {
  // An odd law with odd harmonics repeats itself with the other sign after half a period: half of the samples are
  // enough.
  enum class Span { as_needed, whole_period };
  Work(const HydroMount<double>& l, double displacement, const SteadyOptions& o, Span wanted = Span::as_needed)
      : law(l),
        u0(displacement),
        options(o),
        first(l, displacement) {
    set = chosen_harmonics(law, options);
    half = wanted == Span::as_needed && law.odd_hydraulics() &&
           std::all_of(set.begin(), set.end(), [](int h) { return h % 2 == 1; });
    // Enough samples that products of the highest harmonics do not fold back onto the lowest, and that kinks are
    // resolved.
    n = options.samples > 0 ? options.samples : std::max(64, 12 * (set.back() + 1));
    n += n % 2;
    if (half) n /= 2;
    for (const int h : set) m += h == 0 ? 1 : 2;
    basis.resize(n, m);
    slope.resize(n, m);
    for (int i = 0; i < n; ++i) row(phase_at(i), basis.row(i), slope.row(i));
    // Means of squares: 1/2 of each harmonic, 1 of the constant.
    projection = basis.transpose() * (2.0 / n);
    slope_projection = slope.transpose() * (2.0 / n);
    slope_squares = project(slope_projection, slope);
    drive_rate.resize(n);
    for (int i = 0; i < n; ++i) drive_rate[i] = std::cos(phase_at(i));
    const auto memory = law.start(u0);
    factor = memory.chamber_factor;
    coupling = memory.coupling;
    valve = law.decoupler(coupling);
    const double R = law.area_ratio();
    mass = law.fluid_mass() / (R * R);
    linear = law.fluid_damping_linear / (R * R);
    power = law.power_damping() / std::pow(R, law.fluid_damping_exponent + 1.0);
    has_friction = law.chamber_rubber.rdl > 0.0 && law.chamber_rubber.rho > 0.0 && law.chamber_rubber.scale_ampl > 0.0;
    has_viscosity = law.chamber_rubber.lambda > 0.0 && law.chamber_rubber.scale_freq > 0.0;
    k = law.chamber_rubber.stiffness_at(0.0);
  }

  double phase_step() const { return (half ? pi : 2.0 * pi) / n; }
  double phase_at(int i) const { return phase_step() * i; }
  // The sample after the last one.
  double wrap_sign() const { return half ? -1.0 : 1.0; }
  VectorXd whole(const VectorXd& y) const {
    if (!half) return y;
    VectorXd out(2 * n);
    out << y, -y;
    return out;
  }

  // Basis functions and their derivatives at a phase.
  template <class Row, class Slope>
  void row(double phase, Row&& values, Slope&& derivatives) const {
    int j = 0;
    for (const int h : set) {
      const double c = std::cos(h * phase), s = std::sin(h * phase);
      values(j) = c;
      derivatives(j++) = -h * s;
      if (h == 0) continue;
      values(j) = s;
      derivatives(j++) = h * c;
    }
  }

  struct Extreme {
    double u2 = 0.0, phase = 0.0;
  };
  // The true extreme of the trigonometric polynomial next to a sample.
  Extreme extreme_near(const VectorXd& c, double phase) const {
    RowVectorXd value(m), derivative(m);
    for (int pass = 0; pass < 3; ++pass) {
      row(phase, value, derivative);
      double curvature = 0.0;
      int j = 0;
      for (const int h : set)
        for (int part = 0; part < (h == 0 ? 1 : 2); ++part, ++j) curvature -= h * h * c[j] * value[j];
      if (curvature == 0.0) break;
      phase -= std::clamp(derivative.dot(c) / curvature, -phase_step(), phase_step());
    }
    row(phase, value, derivative);
    return {value.dot(c), phase};
  }

  // Friction displacement y at the samples and its derivative with respect to the harmonics (n x m).
  void friction_loop(const VectorXd& c, const VectorXd& u2, const VectorXd& u2_slope, const VectorXd& chamber_u,
                     const VectorXd& chamber_slope, VectorXd& y, MatrixXd* dy) const {
    std::vector<int> turns;
    for (int i = 0; i < n; ++i)
      if ((u2_slope[i] > 0.0) != ((i + 1 < n ? u2_slope[i + 1] : wrap_sign() * u2_slope[0]) > 0.0)) turns.push_back(i);
    const std::size_t simple = half ? 1 : 2;
    y.setZero(n);
    if (dy != nullptr) dy->setZero(n, m);
    if (turns.size() == simple)
      simple_loop(c, u2, u2_slope, chamber_u, chamber_slope, y, dy);
    else if (turns.size() > simple)
      nested_loop(u2, u2_slope, chamber_u, chamber_slope, y, dy);
  }

  // One rising and one falling branch between the extremes  [hydromount E15].
  void simple_loop(const VectorXd& c, const VectorXd& u2, const VectorXd& u2_slope, const VectorXd& chamber_u,
                   const VectorXd& chamber_slope, VectorXd& y, MatrixXd* dy) const {
    using J = Jet<2>;
    int top = 0, bottom = 0;
    double high_phase = 0.0, low_phase = 0.0;
    if (half) {
      u2.cwiseAbs().maxCoeff(&top);
      high_phase = low_phase = phase_at(top);
      (u2[top] > 0.0 ? low_phase : high_phase) += pi;
    } else {
      u2.maxCoeff(&top);
      u2.minCoeff(&bottom);
      high_phase = phase_at(top);
      low_phase = phase_at(bottom);
    }
    const Extreme high = extreme_near(c, high_phase), low = extreme_near(c, low_phase);
    const double up = valve.displacement(high.u2), down = valve.displacement(low.u2), reach = 0.5 * (up - down);
    if (!(reach > 0.0)) return;
    RowVectorXd d_up(m), d_down(m), unused(m);
    if (dy != nullptr) {
      row(high.phase, d_up, unused);
      row(low.phase, d_down, unused);
      d_up *= valve.slope(high.u2);
      d_down *= valve.slope(low.u2);
    }
    const Friction<J> p = law.chamber_rubber.cast<J>().friction();
    for (int i = 0; i < n; ++i) {
      // Samples between the last one and a tip may lie a hair on the other side of it.
      const bool rising = u2_slope[i] > 0.0;
      const double distance = std::clamp(rising ? chamber_u[i] - down : up - chamber_u[i], 0.0, 2.0 * reach);
      const J branch = steady_branch(p, J(reach, 0), J(distance, 1));
      const double sign = rising ? 1.0 : -1.0;
      y[i] = sign * branch.a;
      if (dy == nullptr) continue;
      dy->row(i) = sign * branch.v[0] * 0.5 * (d_up - d_down) +
                   branch.v[1] * (chamber_slope[i] * basis.row(i) - (rising ? d_down : d_up));
    }
  }

  // More than two extremes: the law's own memory runs over the period until it repeats; the Jacobian holds the turning
  // points.
  void nested_loop(const VectorXd& u2, const VectorXd& u2_slope, const VectorXd& chamber_u,
                   const VectorXd& chamber_slope, VectorXd& y, MatrixXd* dy) const {
    const Friction<double> p = law.chamber_rubber.friction();
    const bool remembers = p.law == FrictionLaw::masing;
    FrictionMemory<double> memory(0.0);
    const double h = phase_step();
    const VectorXd path_u2 = whole(u2), path_slope = whole(u2_slope), path_u = whole(chamber_u);
    const int count = static_cast<int>(path_u2.size());
    VectorXd slopes = VectorXd::Zero(count), path_y = VectorXd::Zero(count);
    const double probe = 1e-7 * (path_u.maxCoeff() - path_u.minCoeff());
    const int passes = remembers ? 2 : 6;
    for (int pass = 0; pass < passes; ++pass)
      for (int i = 0; i < count; ++i) {
        const int before = (i + count - 1) % count;
        if (pass > 0 || i > 0) {
          const StepVelocity<double> path({path_u2[before], path_slope[before]}, {path_u2[i], path_slope[i]}, h);
          int turnings = 0;
          const auto roots = path.turning(turnings);
          for (int r = 0; r < turnings; ++r)
            memory.commit(p,
                          valve.displacement(path_u2[before] + h * path.travelled(roots[static_cast<std::size_t>(r)])));
        }
        path_y[i] = memory.commit(p, path_u[i]);
        if (dy != nullptr && pass + 1 == passes && probe > 0.0) {
          const double ahead = path_slope[i] > 0.0 ? probe : -probe;
          slopes[i] = (memory.peek(p, path_u[i] + ahead) - path_y[i]) / ahead;
        }
      }
    if (!remembers)
      path_y.array() -=
          0.5 * (path_y.maxCoeff() +
                 path_y.minCoeff());  // an unlimited g4 loop stays where it started: centred by definition
    y = path_y.head(n);
    if (dy != nullptr) *dy = slopes.head(n).cwiseProduct(chamber_slope).asDiagonal() * basis;
  }

  // Harmonic answer of the Kelvin-Voigt part to the harmonics of uB: k scale_freq G(h w).
  void viscous(double omega, const VectorXd& in, VectorXd& out) const {
    out.setZero(m);
    const KelvinVoigt<double> linear_part = law.chamber_rubber.kelvin_voigt();
    int j = 0;
    for (const int h : set) {
      if (h == 0) {
        ++j;
        continue;
      }
      const Complex<double> G = linear_part.stiffness(h * omega);
      const double scale = k * law.chamber_rubber.scale_freq;
      // (cos, sin) -> rotated by G: a cosine leads into -sine by the loss part.
      out[j] = scale * (G.re * in[j] + G.im * in[j + 1]);
      out[j + 1] = scale * (G.re * in[j + 1] - G.im * in[j]);
      j += 2;
    }
  }

  // Everything at the samples for given harmonics c of u2 (in metres).
  struct Cycle {
    VectorXd u2, u2_slope, force,
        flow_rate;  // p A_B and the rate of the fluid that leaves through the channel, as chamber displacement
    VectorXd residual;
    MatrixXd jacobian;
  };

  // [hydromount E14]
  void run(double omega, double a, const VectorXd& c, bool want_jacobian, Cycle& out) const {
    out.u2 = basis * c;
    out.u2_slope = slope * c;
    VectorXd chamber_u(n), chamber_slope(n), spring(n), spring_slope(n);
    for (int i = 0; i < n; ++i) {
      chamber_u[i] = valve.displacement(out.u2[i]);
      chamber_slope[i] = valve.slope(out.u2[i]);
      spring[i] = law.chamber_rubber.static_force(chamber_u[i]);
      spring_slope[i] = law.chamber_rubber.static_slope(chamber_u[i]) * chamber_slope[i];
    }
    const bool connected = coupling > 0.0;
    VectorXd p0 = connected ? spring : VectorXd(VectorXd::Zero(n));  // p0 A_B
    MatrixXd dp0;
    if (want_jacobian) dp0 = connected ? MatrixXd(spring_slope.asDiagonal() * basis) : MatrixXd(MatrixXd::Zero(n, m));
    if (connected && has_friction) {
      VectorXd y;
      MatrixXd dy;
      friction_loop(c, out.u2, out.u2_slope, chamber_u, chamber_slope, y, want_jacobian ? &dy : nullptr);
      const double scale = k * law.chamber_rubber.scale_ampl;
      p0 += scale * y;
      if (want_jacobian) dp0 += scale * dy;
    }
    if (connected && has_viscosity) {
      VectorXd harmonic = project(projection, chamber_u), answer;
      viscous(omega, harmonic, answer);
      p0 += basis * answer;
      if (want_jacobian) {
        const MatrixXd spread = project(projection, MatrixXd(chamber_slope.asDiagonal() * basis));
        MatrixXd turned(m, m);
        for (int j = 0; j < m; ++j) {
          viscous(omega, spread.col(j), answer);
          turned.col(j) = answer;
        }
        dp0 += basis * turned;
      }
    }
    p0 *= factor;
    if (want_jacobian) dp0 *= factor;

    const double area = law.chamber_area;
    out.force.resize(n);
    out.flow_rate.resize(n);
    VectorXd friction(n), friction_slope(n), force_slope(n), bypass_slope(n);
    for (int i = 0; i < n; ++i) {
      const double p = law.limit(p0[i] / area);
      out.force[i] = p * area;
      force_slope[i] = law.limit_slope(p0[i] / area);
      double bypass = 0.0;
      bypass_slope[i] = 0.0;
      if (law.has_bypass()) {
        bypass = bypass_flow(p, *law.bypass_area, *law.bypass_threshold, law.fluid_density) / area;
        bypass_slope[i] = bypass_flow_slope(p, *law.bypass_area, *law.bypass_threshold, law.fluid_density) /
                          (area * area) * force_slope[i];
      }
      const double drive = a * omega * drive_rate[i];
      const double x = drive - omega * out.u2_slope[i] - bypass;
      out.flow_rate[i] = x;
      friction[i] = linear * x + power * odd_power(x, law.fluid_damping_exponent);
      friction_slope[i] =
          linear + power * law.fluid_damping_exponent * std::abs(odd_power(x, law.fluid_damping_exponent - 1.0));
    }
    out.residual =
        -omega * mass * project(slope_projection, out.flow_rate) + project(projection, VectorXd(friction - out.force));
    if (!want_jacobian) return;
    MatrixXd d_residual = (-omega * friction_slope).asDiagonal() * slope;
    d_residual -= (force_slope + friction_slope.cwiseProduct(bypass_slope)).asDiagonal() * dp0;
    out.jacobian = omega * omega * mass * slope_squares + project(projection, d_residual);
    if (law.has_bypass())
      out.jacobian += omega * mass * project(slope_projection, MatrixXd(bypass_slope.asDiagonal() * dp0));
  }

  // The constant has the mean square 1 where the others have 1/2.
  template <class M>
  M project(const MatrixXd& with, const M& what) const {
    M result = with * what;
    if (set.front() == 0) result.row(0) *= 0.5;
    return result;
  }

  // Forces of the linear parts set the scale of the residual.
  double force_scale(double omega, double a) const { return a * std::hypot(factor * k, mass * omega * omega); }

  SteadyState newton(double frequency_hz, double a, const VectorXd& start) const {
    SteadyState state;
    state.frequency_hz = frequency_hz;
    state.amplitude = a;
    const double omega = 2.0 * pi * frequency_hz;
    const double scale = force_scale(omega, a);
    VectorXd c = a * start;
    Cycle cycle;
    run(omega, a, c, true, cycle);
    double size = cycle.residual.norm() / scale;
    for (; state.iterations < options.max_iterations && size > options.tolerance; ++state.iterations) {
      const VectorXd change = cycle.jacobian.partialPivLu().solve(-cycle.residual);
      if (!change.allFinite()) break;
      // No step may move the chamber by more than half of what it moves and of what it is driven with.
      double step = std::min(1.0, 0.5 * (c.norm() + a) / change.norm());
      bool better = false;
      for (int attempt = 0; attempt < 12 && !better; ++attempt, step *= 0.5) {
        Cycle trial;
        const VectorXd at = c + step * change;
        run(omega, a, at, true, trial);
        const double trial_size = trial.residual.norm() / scale;
        better = trial_size < size * (1.0 - 0.1 * step);
        if (!better) continue;
        c = at;
        cycle = std::move(trial);
        size = trial_size;
      }
      if (!better) break;
    }
    // A kinked friction loop may stop an order above the tolerance: rounding of the tips.
    state.converged = size <= 100.0 * options.tolerance;
    state.harmonics = c / a;
    state.stable = state.converged && cycle.jacobian.determinant() * orientation() > 0.0;
    finish(state, cycle);
    return state;
  }

  // Sign of the determinant for the linear response: each harmonic's block has a positive determinant, the mean's is
  // minus a stiffness.
  double orientation() const { return set.front() == 0 ? -1.0 : 1.0; }

  void finish(SteadyState& state, const Cycle& cycle) const {
    // Displacement a sin: the sine harmonic is in phase, the cosine harmonic leads by 90 degrees.
    double in_phase = 0.0, leading = 0.0;
    for (int i = 0; i < n; ++i) {
      const double phase = phase_at(i);
      in_phase += 2.0 / n * cycle.force[i] * std::sin(phase);
      leading += 2.0 / n * cycle.force[i] * std::cos(phase);
    }
    const Complex<double> main = harmonic_stiffness(law.main_rubber, state.frequency_hz, state.amplitude, u0);
    state.stiffness = {main.re + in_phase / state.amplitude, main.im + leading / state.amplitude};
    state.response.k_dyn = std::abs(state.stiffness);
    state.response.loss_angle = std::arg(state.stiffness);
    if (!options.loop) return;
    VectorXd total = whole(cycle.force);
    for (int i = 0; i < total.size(); ++i) total[i] += main_force(state.frequency_hz, state.amplitude, phase_at(i));
    const double half_range = 0.5 * (peak(total) + peak(-total));
    const double area_angle = state.amplitude * state.stiffness.imag() / half_range;
    state.response.k_dyn_loop = half_range / state.amplitude;
    state.response.loss_angle_loop = area_angle < 1.0 ? std::asin(area_angle) : 0.5 * pi;
  }

  // Largest value of a periodic curve by the parabola through the largest sample and its neighbours.
  double peak(const VectorXd& y) const {
    int i = 0;
    const double top = y.maxCoeff(&i);
    const auto count = static_cast<int>(y.size());
    const double left = y[(i + count - 1) % count], right = y[(i + 1) % count], bend = left - 2.0 * top + right;
    return bend < 0.0 ? top - 0.125 * (right - left) * (right - left) / bend : top;
  }

  // Steady force of the main rubber at u0 + a sin(phase), less the static force at u0.
  double main_force(double frequency_hz, double a, double phase) const {
    const Elastomer<double>& e = law.main_rubber;
    const double s = std::sin(phase), co = std::cos(phase), stiffness = e.stiffness_at(u0);
    const Complex<double> G = e.kelvin_voigt().stiffness(2.0 * pi * frequency_hz);
    double y = 0.0;
    if (e.rdl > 0.0 && e.rho > 0.0)
      y = co >= 0.0 ? steady_branch(e.friction(), a, a * (1.0 + s)) : -steady_branch(e.friction(), a, a * (1.0 - s));
    return e.static_force(u0 + a * s) - e.static_force(u0) +
           stiffness * (e.scale_freq * a * (G.re * s + G.im * co) + e.scale_ampl * y);
  }

  // u2 = r sin + ... of the first-harmonic solution, turned so that the displacement is a sin.
  VectorXd start_from(double omega, double a, double r) const {
    const auto point = first.at_chamber_amplitude(r, omega);
    const Complex<double> C = first.chamber_stiffness(r, omega);
    // F = C U2 = K a  ->  U2/a = K/C; without a chamber force the chamber moves as the fluid lets it.
    const Complex<double> u2 = abs(C) > 0.0 ? point.stiffness / C : Complex<double>{r / a, 0.0};
    VectorXd start = first_harmonic(u2);
    if (set.front() == 0) start[0] = first.chamber_mean(r, omega) / a;
    return start;
  }

  VectorXd first_harmonic(const Complex<double>& u2) const {
    VectorXd start = VectorXd::Zero(m);
    int j = 0;
    for (const int h : set) {
      if (h == 1) {
        start[j] = u2.im;
        start[j + 1] = u2.re;
      }
      j += h == 0 ? 1 : 2;
    }
    return start;
  }

  // The chamber motion that a stiffness of the whole mount implies: |C(r)| r = |H| a, which rises with r.
  VectorXd start_near(double omega, double a, std::complex<double> stiffness) const {
    const Complex<double> main = harmonic_stiffness(law.main_rubber, omega / (2.0 * pi), a, u0);
    const Complex<double> H{stiffness.real() - main.re, stiffness.imag() - main.im};
    double low = std::log(1e-6 * a), high = std::log(1e4 * a);
    for (int i = 0; i < 40; ++i) {
      const double x = 0.5 * (low + high), r = std::exp(x);
      (abs(first.chamber_stiffness(r, omega)) * r < abs(H) * a ? low : high) = x;
    }
    const Complex<double> C = first.chamber_stiffness(std::exp(0.5 * (low + high)), omega);
    return first_harmonic(abs(C) > 0.0 ? H / C : Complex<double>{1.0, 0.0});
  }

  const HydroMount<double>& law;
  double u0;
  SteadyOptions options;
  FirstHarmonic<double> first;
  std::vector<int> set;
  int n = 0, m = 0;
  bool half = false;
  MatrixXd basis, slope, projection, slope_projection, slope_squares;
  VectorXd drive_rate;  // d(sin phase)/d(phase) at the samples
  double factor = 1.0, coupling = 1.0, mass = 0.0, linear = 0.0, power = 0.0, k = 0.0;
  bool has_friction = false, has_viscosity = false;
  Decoupler<double> valve;
};

HarmonicBalance::HarmonicBalance(const HydroMount<double>& law, double u0, const SteadyOptions& options)
    : work_(std::make_unique<Work>(law, u0, options)) {}
HarmonicBalance::~HarmonicBalance() = default;
HarmonicBalance::HarmonicBalance(HarmonicBalance&&) noexcept = default;

const std::vector<int>& HarmonicBalance::harmonics() const { return work_->set; }

SteadyState HarmonicBalance::solve(double frequency_hz, double amplitude, const VectorXd& start) const {
  return work_->newton(frequency_hz, amplitude, start);
}

SteadyState HarmonicBalance::solve_from(double frequency_hz, double amplitude, double chamber_amplitude) const {
  return work_->newton(frequency_hz, amplitude,
                       work_->start_from(2.0 * pi * frequency_hz, amplitude, chamber_amplitude));
}

SteadyState HarmonicBalance::solve_near(double frequency_hz, double amplitude, std::complex<double> stiffness) const {
  return work_->newton(frequency_hz, amplitude, work_->start_near(2.0 * pi * frequency_hz, amplitude, stiffness));
}

SteadyState HarmonicBalance::solve(double frequency_hz, double amplitude) const {
  const std::vector<SteadyState> all = solve_all(frequency_hz, amplitude);
  for (const SteadyState& state : all)
    if (state.stable) return state;
  return all.empty() ? work_->newton(frequency_hz, amplitude, VectorXd::Zero(work_->m)) : all.front();
}

std::vector<SteadyState> HarmonicBalance::solve_all(double frequency_hz, double amplitude) const {
  std::vector<SteadyState> found;
  for (const double r : chamber_amplitudes(work_->first, 2.0 * pi * frequency_hz, amplitude)) {
    SteadyState state = solve_from(frequency_hz, amplitude, r);
    const bool known = std::any_of(found.begin(), found.end(), [&](const SteadyState& other) {
      return std::abs(other.stiffness - state.stiffness) < 1e-6 * std::abs(state.stiffness);
    });
    if (state.converged && !known) found.push_back(std::move(state));
  }
  std::sort(found.begin(), found.end(),
            [](const SteadyState& a, const SteadyState& b) { return a.harmonics.norm() < b.harmonics.norm(); });
  return found;
}

VectorXd HarmonicBalance::residual(double frequency_hz, double amplitude, const VectorXd& harmonics,
                                   MatrixXd* jacobian) const {
  Work::Cycle cycle;
  work_->run(2.0 * pi * frequency_hz, amplitude, amplitude * harmonics, jacobian != nullptr, cycle);
  if (jacobian != nullptr) *jacobian = amplitude * cycle.jacobian;
  return cycle.residual;
}

SteadyWaveform HarmonicBalance::waveform(const SteadyState& state, int points) const {
  // The same balance sampled as asked for: forces at phases of its own grid.
  SteadyOptions finer = work_->options;
  finer.harmonics = work_->set;
  finer.samples = points;
  const Work work(work_->law, work_->u0, finer, Work::Span::whole_period);
  Work::Cycle cycle;
  const double omega = 2.0 * pi * state.frequency_hz;
  work.run(omega, state.amplitude, state.amplitude * state.harmonics, false, cycle);
  SteadyWaveform out;
  for (int i = 0; i < work.n; ++i) {
    const double phase = work.phase_at(i);
    out.phase.push_back(phase);
    out.displacement.push_back(work.u0 + state.amplitude * std::sin(phase));
    out.force.push_back(work.law.static_force(work.u0) + work.main_force(state.frequency_hz, state.amplitude, phase) +
                        cycle.force[i]);
    out.pressure.push_back(cycle.force[i] / work.law.chamber_area);
    out.fluid_velocity.push_back(cycle.flow_rate[i] / work.law.area_ratio());
    out.chamber_displacement.push_back(cycle.u2[i]);
  }
  return out;
}

double HarmonicBalance::force_scale(double frequency_hz, double amplitude) const {
  return work_->force_scale(2.0 * pi * frequency_hz, amplitude);
}

}  // namespace kdyn::inline hydromount
