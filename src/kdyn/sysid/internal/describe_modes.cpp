// SPDX-License-Identifier: Apache-2.0
#include "kdyn/sysid/internal/describe_modes.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <optional>

#include <fmt/format.h>

#include "kdyn/sysid/equalise.hpp"
#include "kdyn/sysid/shapes.hpp"

namespace kdyn::inline sysid::internal {
namespace {

struct DrivingPoint {
  Eigen::Index output = 0, input = 0;
  double sign = 1.0;  // -1 when output and input point against each other
};

std::vector<DrivingPoint> driving_points(const FrfMatrix& frf) {
  std::vector<DrivingPoint> out;
  for (std::size_t y = 0; y < frf.output_dofs.size(); ++y)
    for (std::size_t u = 0; u < frf.input_dofs.size(); ++u) {
      const Dof &a = frf.output_dofs[y], &b = frf.input_dofs[u];
      if (a.node != b.node || (a.node == 0 && (a.name.empty() || a.name != b.name)) ||
          std::abs(a.direction) != std::abs(b.direction))
        continue;
      out.push_back(
          {static_cast<Eigen::Index>(y), static_cast<Eigen::Index>(u), a.direction == b.direction ? 1.0 : -1.0});
    }
  return out;
}

// [sysid E17] Residue of a mode of unit modal mass: phi phi^T lambda^p/(2 i Im lambda).
void scale_shapes(ModalResult& out, const std::vector<Eigen::Index>& poles) {
  const std::vector<DrivingPoint> points = driving_points(out.frf);
  bool known = false;
  const int power = static_cast<int>(response_kind(out.frf.output_unit, known));
  // References of responses without forces stand in the place of inputs.
  const std::string& input = out.frf.input_unit;
  const bool no_force = !input.empty() && input != "N" && input != "N*m" && input != "Nm";
  if (points.empty() || no_force) {
    out.shape_scaling = fmt::format("largest component 1 (no {}, so modal masses are unknown)",
                                    no_force ? "force was measured" : "driving point is measured");
    for (IdentifiedMode& mode : out.modes) {
      mode.shape = as_real_as_possible(mode.shape);
      mode.shape /= std::max(mode.shape.cwiseAbs().maxCoeff(), 1e-300);
    }
    return;
  }
  out.shapes_scaled = true;
  double worst = 0.0;
  for (std::size_t i = 0; i < poles.size(); ++i) {
    const Eigen::Index r = poles[i];
    const auto best =
        *std::max_element(points.begin(), points.end(), [&](const DrivingPoint& a, const DrivingPoint& b) {
          return std::abs(out.model.C(a.output, r) * out.model.B(r, a.input)) <
                 std::abs(out.model.C(b.output, r) * out.model.B(r, b.input));
        });
    const std::complex<double> lambda = out.model.poles[r];
    const std::complex<double> kappa = std::pow(lambda, power) / std::complex<double>(0.0, 2.0 * lambda.imag());
    const std::complex<double> squared = best.sign * out.model.C(best.output, r) * out.model.B(r, best.input) / kappa;
    worst = std::max(worst, std::abs(std::arg(squared)));
    const std::complex<double> at_point = std::sqrt(squared);
    out.modes[i].shape =
        as_real_as_possible(out.model.C.col(r) * (best.sign * out.model.B(r, best.input) / (kappa * at_point)));
  }
  out.shape_scaling =
      fmt::format("unit modal mass, from {} driving point{}", points.size(), points.size() > 1 ? "s" : "");
  if (!known)
    out.findings.push_back(
        {Severity::warning, "response_unit_unknown", "output unit",
         "the file does not tell whether the responses are accelerance, mobility or receptance; accelerance was taken",
         "give the unit of the outputs (m/s^2, m/s or m); only the scale of the shapes depends on it"});
  if (worst > std::numbers::pi / 3.0)
    out.findings.push_back(
        {Severity::warning, "driving_point_phase", "driving points",
         fmt::format("a driving-point residue is turned by {:.0f} deg from that of a real mode",
                     worst * 180.0 / std::numbers::pi),
         "check direction and sign of sensor and force at the driving point; modal masses of such modes are unsure"});
}

// Standard deviations of |lambda|/2 pi and -Re/|lambda| by the first derivatives.
void add_deviations(const Eigen::MatrixXd& covariance, Eigen::Index r, IdentifiedMode& mode) {
  const Eigen::Matrix2d P = covariance.block<2, 2>(2 * r, 2 * r);
  const double size = std::abs(mode.pole), re = mode.pole.real(), im = mode.pole.imag();
  const Eigen::Vector2d df(re / size, im / size),
      dz(-1.0 / size + re * re / (size * size * size), re * im / (size * size * size));
  mode.frequency_std_hz = std::sqrt(std::max(0.0, df.dot(P * df))) / (2.0 * std::numbers::pi);
  mode.damping_std = std::sqrt(std::max(0.0, dz.dot(P * dz)));
}

IdentifiedMode mode_of(const RefineResult& fit, const FrfMatrix& frf, Eigen::Index r) {
  IdentifiedMode mode;
  mode.pole = fit.model.poles[r];
  mode.frequency_hz = frequency_hz(mode.pole);
  mode.damping = damping_ratio(mode.pole);
  mode.shape = fit.model.C.col(r);
  Eigen::Index strongest = 0;
  fit.model.B.row(r).cwiseAbs().maxCoeff(&strongest);
  const std::complex<double> reference = fit.model.B(r, strongest);
  mode.participation = fit.model.B.row(r).transpose() / (std::abs(reference) > 0.0 ? reference : 1.0);
  mode.phase_collinearity = phase_collinearity(mode.shape);
  ModalModel alone;
  alone.poles = fit.model.poles.segment(r, 1);
  alone.roles = {PoleRole::mode};
  alone.C = fit.model.C.col(r);
  alone.B = fit.model.B.row(r);
  alone.D = Eigen::MatrixXd::Zero(frf.outputs, frf.inputs);
  mode.contribution = synthesise(alone, frf.omega).norm() / frf.values.norm();
  mode.gain = fit.cost > 0.0 ? fit.removal_cost[r] / fit.cost : std::numeric_limits<double>::infinity();
  if (fit.pole_covariance.size() > 0) add_deviations(fit.pole_covariance, r, mode);
  return mode;
}

void take_off_decay(double added_decay, ModalResult& out) {
  // [sysid E19]: h(t) exp(-a t) has the transform H(s + a); poles move by -a, residues and D stay.
  if (added_decay == 0.0) return;
  out.findings.push_back(
      {Severity::note, "decay_taken_off", "added_decay",
       fmt::format("an exponential window had added a decay of {:.5g} 1/s; it is taken off every pole", added_decay),
       "give --added-decay 0 to see the poles with the window"});
  int limited = 0;
  const auto corrected = [&](std::complex<double> pole) {
    const double least = 1e-6 * std::abs(pole);
    limited += pole.real() + added_decay > -least ? 1 : 0;
    pole.real(std::min(pole.real() + added_decay, -least));
    return pole;
  };
  for (Eigen::Index r = 0; r < out.model.poles.size(); ++r)
    if (out.model.roles[static_cast<std::size_t>(r)] == PoleRole::mode ||
        out.model.roles[static_cast<std::size_t>(r)] == PoleRole::other)
      out.model.poles[r] = corrected(out.model.poles[r]);
  limited = 0;
  for (IdentifiedMode& mode : out.modes) {
    mode.pole = corrected(mode.pole);
    mode.frequency_hz = frequency_hz(mode.pole);
    mode.damping = damping_ratio(mode.pole);
  }
  if (limited > 0)
    out.findings.push_back(
        {Severity::serious, "decay_larger_than_damping", "added_decay",
         fmt::format(
             "{} modes have less damping than the window is said to have added; they were put at the edge of stability",
             limited),
         "check added_decay against the result of kdyn frf"});
}

}  // namespace

void describe_modes(RefineResult& fit, const std::vector<Pick>& picks, double added_decay, ModalResult& out) {
  const FrfMatrix& frf = out.frf;
  out.model = out.fitted = fit.model;
  out.added_decay = added_decay;
  std::vector<Eigen::Index> poles = fit.model.of_role(PoleRole::mode);
  std::sort(poles.begin(), poles.end(), [&](Eigen::Index a, Eigen::Index b) {
    return std::abs(fit.model.poles[a]) < std::abs(fit.model.poles[b]);
  });
  for (const Eigen::Index r : poles) {
    out.modes.push_back(mode_of(fit, frf, r));
    if (static_cast<std::size_t>(r) < picks.size())
      out.modes.back().seen_orders = picks[static_cast<std::size_t>(r)].seen_orders;
  }
  const Eigen::MatrixXcd H = synthesise(out.model, frf.omega);
  out.misfit = misfit(H, frf.values);
  out.channel_misfit.resize(frf.values.cols());
  for (Eigen::Index c = 0; c < frf.values.cols(); ++c)
    out.channel_misfit[c] = (H.col(c) - frf.values.col(c)).norm() / std::max(frf.values.col(c).norm(), 1e-300);
  take_off_decay(added_decay, out);
  scale_shapes(out, poles);
  Eigen::MatrixXcd shapes(frf.outputs, static_cast<Eigen::Index>(out.modes.size()));
  for (std::size_t i = 0; i < out.modes.size(); ++i) shapes.col(static_cast<Eigen::Index>(i)) = out.modes[i].shape;
  out.auto_mac = mac_matrix(shapes, shapes);

  ModalModel modes_only;
  modes_only.poles.resize(static_cast<Eigen::Index>(poles.size()));
  modes_only.C.resize(frf.outputs, modes_only.poles.size());
  for (std::size_t i = 0; i < poles.size(); ++i) {
    modes_only.poles[static_cast<Eigen::Index>(i)] = fit.model.poles[poles[i]];
    modes_only.C.col(static_cast<Eigen::Index>(i)) = fit.model.C.col(poles[i]);
    modes_only.roles.push_back(PoleRole::mode);
  }
  if (!poles.empty()) {
    RefineOptions linear;
    linear.pole_steps = 0;
    out.misfit_without_residuals = misfit(synthesise(refine(frf, modes_only, linear).model, frf.omega), frf.values);
  }
  sort_poles(out.model);
  out.state_space = state_space(out.model);
}

}  // namespace kdyn::inline sysid::internal
