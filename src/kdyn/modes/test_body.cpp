// SPDX-License-Identifier: Apache-2.0
#include "kdyn/modes/test_body.hpp"

#include <algorithm>
#include <cmath>
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

TestBodyResult body_from_test(const ModeSet& test, const FeModes& fe, const TestBodyOptions& options) {
  if (test.modes.empty()) throw_bad_input("modes", "there are no test modes", "give the modes of kdyn modal, or UFF55");
  TestBodyResult out;
  out.matches = match_sensors(test, fe.dofs, fe.geometry, {options.match_tolerance_m, "FE node"}, out.findings);
  const Eigen::MatrixXd fe_at_sensors = at_sensors(out.matches, fe.shapes);
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
                       : choose_basis_size(out.test_shapes, fe_at_sensors, options.noise, reason, &by_size);
  if (size > fe.shapes.cols())
    throw_bad_input("basis_size", fmt::format("{} FE modes are asked for, {} are there", size, fe.shapes.cols()),
                    "give more FE modes");
  out.ortho = orthonormalise(out.test_shapes, fe_at_sensors.leftCols(size), fe.eigenvalues.head(size),
                             options.orthonormalise, options.rotation_limit);
  ExpandOptions expanding{options.expansion, options.expansion == ExpandMethod::serep ? size : options.basis_size,
                          options.noise};
  out.expansion = expand(out.ortho.shapes, eigenvalues, fe_at_sensors, fe.shapes, fe.eigenvalues, expanding);
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
  const Eigen::MatrixXd body_at_sensors = at_sensors(out.matches, body.shapes);
  out.mac_test_fe =
      mac_matrix(as_complex(out.test_shapes), as_complex(fe_at_sensors.leftCols(std::min<Eigen::Index>(
                                                  fe_at_sensors.cols(), std::max<Eigen::Index>(size, count)))));
  out.mac_body_test = mac_matrix(as_complex(body_at_sensors), as_complex(out.test_shapes));
  out.comac = comac(as_complex(body_at_sensors), as_complex(out.test_shapes));
  return out;
}

}  // namespace kdyn::inline modes
