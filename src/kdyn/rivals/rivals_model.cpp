// SPDX-License-Identifier: Apache-2.0
#include "kdyn/rivals/rivals_model.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/json.hpp"
#include "kdyn/element/mount_of.hpp"

namespace kdyn::inline rivals {

const FieldTable& fields_of(const FractionalZener<double>*) {
  using Law = FractionalZener<double>;
  static const FieldTable table = FieldTable::of<Law>("fractional_zener parameters", [](FieldTable& t) {
    describe_parameters<Law>(t);
    t.add(&Law::band_lower_hz, "band_lower_hz", "Hz", "Band in which the ladder follows the exact stiffness: lower end")
        .above(0.0);
    t.add(&Law::band_upper_hz, "band_upper_hz", "Hz", "Band in which the ladder follows the exact stiffness: upper end")
        .above(0.0);
  });
  return table;
}
const FieldTable& fields_of(const MaxwellParameters*) {
  using P = MaxwellParameters;
  static const FieldTable table = FieldTable::of<P>("maxwell parameters", [](FieldTable& t) {
    const auto described = [&](auto member, std::size_t i) {
      const ParameterInfo& info = maxwell_parameters[i];
      t.add(member, info.name, info.unit, info.meaning).range(info.lower, info.upper).lower_open = info.lower_open;
    };
    described(&P::static_stiffness, 0);
    described(&P::stiffness, 1);
    described(&P::relaxation_time, 2);
  });
  return table;
}

FractionalZener<double> fractional_zener_from_json(const Json& in, const std::string& where) {
  using Law = FractionalZener<double>;
  Law law;
  const Json& parameters = plain_parameters(in, Law::parameters.data(), Law::parameters.size(), where);
  from_json_fields(law, parameters, where + ".parameters");
  if (!(law.band_upper_hz > 10.0 * law.band_lower_hz))
    throw_bad_input(where + ".parameters.band_upper_hz",
                    fmt::format("{:g} Hz is less than a decade above band_lower_hz = {:g} Hz", law.band_upper_hz,
                                law.band_lower_hz),
                    "widen the band");
  law.complete();
  return law;
}
void model_json(const FractionalZener<double>& law, Json& out) {
  plain_json(law.model, field_table<FractionalZener<double>>(), &law, out);
}

Maxwell<double> maxwell_from_json(const Json& in, const std::string& where) {
  const Json& parameters = plain_parameters(in, maxwell_parameters.data(), maxwell_parameters.size(), where);
  MaxwellParameters p;
  from_json_fields(p, parameters, where + ".parameters");
  if (p.stiffness.size() != p.relaxation_time.size())
    throw_bad_input(where + ".parameters.relaxation_time",
                    fmt::format("{} relaxation times for {} stiffnesses", p.relaxation_time.size(), p.stiffness.size()),
                    "give as many of each");
  if (p.stiffness.size() > static_cast<std::size_t>(Maxwell<double>::max_branches))
    throw_bad_input(
        where + ".parameters.stiffness",
        fmt::format("{} branches, at most {} are possible", p.stiffness.size(), Maxwell<double>::max_branches),
        "merge neighbouring branches");
  Maxwell<double> law;
  law.static_stiffness = p.static_stiffness;
  law.bank.branches = static_cast<int>(p.stiffness.size());
  std::copy(p.stiffness.begin(), p.stiffness.end(), law.bank.stiffness.begin());
  std::copy(p.relaxation_time.begin(), p.relaxation_time.end(), law.bank.relaxation_time.begin());
  return law;
}

void model_json(const Maxwell<double>& law, Json& out) {
  MaxwellParameters p;
  p.static_stiffness = law.static_stiffness;
  p.stiffness.assign(law.bank.stiffness.begin(), law.bank.stiffness.begin() + law.bank.branches);
  p.relaxation_time.assign(law.bank.relaxation_time.begin(), law.bank.relaxation_time.begin() + law.bank.branches);
  out = Json::object();
  out["model"] = law.model;
  to_json_fields(p, out["parameters"]);
}

}  // namespace kdyn::inline rivals
