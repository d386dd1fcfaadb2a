// SPDX-License-Identifier: Apache-2.0
#include "kdyn/modes/mass_line.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "kdyn/base/angle.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/fe/doctor.hpp"
#include "kdyn/modes/body_fields.hpp"
#include "kdyn/numerics/least_squares.hpp"
#include "kdyn/numerics/statistics.hpp"
#include "kdyn/sysid/equalise.hpp"

namespace kdyn::inline modes {
namespace {

using Eigen::Index;
using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;
using Complex = std::complex<double>;

// A sensor or a force: what a unit of it is in a rigid motion, at a point. Of a rotation or moment `linear` is zero.
struct Place {
  Vector3d point, linear, angular;
};

std::vector<Place> places_of(const std::vector<Dof>& dofs, const Geometry& geometry, const char* what) {
  std::vector<Place> out;
  for (const Dof& dof : dofs) {
    const auto node = std::find_if(geometry.nodes.begin(), geometry.nodes.end(),
                                   [&](const GeometryNode& n) { return dof.node != 0 && n.label == dof.node; });
    const fe::RigidMotions motion = fe::rigid_motions({dof}, geometry);
    if (node == geometry.nodes.end() || !motion.complete)
      throw_bad_input("geometry", fmt::format("the point or direction of {} {} is not known", what, label(dof)),
                      "give a file with the points of the structure (geometry) and directions such as 12+Z");
    Place place;
    place.point = Eigen::Map<const Vector3d>(node->position.data());
    // A row of the rigid motions is d for translations; of a rotation, the angular part alone.
    const bool turning = std::abs(dof.direction) > 3;
    place.linear = turning ? Vector3d::Zero() : Vector3d(motion.rows.row(0).head<3>());
    place.angular = turning ? Vector3d(motion.rows.row(0).tail<3>()) : Vector3d::Zero();
    out.push_back(place);
  }
  return out;
}

// Modes above the mass line are elastic; those below it are the suspension, which carries the rigid motion.
std::vector<Index> elastic_modes(const ModalModel& model, double above) {
  std::vector<Index> out;
  for (const Index r : model.of_role(PoleRole::mode))
    if (model.poles[r].imag() > 0.0 && std::abs(model.poles[r]) > above) out.push_back(r);
  return out;
}

// Accelerance of these modes alone, [sysid E17]: phi phi^T (s + a)^2/((s - lambda)(s - conj lambda)).
Complex elastic_share(const ModalModel& model, const std::vector<Index>& modes, Index output, Index input, double omega,
                      int power, double decay) {
  Complex sum = 0.0;
  const Complex s(0.0, omega);
  for (const Index r : modes) {
    const Complex lambda = model.poles[r] + decay;
    const Complex kappa = std::pow(lambda, power) / Complex(0.0, 2.0 * lambda.imag());
    sum += model.C(output, r) * model.B(r, input) / kappa * (s + decay) * (s + decay) /
           ((s - model.poles[r]) * (s - std::conj(model.poles[r])));
  }
  return sum;
}

struct Constants {
  VectorXd value, deviation;  // of the channels
  const char* terms = "";
};

// [modes E21] The terms that the lines ask for, the same for all channels, by the Bayesian information criterion.
Constants constants_of(const VectorXd& omega, const MatrixXd& real_parts) {
  const Index n = omega.size(), channels = real_parts.cols();
  const double high = omega[n - 1], low = omega[0];
  struct Terms {
    bool above, below;
    const char* words;
  };
  MatrixXd all(n, 3);
  all << VectorXd::Ones(n), (omega / high).array().square().matrix(), (low / omega.array()).square().matrix();
  // The noise of a channel, from the fullest set of terms.
  const auto left_over = [&](const MatrixXd& basis) -> MatrixXd {
    return real_parts - basis * basis.colPivHouseholderQr().solve(real_parts);
  };
  const MatrixXd fullest = left_over(all);
  VectorXd noise(channels);
  const double floor = 1e-12 * (real_parts.norm() + 1e-300);
  for (Index c = 0; c < channels; ++c)
    noise[c] = std::max(floor, fullest.col(c).norm() / std::sqrt(static_cast<double>(n - 3)));
  Constants best;
  double least = std::numeric_limits<double>::infinity();
  for (const Terms& terms :
       {Terms{false, false, "a constant"}, Terms{true, false, "a constant and w^2 of higher modes"},
        Terms{false, true, "a constant and 1/w^2 of the suspension"},
        Terms{true, true, "a constant, w^2 of higher modes and 1/w^2 of the suspension"}}) {
    const Index count = 1 + (terms.above ? 1 : 0) + (terms.below ? 1 : 0);
    MatrixXd basis(n, count);
    basis.col(0) = all.col(0);
    if (terms.above) basis.col(1) = all.col(1);
    if (terms.below) basis.col(count - 1) = all.col(2);
    const MatrixXd left = left_over(basis);
    double cost = 0.0;
    for (Index c = 0; c < channels; ++c) cost += left.col(c).squaredNorm() / (noise[c] * noise[c]);
    cost += std::log(static_cast<double>(n)) * static_cast<double>(count * channels);
    if (!(cost < least)) continue;
    least = cost;
    best.terms = terms.words;
    best.value = basis.colPivHouseholderQr().solve(real_parts).row(0).transpose();
    const double spread = (basis.transpose() * basis).inverse()(0, 0);
    best.deviation.resize(channels);
    for (Index c = 0; c < channels; ++c) {
      // What is left and runs smoothly along frequency tells less than as many independent readings.
      const VectorXd column = left.col(c);
      const double rho = std::clamp(lag_one_correlation({column.data(), column.data() + n}), 0.0, 0.95);
      best.deviation[c] = std::max(floor, column.norm() / std::sqrt(static_cast<double>(n - count))) *
                          std::sqrt(spread * (1.0 + rho) / (1.0 - rho));
    }
  }
  return best;
}

// 1/m, c, J^-1 (xx yy zz xy yz zx) over their scales.
constexpr int unknowns = 10;
constexpr int rows_of[6] = {0, 1, 2, 0, 1, 2}, columns_of[6] = {0, 1, 2, 1, 2, 0};

struct RigidBody {
  const std::vector<Place>&outputs, &inputs;
  double per_mass = 1.0, size = 1.0;  // scales

