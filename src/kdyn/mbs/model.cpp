// SPDX-License-Identifier: Apache-2.0
#include "kdyn/mbs/model.hpp"

#include <cmath>

#include <fmt/format.h>

namespace kdyn::mbs {
namespace {

// The part of rotary inertia that acts on R = Q S  [mbs E2]
Matrix3 euler_tensor(const Matrix3& inertia) { return 0.5 * inertia.trace() * Matrix3::Identity() - inertia; }

}  // namespace

MatrixX rigid_mass(double mass, const Vector3& centre, const Matrix3& inertia) {
  return modal_mass({ModalNode{mass, inertia, centre, Matrix3X(3, 0), Matrix3X(3, 0)}}, 0);
}

MatrixX modal_mass(const std::vector<ModalNode>& nodes, int modes) {
  const int size = 4 + 3 * modes;
  MatrixX G = MatrixX::Zero(size, size);
  for (const ModalNode& node : nodes) {
    VectorX s(size);
    s << 1.0, node.x, Eigen::Map<const VectorX>(node.psi.data(), 3 * modes);
    G += node.mass * s * s.transpose();
    if (node.inertia.isZero()) continue;
    MatrixX S = MatrixX::Zero(size, 3);
    S.middleRows<3>(1).setIdentity();
    for (int k = 0; k < modes; ++k) S.middleRows<3>(4 + 3 * k) = skew(node.theta.col(k));
    G += S * euler_tensor(node.inertia) * S.transpose();
  }
  return G;
}

int Model::add_marker(int body, const Vector3& x, const Matrix3& R0, std::string name) {
  Marker marker;
  marker.name = std::move(name);
  marker.body = body;
  marker.x = x;
  marker.R0 = R0;
  markers.push_back(std::move(marker));
  return static_cast<int>(markers.size()) - 1;
}

std::string Model::bad_signal(double t) const {
  for (const PointLoad& load : loads)
    for (std::size_t k = 0; k < 3; ++k)
      for (const bool torque : {false, true})
        if (!std::isfinite((torque ? load.torque : load.force)[k](t)))
          return fmt::format("the {} of load {} along {} is not a finite number at {:.9g} s",
                             torque ? "torque" : "force", load.name, "xyz"[k], t);
  for (const Joint& joint : joints)
    if (!std::isfinite(joint.drive(t)) || !std::isfinite(joint.drive.rate(t)) ||
        !std::isfinite(joint.drive.second_rate(t)))
      return fmt::format("the drive of joint {} is not a finite number at {:.9g} s", joint.name, t);
  for (const Tyre& tyre : tyres)
    if (!std::isfinite(tyre.road.height(t)) || !std::isfinite(tyre.road.height.rate(t)))
      return fmt::format("the road under tyre {} is not a finite number at {:.9g} s", tyre.name, t);
  return {};
}

}  // namespace kdyn::mbs
