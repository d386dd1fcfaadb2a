// SPDX-License-Identifier: Apache-2.0
#include "kdyn/fe/internal/nastran_sections.hpp"

#include <array>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"

namespace kdyn::fe::internal {
namespace {

// Solid and hollow sections by their dimensions; shear factors as Nastran takes them. [fe E11]
bool fill_section(Property& p, const std::string& type, const std::array<double, 4>& d) {
  constexpr double pi = std::numbers::pi;
  const auto round = [&](double outer, double inner) {
    p.area = pi * (outer * outer - inner * inner);
    p.inertia_1 = p.inertia_2 = 0.25 * pi * (std::pow(outer, 4) - std::pow(inner, 4));
    p.torsion = 2.0 * p.inertia_1;
  };
  if (type == "rod") {
    round(d[0], 0.0);
    p.shear_1 = p.shear_2 = 0.9;
  } else if (type == "tube") {
    round(d[0], d[1]);
    p.shear_1 = p.shear_2 = 0.5;
  } else if (type == "bar") {
    const double b = d[0], h = d[1], lo = std::min(b, h), hi = std::max(b, h);
    p.area = b * h;
    p.inertia_1 = b * h * h * h / 12.0;
    p.inertia_2 = h * b * b * b / 12.0;
    p.torsion = hi * lo * lo * lo * (1.0 / 3.0 - 0.21 * lo / hi * (1.0 - std::pow(lo / hi, 4) / 12.0));
    p.shear_1 = p.shear_2 = 5.0 / 6.0;
  } else if (type == "box") {
    const double b = d[0], h = d[1], t1 = d[2], t2 = d[3];  // t1 top and bottom, t2 sides
    const double bi = b - 2.0 * t2, hi = h - 2.0 * t1;
    p.area = b * h - bi * hi;
    p.inertia_1 = (b * h * h * h - bi * hi * hi * hi) / 12.0;
    p.inertia_2 = (h * b * b * b - hi * bi * bi * bi) / 12.0;
    p.torsion = 2.0 * t1 * t2 * std::pow((b - t2) * (h - t1), 2) / ((b - t2) * t2 + (h - t1) * t1);
    p.shear_1 = 2.0 * t2 * hi / p.area;
    p.shear_2 = 2.0 * t1 * bi / p.area;
  } else {
    return false;
  }
  return p.area > 0.0 && p.inertia_1 > 0.0 && p.inertia_2 > 0.0;
}

}  // namespace

Property section_of(const NastranDeck& deck, const NastranCard& card) {
  Property p;
  const std::string& name = card.name;
  p.polar_inertia = name == "PBEAM" || name == "PBEAML";
  if (name == "PSHELL") {
    p.thickness = deck.real(card, 4, 0.0);
    p.added_mass = deck.real(card, 9, 0.0);
    if (const double ratio = deck.real(card, 6, 1.0); ratio != 1.0)
      throw_bad_input(deck.where(card),
                      fmt::format("a bending stiffness of {} times that of the plate is not supported", ratio),
                      "leave 12I/T**3 blank");
  } else if (name == "PROD") {
    p.area = deck.real(card, 4, 0.0);
    p.torsion = deck.real(card, 5, 0.0);
    p.added_mass = deck.real(card, 7, 0.0);
  } else if (name == "PBAR") {
    p.area = deck.real(card, 4, 0.0);
    p.inertia_1 = deck.real(card, 5, 0.0);
    p.inertia_2 = deck.real(card, 6, 0.0);
    p.torsion = deck.real(card, 7, 0.0);
    p.added_mass = deck.real(card, 8, 0.0);
    p.shear_1 = deck.real(card, 18, 0.0);
    p.shear_2 = deck.real(card, 19, 0.0);
  } else if (name == "PBEAM") {
    p.area = deck.real(card, 4, 0.0);
    p.inertia_1 = deck.real(card, 5, 0.0);
    p.inertia_2 = deck.real(card, 6, 0.0);
    p.torsion = deck.real(card, 8, 0.0);
    p.added_mass = deck.real(card, 9, 0.0);
    // Shear factors are the first two fields of the line behind the stations; stations take two lines each.
    std::size_t field = 18;
    while (field + 1 <= card.last_field() &&
           (lower_case(card.field(field)) == "yes" || lower_case(card.field(field)) == "yesa" ||
            lower_case(card.field(field)) == "no"))
      field += lower_case(card.field(field)) == "yes" ? 16 : 8;
    p.shear_1 = deck.real(card, field, 1.0);
    p.shear_2 = deck.real(card, field + 1, 1.0);
  } else if (name == "PBARL" || name == "PBEAML") {
    std::array<double, 4> d{};
    for (std::size_t i = 0; i < d.size(); ++i)
      if (nastran_number(card.field(10 + i))) d[i] = deck.real(card, 10 + i);
    if (!fill_section(p, lower_case(card.field(5)), d))
      throw_bad_input(
          deck.where(card),
          fmt::format("the section {} is not known, or its sizes are not positive", in_quotes(card.field(5))),
          "use ROD, TUBE, BAR or BOX, or give the numbers with PBAR");
  }
  return p;
}

std::size_t bush_values(const NastranCard& card, std::string_view word) {
  for (std::size_t field = 3; field <= card.last_field(); ++field)
    if (lower_case(card.field(field)) == word) return field + 1;
  return 0;
}

Vector6 bush_stiffness(const NastranDeck& deck, const NastranCard& card) {
  Vector6 k = Vector6::Zero();
  if (const std::size_t first = bush_values(card, "k"); first > 0)
    for (int c = 0; c < 6; ++c) k[c] = deck.real(card, first + static_cast<std::size_t>(c), 0.0);
  return k;
}

// A first value alone stands for all six.
Vector6 bush_loss(const NastranDeck& deck, const NastranCard& card) {
  Vector6 loss = Vector6::Zero();
  const std::size_t first = bush_values(card, "ge");
  if (first == 0) return loss;
  bool alone = true;
  for (int c = 0; c < 6; ++c) {
    loss[c] = deck.real(card, first + static_cast<std::size_t>(c), 0.0);
    alone = alone && (c == 0 || card.blank(first + static_cast<std::size_t>(c)));
  }
  return alone ? Vector6(Vector6::Constant(loss[0])) : loss;
}

}  // namespace kdyn::fe::internal
