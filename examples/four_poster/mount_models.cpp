// SPDX-License-Identifier: Apache-2.0
#include "mount_models.hpp"

#include <cmath>
#include <complex>
#include <numbers>

#include "kdyn/base/error.hpp"
#include "kdyn/element/motion.hpp"
#include "kdyn/numerics/jet.hpp"
#include "kdyn/numerics/jet_eigen.hpp"
#include "kdyn/numerics/least_squares.hpp"
#include "kdyn/rig/linear_model.hpp"
#include "kdyn/rig/rig.hpp"

namespace four_poster {
namespace {

using kdyn::Motion;

class Nonlinear final : public MountModel {
 public:
  Nonlinear(const kdyn::Mount& mount, double load, double factor) : mount_(mount.clone()), factor_(factor) {
    // A stiffer part sits higher: the load is what it is.
    at_ = mount_->static_displacement(load / factor);
    rest_ = mount_->static_force(at_);
    mount_->start({at_, 0.0});
  }
  double advance(const Motion<double>& to, double h) override {
    return factor_ * (mount_->advance({at_ + to.u, to.v}, h) - rest_);
  }

 private:
  std::unique_ptr<kdyn::Mount> mount_;
  double factor_, at_ = 0.0, rest_ = 0.0;
};

// Spring and damper in parallel with Maxwell elements and with a chamber spring in series with the fluid.
class Linear final : public MountModel {
 public:
  double spring = 0.0, damper = 0.0;
  std::vector<double> stiffness, time, stretch;
  double chamber = 0.0, fluid_mass = 0.0, fluid_damping = 0.0;

  double advance(const Motion<double>& to, double h) override {
    // The displacement inside a step is the cubic of [element E2].
    const kdyn::StepVelocity<double> v(now_, to, h);
    double force = spring * to.u + damper * to.v;
    for (std::size_t i = 0; i < stiffness.size(); ++i) {
      // stretch' = v - stretch/time, exact for the quadratic velocity.
      const double a = h / time[i], keep = std::exp(-a);
      // integrals of e^(-a (1-s)) s^k over the step, k = 0, 1, 2; series where the closed form cancels
      double i0, i1, i2;
      if (a < 1e-2) {
        i0 = 1.0 - a / 2.0 + a * a / 6.0 - a * a * a / 24.0;
        i1 = 0.5 - a / 6.0 + a * a / 24.0 - a * a * a / 120.0;
        i2 = 1.0 / 3.0 - a / 12.0 + a * a / 60.0 - a * a * a / 360.0;
      } else {
        i0 = (1.0 - keep) / a;
        i1 = (1.0 - i0) / a;
        i2 = (1.0 - 2.0 * i1) / a;
      }
      stretch[i] = keep * stretch[i] + h * (v.c0 * i0 + v.c1 * i1 + v.c2 * i2);
      force += stiffness[i] * stretch[i];
    }
    if (chamber > 0.0) {
      // m q'' = chamber (u - q) - d q' by the trapezoidal rule, second order like the vehicle around it.
      const double before = chamber * (now_.u - fluid_), half = 0.5 * h;
      const double rate = ((fluid_mass - half * fluid_damping) * fluid_rate_ +
                           half * (before + chamber * (to.u - fluid_ - half * fluid_rate_))) /
                          (fluid_mass + half * fluid_damping + half * half * chamber);
      fluid_ += half * (fluid_rate_ + rate);
      fluid_rate_ = rate;
      force += chamber * (to.u - fluid_);
    }
    now_ = to;
    return force;
  }

