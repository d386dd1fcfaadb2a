// SPDX-License-Identifier: Apache-2.0
#include "kdyn/fe/internal/nastran_sections.hpp"

#include <algorithm>
#include <numbers>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/fe/internal/beam_sections.hpp"

namespace kdyn::fe::internal {
namespace {

bool is_word(std::string_view field) { return !field.empty() && !nastran_number(field); }

// One section all along: its numbers go to the property; a law where it is not symmetric.
void set_uniform(LineSection& out, const BeamStation& s) {
  Property& p = out.property;
  p.area = s.area, p.inertia_1 = s.inertia_1, p.inertia_2 = s.inertia_2, p.torsion = s.torsion;
  p.added_mass = s.added_mass;
}

bool equal(const BeamStation& a, const BeamStation& b) {
  return a.area == b.area && a.inertia_1 == b.inertia_1 && a.inertia_2 == b.inertia_2 && a.inertia_12 == b.inertia_12 &&
         a.torsion == b.torsion && a.added_mass == b.added_mass && a.added_turning == b.added_turning;
}

// Stations in order, with both ends; the law is dropped where plain numbers say the same.
void set_stations(LineSection& out, BeamLaw law) {
  std::sort(law.stations.begin(), law.stations.end(),
            [](const BeamStation& a, const BeamStation& b) { return a.at < b.at; });
  if (law.stations.back().at < 1.0) {
    law.stations.push_back(law.stations.front());
    law.stations.back().at = 1.0;
  }
  set_uniform(out, law.stations.front());
  const bool uniform = std::all_of(law.stations.begin(), law.stations.end(),
                                   [&](const BeamStation& s) { return equal(s, law.stations.front()); });
  const BeamStation& first = law.stations.front();
  const bool centred = law.neutral[0].isZero(0.0) && law.neutral[1].isZero(0.0) && law.added_at[0].isZero(0.0) &&
                       law.added_at[1].isZero(0.0);
  if (!uniform || first.inertia_12 != 0.0 || first.added_turning != 0.0 || !centred) {
    out.law = std::move(law);
    out.property.added_mass = 0.0;  // the law has it
  }
}

void read_pbar(const NastranDeck& deck, const NastranCard& card, LineSection& out) {
  BeamStation s{0.0,
                deck.real(card, 4, 0.0),
                deck.real(card, 5, 0.0),
                deck.real(card, 6, 0.0),
                deck.real(card, 20, 0.0),
                deck.real(card, 7, 0.0),
                deck.real(card, 8, 0.0),
                0.0};
  out.property.shear_1 = deck.real(card, 18, 0.0);
  out.property.shear_2 = deck.real(card, 19, 0.0);
  set_stations(out, {{s}});
}

void read_pbeam(const NastranDeck& deck, const NastranCard& card, LineSection& out) {
  const auto station = [&](double at, std::size_t field, const BeamStation& otherwise) {
    return BeamStation{at,
                       deck.real(card, field, otherwise.area),
                       deck.real(card, field + 1, otherwise.inertia_1),
                       deck.real(card, field + 2, otherwise.inertia_2),
                       deck.real(card, field + 3, otherwise.inertia_12),
                       deck.real(card, field + 4, otherwise.torsion),
                       deck.real(card, field + 5, otherwise.added_mass),
                       0.0};
  };
  BeamLaw law;
  law.stations.push_back(station(0.0, 4, {}));
  // Stations take one line, and another one of stress points behind the word YES.
  std::size_t field = is_word(card.field(10)) ? 10 : 18;
  std::vector<std::size_t> lines;
  while (field <= card.last_field() && is_word(card.field(field))) {
    lines.push_back(field);
    field += lower_case(card.field(field)) == "yes" ? 16 : 8;
  }
  // The second end first: blank fields of stations between lie on the line to it.
  const auto place = [&](std::size_t line) { return deck.real(card, line + 1, 1.0); };
  BeamStation end = law.stations.front();
  end.at = 1.0;
  for (const std::size_t line : lines)
    if (place(line) == 1.0) end = station(1.0, line + 2, law.stations.front());
  const BeamStation start = law.stations.front();
  for (const std::size_t line : lines) {
    const double at = place(line);
    if (at == 1.0) continue;
    if (!(at > 0.0 && at < 1.0))
      throw_bad_input(deck.where(card), fmt::format("a station at {} does not lie on the beam", at),
                      "give X/XB between 0 and 1");
    BeamStation between;
    for (double BeamStation::*of : {&BeamStation::area, &BeamStation::inertia_1, &BeamStation::inertia_2,
                                    &BeamStation::inertia_12, &BeamStation::torsion, &BeamStation::added_mass})
      between.*of = (1.0 - at) * start.*of + at * end.*of;
    law.stations.push_back(station(at, line + 2, between));
  }
  law.stations.push_back(end);
  out.property.shear_1 = deck.real(card, field, 1.0);
  out.property.shear_2 = deck.real(card, field + 1, 1.0);
  if (deck.real(card, field + 2, 0.0) != 0.0 || deck.real(card, field + 3, 0.0) != 0.0)
    throw_bad_input(deck.where(card), "shear relief of tapered beams (S1, S2) is not supported", "leave S1, S2 blank");
  const double turning_a = deck.real(card, field + 4, 0.0), turning_b = deck.real(card, field + 5, turning_a);
  for (BeamStation& s : law.stations) s.added_turning = (1.0 - s.at) * turning_a + s.at * turning_b;
  const auto offsets = [&](std::size_t first, std::array<Eigen::Vector2d, 2>& to) {
    for (std::size_t k = 0; k < 2; ++k) {
      const auto axis = static_cast<Eigen::Index>(k);
      to[0][axis] = deck.real(card, first + k, 0.0);
      to[1][axis] = deck.real(card, first + 2 + k, to[0][axis]);
    }
  };
  offsets(field + 8, law.added_at);
  offsets(field + 12, law.neutral);
  set_stations(out, std::move(law));
}

void read_dimensions(const NastranDeck& deck, const NastranCard& card, LineSection& out) {
  const std::string type = lower_case(card.field(5));
  const std::size_t count = dimensions_of(type);
  if (count == 0)
    throw_bad_input(deck.where(card), fmt::format("the section {} is not known", in_quotes(card.field(5))),
                    fmt::format("use {}, or give the numbers with PBAR or PBEAM", known_sections()));
  const bool beam = card.name == "PBEAML";
  BeamLaw law;
  const auto station = [&](double at, std::size_t first, const std::vector<double>& otherwise, double mass) {
    std::vector<double> d(count);
    for (std::size_t i = 0; i < count; ++i)
      d[i] = otherwise.empty() ? deck.real(card, first + i, 0.0) : deck.real(card, first + i, otherwise[i]);
    const auto s = section_of(type, d);
    if (!s)
      throw_bad_input(deck.where(card), fmt::format("the dimensions make no section {}", in_quotes(card.field(5))),
                      "check the order and size of DIM1, DIM2, ...");
    if (beam && !s->shear_centre_known)
      throw_bad_input(deck.where(card),
                      fmt::format("the shear centre of the section {} is not known", in_quotes(card.field(5))),
                      "use PBARL, or give the numbers with PBEAM");
    law.stations.push_back({at, s->area, s->inertia_1, s->inertia_2, s->inertia_12, s->torsion,
                            deck.real(card, first + count, mass), 0.0});
    if (at == 0.0) out.property.shear_1 = s->shear_1, out.property.shear_2 = s->shear_2;
    if (beam && at == 0.0) law.neutral[0] = law.neutral[1] = law.added_at[0] = law.added_at[1] = s->neutral;
    if (beam && at == 1.0) law.neutral[1] = law.added_at[1] = s->neutral;
    return d;
  };
  const std::vector<double> first = station(0.0, 10, {}, 0.0);
  for (std::size_t field = 10 + count + 1; beam && field <= card.last_field(); field += count + 3) {
    if (card.blank(field) && card.blank(field + 1) && card.blank(field + 2)) continue;
    const double at = deck.real(card, field + 1, 1.0);
    if (!(at > 0.0 && at <= 1.0))
      throw_bad_input(deck.where(card), fmt::format("a station at {} does not lie on the beam", at),
                      "give X/XB between 0 and 1");
    station(at, field + 2, first, law.stations.front().added_mass);
  }
  set_stations(out, std::move(law));
}

}  // namespace

LineSection line_section(const NastranDeck& deck, const NastranCard& card) {
  LineSection out;
  const std::string& name = card.name;
  out.property.polar_inertia = name == "PBEAM" || name == "PBEAML";
  if (name == "PROD") {
    out.property.area = deck.real(card, 4, 0.0);
    out.property.torsion = deck.real(card, 5, 0.0);
    out.property.added_mass = deck.real(card, 7, 0.0);
  } else if (name == "PTUBE") {
    const double outer = deck.real(card, 4), t = deck.real(card, 5, 0.5 * outer);
    if (deck.real(card, 7, outer) != outer)
      throw_bad_input(deck.where(card), "a tube with two diameters is not supported", "leave OD2 blank");
    const auto s = section_of("tube", {0.5 * outer, 0.5 * outer - (t == 0.0 ? 0.5 * outer : t)});
    if (!s) throw_bad_input(deck.where(card), "diameter and wall make no tube", "give OD > 0 and T <= OD/2");
    out.property.area = s->area, out.property.torsion = s->torsion;
    out.property.added_mass = deck.real(card, 6, 0.0);
  } else if (name == "PBAR") {
    read_pbar(deck, card, out);
  } else if (name == "PBEAM") {
    read_pbeam(deck, card, out);
  } else {
    read_dimensions(deck, card, out);
  }
  return out;
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

double bush_mass(const NastranDeck& deck, const NastranCard& card) {
  const std::size_t first = bush_values(card, "m");
  return first == 0 ? 0.0 : deck.real(card, first, 0.0);
}

}  // namespace kdyn::fe::internal
