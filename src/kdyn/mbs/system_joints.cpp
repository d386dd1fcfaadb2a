// SPDX-License-Identifier: Apache-2.0
// Joints as weighted sums of the bilinear measures between two frames, and the checks of a model before it runs.
//
//   [mbs E10]  phi = t . x_t + E : P + f . w + kappa |w|^2/2 - constant(time)
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/mbs/body_checks.hpp"
#include "kdyn/mbs/internal/index.hpp"
#include "kdyn/mbs/system.hpp"

namespace kdyn::mbs {
namespace {

enum class Condition { point, parallel, aligned, on_line, in_plane, crossed, length, drive_x, drive_angle };

struct RowKind {
  Condition condition;
  int index;
};

// [mbs E10] Rows of every joint; "aligned" makes z2 normal to x1 and y1, "parallel" is vect(P) = 0.
std::vector<RowKind> rows_of(JointKind kind) {
  using C = Condition;
  std::vector<RowKind> rows;
  const auto add = [&](C c, int count) {
    for (int i = 0; i < count; ++i) rows.push_back({c, i});
  };
  switch (kind) {
    case JointKind::spherical: add(C::point, 3); break;
    case JointKind::revolute: add(C::point, 3), add(C::aligned, 2); break;
    case JointKind::fixed: add(C::point, 3), add(C::parallel, 3); break;
    case JointKind::translational: add(C::parallel, 3), add(C::on_line, 2); break;
    case JointKind::cylindrical: add(C::aligned, 2), add(C::on_line, 2); break;
    case JointKind::universal: add(C::point, 3), add(C::crossed, 1); break;
    case JointKind::point_on_line: add(C::on_line, 2); break;
    case JointKind::planar: add(C::aligned, 2), add(C::in_plane, 1); break;
    case JointKind::orientation: add(C::parallel, 3); break;
    case JointKind::distance: add(C::length, 1); break;
    case JointKind::drive_translation: add(C::drive_x, 1); break;
    case JointKind::drive_rotation: add(C::drive_angle, 1); break;
  }
  return rows;
}

}  // namespace

Multipliers System::weights(const Row& row, double t) const {
  const Joint& joint = model_.joints[at(row.joint)];
  Multipliers w;
  const int i = row.component;
  switch (static_cast<Condition>(row.condition)) {
    case Condition::point: w.f[i] = 1.0; break;
    case Condition::parallel: w.E((i + 2) % 3, (i + 1) % 3) = 0.5, w.E((i + 1) % 3, (i + 2) % 3) = -0.5; break;
    case Condition::aligned: w.E(i, 2) = 1.0; break;
    case Condition::on_line: w.t[i] = 1.0; break;
    case Condition::in_plane: w.t[2] = 1.0; break;
    case Condition::crossed: w.E(0, 1) = 1.0; break;
    case Condition::length: w.kappa = 1.0; break;
    case Condition::drive_x: w.t[joint.axis] = 1.0; break;
    case Condition::drive_angle: w.E(1, 0) = std::cos(joint.drive(t)), w.E(0, 0) = -std::sin(joint.drive(t)); break;
  }
  return w;
}

double System::constant(const Row& row, double t) const {
  const Joint& joint = model_.joints[at(row.joint)];
  if (joint.kind == JointKind::distance) return 0.5 * joint.length * joint.length;
  return joint.kind == JointKind::drive_translation ? joint.drive(t) : 0.0;
}

double System::row_value(const Row& row, double t, const Evaluation& e) const {
  const Joint& joint = model_.joints[at(row.joint)];
  const auto &one = e.frame[at(joint.marker1)], &two = e.frame[at(joint.marker2)];
  const Multipliers w = weights(row, t);
  const Vector3 d = two.u - one.u;
  return w.t.dot(one.R.transpose() * d) + w.E.cwiseProduct(one.R.transpose() * two.R).sum() + w.f.dot(d) +
         0.5 * w.kappa * d.squaredNorm() - constant(row, t);
}

void System::constraints(double t, Evaluation& e) const {
  e.phi.resize(n_l_);
  for (int i = 0; i < n_l_; ++i) e.phi[i] = row_value(rows_[at(i)], t, e);
}

void System::constraint_rates(double t, const Evaluation& e, VectorX& by_time, VectorX& curvature) const {
  by_time.setZero(n_l_);
  curvature.setZero(n_l_);
  for (int i = 0; i < n_l_; ++i) {
    const Row& row = rows_[at(i)];
    const Joint& joint = model_.joints[at(row.joint)];
    const auto &one = e.frame[at(joint.marker1)], &two = e.frame[at(joint.marker2)],
               &one_rate = e.rate[at(joint.marker1)], &two_rate = e.rate[at(joint.marker2)];
    const Multipliers w = weights(row, t);
    const Vector3 dd = two_rate.u - one_rate.u;
    curvature[i] = 2.0 * w.t.dot(one_rate.R.transpose() * dd) +
                   2.0 * w.E.cwiseProduct(one_rate.R.transpose() * two_rate.R).sum() + w.kappa * dd.squaredNorm();
    const double rate = joint.drive.rate(t), second = joint.drive.second_rate(t);
    if (joint.kind == JointKind::drive_translation) {
      by_time[i] = -rate;
      curvature[i] -= second;
    } else if (joint.kind == JointKind::drive_rotation) {
      const double c = std::cos(joint.drive(t)), s = std::sin(joint.drive(t));
      const Matrix3 P = one.R.transpose() * two.R,
                    P_rate = one_rate.R.transpose() * two.R + one.R.transpose() * two_rate.R;
      by_time[i] = rate * (-s * P(1, 0) - c * P(0, 0));
      curvature[i] += second * (-s * P(1, 0) - c * P(0, 0)) + rate * rate * (-c * P(1, 0) + s * P(0, 0)) +
                      2.0 * rate * (-s * P_rate(1, 0) - c * P_rate(0, 0));
    }
  }
}

Multipliers System::joint_multipliers(int joint, const VectorX& lambda, double t) const {
  Multipliers sum;
  for (int i = row_at_[at(joint)]; i < row_at_[at(joint) + 1]; ++i) {
    const Multipliers w = weights(rows_[at(i)], t);
    sum.t += lambda[i] * w.t;
    sum.E += lambda[i] * w.E;
    sum.f += lambda[i] * w.f;
    sum.kappa += lambda[i] * w.kappa;
  }
  return sum;
}

void System::joint_reaction(int joint, const VectorX& lambda, double t, const Evaluation& e, Vector3& force,
                            Vector3& moment) const {
  const Multipliers sum = joint_multipliers(joint, lambda, t);
  const Joint& j = model_.joints[at(joint)];
  FrameForce one, two;
  pull_back(e.frame[at(j.marker1)], e.frame[at(j.marker2)], sum, one, two);
  force = -two.F;
  moment = -2.0 * vect(two.G * e.frame[at(j.marker2)].R.transpose());  // [mbs E9]
}

// [mbs E37] Along c: force -c . (R1 t + f + kappa w); moment -skew(c) : (R1 E R2^T). c is a global axis or a column of R1.
double System::reaction(const Output& output, const VectorX& lambda, double t, const Evaluation& e,
                        OutputSlope& slope) const {
  const Joint& j = model_.joints[at(output.index)];
  const int k = output.component;
  slope.one = j.marker1, slope.two = j.marker2;
  slope.by_lambda.setZero(n_l_);
  const Frame &one = e.frame[at(j.marker1)], &two = e.frame[at(j.marker2)];
  const Vector3 c = output.own_axes ? Vector3(one.R.col(k)) : Vector3(Vector3::Unit(k)), w = two.u - one.u;
  const Multipliers sum = joint_multipliers(output.index, lambda, t);
  const bool force = output.kind == OutputKind::reaction_force;
  const Vector3 whole =
      force ? Vector3(one.R * sum.t + sum.f + sum.kappa * w) : Vector3(2.0 * vect(one.R * sum.E * two.R.transpose()));
  if (output.own_axes) slope.by_one.G.col(k) -= whole;
  if (force) {
    slope.by_one.G -= c * sum.t.transpose();
    slope.by_one.F += sum.kappa * c;
    slope.by_two.F -= sum.kappa * c;
  } else {
    slope.by_one.G -= skew(c) * two.R * sum.E.transpose();
    slope.by_two.G -= skew(c).transpose() * one.R * sum.E;
  }
  const Matrix3 by_E = one.R.transpose() * skew(c) * two.R;
  for (int i = row_at_[at(output.index)]; i < row_at_[at(output.index) + 1]; ++i) {
    const Multipliers unit = weights(rows_[at(i)], t);
    slope.by_lambda[i] = force ? -c.dot(one.R * unit.t + unit.f + unit.kappa * w) : -by_E.cwiseProduct(unit.E).sum();
  }
  return -c.dot(whole);
}

void System::check() const {
  const auto name = [](const std::string& kind, const std::string& given, std::size_t i) {
    return given.empty() ? fmt::format("{}[{}]", kind, i) : kind + " " + given;
  };
  for (std::size_t b = 0; b < model_.bodies.size(); ++b) {
    const Body& body = model_.bodies[b];
    const auto where = name("body", body.name, b);
    if (!body.G.allFinite() || body.G.rows() != 4 + 3 * body.modes() || body.G.cols() != body.G.rows())
      throw_bad_input(
          where,
          fmt::format("the mass matrix is {} x {} or holds numbers that are not finite", body.G.rows(), body.G.cols()),
          fmt::format("give {} rows: 4 for the rigid body and 3 for each mode", 4 + 3 * body.modes()));
    if (!(body.G(0, 0) > 0.0))
      throw_bad_input(where, fmt::format("the mass is {}", body.G(0, 0)), "give a mass above 0");
    if (std::abs(body.rotation.determinant() - 1.0) > 1e-6 ||
        !(body.rotation.transpose() * body.rotation).isIdentity(1e-6))
      throw_bad_input(where, "the initial rotation is no rotation matrix",
                      "give three orthonormal columns with determinant 1");
    require_regular_mass(body, where);
  }
  const auto marker_exists = [&](int m, const std::string& where) {
    if (m < 0 || at(m) >= model_.markers.size())
      throw_bad_input(where, fmt::format("there is no marker {}", m), "name a marker of the model");
  };
  for (const Marker& marker : model_.markers)
    if (marker.body < -1 || marker.body >= static_cast<int>(model_.bodies.size()))
      throw_bad_input("marker " + marker.name, "its body does not exist", "name a body of the model or ground");
  for (std::size_t j = 0; j < model_.joints.size(); ++j) {
    const Joint& joint = model_.joints[j];
    const auto where = name("joint", joint.name, j);
    marker_exists(joint.marker1, where);
    marker_exists(joint.marker2, where);
    if (model_.markers[at(joint.marker1)].body == model_.markers[at(joint.marker2)].body)
      throw_bad_input(where, "both markers are on the same body",
                      "a joint ties two different bodies, or a body to ground");
    if (joint.kind == JointKind::distance && !(joint.length > 0.0))
      throw_bad_input(where, "the distance must be above 0", "use a spherical joint for a distance of 0");
  }
  for (std::size_t c = 0; c < model_.connections.size(); ++c) {
    marker_exists(model_.connections[c].marker1, name("connection", model_.connections[c].name, c));
    marker_exists(model_.connections[c].marker2, name("connection", model_.connections[c].name, c));
    if (model_.connections[c].kind == ConnectionKind::spring && model_.connections[c].coupling != Coupling::none)
      throw_bad_input(name("connection", model_.connections[c].name, c), "a spring has one axis and nothing to couple",
                      "use a bushing");
  }
  for (const PointLoad& load : model_.loads) marker_exists(load.marker, "load " + load.name);
  for (const StateForce& force : model_.state_forces) {
    const std::size_t targets = force.of_load ? model_.loads.size() : model_.connections.size();
    const bool spring = !force.of_load && at(force.index) < targets &&
                        model_.connections[at(force.index)].kind == ConnectionKind::spring;
    if (!force.formula || force.index < 0 || at(force.index) >= targets || force.component < 0 ||
        force.component >= (spring ? 1 : 6))
      throw_bad_input(force.name, "the formula acts on nothing", "name a load, a bushing or a spring");
  }
  const auto outputs_exist = [&](const StateFormula& formula) {
    for (const StateVariable& y : formula.inputs)
      if (y.kind == StateVariableKind::controller &&
          (y.index < 0 || at(y.index) >= model_.controllers.size() || y.component < 0 ||
           y.component >= model_.controllers[at(y.index)].outputs()))
        throw_bad_input(formula.name, "the formula reads a controller that is not there", "name one of the model");
  };
  for (const StateForce& force : model_.state_forces) outputs_exist(force);
  for (const Controller& c : model_.controllers) {
    check_controller(c, "controller " + c.name);
    if (c.inputs.size() != c.input_names.size())
      throw_bad_input("controller " + c.name, "an input has no formula", "give one for each");
    for (const StateFormula& input : c.inputs) outputs_exist(input);
  }
}

double System::dropped_gap(double t, const Evaluation& e, std::string* joint) const {
  double largest = 0.0;
  for (const Row& row : dropped_)
    if (const double value = std::abs(row_value(row, t, e)); !(value <= largest)) {
      largest = value;
      if (joint) *joint = model_.joints[at(row.joint)].name;
    }
  return largest;
}

// Rank-revealing QR of the joint rows at the initial position: a row that depends on others is dropped, so that
// reactions stay unique.
void System::drop_redundant_rows() {
  for (std::size_t j = 0; j < model_.joints.size(); ++j) {
    const auto rows = rows_of(model_.joints[j].kind);
    for (std::size_t i = 0; i < rows.size(); ++i)
      rows_.push_back({static_cast<int>(j), static_cast<int>(i), static_cast<int>(rows[i].condition), rows[i].index});
  }
  n_l_ = static_cast<int>(rows_.size());
  // The search for dependent rows is dense: 4000 rows of 4000 unknowns take seconds and 130 MB.
  if (static_cast<double>(n_l_) * n_t_ > 1.6e7)
    throw_bad_input(
        "joints",
        fmt::format("{} joint equations for {} unknowns are more than can be checked for dependence", n_l_, n_t_),
        "tie bodies by bushings instead of joints, or cut the model");
  row_at_.clear();
  const auto index_rows = [&] {
    row_at_.assign(model_.joints.size() + 1, 0);
    for (const Row& row : rows_) ++row_at_[at(row.joint) + 1];
    for (std::size_t j = 0; j < model_.joints.size(); ++j) row_at_[j + 1] += row_at_[j];
  };
  index_rows();
  if (n_l_ > 0) {
    const VectorX q = initial_position();
    Evaluation e;
    place(q, VectorX::Zero(n_q_), e);
    MatrixX J;
    joint_jacobian(q, 0.0, e, J);
    Eigen::ColPivHouseholderQR<MatrixX> qr(J.transpose());
    qr.setThreshold(1e-9);
    if (qr.rank() < n_l_) {
      std::vector<int> kept;
      for (int i = 0; i < qr.rank(); ++i) kept.push_back(static_cast<int>(qr.colsPermutation().indices()[i]));
      std::sort(kept.begin(), kept.end());
      std::string dropped;
      for (int i = 0; i < n_l_; ++i)
        if (!std::binary_search(kept.begin(), kept.end(), i)) {
          const Row& row = rows_[at(i)];
          dropped_.push_back(row);
          dropped +=
              fmt::format("{}{} row {}", dropped.empty() ? "" : ", ", model_.joints[at(row.joint)].name, row.index + 1);
        }
      findings_.push_back({Severity::warning, "redundant_joints", "joints",
                           fmt::format("{} of {} joint equations depend on the others and were left out: {}",
                                       n_l_ - qr.rank(), n_l_, dropped),
                           "motion is not affected; reactions along the dropped directions are shown as zero. Use "
                           "spherical or point_on_line joints where a "
                           "closed loop needs no more"});
      std::vector<Row> rows;
      for (const int i : kept) rows.push_back(rows_[at(i)]);
      rows_ = std::move(rows);
      n_l_ = static_cast<int>(rows_.size());
      index_rows();
    }
    if (n_l_ > n_t_)
      throw_bad_input("joints", "there are more joint equations than degrees of freedom", "remove joints");
  }
  block_of_joint_.assign(model_.joints.size(), -1);
  int block = static_cast<int>(model_.bodies.size());
  for (std::size_t j = 0; j < model_.joints.size(); ++j)
    if (row_at_[j + 1] > row_at_[j]) block_of_joint_[j] = block++;
}

}  // namespace kdyn::mbs
