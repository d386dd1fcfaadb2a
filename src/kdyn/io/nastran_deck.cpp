// SPDX-License-Identifier: Apache-2.0
#include "kdyn/io/nastran_deck.hpp"

#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "kdyn/base/angle.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/io/internal/scan.hpp"

namespace kdyn::inline io {
namespace {

constexpr std::int64_t most_labels = 10'000'000;

using Vector = std::array<double, 3>;

Vector minus(const Vector& a, const Vector& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
Vector cross(const Vector& a, const Vector& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
bool normalise(Vector& a) {
  const double size = std::hypot(a[0], a[1], a[2]);
  if (!(size > 1e-300) || !std::isfinite(size)) return false;
  for (double& x : a) x /= size;
  return true;
}

Vector to_global(const CoordinateSystem& system, const Vector& p) {
  Vector local = p;
  if (system.kind == CoordinateKind::cylindrical) {
    local = {p[0] * std::cos(degree * p[1]), p[0] * std::sin(degree * p[1]), p[2]};
  } else if (system.kind == CoordinateKind::spherical) {
    const double theta = degree * p[1], phi = degree * p[2];
    local = {p[0] * std::sin(theta) * std::cos(phi), p[0] * std::sin(theta) * std::sin(phi), p[0] * std::cos(theta)};
  }
  Vector out = system.p_GL_G;
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t k = 0; k < 3; ++k) out[i] += system.R_GL[i][k] * local[k];
  return out;
}

// Origin, a point on the z axis, a point in the xz plane.
bool set_axes(CoordinateSystem& system, const Vector& a, const Vector& b, const Vector& c) {
  Vector z = minus(b, a);
  if (!normalise(z)) return false;
  Vector y = cross(z, minus(c, a));
  if (!normalise(y)) return false;
  const Vector x = cross(y, z);
  for (std::size_t i = 0; i < 3; ++i) system.R_GL[i] = {x[i], y[i], z[i]};
  system.p_GL_G = a;
  return true;
}

struct ElementKind {
  const char* name;
  std::size_t first_node, nodes;  // field of the first node and the most nodes it may have
  int type[2];                    // FE descriptor of the linear and the quadratic form
  std::size_t linear;             // nodes of the linear form
};
constexpr ElementKind element_kinds[] = {
    {"CQUAD4", 4, 4, {44, 44}, 4},    {"CTRIA3", 4, 3, {41, 41}, 3},    {"CBAR", 4, 2, {21, 21}, 2},
    {"CBEAM", 4, 2, {21, 21}, 2},     {"CROD", 4, 2, {11, 11}, 2},      {"CHEXA", 4, 20, {115, 116}, 8},
    {"CPENTA", 4, 15, {112, 113}, 6}, {"CTETRA", 4, 10, {111, 118}, 4}, {"CBUSH", 4, 2, {136, 136}, 2}};

}  // namespace

std::string_view NastranCard::field(std::size_t number) const {
  if (number == 1) return name;
  if (number < 2 || number - 2 >= ends_.size()) return {};
  const std::size_t index = number - 2, begin = index == 0 ? 0 : ends_[index - 1];
  return std::string_view(text_).substr(begin, ends_[index] - begin);
}

void NastranCard::append(std::string_view value) {
  text_ += value;
  ends_.push_back(static_cast<std::uint32_t>(text_.size()));
}

std::optional<double> nastran_number(std::string_view text) {
  text = trim(text);
  if (const auto plain = internal::field_number(text)) return plain;
  // 2.9+7 and 1.1-03: a sign behind a digit or point starts the exponent.
  if (text.size() > 40) return std::nullopt;
  const std::size_t sign = text.find_last_of("+-");
  if (sign == std::string_view::npos || sign == 0) return std::nullopt;
  const char before = text[sign - 1];
  if (!internal::is_digit(before) && before != '.') return std::nullopt;
  return internal::field_number(std::string(text.substr(0, sign)) + "E" + std::string(text.substr(sign)));
}

std::string NastranDeck::where(const NastranCard& card) const {
  return fmt::format("{}:{}: {}", files[card.file], card.line, card.name);
}

std::int64_t NastranDeck::integer(const NastranCard& card, std::size_t field) const {
  const auto value = internal::field_integer(card.field(field));
  if (!value)
    throw_bad_input(fmt::format("{}, field {}", where(card), field),
                    fmt::format("{} is no whole number", in_quotes(card.field(field))), "repair the card");
  return *value;
}
std::int64_t NastranDeck::integer(const NastranCard& card, std::size_t field, std::int64_t otherwise) const {
  return card.blank(field) ? otherwise : integer(card, field);
}
double NastranDeck::real(const NastranCard& card, std::size_t field) const {
  const auto value = nastran_number(card.field(field));
  if (!value || !std::isfinite(*value))
    throw_bad_input(fmt::format("{}, field {}", where(card), field),
                    fmt::format("{} is no number", in_quotes(card.field(field))), "repair the card");
  return *value;
}
double NastranDeck::real(const NastranCard& card, std::size_t field, double otherwise) const {
  return card.blank(field) ? otherwise : real(card, field);
}

std::vector<std::int64_t> NastranDeck::labels(const NastranCard& card, std::size_t first) const {
  std::vector<std::int64_t> out;
  for (std::size_t number = first; number <= card.last_field(); ++number) {
    if (card.blank(number)) continue;
    if (lower_case(card.field(number)) != "thru") {
      out.push_back(integer(card, number));
      continue;
    }
    std::size_t next = number + 1;
    while (next <= card.last_field() && card.blank(next)) ++next;
    const std::int64_t last = integer(card, next);
    std::int64_t step = 1;
    number = next;
    if (lower_case(card.field(next + 1)) == "by") step = integer(card, next + 2), number = next + 2;
    if (out.empty() || last < out.back() || step < 1 || last > (std::int64_t{1} << 52) ||
        (last - out.back()) / step > most_labels)
      throw_bad_input(where(card), "the range with THRU is not rising or too long",
                      "write FIRST,THRU,LAST with FIRST before LAST");
    const std::int64_t from = out.back();
    for (std::int64_t label = from + step; label <= last; label += step) out.push_back(label);
  }
  return out;
}

std::vector<const NastranCard*> NastranDeck::named(std::string_view name) const {
  std::vector<const NastranCard*> out;
  for (const NastranCard& card : cards)
    if (card.name == name) out.push_back(&card);
  return out;
}

std::optional<std::string> NastranDeck::parameter(std::string_view name) const {
  const std::string wanted = lower_case(name);
  for (const NastranCard& card : cards)
    if (card.name == "PARAM" && lower_case(card.field(2)) == wanted) return std::string(card.field(3));
  return std::nullopt;
}

Geometry geometry_of(NastranDeck& deck) {
  Geometry out;
  std::map<std::int64_t, CoordinateSystem> systems;
  systems[0] = {};
  const auto guarded = [&](const NastranCard& card, auto&& work) {
    try {
      work();
    } catch (const Error& error) {
      if (deck.findings.size() < 200)
        deck.findings.push_back({Severity::serious, "bad_card",
                                 error.where().empty() ? deck.where(card) : error.where(), error.message(),
                                 error.remedy()});
    }
  };
  // Systems may refer to systems further down; a pass resolves one level of them.
  constexpr int deepest = 100;
  std::vector<const NastranCard*> waiting;
  for (const NastranCard& card : deck.cards)
    if (card.name == "CORD2R" || card.name == "CORD2C" || card.name == "CORD2S") waiting.push_back(&card);
  bool progress = true;
  for (int pass = 0; pass < deepest && progress && !waiting.empty(); ++pass) {
    std::vector<const NastranCard*> still;
    for (const NastranCard* card : waiting)
      guarded(*card, [&] {
        const auto parent = systems.find(deck.integer(*card, 3, 0));
        if (parent == systems.end()) {
          still.push_back(card);
          return;
        }
        std::array<Vector, 3> p;
        for (std::size_t i = 0; i < 9; ++i) p[i / 3][i % 3] = deck.real(*card, 4 + i, 0.0);
        CoordinateSystem system;
        system.label = deck.integer(*card, 2);
        system.kind = card->name == "CORD2R"   ? CoordinateKind::cartesian
                      : card->name == "CORD2C" ? CoordinateKind::cylindrical
                                               : CoordinateKind::spherical;
        if (!set_axes(system, to_global(parent->second, p[0]), to_global(parent->second, p[1]),
                      to_global(parent->second, p[2])))
          throw_bad_input(deck.where(*card), "the three points of the coordinate system lie on one line",
                          "repair the card");
        systems[system.label] = system;
        out.systems.push_back(system);
      });
    progress = still.size() < waiting.size();
    waiting = std::move(still);
  }
  for (const NastranCard* card : waiting)
    guarded(*card, [&] {
      throw_bad_input(deck.where(*card),
                      "the reference coordinate system does not exist, or systems are nested more than 100 deep",
                      "add it, or correct field 3");
    });
  std::int64_t default_cp = 0, default_cd = 0;
  for (const NastranCard& card : deck.cards)
    if (card.name == "GRDSET")
      guarded(card, [&] { default_cp = deck.integer(card, 3, 0), default_cd = deck.integer(card, 7, 0); });
  for (const NastranCard& card : deck.cards) {
    if (card.name == "GRID") {
      guarded(card, [&] {
        GeometryNode node;
        node.label = deck.integer(card, 2);
        node.definition_system = deck.integer(card, 3, default_cp);
        node.motion_system = deck.integer(card, 7, default_cd);
        const auto system = systems.find(node.definition_system);
        if (system == systems.end())
          throw_bad_input(deck.where(card), fmt::format("coordinate system {} does not exist", node.definition_system),
                          "add it, or correct field 3");
        node.position =
            to_global(system->second, {deck.real(card, 4, 0.0), deck.real(card, 5, 0.0), deck.real(card, 6, 0.0)});
        out.nodes.push_back(node);
      });
      continue;
    }
    for (const ElementKind& kind : element_kinds) {
      if (card.name != kind.name) continue;
      guarded(card, [&] {
        GeometryElement element;
        element.label = deck.integer(card, 2);
        element.property = deck.integer(card, 3, element.label);
        for (std::size_t i = 0; i < kind.nodes; ++i)
          if (const std::size_t field = kind.first_node + i; !card.blank(field))
            element.nodes.push_back(deck.integer(card, field));
        element.type = kind.type[element.nodes.size() > kind.linear ? 1 : 0];
        out.elements.push_back(std::move(element));
      });
    }
  }
  return out;
}

}  // namespace kdyn::inline io
