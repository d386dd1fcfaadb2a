// SPDX-License-Identifier: Apache-2.0
#include "mount_models.hpp"

#include <cmath>
#include <complex>
#include <numbers>

#include "kdyn/base/error.hpp"
#include "kdyn/element/motion.hpp"
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
  double advance(const Motion<double>& to, double h) override { return factor_ * (mount_->advance({at_ + to.u, to.v}, h) - rest_); }

 private:
  std::unique_ptr<kdyn::Mount> mount_;
  double factor_, at_ = 0.0, rest_ = 0.0;
};

// Spring and damper in parallel with Maxwell elements; the displacement inside a step is the cubic of [element E2].
class Linear final : public MountModel {
 public:
  double spring = 0.0, damper = 0.0;
  std::vector<double> stiffness, time, stretch;

  double advance(const Motion<double>& to, double h) override {
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
    now_ = to;
    return force;
  }

 private:
  Motion<double> now_;
};

// First-harmonic stiffness at one frequency and amplitude: the closed form where the law has one, else the virtual rig.
std::complex<double> stiffness_at(const kdyn::Mount& mount, double hz, double amplitude, double load) {
  if (const auto closed = mount.closed_form(hz, amplitude, mount.static_displacement(load))) return std::polar(closed->k_dyn, closed->loss_angle);
  kdyn::RigOptions rig;
  rig.frequencies_hz = {hz};
  rig.amplitudes_m = {amplitude};
  rig.preloads_n = {load};
  const auto result = kdyn::run_rig(mount, rig);
  kdyn::demand(!result.map.empty(), "the rig measures what it is asked for");
  return std::polar(result.map.front().response.k_dyn, result.map.front().response.loss_angle);
}

}  // namespace

const char* to_string(MountKind kind) {
  return kind == MountKind::spring_damper ? "spring-damper" : kind == MountKind::linear ? "linear, frequency-dependent" : "nonlinear (kdyn)";
}

std::unique_ptr<MountModel> make_model(const kdyn::Mount& mount, MountKind kind, double load, double factor, const Layout& layout) {
  if (kind == MountKind::nonlinear) return std::make_unique<Nonlinear>(mount, load, factor);
  auto linear = std::make_unique<Linear>();
  if (kind == MountKind::spring_damper) {
    const auto K = factor * stiffness_at(mount, layout.spring_damper_hz, layout.spring_damper_amplitude, load);
    linear->spring = K.real();
    linear->damper = K.imag() / (2.0 * std::numbers::pi * layout.spring_damper_hz);
  } else {
    kdyn::LinearModelOptions options;
    options.amplitude_m = layout.linear_amplitude;
    options.preload_n = load;
    const kdyn::LinearModel model = kdyn::linear_model(mount, options);
    linear->spring = factor * model.static_stiffness;
    for (const double k : model.stiffness) linear->stiffness.push_back(factor * k);
    linear->time = model.time;
    linear->stretch.assign(model.time.size(), 0.0);
  }
  return linear;
}

}  // namespace four_poster
