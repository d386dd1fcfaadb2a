// SPDX-License-Identifier: Apache-2.0
// Curved beams (CBEND) and general elements (GENEL): both enter as numbers at the motions of their ends.
#include <array>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "kdyn/base/angle.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/fe/beam.hpp"
#include "kdyn/fe/internal/nastran_builder.hpp"
#include "kdyn/numerics/quadrature.hpp"

namespace kdyn::fe::internal {
namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;

// Straight beams that carry the mass of an arc: chords of a quarter circle are 1e-4 too short.
constexpr int pieces = 32;

bool written_whole(std::string_view field) {
  return !field.empty() && field.find_first_of(".eEdD") == std::string_view::npos;
}

struct Arc {
  Vector3d centre, first, across;  // first: from the centre to end A; across: unit vector, tangent at A
  double angle = 0.0;
  Vector3d along(double share) const {  // unit tangent
    return std::cos(share * angle) * across - std::sin(share * angle) * first.normalized();
  }
  Vector3d at(double share) const {
    return centre + std::cos(share * angle) * first + std::sin(share * angle) * first.norm() * across;
  }
};

// Exact for any section whose neutral axis is its centroid: the flexibility of end B with end A held, integrated along the
// arc, and the forces that hold A in equilibrium. [fe E43]
Matrix12 arc_stiffness(const Arc& arc, const Property& p, const Material& material) {
  const double shear = material.shear > 0.0 ? material.shear : 0.5 * material.young / (1.0 + material.poisson);
  const Vector3d normal = arc.first.cross(arc.across).normalized(), end = arc.at(1.0);
  const double length = arc.angle * arc.first.norm();
  const auto per = [](double stiffness) { return stiffness > 0.0 ? 1.0 / stiffness : 0.0; };
  Vector6 soft;  // of a piece: stretch, shear in the plane and across, twist, bending across and in the plane
  soft << per(material.young * p.area), per(shear * p.area * p.shear_1), per(shear * p.area * p.shear_2),
      per(shear * p.torsion), per(material.young * p.inertia_2), per(material.young * p.inertia_1);
  Matrix6 flexibility = Matrix6::Zero();
  const GaussRule& rule = gauss_rule();
  for (std::size_t i = 0; i < rule.node.size(); ++i) {
    Eigen::Matrix3d axes;
    axes.col(0) = arc.along(rule.node[i]), axes.col(2) = normal, axes.col(1) = normal.cross(axes.col(0));
    Matrix6 turn = Matrix6::Zero();
    turn.topLeftCorner<3, 3>() = turn.bottomRightCorner<3, 3>() = axes.transpose();
    const Matrix6 inner = turn * rigid_arm(end - arc.at(rule.node[i])).transpose();
    flexibility += rule.weight[i] * length * inner.transpose() * soft.asDiagonal() * inner;
  }
  Eigen::Matrix<double, 12, 6> both;  // forces at A and B by those at B
  both.topRows<6>() = -rigid_arm(end - arc.at(0.0)).transpose();
  both.bottomRows<6>().setIdentity();
  const Matrix12 k = both * flexibility.inverse() * both.transpose();
  return 0.5 * (k + k.transpose());
}

}  // namespace