 private:
  Motion<double> now_;
  double fluid_ = 0.0, fluid_rate_ = 0.0;
};

// First-harmonic stiffness at one frequency and amplitude: the closed form where the law has one, else the virtual rig.
std::complex<double> stiffness_at(const kdyn::Mount& mount, double hz, double amplitude, double load) {
  if (const auto closed = mount.closed_form(hz, amplitude, mount.static_displacement(load)))
    return std::polar(closed->k_dyn, closed->loss_angle);
  kdyn::RigOptions rig;
  rig.frequencies_hz = {hz};
  rig.amplitudes_m = {amplitude};
  rig.preloads_n = {load};
  const auto result = kdyn::run_rig(mount, rig);
  kdyn::demand(!result.map.empty(), "the rig measures what it is asked for");
  return std::polar(result.map.front().response.k_dyn, result.map.front().response.loss_angle);
}

// The linear hydro mount: k0 + i w c + kb z/(kb + z), z = -m w^2 + i w d; five positive numbers by their logarithms.
struct LinearHydro {
  double k0, c, kb, m, d, misfit;
};

template <class T>
kdyn::Complex<T> hydro_stiffness(const std::array<T, 5>& p, double omega) {
  const kdyn::Complex<T> z{-omega * omega * p[3], omega * p[4]}, sum{p[2] + z.re, z.im};
  const kdyn::Complex<T> ratio = z / sum;
  return {p[0] + p[2] * ratio.re, omega * p[1] + p[2] * ratio.im};
}

LinearHydro fit_linear_hydro(const kdyn::Mount& mount, double amplitude, double load) {
  std::vector<double> hz;
  std::vector<std::complex<double>> target;
  for (double f = 1.0; f <= 50.0; f *= 1.12) hz.push_back(f), target.push_back(stiffness_at(mount, f, amplitude, load));
  const auto rows = static_cast<Eigen::Index>(2 * hz.size());
  kdyn::LeastSquaresProblem problem;
  problem.parameters = 5;
  problem.residuals = static_cast<int>(rows);
  problem.evaluate = [&](const Eigen::VectorXd& theta, Eigen::VectorXd& r, Eigen::MatrixXd* J) {
    using D = kdyn::Jet<5>;
    std::array<D, 5> p;
    for (int i = 0; i < 5; ++i) {
      p[static_cast<std::size_t>(i)] = D(std::exp(theta[i]), i);
      p[static_cast<std::size_t>(i)].v[i] = std::exp(theta[i]);
    }
    r.resize(rows);
    if (J != nullptr) J->resize(rows, 5);
    for (std::size_t k = 0; k < hz.size(); ++k) {
      const auto K = hydro_stiffness(p, 2.0 * std::numbers::pi * hz[k]);
      const double size = std::abs(target[k]);
      const auto row = static_cast<Eigen::Index>(2 * k);
      r[row] = (K.re.a - target[k].real()) / size;
      r[row + 1] = (K.im.a - target[k].imag()) / size;
      if (J != nullptr) {
        J->row(row) = derivatives(K.re).transpose() / size;
        J->row(row + 1) = derivatives(K.im).transpose() / size;
      }
    }
    return r.allFinite();
  };
  // From the largest loss at some frequency of the fluid: try a few.
  const double low = std::abs(target.front());
  kdyn::LeastSquaresResult best;
  for (const double resonance_hz : {6.0, 10.0, 16.0}) {
    const double w = 2.0 * std::numbers::pi * resonance_hz;
    Eigen::VectorXd start(5);
    start << std::log(0.9 * low), std::log(0.02 * low / w), std::log(low), std::log(low / (w * w)),
        std::log(0.4 * low / w);
    const auto solved = kdyn::solve_least_squares(problem, start);
    if (best.final_cost < 0.0 || solved.final_cost < best.final_cost) best = solved;
  }
  double difference = 0.0, size = 0.0;
  for (std::size_t k = 0; k < hz.size(); ++k) {
    const auto row = static_cast<Eigen::Index>(2 * k);
    const double here = std::norm(target[k]);
    difference += here * best.residuals.segment<2>(row).squaredNorm();
    size += here;
  }
  const Eigen::VectorXd p = best.theta.array().exp();
  return {p[0], p[1], p[2], p[3], p[4], std::sqrt(difference / size)};
}

}  // namespace

const char* to_string(MountKind kind) {
  return kind == MountKind::spring_damper ? "spring-damper"
         : kind == MountKind::linear      ? "linear, frequency-dependent"
                                          : "nonlinear (kdyn)";
}

MountMaker::MountMaker(const kdyn::Mount& mount, double load, const Layout& layout)
    : mount_(mount.clone()),
      load_(load) {
  const auto K = stiffness_at(mount, layout.spring_damper_hz, layout.spring_damper_amplitude, load);
  spring_ = K.real();
  damper_ = K.imag() / (2.0 * std::numbers::pi * layout.spring_damper_hz);
  if (mount.model() == "hydromount") {
    const LinearHydro hydro = fit_linear_hydro(mount, layout.linear_hydro_amplitude, load);
    k0_ = hydro.k0, c_ = hydro.c, chamber_ = hydro.kb, fluid_mass_ = hydro.m, fluid_damping_ = hydro.d;
    linear_misfit_ = hydro.misfit;
    return;
  }
  kdyn::LinearModelOptions options;
  options.amplitude_m = layout.linear_amplitude;
  options.preload_n = load;
  const kdyn::LinearModel model = kdyn::linear_model(mount, options);
  k0_ = model.static_stiffness;
  maxwell_stiffness_ = model.stiffness;
  maxwell_time_ = model.time;
  linear_misfit_ = model.misfit;
}

std::unique_ptr<MountModel> MountMaker::make(MountKind kind, double factor) const {
  if (kind == MountKind::nonlinear) return std::make_unique<Nonlinear>(*mount_, load_, factor);
  auto linear = std::make_unique<Linear>();
  if (kind == MountKind::spring_damper) {
    linear->spring = factor * spring_;
    linear->damper = factor * damper_;
    return linear;
  }
  linear->spring = factor * k0_;
  linear->damper = factor * c_;
  for (const double k : maxwell_stiffness_) linear->stiffness.push_back(factor * k);
  linear->time = maxwell_time_;
  linear->stretch.assign(maxwell_time_.size(), 0.0);
  linear->chamber = factor * chamber_, linear->fluid_mass = factor * fluid_mass_,
  linear->fluid_damping = factor * fluid_damping_;
  return linear;
}

}  // namespace four_poster
