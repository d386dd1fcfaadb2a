// SPDX-License-Identifier: Apache-2.0
// Mass that is smeared over elements by their property or label: NSM, NSM1 (per length or area), NSML, NSML1 (in all).
#include <cmath>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/fe/internal/nastran_builder.hpp"

namespace kdyn::fe::internal {

double NastranBuilder::measure(const Element& e) const {
  const auto place = [&](int i) -> const Eigen::Vector3d& {
    return model_.nodes[static_cast<std::size_t>(e.nodes[static_cast<std::size_t>(i)])].position;
  };
  if (e.shape == Shape::beam || e.shape == Shape::rod) return (place(1) + e.arms[1] - place(0) - e.arms[0]).norm();
  if (e.shape == Shape::tria3 || e.shape == Shape::tria6)
    return 0.5 * (place(1) - place(0)).cross(place(2) - place(0)).norm();
  if (is_shell(e.shape)) return 0.5 * (place(2) - place(0)).cross(place(3) - place(1)).norm();
  return 0.0;
}

void NastranBuilder::read_added_mass() {
  Cards all;
  for (const char* name : {"NSM", "NSM1", "NSML", "NSML1"})
    for (const NastranCard* card : named(name)) all.push_back(card);
  if (all.empty()) return;
  const std::set<std::int64_t> sets = chosen("nsm", "NSMADD", all);
  for (const NastranCard* card : all) {
    if (!sets.contains(deck_.integer(*card, 2))) continue;
    const std::string type = lower_case(card->field(3));
    const bool in_all = card->name.starts_with("NSML"), list = card->name.ends_with('1');
    // NSM1: SID, TYPE, VALUE, ID...; NSM: SID, TYPE, ID, VALUE, ID, VALUE, ...
    std::vector<std::pair<std::set<std::int64_t>, double>> wishes;  // empty set: all
    if (list) {
      std::set<std::int64_t> labels;
      if (lower_case(card->field(5)) != "all")
        for (const std::int64_t label : deck_.labels(*card, 5)) labels.insert(label);
      wishes.emplace_back(std::move(labels), deck_.real(*card, 4));
    } else {
      for (std::size_t field = 4; field + 1 <= card->last_field(); field += 2)
        if (!card->blank(field)) wishes.push_back({{deck_.integer(*card, field)}, deck_.real(*card, field + 1)});
    }
    for (const auto& [labels, value] : wishes) {
      std::vector<std::size_t> chosen_elements;
      double total = 0.0;
      for (std::size_t i = 0; i < model_.elements.size(); ++i) {
        const Element& e = model_.elements[i];
        const std::int64_t property = model_.properties[static_cast<std::size_t>(e.property)].label;
        const auto owner = property_cards_.find(property);
        const std::string kind = owner != property_cards_.end() ? lower_case(owner->second->name) : "conrod";
        const bool fits = type == "element" || kind == type || (type == "pcomp" && kind == "pcompg");
        if (!fits || (!labels.empty() && !labels.contains(type == "element" || type == "conrod" ? e.label : property)))
          continue;
        if (is_solid(e.shape))
          complain(*card, fmt::format("element {} is a solid, which takes no smeared mass", e.label),
                   "name shells and beams");
        chosen_elements.push_back(i), total += measure(e);
      }
      if (chosen_elements.empty())
        complain(*card, fmt::format("no element of the kind {} belongs to it", in_quotes(card->field(3))),
                 "correct the labels, or take the card out");
      for (const std::size_t i : chosen_elements) {
        Element& e = model_.elements[i];
        const double unit = settings_.mass_kg / (is_shell(e.shape) ? length() * length() : length());
        detail(e).added_mass += in_all ? value * settings_.mass_kg / total : value * unit;
      }
    }
  }
}

}  // namespace kdyn::fe::internal
