// SPDX-License-Identifier: Apache-2.0
#include "kdyn/fe/doctor.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include <fmt/format.h>

#include "kdyn/fe/beam.hpp"

namespace kdyn::fe {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

std::string name_of(const std::vector<Dof>& dofs, Index row) {
  return static_cast<std::size_t>(row) < dofs.size() ? label(dofs[static_cast<std::size_t>(row)])
                                                     : fmt::format("row {}", row + 1);
}
// The first few of them by name.
std::string names_of(const std::vector<Dof>& dofs, const std::vector<Index>& rows) {
  std::string out;
  for (std::size_t i = 0; i < std::min<std::size_t>(rows.size(), 5); ++i)
    out += (i ? ", " : "") + name_of(dofs, rows[i]);
  return rows.size() > 5 ? out + ", ..." : out;
}

void examine_diagonals(const SparseMatrix& stiffness, const SparseMatrix& mass, const std::vector<Dof>& dofs,
                       const std::string& where, Diagnosis& out) {
  const VectorXd k = stiffness.diagonal(), m = mass.diagonal();
  std::vector<Index> empty, massless, negative;
  for (Index i = 0; i < k.size(); ++i) {
    if (k[i] < 0.0 || m[i] < 0.0)
      negative.push_back(i);
    else if (m[i] == 0.0)
      (k[i] == 0.0 ? empty : massless).push_back(i);
  }
  out.massless = static_cast<int>(massless.size());
  if (!empty.empty())
    out.findings.push_back(
        {Severity::serious, "no_stiffness_no_mass", where,
         fmt::format("{} degrees of freedom have neither stiffness nor mass: {}", empty.size(), names_of(dofs, empty)),
         "leave them out of the matrices, or hold them"});
  if (!negative.empty())
    out.findings.push_back({Severity::serious, "negative_diagonal", where,
                            fmt::format("{} degrees of freedom have a negative stiffness or mass on the diagonal: {}",
                                        negative.size(), names_of(dofs, negative)),
                            "check signs and units of the elements there"});
  if (!massless.empty())
    out.findings.push_back({Severity::note, "massless", where,
                            fmt::format("{} of {} degrees of freedom have no mass and follow the others statically: {}",
                                        massless.size(), k.size(), names_of(dofs, massless)),
                            "nothing; ask for fewer modes than there are masses"});
}

void examine_units(const Geometry& geometry, const std::string& where, Diagnosis& out) {
  Vector3d low = Vector3d::Constant(1e300), high = -low;
  for (const GeometryNode& node : geometry.nodes) {
    const Eigen::Map<const Vector3d> x(node.position.data());
    low = low.cwiseMin(x), high = high.cwiseMax(x);
  }
  const Vector3d size = high - low;
  const double longest = size.maxCoeff();
  if (!(longest > 0.0)) return;
  if (longest > 100.0 || longest < 1e-3)
    out.findings.push_back(
        {Severity::warning, "units_length", where, fmt::format("the part is {:.4g} m long", longest),
         longest > 100.0
             ? "if the model is in millimetres, give length_m = 0.001 (and mass_kg = 1000 when masses are in tonnes)"
             : "check the unit of length of the model (length_m)"});
  if (!(out.mass > 0.0)) return;
  // Even a solid block of lead is below 12000 kg/m^3 of its bounding box, and no structure is lighter than air.
  const double density = out.mass / size.cwiseMax(1e-3 * longest).prod();
  if (size.minCoeff() > 1e-3 * longest && (density > 25000.0 || density < 0.1))
    out.findings.push_back(
        {Severity::warning, "units_mass", where,
         fmt::format(
             "a mass of {:.4g} kg in a box of {:.3g} x {:.3g} x {:.3g} m is {:.3g} kg/m^3: no part is like this",
             out.mass, size.x(), size.y(), size.z(), density),
         "check the units of length, mass and density (length_m, mass_kg, PARAM WTMASS)"});
}

// [fe E33] Mass, centre and inertia about it from the 6 x 6 mass about the origin.
void set_mass(const Matrix6& about_origin, Diagnosis& out) {
  out.mass = about_origin.topLeftCorner<3, 3>().trace() / 3.0;
  if (!(out.mass > 0.0)) return;
  const Matrix6& m = about_origin;
  out.centre = Vector3d(m(1, 5) - m(2, 4), m(2, 3) - m(0, 5), m(0, 4) - m(1, 3)) / (2.0 * out.mass);
  const Vector3d& c = out.centre;
  out.inertia =
      m.bottomRightCorner<3, 3>() - out.mass * (c.squaredNorm() * Eigen::Matrix3d::Identity() - c * c.transpose());
}

}  // namespace

