// SPDX-License-Identifier: Apache-2.0
// What stops the job before it starts; parameters, nodes, coordinate systems, choices of the case control.
#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/fe/internal/nastran_builder.hpp"
#include "kdyn/io/nastran_cards.hpp"

namespace kdyn::fe::internal {
namespace {

std::set<std::string> names_in(const std::vector<std::string>& words) {
  std::set<std::string> out;
  for (const std::string& word : words)
    for (std::size_t first = 0; first <= word.size();) {
      const std::size_t end = std::min(word.find_first_of(", ", first), word.size());
      std::string name(trim(std::string_view(word).substr(first, end - first)));
      std::transform(name.begin(), name.end(), name.begin(),
                     [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
      if (!name.empty()) out.insert(std::move(name));
      first = end + 1;
    }
  return out;
}

std::string counted(const std::string& name, std::size_t count) {
  return count == 1 ? name : fmt::format("{} ({})", name, count);
}

}  // namespace

double NastranBuilder::density() const { return settings_.mass_kg / std::pow(length(), 3); }

void NastranBuilder::complain(const NastranCard& card, const std::string& what, const std::string& remedy) const {
  throw_bad_input(deck_.where(card), what, remedy);
}
void NastranBuilder::tell(const NastranCard& card, Severity severity, const char* code, const std::string& what,
                          const char* remedy) {
  if (deck_.findings.size() < 400) deck_.findings.push_back({severity, code, deck_.where(card), what, remedy});
}
const NastranBuilder::Cards& NastranBuilder::named(const char* name) const {
  static const Cards none;
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? none : found->second;
}

void NastranBuilder::refuse_what_is_not_read() {
  for (const Finding& f : deck_.findings)
    if (f.severity == Severity::serious) throw_bad_input(f.where, f.message, f.remedy);
  for (const Finding& f : deck_.findings)
    if (f.code == "no_card" && settings_.ignore_cards.empty())
      throw_bad_input(f.where, f.message, "repair the line, or make it a comment with $ in front");
  const std::set<std::string> ignored = names_in(settings_.ignore_cards);
  // Cards that are known and left out by wish.
  for (auto it = by_name_.begin(); it != by_name_.end();) {
    if (!ignored.contains(it->first)) {
      ++it;
      continue;
    }
    deck_.skipped[it->first] += it->second.size();
    deck_.skipped_at.emplace(it->first, deck_.where(*it->second.front()));
    it = by_name_.erase(it);
  }
  std::vector<std::string> refused;
  std::map<CardRole, std::string> listed;
  std::string left_out;
  for (const auto& [name, count] : deck_.skipped) {
    const CardRole role = role_of_card(name);
    if (ignored.contains(name))
      left_out += (left_out.empty() ? "" : ", ") + counted(name, count);
    else if (role == CardRole::refused)
      refused.push_back(name);
    else
      listed[role] += (listed[role].empty() ? "" : ", ") + counted(name, count);
  }
  if (!refused.empty()) {
    std::string others;
    for (std::size_t i = 1; i < refused.size(); ++i)
      others += (i > 1 ? ", " : "; also ") + counted(refused[i], deck_.skipped.at(refused[i]));
    const std::string &name = refused.front(), instead = remedy_for_card(name);
    const std::size_t count = deck_.skipped.at(name);
    throw_bad_input(deck_.skipped_at.at(name),
                    fmt::format("{} {}: kdyn does not have this card, which may carry stiffness, mass or a link{}",
                                name, count == 1 ? "(one card)" : fmt::format("({} cards)", count), others),
                    fmt::format("{}{}--ignore-cards {} leaves the cards out", instead, instead.empty() ? "" : "; ",
                                fmt::join(refused, ",")));
  }
  std::erase_if(deck_.findings, [](const Finding& f) { return f.code == "card_skipped"; });
  const std::string& where = model_.name;
  if (!left_out.empty())
    deck_.findings.push_back({Severity::warning, "cards_ignored", where,
                              "left out by wish, whatever stiffness or mass they carry: " + left_out,
                              "nothing, when the model does not need them"});
  for (const auto& [role, names] : listed)
    deck_.findings.push_back({Severity::note, "cards_not_used", where,
                              fmt::format("not used, {}: {}", words_of(role), names),
                              "nothing: they carry no stiffness or mass"});
}

void NastranBuilder::read_parameters() {
  const auto number = [&](const char* name) -> std::optional<double> {
    const auto text = deck_.parameter(name);
    return text ? nastran_number(*text) : std::nullopt;
  };
  model_.consistent_mass = number("COUPMASS").value_or(-1.0) >= 0.0;
  model_.mass_factor = number("WTMASS").value_or(1.0);
  if (const auto k6rot = number("K6ROT"); k6rot && *k6rot > 0.0) model_.drilling_factor = 1e-6 * *k6rot;
  // The case control goes before the parameter: AUTOSPC(PRINT) = NO.
  std::string autospc = lower_case(deck_.parameter("AUTOSPC").value_or("yes"));
  if (const std::vector<std::string> wish = case_values("autospc"); !wish.empty()) autospc = lower_case(wish.front());
  model_.hold_loose_mass = autospc != "no";
}

int NastranBuilder::node_of(const NastranCard& card, std::int64_t label) const {
  const auto found = nodes_.find(label);
  if (found == nodes_.end())
    complain(card, fmt::format("there is no GRID {}", label), "add the node or correct the card");
  return found->second;
}
int NastranBuilder::place_node(const NastranCard& card, std::int64_t label) const {
  const int index = node_of(card, label);
  if (model_.nodes[static_cast<std::size_t>(index)].scalar)
    complain(card, fmt::format("{} is a scalar point, which has no place", label), "give a GRID");
  return index;
}

unsigned NastranBuilder::components(const NastranCard& card, std::size_t field, unsigned otherwise) const {
  if (card.blank(field)) return otherwise;
  unsigned out = 0u;
  for (const char c : card.field(field)) {
    if (c == ' ') continue;
    if (c < '0' || c > '6')
      complain(card, fmt::format("{} are no components", in_quotes(card.field(field))), "use digits 1 to 6");
    if (c > '0') out |= 1u << (c - '1');
  }
  return out;
}

int NastranBuilder::motion(const NastranCard& card, std::int64_t label, std::int64_t component) const {
  const int n = node_of(card, label);
  const bool scalar = model_.nodes[static_cast<std::size_t>(n)].scalar;
  if (scalar ? component < 0 || component > 1 : component < 1 || component > 6)
    complain(card, fmt::format("component {} of {} {} cannot be", component, scalar ? "scalar point" : "node", label),
             "use 1 to 6; 0 or 1 at scalar points");
  return 6 * n + (scalar ? 0 : static_cast<int>(component) - 1);
}

Eigen::Matrix3d NastranBuilder::axes(const NastranCard& card, std::int64_t label, const Eigen::Vector3d& point) const {
  if (label == 0) return Eigen::Matrix3d::Identity();
  const auto found = systems_.find(label);
  if (found == systems_.end())
    complain(card, fmt::format("there is no coordinate system {}", label), "add it or correct the card");
  return axes_at(found->second, point);
}
Eigen::Matrix3d NastranBuilder::frame_of(int node) const {
  const int frame = model_.nodes[static_cast<std::size_t>(node)].frame;
  return frame < 0 ? Eigen::Matrix3d::Identity() : model_.frames[static_cast<std::size_t>(frame)];
}
Eigen::Vector3d NastranBuilder::origin(const NastranCard& card, std::int64_t label) const {
  if (label == 0) return Eigen::Vector3d::Zero();
  const auto found = systems_.find(label);
  if (found == systems_.end())
    complain(card, fmt::format("there is no coordinate system {}", label), "add it or correct the card");
  return length() * Eigen::Map<const Eigen::Vector3d>(found->second.p_GL_G.data());
}

void NastranBuilder::read_nodes() {
  using Eigen::Vector3d;
  const std::size_t before = deck_.findings.size();
  const Geometry geometry = kdyn::geometry_of(deck_);
  for (std::size_t i = before; i < deck_.findings.size(); ++i)
    if (deck_.findings[i].severity == Severity::serious)
      throw_bad_input(deck_.findings[i].where, deck_.findings[i].message, deck_.findings[i].remedy);
  for (const CoordinateSystem& system : geometry.systems) systems_[system.label] = system;
  const Cards& sets = named("GRDSET");
  const unsigned default_fixed = sets.empty() ? 0u : components(*sets.front(), 8);
  std::map<std::int64_t, int> cartesian;  // frames that many nodes share
  for (const NastranCard* card : named("GRID")) {
    const std::int64_t label = deck_.integer(*card, 2);
    if (nodes_.contains(label)) continue;  // the geometry has made sure that both are the same
    const GeometryNode& point = geometry.nodes[model_.nodes.size()];
    demand(point.label == label, "nodes of the geometry come in the order of the cards");
    nodes_.emplace(label, model_.add_node(label, length() * Eigen::Map<const Vector3d>(point.position.data())));
    Node& made = model_.nodes.back();
    made.fixed = components(*card, 8, default_fixed);
    if (point.motion_system == 0) continue;
    if (point.motion_system < 0) complain(*card, "points of fluid (CD = -1) are not supported", "leave the fluid out");
    const bool shared =
        systems_.contains(point.motion_system) && systems_.at(point.motion_system).kind == CoordinateKind::cartesian;
    if (const auto found = cartesian.find(point.motion_system); shared && found != cartesian.end()) {
      made.frame = found->second;
      continue;
    }
    model_.frames.push_back(axes(*card, point.motion_system, Eigen::Map<const Vector3d>(point.position.data())));
    made.frame = static_cast<int>(model_.frames.size()) - 1;
    if (shared) cartesian[point.motion_system] = made.frame;
  }
  const auto add_scalar = [&](const NastranCard& card, std::int64_t label) {
    const auto found = nodes_.find(label);
    if (found != nodes_.end() && !model_.nodes[static_cast<std::size_t>(found->second)].scalar)
      complain(card, fmt::format("{} is a GRID and a scalar point", label), "give the scalar point another label");
    if (found != nodes_.end()) return;
    nodes_.emplace(label, model_.add_node(label, Vector3d::Zero()));
    model_.nodes.back().scalar = true;
  };
  for (const NastranCard* card : named("SPOINT"))
    for (const std::int64_t label : deck_.labels(*card, 2)) add_scalar(*card, label);
  // Scalar elements make the points that no other card names.
  const auto implied = [&](const char* name, std::initializer_list<std::size_t> fields) {
    for (const NastranCard* card : named(name))
      for (const std::size_t field : fields)
        if (!card->blank(field) && deck_.integer(*card, field) > 0 && !nodes_.contains(deck_.integer(*card, field)))
          add_scalar(*card, deck_.integer(*card, field));
  };
  for (const char* name : {"CELAS3", "CELAS4", "CMASS3", "CMASS4"}) implied(name, {4, 5});
}

// Values of one word of the case control, each once, in order: SPC = 2, K2GG = 1.5*STIFF.
std::vector<std::string> NastranBuilder::case_values(const char* word) const {
  std::vector<std::string> out;
  for (const std::string& line : deck_.control) {
    const std::size_t equal = line.find('=');
    if (equal == std::string::npos) continue;
    std::string left = lower_case(trim(std::string_view(line).substr(0, equal)));
    left = std::string(trim(std::string_view(left).substr(0, left.find('('))));
    if (left != word) continue;
    std::string value(trim(std::string_view(line).substr(equal + 1)));
    if (std::find(out.begin(), out.end(), value) == out.end()) out.push_back(std::move(value));
  }
  return out;
}

std::set<std::int64_t> NastranBuilder::chosen(const char* word, const char* add, const Cards& cards) {
  std::set<std::int64_t> there;
  for (const NastranCard* card : cards) there.insert(deck_.integer(*card, 2));
  const std::vector<std::string> values = case_values(word);
  if (values.empty()) {
    const bool has_case_control = std::any_of(deck_.control.begin(), deck_.control.end(), [](const std::string& line) {
      return lower_case(line).starts_with("cend");
    });
    if (cards.empty() || (there.size() == 1 && !has_case_control)) return there;
    tell(*cards.front(), Severity::warning, "sets",
         fmt::format("the case control names no set of {}: none of the {} in the deck is used", word, there.size()),
         "name one in the case control, as Nastran wants it, or give the bulk data alone");
    return {};
  }
  const auto number = nastran_number(values.front());
  if (!number) return {};
  const auto wanted = static_cast<std::int64_t>(*number);
  if (values.size() > 1)
    deck_.findings.push_back({Severity::warning, "sets", model_.name,
                              fmt::format("subcases name {} sets of {} ({}): that of the first, {}, is used",
                                          values.size(), word, fmt::join(values, ", "), wanted),
                              "keep the subcase that is meant"});
  std::set<std::int64_t> out{wanted};
  bool found = there.contains(wanted);
  for (const NastranCard* card : named(add))
    if (deck_.integer(*card, 2) == wanted) {
      found = true;
      for (const std::int64_t label : deck_.labels(*card, 3)) out.insert(label);
    }
  if (!found && wanted != 0)
    deck_.findings.push_back(
        {Severity::warning, "sets", model_.name,
         fmt::format("the case control asks for {} = {}, which the deck does not have", word, wanted),
         "add the cards, or take the line out"});
  return out;
}

}  // namespace kdyn::fe::internal
