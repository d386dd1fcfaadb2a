// SPDX-License-Identifier: Apache-2.0
#include "kdyn/mbs/body_checks.hpp"

#include <cmath>

#include <fmt/format.h>

#include "kdyn/base/angle.hpp"
#include "kdyn/base/error.hpp"

namespace kdyn::mbs {
namespace {

using Index = Eigen::Index;

// The modes that take the largest part in a combination, as text.
std::string main_modes(const VectorX& combination) {
  std::string text;
  const double largest = combination.cwiseAbs().maxCoeff();
  for (Index k = 0; k < combination.size(); ++k)
    if (std::abs(combination[k]) > 0.3 * largest) text += fmt::format("{}{}", text.empty() ? "" : ", ", k + 1);
  return text;
}

}  // namespace

MassAtRest mass_at_rest(const MatrixX& G) {
  const Index n = (G.rows() - 4) / 3;
  MassAtRest out;
  const Vector3 first = G.block<3, 1>(1, 0);
  const Matrix3 second = G.block<3, 3>(1, 1);
  out.rigid << G(0, 0) * Matrix3::Identity(), -skew(first), skew(first), second.trace() * Matrix3::Identity() - second;
  out.coupling.resize(6, n);
  out.modal.resize(n, n);
  for (Index k = 0; k < n; ++k) {
    out.coupling.col(k) << G.block<1, 3>(0, 4 + 3 * k).transpose(), -2.0 * vect(G.block<3, 3>(1, 4 + 3 * k));
    for (Index l = 0; l < n; ++l) out.modal(k, l) = G.block<3, 3>(4 + 3 * k, 4 + 3 * l).trace();
  }
  return out;
}

// [mbs E32]
RigidContent rigid_content(const MassAtRest& mass) {
  if (mass.modal.rows() == 0) return {};
  const MatrixX explained = mass.coupling.transpose() * mass.rigid.ldlt().solve(mass.coupling);
  const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixX> eigen(0.5 * (explained + explained.transpose()), mass.modal);
  const Index last = explained.rows() - 1;
  return {eigen.eigenvalues()[last], eigen.eigenvectors().col(last)};
}

double first_elastic_frequency(const Body& body) {
  if (body.modes() == 0) return 0.0;
  const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixX> eigen(body.stiffness, mass_at_rest(body.G).modal,
                                                                Eigen::EigenvaluesOnly);
  return std::sqrt(std::max(0.0, eigen.eigenvalues().minCoeff()));
}

void require_regular_mass(const Body& body, const std::string& where) {
  const MassAtRest mass = mass_at_rest(body.G);
  const double m = body.G(0, 0);
  const Vector3 c = body.G.block<3, 1>(1, 0) / m;
  const Matrix3 about_centre =
      mass.rigid.bottomRightCorner<3, 3>() - m * (c.squaredNorm() * Matrix3::Identity() - c * c.transpose());
  const Eigen::SelfAdjointEigenSolver<Matrix3> inertia(0.5 * (about_centre + about_centre.transpose()));
  const double least = inertia.eigenvalues()[0], size = inertia.eigenvalues()[2] + m * c.squaredNorm();
  if (!(least > 1e-12 * size)) {
    const Vector3 axis = inertia.eigenvectors().col(0);
    throw_bad_input(
        where,
        fmt::format("the mass is singular: the body has no inertia about the axis ({:.3g}, {:.3g}, {:.3g}) through its "
                    "centre of mass",
                    axis.x(), axis.y(), axis.z()),
        body.modes() > 0
            ? "give the nodes rotary inertia (\"inertia\" of a node, entries 4 to 6 of the lumped mass in a .fem file)"
            : "give three principal inertias above 0");
  }
  if (body.modes() == 0) return;
  const Eigen::SelfAdjointEigenSolver<MatrixX> modal(mass.modal);
  if (!(modal.eigenvalues()[0] > 1e-12 * modal.eigenvalues()[body.modes() - 1]))
    throw_bad_input(where,
                    fmt::format("the mass is singular: modes {} depend on each other or carry no mass",
                                main_modes(modal.eigenvectors().col(0))),
                    "leave one of them out, or give the nodes they move a mass");
  const RigidContent content = rigid_content(mass);
  if (content.share > 1.0 + 1e-9)
    throw_bad_input(
        where,
        fmt::format("the mass is not positive: modes {} carry more momentum than their mass allows ({:.4g} of it)",
                    main_modes(content.combination), content.share),
        "the inertia data of the body contradict each other (Ct, Cr and Me of standard input data): write the body "
        "again");
  if (content.share > 1.0 - 1e-9)
    throw_bad_input(
        where, fmt::format("the mass is singular: modes {} contain rigid-body motion", main_modes(content.combination)),
        "take modes without rigid content: clamped ones, free elastic ones, or Craig-Bampton modes made orthogonal to "
        "rigid motion");
}

Finding spin_finding(const Body& body, double spin, double frequency) {
  return {Severity::warning, "fast_spin", "body " + body.name,
          fmt::format("it spins at {:.3g} rad/s, {:.2g} of its first elastic frequency ({:.4g} Hz): modes carry no "
                      "geometric stiffening",
                      spin, spin / frequency, frequency / two_pi),
          fmt::format("stay below {:g} of it, or cut the body into shorter ones joined by fixed joints", fastest_spin)};
}

std::vector<Finding> check_bodies(const Model& model) {
  std::vector<Finding> out;
  for (const Body& body : model.bodies) {
    if (body.modes() == 0) continue;
    const RigidContent content = rigid_content(mass_at_rest(body.G));
    if (content.share > 1.0 - 1e-5)
      out.push_back(
          {Severity::warning, "rigid_content", "body " + body.name,
           fmt::format("modes {} together are rigid motion up to {:.1e}", main_modes(content.combination),
                       1.0 - content.share),
           "take fewer clamped modes, or modes without rigid content; the run becomes stiff and loses digits"});
    const Eigen::GeneralizedSelfAdjointEigenSolver<MatrixX> eigen(body.stiffness, mass_at_rest(body.G).modal);
    const double lowest = eigen.eigenvalues()[0], highest = eigen.eigenvalues()[body.modes() - 1];
    if (!(lowest > 1e-10 * highest)) {
      out.push_back({Severity::serious, "no_stiffness", "body " + body.name,
                     fmt::format("modes {} have {} stiffness", main_modes(eigen.eigenvectors().col(0)),
                                 lowest < -1e-10 * highest ? "negative" : "no"),
                     "leave out rigid modes and check the modal stiffness"});
      continue;
    }
    const double spin = body.angular_velocity.norm(), frequency = std::sqrt(lowest);
    if (spin > fastest_spin * frequency) out.push_back(spin_finding(body, spin, frequency));
  }
  return out;
}

}  // namespace kdyn::mbs
