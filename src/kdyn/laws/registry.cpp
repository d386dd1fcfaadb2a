// SPDX-License-Identifier: Apache-2.0
#include "kdyn/laws/registry.hpp"

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/json.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/laws/law_list.hpp"
#include "kdyn/laws/model_file.hpp"
#include "kdyn/laws/scaled.hpp"
#include "kdyn/laws/unit.hpp"

namespace kdyn::inline laws {

template <template <class> class LawOf>
LawEntry law_entry();  // laws/law_entry.hpp
#define KDYN_ENTRY(Law) extern template LawEntry law_entry<Law>();
KDYN_LAWS(KDYN_ENTRY)
#undef KDYN_ENTRY

const std::vector<LawEntry>& law_registry() {
  static const std::vector<LawEntry> all = [] {
    std::vector<LawEntry> entries;
#define KDYN_ENTRY(Law)                \
  entries.push_back(law_entry<Law>()); \
  entries.back().type = #Law;
    KDYN_LAWS(KDYN_ENTRY)
#undef KDYN_ENTRY
    return entries;
  }();
  return all;
}

const LawEntry* find_law(const std::string& model) {
  for (const LawEntry& entry : law_registry())
    if (entry.model == model) return &entry;
  return nullptr;
}

std::vector<std::string> law_names() {
  std::vector<std::string> names;
  for (const LawEntry& entry : law_registry()) names.push_back(entry.model);
  return names;
}

const LawEntry& law_of(const Json& in, const std::string& where) {
  if (!in.is_object() || !in.contains("model") || !in["model"].is_string())
    throw_bad_input(where, "this is no mount law: the key \"model\" is missing or no text",
                    R"(write {"model": "kelvin_voigt", "parameters": {"stiffness": ..., "damping": ...}})");
  const auto model = in["model"].get<std::string>();
  if (const LawEntry* entry = find_law(model)) return *entry;
  throw_bad_input(where + ".model", fmt::format("unknown model {}", in_quotes(model)), suggest(model, law_names()));
}

const Curve& AxisLaw::own_signal() const {
  static const Curve none;
  return none;
}

std::unique_ptr<AxisLaw> axis_law_from_json(const Json& in, const std::string& where) {
  const ScaledModel own = scaled_model(in, where);
  return scaled(law_of(own.model, where).axis_law(own.model, where), own.scale);
}

std::vector<double> image_of_model(const Json& model, const std::string& where) {
  if (model.is_object() && model.contains("model") && model["model"].is_object())
    return image_of_model(model["model"], where + ".model");
  const auto add = [](std::vector<double>& image, const Json& law, const std::string& place) {
    const ScaledModel own = plain_model(law, place);
    const LawEntry& entry = law_of(own.model, place);
    const std::vector<double> numbers = entry.image(own.model, place, own.temperature_c);
    image.push_back(law_code(entry.model.c_str()));
    image.push_back(own.scale);
    image.push_back(static_cast<double>(numbers.size()));
    image.insert(image.end(), numbers.begin(), numbers.end());
  };
  if (!model.is_object() || !model.contains("model") || model["model"] != "bushing") {
    std::vector<double> image = {image_format, 1.0, 0.0};
    add(image, model, where);
    return image;
  }
  const Bushing bushing = bushing_from_json(model, where);  // with every check
  std::vector<double> image = {image_format, static_cast<double>(most_axes), static_cast<double>(bushing.coupling)};
  image.insert(image.end(), bushing.place.position(), bushing.place.position() + 3);
  image.insert(image.end(), bushing.place.orientation(), bushing.place.orientation() + 3);
  for (std::size_t a = 0; a < axis_names.size(); ++a) {
    if (bushing.axes[a])
      add(image, model["axes"][axis_names[a]], fmt::format("{}.axes.{}", where, axis_names[a]));
    else
      image.insert(image.end(), {0.0, 1.0, 0.0});
  }
  return image;
}

bool exports_temperature(const Json& model, const std::string& where) {
  const std::vector<double> image = image_of_model(model, where);
  MountUnit unit;
  demand(unit.read_image(image.data(), image.size()), "an image gives the unit it was made from");
  bool found = false;
  unit.for_each([&](int, const LawInstance& law) {
    const int last = law.parameters() - 1;
    found = found || (last >= 0 && same_text(law.parameter_name(last), temperature_parameter.name));
  });
  return found;
}

}  // namespace kdyn::inline laws