// CBEND: EID PID GA GB X1 X2 X3 GEOM; PBEND: PID MID A I1 I2 J RB THETAB, stress points, K1 K2 NSM RC ZC DELTAN; or PID
// MID FSI RM T P RB THETAB of a pipe. [fe E43]
void NastranBuilder::bend(const NastranCard& card) {
  const std::int64_t label = deck_.integer(card, 3, deck_.integer(card, 2));
  const auto found = property_cards_.find(label);
  if (found == property_cards_.end() || found->second->name != "PBEND")
    complain(card, fmt::format("there is no PBEND {}", label), "add it");
  const NastranCard& own = *found->second;
  const std::array<int, 2> ends = {place_node(card, deck_.integer(card, 4)), place_node(card, deck_.integer(card, 5))};
  const Vector3d a = model_.nodes[static_cast<std::size_t>(ends[0])].position,
                 b = model_.nodes[static_cast<std::size_t>(ends[1])].position, chord = b - a;
  if (!(chord.norm() > 0.0)) complain(card, "its ends lie at one place", "correct the nodes");
  const bool by_node = card.blank(7) && card.blank(8) && written_whole(card.field(6));
  const Vector3d towards =
      by_node ? Vector3d(model_.nodes[static_cast<std::size_t>(place_node(card, deck_.integer(card, 6)))].position - a)
              : Vector3d(frame_of(ends[0]) *
                         Vector3d(deck_.real(card, 6, 0.0), deck_.real(card, 7, 0.0), deck_.real(card, 8, 0.0)));
  const std::int64_t kind = deck_.integer(card, 9);
  const Vector3d normal = towards.cross(chord);
  if (!(normal.norm() > 1e-9 * towards.norm() * chord.norm()))
    complain(card, "point or vector O lies along the chord of the arc", "choose one that spans the plane of the arc");
  // From the middle of the chord, in the plane, to the side of O.
  const Vector3d along = chord.normalized(), side = (towards - along * along.dot(towards)).normalized();
  double rise = 0.0;  // of the centre above the chord, to the side of O
  const double half = 0.5 * chord.norm();
  if (kind == 1) {  // the centre lies on the line through A along the vector
    rise = half * side.dot(towards) / along.dot(towards);
    if (!(std::abs(along.dot(towards)) > 1e-9 * towards.norm()))
      complain(card, "the line through end A and O is normal to the chord: there is no centre", "correct O");
  } else if (kind == 2) {  // the vector is the tangent at A; arc and O on one side
    rise = -half * along.dot(towards) / side.dot(towards);
  } else if (kind == 3 || kind == 4) {  // radius or angle given; the centre on the side away from O
    const double turn = degree * deck_.real(own, 9, 0.0);
    const double radius = kind == 3 ? deck_.real(own, 8, 0.0) * length() : half / std::sin(0.5 * turn);
    if (!(radius >= half * (1.0 - 1e-9)) || !std::isfinite(radius))
      complain(own, fmt::format("radius {:.4g} m is none of an arc over a chord of {:.4g} m", radius, 2.0 * half),
               "correct RB or THETAB");
    rise = -std::sqrt(std::max(0.0, radius * radius - half * half));
    if (kind == 4 && turn > std::numbers::pi) rise = -rise;
  } else {
    complain(card, fmt::format("GEOM {} is not known", kind), "use 1, 2, 3 or 4");
  }
  Arc arc;
  arc.centre = a + half * along + rise * side;
  arc.first = a - arc.centre;
  const Vector3d second = b - arc.centre;
  // The short way round, but for tangents that point the long way.
  Vector3d axis = arc.first.cross(second);
  if (!(axis.norm() > 1e-12 * arc.first.squaredNorm())) axis = along.cross(side);
  axis.normalize();
  arc.across = axis.cross(arc.first).normalized();
  arc.angle =
      std::atan2(second.dot(arc.across) / second.norm(), second.dot(arc.first) / (second.norm() * arc.first.norm()));
  if (arc.angle < 0.0) arc.angle += 2.0 * std::numbers::pi;
  if (kind == 2 && arc.across.dot(towards) < 0.0) {
    arc.across = -arc.across;
    arc.angle = 2.0 * std::numbers::pi - arc.angle;
  }
  const double radius = arc.first.norm();

  Property p;
  p.material = isotropic_material(own, deck_.integer(own, 3));
  if (written_whole(own.field(4))) {  // a pipe: mean radius and wall
    if (deck_.integer(own, 4) != 1)
      complain(own, fmt::format("the flexibility of elbows by FSI = {} is not known", deck_.integer(own, 4)),
               "use FSI = 1, or area and inertias");
    const double mean = deck_.real(own, 5) * length(), wall = deck_.real(own, 6) * length();
    const double outer = mean + 0.5 * wall, inner = std::max(0.0, mean - 0.5 * wall);
    p.area = std::numbers::pi * (outer * outer - inner * inner);
    p.inertia_1 = p.inertia_2 = 0.25 * std::numbers::pi * (std::pow(outer, 4) - std::pow(inner, 4));
    p.torsion = 2.0 * p.inertia_1;
  } else {
    p.area = deck_.real(own, 4, 0.0) * std::pow(length(), 2);
    p.inertia_1 = deck_.real(own, 5, 0.0) * std::pow(length(), 4);
    p.inertia_2 = deck_.real(own, 6, 0.0) * std::pow(length(), 4);
    p.torsion = deck_.real(own, 7, 0.0) * std::pow(length(), 4);
    p.shear_1 = deck_.real(own, 18, 0.0), p.shear_2 = deck_.real(own, 19, 0.0);
    p.added_mass = deck_.real(own, 20, 0.0) * settings_.mass_kg / length();
    for (const std::size_t field : {21u, 22u})
      if (deck_.real(own, field, 0.0) != 0.0)
        complain(own, "an arc beside the line of its ends (RC, ZC) is not supported", "move the nodes onto the arc");
    if (deck_.real(own, 23, 0.0) != 0.0)
      complain(own, "a neutral axis beside the centroid (DELTAN) is not supported", "give DELTAN = 0");
  }
  if (!(p.area > 0.0 && p.inertia_1 > 0.0 && p.inertia_2 > 0.0 && p.torsion > 0.0))
    complain(own, "area, inertias and torsion must be positive", "give A, I1, I2 and J");
  if (const double thick = p.inertia_1 / (p.area * radius * radius); own.blank(23) && thick > 2e-3)
    tell(own, Severity::warning, "thick_bend",
         fmt::format("the arc is thick: its neutral axis lies {:.2g} % of the radius beside the centroid, which is "
                     "left out",
                     100.0 * thick),
         "use solids where this matters");
  const Material& material = model_.materials[static_cast<std::size_t>(p.material)];
  constexpr int size = 6 * (pieces + 1);
  MatrixXd k = MatrixXd::Zero(size, size), m = MatrixXd::Zero(size, size);
  double arc_length = 0.0;
  for (int i = 0; i < pieces; ++i) {
    const Vector3d from = arc.at(static_cast<double>(i) / pieces), to = arc.at((i + 1.0) / pieces);
    Element piece;
    piece.shape = Shape::beam;
    piece.orientation = 0.5 * (from + to) - arc.centre;  // plane 1 is that of the arc
    const BeamMatrices part = beam_element(from, to, piece, p, material, true);
    k.block<12, 12>(6 * i, 6 * i) += part.stiffness;
    m.block<12, 12>(6 * i, 6 * i) += part.mass + part.added_mass;
    arc_length += (to - from).norm();
  }
  // Inside follows statically.
  constexpr int inside = size - 12;
  const MatrixXd kii = k.block(6, 6, inside, inside);
  MatrixXd kib(inside, 12);
  kib << k.block(6, 0, inside, 6), k.block(6, size - 6, inside, 6);
  MatrixXd t(size, 12);
  t.setZero();
  t.topLeftCorner<6, 6>().setIdentity(), t.bottomRightCorner<6, 6>().setIdentity();
  t.middleRows(6, inside) = -kii.ldlt().solve(kib);
  Matrix12 turn = Matrix12::Zero();
  for (int i = 0; i < 2; ++i)
    turn.block<3, 3>(6 * i, 6 * i) = turn.block<3, 3>(6 * i + 3, 6 * i + 3) =
        frame_of(ends[static_cast<std::size_t>(i)]).transpose();
  const Matrix12 stiffness = turn * arc_stiffness(arc, p, material) * turn.transpose(),
                 mass = turn * (t.transpose() * m * t) * turn.transpose();
  const double total = arc_length * (material.density * p.area + p.added_mass);
  const auto at = [&](int i) { return 6 * ends[static_cast<std::size_t>(i / 6)] + i % 6; };
  for (int i = 0; i < 12; ++i)
    for (int j = 0; j <= i; ++j) {
      add_entry(false, at(i), at(j), stiffness(i, j));
      if (model_.consistent_mass)
        add_entry(true, at(i), at(j), mass(i, j));
      else if (i == j && i % 6 < 3)
        add_entry(true, at(i), at(i), 0.5 * total);
    }
}

