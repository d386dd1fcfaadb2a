// SPDX-License-Identifier: Apache-2.0
// Makes the registry's entry of a law. Instantiated once for each law, in sources that the build writes from
// laws/law_list.hpp.
#pragma once

#include "kdyn/activemount/active_mount_model.hpp"
#include "kdyn/elastomer/elastomer_model.hpp"
#include "kdyn/element/archive.hpp"
#include "kdyn/element/mount_of.hpp"
#include "kdyn/hydromount/hydromount_model.hpp"
#include "kdyn/laws/axis_law_of.hpp"
#include "kdyn/laws/instance_of.hpp"
#include "kdyn/laws/registry.hpp"
#include "kdyn/rivals/rivals_model.hpp"

namespace kdyn::inline laws {

// How a law is read from its file, for those that do not follow the plain form.
inline void read_law(Elastomer<double>& law, const Json& in, const std::string& where) {
  law = elastomer_from_json(in, where);
}
inline void read_law(HydroMount<double>& law, const Json& in, const std::string& where) {
  law = hydromount_from_json(in, where);
}
inline void read_law(ActiveMount<double>& law, const Json& in, const std::string& where) {
  law = active_mount_from_json(in, where).law;
}
inline void read_law(Maxwell<double>& law, const Json& in, const std::string& where) {
  law = maxwell_from_json(in, where);
}
inline void read_law(FractionalZener<double>& law, const Json& in, const std::string& where) {
  law = fractional_zener_from_json(in, where);
}
template <class Law>
void read_law(Law& law, const Json& in, const std::string& where) {
  law = plain_law_from_json<Law>(in, where);
}
inline const FieldTable& parameter_table(const Elastomer<double>*) { return field_table<Elastomer<double>>(); }
inline const FieldTable& parameter_table(const HydroMount<double>*) { return field_table<HydroMount<double>>(); }
inline const FieldTable& parameter_table(const ActiveMount<double>*) { return field_table<ActiveMount<double>>(); }
inline const FieldTable& parameter_table(const Maxwell<double>*) { return field_table<MaxwellParameters>(); }
inline const FieldTable& parameter_table(const FractionalZener<double>*) {
  return field_table<FractionalZener<double>>();
}
template <class Law>
const FieldTable& parameter_table(const Law*) {
  return plain_law_table<Law>();
}

template <template <class> class LawOf>
LawEntry law_entry() {
  using Law = LawOf<double>;
  static const auto read = [](const Json& in, const std::string& where) {
    Law law;
    read_law(law, in, where);
    return law;
  };
  LawEntry entry{Law::model, Law::title, "",      &parameter_table(static_cast<const Law*>(nullptr)),
                 {},         nullptr,    nullptr, nullptr};
  Law defaults;
  defaults.visit_parameters([&](const char* name, double&) { entry.parameters.emplace_back(name); });
  entry.mount = [](const Json& in, const std::string& where) { return make_mount(read(in, where)); };
  entry.axis_law = [](const Json& in, const std::string& where) -> std::unique_ptr<AxisLaw> {
    return std::make_unique<AxisLawOf<Law>>(read(in, where));
  };
  entry.image = [](const Json& in, const std::string& where, std::optional<double> temperature_c) {
    std::vector<double> numbers;
    ImageWriter writer(numbers);
    Law law = read(in, where);
    if constexpr (offers::Heats<Law>::value) {
      // Without a temperature of its own to start at the model is what its parameters say.
      if (!temperature_c) temperature_c = law.own_temperature();
      if (!temperature_c) law.forget_temperature();
      if (temperature_c && !law.knows_temperature()) law_at_temperature(law, *temperature_c);  // throws
    } else if (temperature_c) {
      make_mount(law)->at_temperature(*temperature_c);  // throws
    }
    archive_law(law, writer);
    if (temperature_c) writer(*temperature_c);
    return numbers;
  };
  return entry;
}

}  // namespace kdyn::inline laws
