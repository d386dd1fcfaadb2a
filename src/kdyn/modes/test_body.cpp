// SPDX-License-Identifier: Apache-2.0
#include "kdyn/modes/test_body.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/sysid/shapes.hpp"

namespace kdyn::inline modes {

const FieldTable& fields_of(const TestBodyOptions*) {
  using O = TestBodyOptions;
  static const FieldTable table = FieldTable::of<O>("body from test", [](FieldTable& t) {
    t.add(&O::orthonormalise, "orthonormalise", "-",
          "How test modes are made orthonormal; automatic: the rotation of the paper unless it mixes modes, then "
          "Loewdin")
        .one_of({"automatic", "rotation", "loewdin", "gram_schmidt", "none"});
    t.add(&O::rotation_limit, "rotation_limit", "-", "Automatic: least MAC of rotated and measured modes")
        .range(0.0, 1.0);
    t.add(&O::expansion, "expansion", "-", "How shapes are carried to all points").one_of({"serep", "penalised"});
    t.add(&O::basis_size, "basis_size", "-", "FE modes used; 0: chosen from the data").range(0, 10000);
    t.add(&O::noise, "noise", "-", "Noise of the test shapes relative to their rms; 0: unknown").range(0.0, 1.0);
    t.add(&O::match_tolerance_m, "match_tolerance_m", "m",
          "Largest distance of a sensor from its FE node; 0: 2 % of the model's diagonal")
        .range(0.0, 1e6);
  });
  return table;
}

namespace {

using Position = std::array<double, 3>;

double distance_of(const Position& a, const Position& b) { return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]); }

double diagonal_of(const Geometry& geometry) {
  Position low = {1e300, 1e300, 1e300}, high = {-1e300, -1e300, -1e300};
  for (const GeometryNode& node : geometry.nodes)
    for (std::size_t i = 0; i < 3; ++i) {
      low[i] = std::min(low[i], node.position[i]);
      high[i] = std::max(high[i], node.position[i]);
    }
  return geometry.nodes.empty() ? 0.0 : distance_of(low, high);
}

const GeometryNode* node_of(const Geometry& geometry, std::int64_t label) {
  const auto found = std::find_if(geometry.nodes.begin(), geometry.nodes.end(),
                                  [label](const GeometryNode& n) { return n.label == label; });
  return found == geometry.nodes.end() ? nullptr : &*found;
}

// Direction of a sensor in global components.
Eigen::Vector3d global_direction(const ModeSet& test, const Dof& dof) {
  Eigen::Vector3d d = Eigen::Vector3d::Unit(std::abs(dof.direction) - 1) * (dof.direction > 0 ? 1.0 : -1.0);
  const GeometryNode* node = node_of(test.geometry, dof.node);
  if (node == nullptr || node->motion_system == 0) return d;
  for (const CoordinateSystem& system : test.geometry.systems)
    if (system.label == node->motion_system) {
      Eigen::Matrix3d R;
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) R(i, j) = system.R_GL[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
      return R * d;
    }
  return d;
}

}  // namespace

Eigen::MatrixXd sensor_matrix(const ModeSet& test, const FeModes& fe, double tolerance, std::vector<Match>& matches,
                              std::vector<Finding>& findings) {
  const double reach = tolerance > 0.0 ? tolerance : 0.02 * diagonal_of(fe.geometry);
  std::map<std::int64_t, std::array<Eigen::Index, 3>> rows;
  for (std::size_t i = 0; i < fe.dofs.size(); ++i)
    if (const int direction = std::abs(fe.dofs[i].direction); direction >= 1 && direction <= 3) {
      auto [entry, fresh] = rows.try_emplace(fe.dofs[i].node, std::array<Eigen::Index, 3>{-1, -1, -1});
      entry->second[static_cast<std::size_t>(direction - 1)] = static_cast<Eigen::Index>(i);
    }
  const bool by_position = !test.geometry.nodes.empty() && !fe.geometry.nodes.empty();
  std::vector<Eigen::VectorXd> found;
  std::vector<std::string> lost;
  for (std::size_t s = 0; s < test.dofs.size(); ++s) {
    const Dof& dof = test.dofs[s];
    Match match{s, dof.node, 0.0};
    const int direction = std::abs(dof.direction);
    bool usable = direction >= 1 && direction <= 3;
    if (by_position) {
      const GeometryNode* node = node_of(test.geometry, dof.node);
      usable = usable && node != nullptr;
      match.distance = 1e300;
      for (const GeometryNode& candidate : fe.geometry.nodes)
        if (usable && rows.contains(candidate.label))
          if (const double d = distance_of(node->position, candidate.position); d < match.distance) {
            match.distance = d;
            match.fe_node = candidate.label;
          }
      usable = usable && match.distance <= reach;
    }
    const auto place = rows.find(match.fe_node);
    if (!usable || place == rows.end()) {
      lost.push_back(label(dof));
      continue;
    }
    const Eigen::Vector3d d = global_direction(test, dof);
    Eigen::VectorXd row = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(fe.dofs.size()));
    for (int axis = 0; axis < 3; ++axis)
      if (const Eigen::Index at = place->second[static_cast<std::size_t>(axis)]; at >= 0)
        row[at] = d[axis] * (fe.dofs[static_cast<std::size_t>(at)].direction > 0 ? 1.0 : -1.0);
    found.push_back(std::move(row));
    matches.push_back(match);
  }
  if (!lost.empty())
    findings.push_back(
        {Severity::warning, "sensors_without_partner", "match_tolerance_m",
         fmt::format("{} of {} sensors have no FE node within {:.3g} m: {}", lost.size(), test.dofs.size(), reach,
                     lost.size() > 8 ? lost[0] + ", " + lost[1] + ", ..." : fmt::format("{}", fmt::join(lost, ", "))),
         "check units and frame of the two geometries, or raise match_tolerance_m"});
  if (found.empty())
    throw_bad_input("match_tolerance_m", "no sensor of the test has a partner in the FE model",
                    "check units and frame of the two geometries, or raise the tolerance");
  Eigen::MatrixXd S(static_cast<Eigen::Index>(found.size()), static_cast<Eigen::Index>(fe.dofs.size()));
  for (std::size_t i = 0; i < found.size(); ++i) S.row(static_cast<Eigen::Index>(i)) = found[i].transpose();
  return S;
}