// GENEL: EID, pairs of node and component, UD with pairs that determine a rigid motion, K or Z by columns of the lower
// triangle, S by rows. [fe E44]
void NastranBuilder::general(const NastranCard& card) {
  std::vector<int> loaded, rigid;
  std::vector<double> values, shares;
  bool flexibility = false;
  enum class Part { loaded, rigid, matrix, shares } part = Part::loaded;
  for (std::size_t field = 4; field <= card.last_field(); ++field) {
    if (card.blank(field)) continue;
    const std::string word = lower_case(card.field(field));
    if (word == "ud") {
      part = Part::rigid;
    } else if (word == "k" || word == "z") {
      part = Part::matrix, flexibility = word == "z";
    } else if (word == "s") {
      part = Part::shares;
    } else if (part == Part::loaded || part == Part::rigid) {
      const int m = motion(card, deck_.integer(card, field), deck_.integer(card, field + 1, 0));
      (part == Part::loaded ? loaded : rigid).push_back(m);
      ++field;
    } else {
      (part == Part::matrix ? values : shares).push_back(deck_.real(card, field));
    }
  }
  const auto n = static_cast<Eigen::Index>(loaded.size()), r = static_cast<Eigen::Index>(rigid.size());
  if (n == 0 || static_cast<Eigen::Index>(values.size()) != n * (n + 1) / 2)
    complain(card, fmt::format("{} motions and {} values of K or Z do not fit", n, values.size()),
             "give the lower triangle by columns");
  MatrixXd k(n, n);
  std::size_t next = 0;
  for (Eigen::Index j = 0; j < n; ++j)
    for (Eigen::Index i = j; i < n; ++i) k(i, j) = k(j, i) = values[next++];
  if (flexibility) {
    const Eigen::FullPivLU<MatrixXd> lu(k);
    if (!lu.isInvertible()) complain(card, "the flexibility Z has no inverse", "give K");
    k = lu.inverse();
    k = (0.5 * (k + k.transpose())).eval();
  }
  const auto scale = [&](int m) { return m % 6 < 3 ? length() : 1.0; };  // SI over deck, of a motion
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j < n; ++j)
      k(i, j) *= force() / length() * turning(loaded[static_cast<std::size_t>(i)]) *
                 turning(loaded[static_cast<std::size_t>(j)]);
  std::vector<int> all = loaded;
  all.insert(all.end(), rigid.begin(), rigid.end());
  MatrixXd relative(n, n + r);  // what deforms the element
  relative.leftCols(n).setIdentity();
  if (r > 0 && shares.empty()) {
    relative.rightCols(r) = -rigid_shares(card, rigid, loaded);
  } else if (r > 0) {
    if (static_cast<Eigen::Index>(shares.size()) != n * r)
      complain(card, fmt::format("S has {} values instead of {}", shares.size(), n * r), "give S by rows");
    for (Eigen::Index i = 0; i < n; ++i)
      for (Eigen::Index j = 0; j < r; ++j)
        relative(i, n + j) = -shares[static_cast<std::size_t>(i * r + j)] * scale(loaded[static_cast<std::size_t>(i)]) /
                             scale(rigid[static_cast<std::size_t>(j)]);
  }
  const MatrixXd full = relative.transpose() * k * relative;
  for (Eigen::Index i = 0; i < n + r; ++i)
    for (Eigen::Index j = 0; j <= i; ++j) {
      const int a = all[static_cast<std::size_t>(i)], b = all[static_cast<std::size_t>(j)];
      // A motion that is named twice meets itself: both halves of the matrix fall on the diagonal.
      add_entry(false, a, b, a == b && i != j ? 2.0 * full(i, j) : full(i, j));
    }
}

}  // namespace kdyn::fe::internal
