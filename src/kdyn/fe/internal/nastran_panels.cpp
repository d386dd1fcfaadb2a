// SPDX-License-Identifier: Apache-2.0
// Shear panels and gaps: elements that enter as numbers or springs.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/fe/internal/nastran_builder.hpp"
#include "kdyn/fe/shear_panel.hpp"

namespace kdyn::fe::internal {

using Eigen::Vector3d;

// CSHEAR: EID PID G1 G2 G3 G4; PSHEAR: PID MID T NSM F1 F2.
void NastranBuilder::shear_sheet(const NastranCard& card) {
  const std::int64_t label = deck_.integer(card, 3, deck_.integer(card, 2));
  const auto found = property_cards_.find(label);
  if (found == property_cards_.end() || found->second->name != "PSHEAR")
    complain(card, fmt::format("there is no PSHEAR {}", label), "add it");
  const NastranCard& own = *found->second;
  const Material material = model_.materials[static_cast<std::size_t>(isotropic_material(own, deck_.integer(own, 3)))];
  const double thickness = deck_.real(own, 4) * length();
  if (!(thickness > 0.0)) complain(own, "the thickness is not positive", "give T > 0");
  std::array<int, 4> nodes{};
  Eigen::Matrix<double, 3, 4> corners;
  for (int i = 0; i < 4; ++i) {
    nodes[static_cast<std::size_t>(i)] = place_node(card, deck_.integer(card, static_cast<std::size_t>(4 + i)));
    corners.col(i) = model_.nodes[static_cast<std::size_t>(nodes[static_cast<std::size_t>(i)])].position;
  }
  const double shear = material.shear > 0.0 ? material.shear : 0.5 * material.young / (1.0 + material.poisson);
  ShearPanel panel;
  try {
    panel = shear_panel(corners, thickness, material.young, material.poisson, shear);
  } catch (const Error& error) {
    complain(card, error.message(), error.remedy());
  }
  Eigen::Matrix<double, 12, 12> turn = Eigen::Matrix<double, 12, 12>::Zero();  // to the frames of the nodes
  for (int i = 0; i < 4; ++i) turn.block<3, 3>(3 * i, 3 * i) = frame_of(nodes[static_cast<std::size_t>(i)]).transpose();
  const Eigen::Matrix<double, 12, 12> k = turn * panel.stiffness * turn.transpose();
  const auto at = [&](int i) { return 6 * nodes[static_cast<std::size_t>(i / 3)] + i % 3; };
  const double mass =
      0.25 * panel.area *
      (material.density * thickness + deck_.real(own, 5, 0.0) * settings_.mass_kg / (length() * length()));
  for (int i = 0; i < 12; ++i) {
    for (int j = 0; j <= i; ++j) add_entry(false, at(i), at(j), k(i, j));
    add_entry(true, at(i), at(i), mass);
  }
  // What of the sheet helps the rods along its edges: F1 for sides 12 and 34, F2 for the others; above 1.01 it is the
  // width in thicknesses.
  for (const int pair : {0, 1}) {
    const double factor = deck_.real(own, static_cast<std::size_t>(6 + pair), 0.0);
    if (factor == 0.0) continue;
    const auto side = [&](int a, int b) { return (corners.col(b % 4) - corners.col(a)).norm(); };
    const double width = 2.0 * panel.area / (side(pair, pair + 1) + side(pair + 2, pair + 3));
    const double area = 0.5 * factor * thickness * (factor > 1.01 ? thickness : width);
    for (const int first : {pair, pair + 2}) {
      const Vector3d along = (corners.col((first + 1) % 4) - corners.col(first)).normalized();
      const double stiffness = material.young * area / side(first, first + 1);
      Eigen::Matrix<double, 12, 1> b = Eigen::Matrix<double, 12, 1>::Zero();
      b.segment<3>(3 * first) = -along, b.segment<3>(3 * ((first + 1) % 4)) = along;
      const Eigen::Matrix<double, 12, 1> own_axes = turn * b;
      for (int i = 0; i < 12; ++i)
        for (int j = 0; j <= i; ++j) add_entry(false, at(i), at(j), stiffness * own_axes[i] * own_axes[j]);
    }
  }
}

// CGAP: EID PID GA GB X1 X2 X3 CID, as it stands at the start: closed where its opening U0 is not positive. PGAP: PID U0
// F0 KA KB KT MU1.
void NastranBuilder::gap(const NastranCard& card) {
  Spring s;
  s.label = deck_.integer(card, 2);
  s.property = deck_.integer(card, 3, s.label);
  // Labels of gaps are their own: decks use them for other properties too.
  const Cards& gaps = named("PGAP");
  const auto found = std::find_if(gaps.begin(), gaps.end(),
                                  [&](const NastranCard* one) { return deck_.integer(*one, 2) == s.property; });
  if (found == gaps.end()) complain(card, fmt::format("there is no PGAP {}", s.property), "add it");
  const NastranCard& own = **found;
  const bool closed = !(deck_.real(own, 3, 0.0) > 0.0);
  const double unit = force() / length(), axial = deck_.real(own, 5, 0.0);
  s.stiffness[0] = unit * (closed ? axial : deck_.real(own, 6, 1e-14 * axial));
  const double across = closed ? deck_.real(own, 7, deck_.real(own, 8, 0.0) * axial) : 0.0;
  s.stiffness[1] = s.stiffness[2] = unit * across;
  s.a = place_node(card, deck_.integer(card, 4));
  if (!card.blank(5)) s.b = place_node(card, deck_.integer(card, 5));
  const Vector3d a = model_.nodes[static_cast<std::size_t>(s.a)].position,
                 b = s.b < 0 ? a : model_.nodes[static_cast<std::size_t>(s.b)].position;
  s.point = 0.5 * (a + b);
  if (card.blank(9) && !((b - a).norm() > 1e-9 * (a.norm() + b.norm())))
    complain(card, "its nodes lie at one place and it has no system", "give CID");
  set_bush_axes(card, s, 9, 6);
  tell(card, Severity::warning, "gap",
       fmt::format("the gap is taken as {}, as its opening at the start says", closed ? "closed" : "open"),
       "set the opening U0 of PGAP to what holds in operation");
  model_.springs.push_back(s);
}

}  // namespace kdyn::fe::internal