  Matrix3d turning(const VectorXd& theta) const {
    Matrix3d k;
    for (int i = 0; i < 6; ++i) k(rows_of[i], columns_of[i]) = k(columns_of[i], rows_of[i]) = theta[4 + i];
    return k * (per_mass / (size * size));
  }
  Vector3d centre(const VectorXd& theta, const Vector3d& middle) const { return middle + size * theta.segment<3>(1); }

  // [modes E20] and its derivatives by the scaled unknowns.
  double accelerance(std::size_t output, std::size_t input, const VectorXd& theta, const Vector3d& middle,
                     Eigen::Matrix<double, 1, unknowns>* derivative) const {
    const Place &at = outputs[output], &force = inputs[input];
    const Matrix3d k = turning(theta);
    const Vector3d c = centre(theta, middle), arm = at.point - c;
    const Vector3d moment = (force.point - c).cross(force.linear) + force.angular, spin = k * moment;
    const auto reading = [&](const Vector3d& linear, const Vector3d& angular) {
      return at.linear.dot(linear) + at.angular.dot(angular);
    };
    if (derivative != nullptr) {
      (*derivative)[0] = per_mass * reading(force.linear, Vector3d::Zero());
      for (int i = 0; i < 3; ++i) {
        const Vector3d e = Vector3d::Unit(i), turned = k * Vector3d(-e.cross(force.linear));
        (*derivative)[1 + i] = size * reading(turned.cross(arm) - spin.cross(e), turned);
      }
      for (int i = 0; i < 6; ++i) {
        Matrix3d unit = Matrix3d::Zero();
        unit(rows_of[i], columns_of[i]) = unit(columns_of[i], rows_of[i]) = per_mass / (size * size);
        const Vector3d turned = unit * moment;
        (*derivative)[4 + i] = reading(turned.cross(arm), turned);
      }
    }
    return reading(theta[0] * per_mass * force.linear + spin.cross(arm), spin);
  }
};

ParameterEstimate estimate(const char* name, const char* unit, double value, double deviation, bool determined) {
  ParameterEstimate out;
  out.name = name, out.unit = unit;
  out.std = std::numeric_limits<double>::infinity();
  out.lower_95 = -out.std, out.upper_95 = out.std;
  if (!determined) return out;
  out.value = value, out.std = deviation;
  out.lower_95 = value - 1.96 * deviation, out.upper_95 = value + 1.96 * deviation;
  return out;
}

void judge_sensors(const FrfMatrix& frf, const VectorXd& measured, const VectorXd& fitted, std::vector<Finding>& out) {
  for (Index y = 0; y < frf.outputs; ++y) {
    double own = 0.0, model = 0.0, both = 0.0, left = 0.0;
    for (Index u = 0; u < frf.inputs; ++u) {
      const double a = measured[frf.column(y, u)], b = fitted[frf.column(y, u)];
      own += a * a, model += b * b, both += a * b, left += (a - b) * (a - b);
    }
    const double typical = fitted.squaredNorm() / static_cast<double>(frf.outputs);
    if (left < 0.04 * typical) continue;
    const bool reversed = both < -0.5 * std::sqrt(own * model);
    out.push_back({Severity::warning, reversed ? "sensor_reversed" : "sensor_not_rigid",
                   label(frf.output_dofs[static_cast<std::size_t>(y)]),
                   reversed ? "this sensor reads the other way round than the rigid motion of all the others"
                            : fmt::format("this sensor differs by {:.0f} % from the rigid motion of all the others",
                                          100.0 * std::sqrt(left / std::max(model, 1e-300))),
                   reversed ? "turn its direction round" : "check its factor, direction and point, or leave it out"});
  }
}

}  // namespace

MassLine mass_line(const FrfMatrix& frf, const Geometry& geometry, const ModalModel& elastic, double added_decay) {
  const Index n = frf.lines(), channels = frf.values.cols();
  if (n < 6)
    throw_bad_input("mass_line_hz", fmt::format("the mass line has {} lines", n),
                    "give a wider band, or responses with finer lines");
  bool known = false;
  const int power = static_cast<int>(response_kind(frf.output_unit, known));
  if (!known || (frf.input_unit != "N" && frf.input_unit != "N*m"))
    throw_bad_input("mass_line_hz", "the files do not tell the units of responses and forces",
                    "mass and inertia need responses in m/s^2, m/s or m per N");
  MassLine out;
  out.low_hz = frf.omega[0] / two_pi, out.high_hz = frf.omega[n - 1] / two_pi;
  out.lines = static_cast<int>(n);
  const std::vector<Place> outputs = places_of(frf.output_dofs, geometry, "sensor"),
                           inputs = places_of(frf.input_dofs, geometry, "force");
  const bool same_channels = elastic.C.rows() == frf.outputs && elastic.B.cols() == frf.inputs;
  const std::vector<Index> above = same_channels ? elastic_modes(elastic, frf.omega[n - 1]) : std::vector<Index>();
  out.elastic_modes = static_cast<int>(above.size());
  MatrixXd real_parts(n, channels);
  double imaginary = 0.0;
  for (Index u = 0; u < frf.inputs; ++u)
    for (Index y = 0; y < frf.outputs; ++y)
      for (Index k = 0; k < n; ++k) {
        Complex h = frf.values(k, frf.column(y, u)) * std::pow(Complex(0.0, frf.omega[k]), 2 - power);
        if (!above.empty()) h -= elastic_share(elastic, above, y, u, frf.omega[k], power, added_decay);
        real_parts(k, frf.column(y, u)) = h.real();
        imaginary += h.imag() * h.imag();
      }
  const Constants constants = constants_of(frf.omega, real_parts);
  out.terms = constants.terms;
  out.measured = constants.value;
  out.imaginary = std::sqrt(imaginary / static_cast<double>(n)) / std::max(out.measured.norm(), 1e-300);
  for (Index u = 0; u < frf.inputs; ++u)
    for (Index y = 0; y < frf.outputs; ++y)
      out.channels.push_back(label(frf.output_dofs[static_cast<std::size_t>(y)]) + ":" +
                             label(frf.input_dofs[static_cast<std::size_t>(u)]));

  Vector3d middle = Vector3d::Zero();
  for (const Place& p : outputs) middle += p.point / static_cast<double>(outputs.size());
  RigidBody body{outputs, inputs};
  double spread = 0.0;
  for (const auto* list : {&outputs, &inputs})
    for (const Place& p : *list) spread = std::max(spread, (p.point - middle).norm());
  if (!(spread > 0.0))
    throw_bad_input("geometry", "all sensors and forces lie in one point", "give the points of the structure");
  body.size = spread;
  body.per_mass = out.measured.cwiseAbs().mean();
  if (!(body.per_mass > 0.0)) throw_bad_input("mass_line_hz", "the responses are zero there", "choose another band");
  // Readings are trusted to their scatter, none to better than a percent of the typical one: gains of sensors, suspension.
  VectorXd weight(channels);
  const double typical = out.measured.norm() / std::sqrt(static_cast<double>(channels));
  for (Index c = 0; c < channels; ++c) weight[c] = 1.0 / std::hypot(constants.deviation[c], 0.01 * typical);
  LeastSquaresProblem problem;
  problem.parameters = unknowns;
  problem.residuals = static_cast<int>(channels);
  problem.evaluate = [&](const VectorXd& theta, VectorXd& r, MatrixXd* jacobian) {
    for (Index u = 0; u < frf.inputs; ++u)
      for (Index y = 0; y < frf.outputs; ++y) {
        const Index c = frf.column(y, u);
        Eigen::Matrix<double, 1, unknowns> row;
        const double a = body.accelerance(static_cast<std::size_t>(y), static_cast<std::size_t>(u), theta, middle,
                                          jacobian != nullptr ? &row : nullptr);
        r[c] = weight[c] * (a - out.measured[c]);
        if (jacobian != nullptr) jacobian->row(c) = weight[c] * row;
      }
    return true;
  };
  // With the centre in the middle the rest is linear: that is the start.
  VectorXd start = VectorXd::Zero(unknowns), r(channels);
  MatrixXd jacobian(channels, unknowns);
  start[0] = 1.0;
  start.segment<3>(4).setOnes();
  problem.evaluate(start, r, &jacobian);
  MatrixXd linear(channels, 7);
  linear << jacobian.col(0), jacobian.rightCols(6);
  VectorXd with(7);
  with << start[0], start.tail(6);
  const VectorXd found = with - linear.completeOrthogonalDecomposition().solve(r);
  start[0] = found[0], start.tail(6) = found.tail(6);
  const LeastSquaresResult fit = solve_least_squares(problem, start);
  const VectorXd theta = fit.theta;
  out.fitted = out.measured + fit.residuals.cwiseQuotient(weight);
  out.misfit = fit.residuals.cwiseQuotient(weight).norm() / out.measured.norm();
  const double freedom = static_cast<double>(std::max<Index>(1, channels - unknowns));
  const double excess = std::sqrt(std::max(1.0, fit.residuals.squaredNorm() / freedom));
  // A step of one scale that moves no reading by three deviations is not determined.
  const Covariance spread_of = covariance_of(fit.jacobian / excess, 3.0);
  VectorXd deviation = spread_of.standard_deviation;

  const double mass = 1.0 / (theta[0] * body.per_mass), mass_share = deviation[0] / std::abs(theta[0]);
  out.parameters.push_back(estimate("mass", "kg", mass, mass * mass_share, theta[0] > 0.0 && mass_share < 0.25));
  const Vector3d centre = body.centre(theta, middle);
  const char* centre_names[] = {"centre_x", "centre_y", "centre_z"};
  for (int i = 0; i < 3; ++i)
    out.parameters.push_back(
        estimate(centre_names[i], "m", centre[i], body.size * deviation[1 + i], deviation[1 + i] < 0.1));
  // J from J^-1, dJ = -J dK J.
  const Matrix3d k = body.turning(theta);
  const Eigen::SelfAdjointEigenSolver<Matrix3d> principal(k);
  const bool turns = deviation.tail(6).allFinite() && principal.eigenvalues()[0] > 0.0;
  const Matrix3d inertia = turns ? Matrix3d(k.inverse()) : Matrix3d::Zero();
  const char* inertia_names[] = {"inertia_xx", "inertia_yy", "inertia_zz", "inertia_xy", "inertia_yz", "inertia_zx"};
  MatrixXd turn(6, 6);
  for (int j = 0; j < 6; ++j) {
    Matrix3d unit = Matrix3d::Zero();
    unit(rows_of[j], columns_of[j]) = unit(columns_of[j], rows_of[j]) = body.per_mass / (body.size * body.size);
    const Matrix3d moved = -inertia * unit * inertia;
    for (int i = 0; i < 6; ++i) turn(i, j) = moved(rows_of[i], columns_of[i]);
  }
  const MatrixXd covariance = turns ? MatrixXd(turn * spread_of.covariance.bottomRightCorner(6, 6) * turn.transpose())
                                    : MatrixXd(MatrixXd::Zero(6, 6));
  for (int i = 0; i < 6; ++i) {
    const double own = std::sqrt(std::max(0.0, covariance(i, i)));
    const double scale = std::sqrt(std::abs(inertia(rows_of[i], rows_of[i]) * inertia(columns_of[i], columns_of[i])));
    out.parameters.push_back(
        estimate(inertia_names[i], "kg*m^2", inertia(rows_of[i], columns_of[i]), own, turns && own < 0.25 * scale));
  }
  std::string missing;
  for (const ParameterEstimate& p : out.parameters)
    if (!std::isfinite(p.std)) missing += (missing.empty() ? "" : ", ") + p.name;
  out.complete = missing.empty();
  if (out.complete) {
    out.rigid.mass = mass;
    for (int i = 0; i < 3; ++i) out.rigid.centre[static_cast<std::size_t>(i)] = centre[i];
    out.rigid.inertia = inertia;
    out.rigid.origin = fmt::format("mass line, {:.4g} to {:.4g} Hz", out.low_hz, out.high_hz);
    const Vector3d own = Eigen::SelfAdjointEigenSolver<Matrix3d>(inertia, Eigen::EigenvaluesOnly).eigenvalues();
    if (own[2] > 1.05 * (own[0] + own[1]))
      out.findings.push_back(
          {Severity::warning, "no_body_has_this_inertia", "mass_line_hz",
           fmt::format("the largest principal inertia {:.4g} exceeds the sum {:.4g} of the others, as of no body",
                       own[2], own[0] + own[1]),
           "check directions and points of sensors and forces, and the band"});
  } else {
    out.findings.push_back({Severity::note, "not_determined", "mass_line_hz",
                            fmt::format("these sensors and forces do not determine {}", missing),
                            "hit at more points and in more directions, away from the centre of gravity"});
  }
  if (out.misfit > 0.1)
    out.findings.push_back({Severity::warning, "not_rigid", "mass_line_hz",
                            fmt::format("the mass line differs by {:.0f} % from any rigid body", 100.0 * out.misfit),
                            "choose a band farther from suspension and elastic modes; check sensors"});
  if (out.imaginary > 0.1)
    out.findings.push_back(
        {Severity::warning, "no_mass_line", "mass_line_hz",
         fmt::format("responses have imaginary parts of {:.0f} % of the real ones: a mode or the suspension is near",
                     100.0 * out.imaginary),
         "choose another band"});
  judge_sensors(frf, out.measured, out.fitted, out.findings);
  return out;
}

const FieldTable& fields_of(const MassLine*) {
  using M = MassLine;
  static const FieldTable table = FieldTable::results<M>("rigid body from the mass line", [](FieldTable& t) {
    t.add(&M::parameters, "parameters", "-", "Mass, centre of gravity, inertia about it; null: not determined");
    t.add(&M::complete, "complete", "-", "Whether all of them are determined");
    t.add([](const M& m) { return std::pair(m.low_hz, m.high_hz); }, "band_hz", "Hz", "Lines of the mass line");
    t.add(&M::lines, "lines", "-", "How many they are");
    t.add(&M::terms, "terms", "-", "What was fitted to the lines");
    t.add(&M::elastic_modes, "elastic_modes", "-", "Identified modes whose share was taken off");
    t.add(&M::misfit, "misfit", "-", "What a rigid body leaves of the mass line, relative");
    t.add(&M::imaginary, "imaginary", "-", "Imaginary parts over real ones; large: no mass line");
    t.add([](const M& m) { return m.complete ? std::optional(m.rigid) : std::nullopt; }, "rigid", "-",
          "The same as in body.json, where all is determined")
        .unless_null();
  });
  return table;
}

}  // namespace kdyn::inline modes