TestBodyResult body_from_test(const ModeSet& test, const FeModes& fe, const TestBodyOptions& options) {
  if (test.modes.empty()) throw_bad_input("modes", "there are no test modes", "give the modes of kdyn modal, or UFF55");
  TestBodyResult out;
  const Eigen::MatrixXd S = sensor_matrix(test, fe, options.match_tolerance_m, out.matches, out.findings);
  const Eigen::MatrixXd at_sensors = S * fe.shapes;
  const auto sensors = static_cast<Eigen::Index>(out.matches.size()),
             count = static_cast<Eigen::Index>(test.modes.size());
  out.test_shapes.resize(sensors, count);
  Eigen::VectorXd eigenvalues(count);
  double least_collinear = 1.0;
  for (Eigen::Index r = 0; r < count; ++r) {
    const Mode& mode = test.modes[static_cast<std::size_t>(r)];
    Eigen::VectorXcd shape(sensors);
    for (Eigen::Index i = 0; i < sensors; ++i) shape[i] = mode.shape[out.matches[static_cast<std::size_t>(i)].sensor];
    least_collinear = std::min(least_collinear, phase_collinearity(shape));
    out.test_shapes.col(r) = as_real_as_possible(shape).real();
    eigenvalues[r] = std::pow(2.0 * std::numbers::pi * mode.frequency_hz(), 2);
  }
  for (const Match& match : out.matches) out.sensors.push_back(test.dofs[match.sensor]);
  if (least_collinear < 0.8)
    out.findings.push_back(
        {Severity::warning, "complex_modes", "modes",
         fmt::format("a test mode is complex (phase collinearity {:.2f}); its real part was taken", least_collinear),
         "check the mode in the report of kdyn modal; a body has real shapes"});

  // One basis for orthonormalising and expanding: chosen from the data before either.
  std::string reason;
  std::vector<double> by_size;
  const int size = options.basis_size > 0 && options.expansion == ExpandMethod::serep
                       ? options.basis_size
                       : choose_basis_size(out.test_shapes, at_sensors, options.noise, reason, &by_size);
  if (size > fe.shapes.cols())
    throw_bad_input("basis_size", fmt::format("{} FE modes are asked for, {} are there", size, fe.shapes.cols()),
                    "give more FE modes");
  out.ortho = orthonormalise(out.test_shapes, at_sensors.leftCols(size), fe.eigenvalues.head(size),
                             options.orthonormalise, options.rotation_limit);
  ExpandOptions expanding{options.expansion, options.expansion == ExpandMethod::serep ? size : options.basis_size,
                          options.noise};
  out.expansion = expand(out.ortho.shapes, eigenvalues, at_sensors, fe.shapes, fe.eigenvalues, expanding);
  if (options.basis_size == 0 && options.expansion == ExpandMethod::serep) out.expansion.reason = reason;
  out.expansion.hold_out_by_size = by_size;

  FlexibleBody& body = out.body;
  body.name = test.name.empty() ? "body" : test.name;
  body.origin = fmt::format("test modes, {}, {}", to_string(out.ortho.used),
                            options.expansion == ExpandMethod::serep ? "SEREP" : "penalised expansion");
  body.dofs = fe.dofs;
  body.geometry = fe.geometry;
  body.shapes = out.expansion.shapes;
  body.frequency_hz.resize(count);
  body.damping.resize(count);
  for (Eigen::Index r = 0; r < count; ++r) {
    body.frequency_hz[r] = test.modes[static_cast<std::size_t>(r)].frequency_hz();
    body.damping[r] = test.modes[static_cast<std::size_t>(r)].damping_ratio();
    body.kinds.push_back("test");
  }
  const Eigen::VectorXd omega = 2.0 * std::numbers::pi * body.frequency_hz;
  body.modal_mass = Eigen::MatrixXd::Identity(count, count);
  body.modal_stiffness = omega.cwiseAbs2().asDiagonal();
  body.modal_damping = (2.0 * body.damping.cwiseProduct(omega)).asDiagonal();
  if (fe.mass.size() > 0) {
    out.body_mass = body.shapes.transpose() * fe::multiply(fe.mass, body.shapes);
    out.largest_coupling =
        (out.body_mass - Eigen::MatrixXd(out.body_mass.diagonal().asDiagonal())).cwiseAbs().maxCoeff();
  }
  body.rigid = fe.rigid;
  const auto as_complex = [](const Eigen::MatrixXd& A) { return Eigen::MatrixXcd(A.cast<std::complex<double>>()); };
  const Eigen::MatrixXd body_at_sensors = S * body.shapes;
  out.mac_test_fe = mac_matrix(
      as_complex(out.test_shapes),
      as_complex(at_sensors.leftCols(std::min<Eigen::Index>(at_sensors.cols(), std::max<Eigen::Index>(size, count)))));
  out.mac_body_test = mac_matrix(as_complex(body_at_sensors), as_complex(out.test_shapes));
  out.comac = comac(as_complex(body_at_sensors), as_complex(out.test_shapes));
  return out;
}

}  // namespace kdyn::inline modes
