// SPDX-License-Identifier: Apache-2.0
// Shells by their stiffness matrices: laminates (PCOMP, PCOMPG) and plates of several or orthotropic materials. [fe E35]
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kdyn/base/angle.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/fe/internal/nastran_builder.hpp"
#include "kdyn/fe/shell.hpp"

namespace kdyn::fe::internal {
namespace {

using Eigen::Matrix2d;
using Eigen::Matrix3d;

struct Ply {
  double thickness = 0.0, density = 0.0;
  Matrix3d plane;  // in the axes of the laminate
  Matrix2d shear;  // likewise; zero: no shear flexibility
};

// Moments of a layer between two heights: int dz, int z dz, int z^2 dz.
double moment(double low, double high, int power) {
  return (std::pow(high, power + 1) - std::pow(low, power + 1)) / (power + 1);
}

// Shear stiffness along one axis from the equilibrium of the layers: bending stress changes along the axis, and what it
// leaves is carried by shear. With Q(z) the first moment of the stiffness above z about the neutral height,
// 1/H = int Q^2 / G dz / D^2. 5/6 G t for one layer. Zero: no layer is flexible.
double shear_stiffness(const std::vector<Ply>& plies, double bottom, int axis) {
  double z = bottom, s0 = 0.0, s1 = 0.0, s2 = 0.0;
  for (const Ply& p : plies) {
    const double e = p.plane(axis, axis), high = z + p.thickness;
    s0 += e * moment(z, high, 0), s1 += e * moment(z, high, 1), s2 += e * moment(z, high, 2);
    z = high;
  }
  if (!(s0 > 0.0)) return 0.0;
  const double neutral = s1 / s0, stiffness = s2 - s1 * neutral;
  // Gauss points exact for the fourth power of Q^2.
  static const double place[3] = {-std::sqrt(0.6), 0.0, std::sqrt(0.6)}, weight[3] = {5.0 / 9.0, 8.0 / 9.0, 5.0 / 9.0};
  double flexibility = 0.0, below = 0.0;
  z = bottom;
  for (const Ply& p : plies) {
    const double e = p.plane(axis, axis), high = z + p.thickness, g = p.shear(axis, axis);
    for (int i = 0; i < 3 && g > 0.0; ++i) {
      const double x = z + 0.5 * p.thickness * (1.0 + place[i]);
      const double q = below + e * (moment(z, x, 1) - neutral * moment(z, x, 0));
      flexibility += 0.5 * p.thickness * weight[i] * q * q / g;
    }
    below += e * (moment(z, high, 1) - neutral * moment(z, high, 0));
    z = high;
  }
  return flexibility > 0.0 ? stiffness * stiffness / flexibility : 0.0;
}

}  // namespace

double NastranBuilder::density_of(const NastranCard& card, std::int64_t label) {
  return model_.materials[static_cast<std::size_t>(material(card, label))].density;
}

Matrix3d NastranBuilder::plane_stiffness(const NastranCard& card, std::int64_t label) {
  const NastranCard& own = material_card(card, label);
  Matrix3d c = Matrix3d::Zero();
  if (own.name == "MAT1") {
    const Material& m = model_.materials[static_cast<std::size_t>(material(card, label))];
    if (m.young == 0.0) {  // shear alone, as cores have
      c(2, 2) = deck_.real(own, 4, 0.0) * pressure();
      return c;
    }
    if (!(std::abs(m.poisson) < 1.0))
      complain(card, fmt::format("the Poisson ratio {:.4g} of material {} is none of a plate", m.poisson, label),
               "give NU, or E and G that belong together");
    return plane_stress(m.young, m.poisson);
  }
  if (own.name == "MAT2") {
    std::size_t field = 3;
    for (int i = 0; i < 3; ++i)
      for (int k = i; k < 3; ++k) c(i, k) = c(k, i) = deck_.real(own, field++, 0.0);
  } else if (own.name == "MAT8") {
    const double e1 = deck_.real(own, 3), e2 = deck_.real(own, 4), nu = deck_.real(own, 5, 0.0);
    const double both = e1 > 0.0 ? 1.0 - nu * nu * e2 / e1 : 0.0;
    if (!(both > 0.0)) complain(own, "E1, E2 and NU12 are no elastic material", "give E1 > NU12^2 E2");
    c(0, 0) = e1 / both, c(1, 1) = e2 / both, c(0, 1) = c(1, 0) = nu * e2 / both;
    c(2, 2) = deck_.real(own, 6, 0.0);
  } else {
    complain(card, fmt::format("a {} is no material of shells", own.name), "use MAT1, MAT2 or MAT8");
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen{Eigen::MatrixXd(c)};
  if (!(eigen.eigenvalues()[0] >= -1e-9 * eigen.eigenvalues()[2]))
    complain(own, "its stiffness matrix is not positive", "check the moduli");
  return pressure() * c;
}

Matrix2d NastranBuilder::shear_moduli(const NastranCard& card, std::int64_t label) {
  const NastranCard& own = material_card(card, label);
  Matrix2d g = Matrix2d::Zero();
  if (own.name == "MAT1") {
    const Material& m = model_.materials[static_cast<std::size_t>(material(card, label))];
    g = (m.young == 0.0  ? deck_.real(own, 4, 0.0) * pressure()
         : m.shear > 0.0 ? m.shear
                         : 0.5 * m.young / (1.0 + m.poisson)) *
        Matrix2d::Identity();
  } else if (own.name == "MAT2") {
    g(0, 0) = deck_.real(own, 3, 0.0), g(0, 1) = g(1, 0) = deck_.real(own, 4, 0.0), g(1, 1) = deck_.real(own, 6, 0.0);
    g *= pressure();
  } else if (own.name == "MAT8") {
    g(0, 0) = deck_.real(own, 7, 0.0) * pressure(), g(1, 1) = deck_.real(own, 8, 0.0) * pressure();
  } else {
    complain(card, fmt::format("a {} is no material of shells", own.name), "use MAT1, MAT2 or MAT8");
  }
  return g;
}

void NastranBuilder::set_shell_law(const NastranCard& card, Property& p) {
  const std::int64_t none = 0, membrane = deck_.integer(card, 3, none), bending = deck_.integer(card, 5, none),
                     shear = deck_.integer(card, 7, none), coupling = deck_.integer(card, 12, none);
  const double t = p.thickness;
  if (!(t > 0.0)) complain(card, "it has no thickness", "give T > 0");
  ShellLaw law;
  if (membrane != none) law.membrane = t * plane_stiffness(card, membrane);
  if (bending != none) law.bending = deck_.real(card, 6, 1.0) * t * t * t / 12.0 * plane_stiffness(card, bending);
  if (coupling != none) law.coupling = t * t * plane_stiffness(card, coupling);
  const double rigid = rigid_shear * (law.membrane.trace() + law.bending.trace() * 12.0 / (t * t));
  if (bending != none && shear != none) law.shear = deck_.real(card, 8, 5.0 / 6.0) * t * shear_moduli(card, shear);
  if (bending != none)
    for (int i = 0; i < 2; ++i)
      if (law.shear(i, i) == 0.0) law.shear(i, i) = rigid;
  const double rho = density_of(card, membrane != none ? membrane : bending);
  law.mass = rho * t, law.turning = rho * t * t * t / 12.0;
  for (const std::int64_t label : {membrane, bending, shear, coupling})
    if (label != none) law.materials.push_back(label);
  model_.shell_laws.push_back(std::move(law));
  p.shell_law = static_cast<int>(model_.shell_laws.size()) - 1;
}

Property NastranBuilder::laminate_property(const NastranCard& card) {
  const bool global = card.name == "PCOMPG";
  const std::string kind = lower_case(card.field(9));
  if (!kind.empty() && kind != "sym" && kind != "mem" && kind != "bend" && kind != "smear")
    complain(card, fmt::format("the option {} of laminates is not supported", in_quotes(card.field(9))),
             "use SYM, MEM, BEND, SMEAR or none");
  Property p;
  ShellLaw law;
  std::vector<Ply> plies;
  std::int64_t label = 0;
  double thickness = 0.0;
  const std::size_t stride = global ? 8 : 4, first = global ? 1 : 0;
  for (std::size_t field = 10; field <= card.last_field(); field += stride) {
    const std::size_t at = field + first;
    if (card.blank(at) && card.blank(at + 1) && card.blank(at + 2) && card.blank(at + 3)) continue;
    label = deck_.integer(card, at, label);
    if (!card.blank(at + 1)) thickness = deck_.real(card, at + 1) * length();
    if (label == 0 || !(thickness > 0.0))
      complain(card, fmt::format("ply {} has no material or thickness", plies.size() + 1), "give MID and T");
    ShellLaw one;
    one.membrane = plane_stiffness(card, label), one.shear = shear_moduli(card, label);
    // turned() goes from the axes of the ply to those of the laminate.
    const TurnedLaw laid = turned(one, degree * deck_.real(card, at + 2, 0.0));
    plies.push_back({thickness, density_of(card, label), laid.membrane, laid.shear});
    if (std::find(law.materials.begin(), law.materials.end(), label) == law.materials.end())
      law.materials.push_back(label);
  }
  if (plies.empty()) complain(card, "it has no ply", "give material and thickness of each ply");
  if (kind == "sym") plies.insert(plies.end(), plies.rbegin(), plies.rend());
  double total = 0.0;
  for (const Ply& ply : plies) total += ply.thickness;
  // About the mid surface; where that lies from the nodes is the offset of the property.
  double z = -0.5 * total;
  for (const Ply& ply : plies) {
    const double high = z + ply.thickness;
    law.membrane += moment(z, high, 0) * ply.plane;
    law.coupling += moment(z, high, 1) * ply.plane;
    law.bending += moment(z, high, 2) * ply.plane;
    law.mass += ply.density * ply.thickness, law.turning += ply.density * moment(z, high, 2);
    z = high;
  }
  if (law.coupling.norm() < 1e-12 * total * law.membrane.norm()) law.coupling.setZero();
  if (kind == "smear") law.coupling.setZero(), law.bending = total * total / 12.0 * law.membrane;
  // Factors of the plain sum along each axis; the coupling of turned plies follows them.
  Matrix2d sum = Matrix2d::Zero();
  for (const Ply& ply : plies) sum += ply.thickness * ply.shear;
  Eigen::Vector2d factor = Eigen::Vector2d::Zero();
  for (int axis = 0; axis < 2; ++axis) {
    const double h = shear_stiffness(plies, -0.5 * total, axis);
    if (h > 0.0) factor[axis] = std::sqrt(h / sum(axis, axis));
  }
  law.shear = factor.asDiagonal() * sum * factor.asDiagonal();
  for (int axis = 0; axis < 2; ++axis)
    if (!(law.shear(axis, axis) > 0.0)) law.shear(axis, axis) = rigid_shear * law.membrane.trace();
  if (kind == "mem") law.coupling.setZero(), law.bending.setZero(), law.shear.setZero();
  if (kind == "bend") law.coupling.setZero(), law.membrane.setZero();
  p.material = material(card, law.materials.front());
  p.thickness = total;
  if (!card.blank(3)) p.offset = deck_.real(card, 3) * length() + 0.5 * total;
  if (std::abs(p.offset) < 1e-12 * total) p.offset = 0.0;
  p.added_mass = deck_.real(card, 4, 0.0) * settings_.mass_kg / (length() * length());
  model_.shell_laws.push_back(std::move(law));
  p.shell_law = static_cast<int>(model_.shell_laws.size()) - 1;
  return p;
}

}  // namespace kdyn::fe::internal
