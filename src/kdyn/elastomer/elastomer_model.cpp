// SPDX-License-Identifier: Apache-2.0
#include "kdyn/elastomer/elastomer_model.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/json.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/elastomer/harmonic.hpp"
#include "kdyn/elastomer/temperature_rows.hpp"
#include "kdyn/element/mount_of.hpp"
#include "kdyn/numerics/curve_check.hpp"

namespace kdyn::inline elastomer {
namespace {

// What stands beside "parameters" in a model file.
struct Settings {
  FrictionLaw law = FrictionLaw::masing;
  StartUp start_up = StartUp::zero;
  double deadband = Elastomer<double>{}.deadband;
};

const FieldTable& law_table() {
  static const FieldTable table = FieldTable::of<Settings>("elastomer", [](FieldTable& t) {
    t.add(&Settings::law, "law", "-", "Friction law: masing (default of kdyn) or g4 (Scheiblegger 2018)")
        .one_of({"masing", "g4"});
  });
  return table;
}

const FieldTable& option_table() {
  static const FieldTable table = FieldTable::of<Settings>("elastomer options", [](FieldTable& t) {
    t.add(&Settings::start_up, "start_up", "-",
          "First branch of g4: zero (as published) or backbone (centred from the first cycle)")
        .one_of({"zero", "backbone"});
    t.add(&Settings::deadband, "deadband", "m",
          "g4: reversals up to this size are reversible; 1e-9 for simulated, 1e-6 for measured input")
        .range(0.0, 1.0);
  });
  return table;
}

}  // namespace

const FieldTable& fields_of(const Elastomer<double>*) {
  using Law = Elastomer<double>;
  static const FieldTable table = FieldTable::of<Law>("elastomer parameters", [](FieldTable& t) {
    for (std::size_t i = 0; i < Law::members.size(); ++i) {
      const ParameterInfo& info = elastomer_parameters[i];
      Field& field = t.add(Law::members[i], info.name, info.unit, info.meaning).range(info.lower, info.upper);
      field.lower_open = info.lower_open;
    }
    t.add(&Law::ymax, elastomer_parameters.back().name, elastomer_parameters.back().unit,
          elastomer_parameters.back().meaning)
        .above(0.0);
    t.add(&Law::curve_points, "curve", "m, N", "Static force curve [[m, N], ...], rising; null uses static_stiffness");
  });
  return table;
}

void prepare(Elastomer<double>& law, const std::string& where) {
  for (std::size_t i = 0; i < law.members.size(); ++i) {
    const ParameterInfo& info = elastomer_parameters[i];
    check_bounds(*field_table<Elastomer<double>>().find(info.name), law.*law.members[i], where + "." + info.name);
  }
  if (law.ymax) check_bounds(*field_table<Elastomer<double>>().find("ymax"), *law.ymax, where + ".ymax");
  if (!law.curve_points.empty()) check_rising(law.curve_points, where + ".curve");
  law.curve = nullptr;
  law.complete();
}

Elastomer<double> elastomer_from_json(const Json& in, const std::string& where) {
  if (!in.is_object())
    throw_bad_input(where, "a model must be a JSON object", R"(write {"model": "elastomer", "parameters": {...}})");
  static const std::vector<std::string> keys = {"model",       "law",  "parameters", "options",
                                                "temperature", "name", "axis",       "comment"};
  for (const auto& [key, value] : in.items())
    if (std::find(keys.begin(), keys.end(), key) == keys.end())
      throw_bad_input(where + "." + key, fmt::format("unknown field {} of an elastomer model", in_quotes(key)),
                      suggest(key, keys));
  if (!in.contains("parameters"))
    throw_bad_input(where + ".parameters", "the parameters are missing",
                    R"(add "parameters": {"static_stiffness": ...})");
  const Json& parameters = in["parameters"];
  Elastomer<double> law;
  if (parameters.is_object()) {
    if (!parameters.contains("static_stiffness") && (!parameters.contains("curve") || parameters["curve"].is_null()))
      throw_bad_input(where + ".parameters.static_stiffness", "neither static_stiffness nor curve is given",
                      "give one of them, in N/m or as [[m, N], ...]");
    // A model with static_stiffness alone is a plain spring: dynamic parts must be asked for.
    law.lambda = parameters.contains("lambda") ? law.lambda : 0.0;
    law.rdl = parameters.contains("rdl") ? law.rdl : 0.0;
    law.rho = parameters.contains("rho") ? law.rho : 0.0;
  }
  from_json_fields(law, parameters, where + ".parameters");
  Settings settings;
  if (in.contains("law")) law_table().set_one(&settings, "law", in["law"], where);
  if (in.contains("options")) option_table().from_json(&settings, in["options"], where + ".options");
  law.law = settings.law;
  law.start_up = settings.start_up;
  law.deadband = settings.deadband;
  if (in.contains("temperature") && !in["temperature"].is_null())
    law.temperature = temperature_rows<TemperatureRow>(
        in["temperature"], where + ".temperature",
        {&TemperatureRow::stiffness, &TemperatureRow::freq, &TemperatureRow::ampl}, "stiffness, freq, ampl");
  prepare(law, where + ".parameters");
  return law;
}

Elastomer<double> law_at_temperature(const Elastomer<double>& law, double temperature_c) {
  if (!law.knows_temperature())
    throw_bad_input("temperature_c", "this model has no temperature table",
                    R"(add "temperature": [[temperature_c, stiffness, freq, ampl], ...] or leave temperature_c out)");
  Elastomer<double> out = law;
  out.heat(temperature_c);
  out.forget_temperature();
  prepare(out, "temperature");
  return out;
}

void model_json(const Elastomer<double>& law, Json& out) {
  out = Json::object();
  out["model"] = law.model;
  const Settings settings{law.law, law.start_up, law.deadband};
  law_table().to_json(&settings, out);
  to_json_fields(law, out["parameters"]);
  option_table().to_json(&settings, out["options"]);
  for (const TemperatureRow& row : law.temperature)
    out["temperature"].push_back({row.temperature_c, row.stiffness, row.freq, row.ampl});
}

double static_displacement(const Elastomer<double>& law, double force) {
  if (law.curve) return law.curve->inverse(force / law.scale_curve);
  return force / (law.scale_static_stiffness * law.static_stiffness);
}

SteadyResponse steady_response(const Elastomer<double>& law, double frequency_hz, double amplitude, double u0) {
  const auto harmonic = harmonic_reduction(law, frequency_hz, amplitude, u0);
  const auto loop = loop_reduction(law, frequency_hz, amplitude, u0);
  return {harmonic.k_dyn, harmonic.loss_angle, loop.k_dyn, loop.loss_angle};
}

std::unique_ptr<Mount> make_mount(const Elastomer<double>& law) {
  return std::make_unique<MountOf<Elastomer<double>>>(law);
}

}  // namespace kdyn::inline elastomer