RigidMotions rigid_motions(const std::vector<Dof>& dofs, const Geometry& geometry) {
  std::unordered_map<std::int64_t, const GeometryNode*> nodes;
  for (const GeometryNode& node : geometry.nodes) nodes[node.label] = &node;
  std::unordered_map<std::int64_t, const CoordinateSystem*> systems;
  for (const CoordinateSystem& system : geometry.systems) systems[system.label] = &system;
  RigidMotions out{MatrixXd::Zero(static_cast<Index>(dofs.size()), 6)};
  for (std::size_t i = 0; i < dofs.size(); ++i) {
    const auto node = nodes.find(dofs[i].node);
    const int direction = std::abs(dofs[i].direction);
    if (node == nodes.end() || direction < 1 || direction > 6) {
      out.complete = false;
      continue;
    }
    Eigen::Matrix3d axes = Eigen::Matrix3d::Identity();
    if (const auto system = systems.find(node->second->motion_system);
        node->second->motion_system != 0 && system != systems.end()) {
      if (system->second->kind != CoordinateKind::cartesian) {
        out.complete = false;
        continue;
      }
      for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c)
          axes(r, c) = system->second->R_GL[static_cast<std::size_t>(r)][static_cast<std::size_t>(c)];
    }
    const Matrix6 arm = rigid_arm(Eigen::Map<const Vector3d>(node->second->position.data()));
    const int block = direction > 3 ? 3 : 0;
    const double sign = dofs[i].direction > 0 ? 1.0 : -1.0;
    out.rows.row(static_cast<Index>(i)) = sign * axes.col((direction - 1) % 3).transpose() * arm.middleRows<3>(block);
  }
  return out;
}

Diagnosis examine(const SparseMatrix& stiffness, const SparseMatrix& mass, const std::vector<Dof>& dofs,
                  const Geometry& geometry, const std::string& where, const Matrix6* rigid_mass) {
  Diagnosis out;
  examine_diagonals(stiffness, mass, dofs, where, out);
  if (rigid_mass != nullptr) set_mass(*rigid_mass, out), out.whole_mass = true;
  const RigidMotions motions = rigid_motions(dofs, geometry);
  if (!motions.complete || motions.rows.rows() != stiffness.rows() || dofs.empty()) {
    examine_units(geometry, where, out);
    return out;
  }
  MatrixXd rigid = motions.rows;
  if (rigid_mass == nullptr) set_mass(Matrix6(rigid.transpose() * multiply(mass, rigid)), out);
  // About the centre, so that turning and moving are not mixed by a far origin. [fe E30]
  Matrix6 shift = Matrix6::Identity();
  shift.topRightCorner<3, 3>() = -rigid_arm(out.centre).topRightCorner<3, 3>();
  rigid = (rigid * shift).eval();
  const MatrixXd energy = rigid.transpose() * multiply(stiffness, rigid);
  const MatrixXd scale = rigid.transpose() * stiffness.diagonal().cwiseAbs().asDiagonal() * rigid;
  const Eigen::SelfAdjointEigenSolver<MatrixXd> independent(scale);
  MatrixXd base = independent.eigenvectors();
  int kept = 0;
  for (int i = 0; i < 6; ++i)  // a plane model or one along a line has fewer than six
    if (independent.eigenvalues()[i] > 1e-12 * independent.eigenvalues()[5])
      base.col(kept++) = independent.eigenvectors().col(i) / std::sqrt(independent.eigenvalues()[i]);
  if (kept == 0) return out;  // nothing has stiffness
  const MatrixXd reduced = base.leftCols(kept).transpose() * energy * base.leftCols(kept);
  const Eigen::SelfAdjointEigenSolver<MatrixXd> held(0.5 * (reduced + reduced.transpose()), Eigen::EigenvaluesOnly);
  out.rigid_motions = static_cast<int>((held.eigenvalues().array().abs() < 1e-9).count());
  examine_units(geometry, where, out);
  return out;
}

void examine_modes(const Modes& modes, const std::vector<Dof>& dofs, const std::string& where, Diagnosis& diagnosis) {
  if (modes.eigenvalues.size() > 0 &&
      modes.eigenvalues[0] < -1e-6 * std::abs(modes.eigenvalues[modes.eigenvalues.size() - 1]))
    diagnosis.findings.push_back({Severity::serious, "negative_eigenvalue", where,
                                  fmt::format("the first eigenvalue is {:.4g}", modes.eigenvalues[0]),
                                  "a stiffness is negative: check springs and preload"});
  if (diagnosis.rigid_motions < 0 || modes.rigid == diagnosis.rigid_motions) {
    if (modes.rigid > 0 && modes.rigid < modes.eigenvalues.size())
      diagnosis.findings.push_back({Severity::note, "rigid_modes", where,
                                    fmt::format("{} rigid-body modes: the model is {}", modes.rigid,
                                                modes.rigid == 6 ? "free in space" : "held in part"),
                                    "nothing, when this is meant"});
    return;
  }
  if (modes.rigid > diagnosis.rigid_motions) {
    // Where the surplus modes move most.
    std::vector<Index> rows;
    for (int j = 0; j < modes.rigid; ++j) {
      Index row = 0;
      modes.shapes.col(j).cwiseAbs().maxCoeff(&row);
      if (std::find(rows.begin(), rows.end(), row) == rows.end()) rows.push_back(row);
    }
    diagnosis.findings.push_back({Severity::serious, "mechanism", where,
                                  fmt::format("{} modes have zero frequency, but only {} motions of the whole as a "
                                              "rigid body are free: parts can move without stiffness, most at {}",
                                              modes.rigid, diagnosis.rigid_motions, names_of(dofs, rows)),
                                  "look at the first mode shapes: a part is not connected, a spring has no stiffness "
                                  "in a direction, or a hinge is open"});
  } else if (modes.rigid < modes.eigenvalues.size()) {
    diagnosis.findings.push_back(
        {Severity::warning, "rigid_modes_differ", where,
         fmt::format("{} motions as a rigid body cost no energy, but {} modes have zero frequency",
                     diagnosis.rigid_motions, modes.rigid),
         "choose shift_hz of the order of the first elastic mode"});
  }
}

}  // namespace kdyn::fe
