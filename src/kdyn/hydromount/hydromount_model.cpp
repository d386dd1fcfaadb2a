// SPDX-License-Identifier: Apache-2.0
#include "kdyn/hydromount/hydromount_model.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/json.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/elastomer/elastomer_model.hpp"
#include "kdyn/elastomer/temperature_rows.hpp"
#include "kdyn/element/mount_of.hpp"
#include "kdyn/hydromount/steady_state.hpp"

namespace kdyn::inline hydromount {

const FieldTable& fields_of(const HydroMount<double>*) {
  using Law = HydroMount<double>;
  static const FieldTable table = FieldTable::of<Law>("hydromount parameters", [](FieldTable& t) {
    const auto scalar = [&](std::size_t i) {
      const ParameterInfo& info = hydromount_parameters[i];
      t.add(Law::members[i], info.name, info.unit, info.meaning).range(info.lower, info.upper).lower_open =
          info.lower_open;
    };
    const auto optional = [&](std::size_t i) {
      const ParameterInfo& info = hydromount_parameters[Law::members.size() + i];
      t.add(Law::optional_members[i], info.name, info.unit, info.meaning).range(info.lower, info.upper).lower_open =
          info.lower_open;
    };
    for (std::size_t i = 0; i < 6; ++i) scalar(i);
    t.add(&Law::fluid_damping_exponent, "fluid_damping_exponent", "-", "Exponent n of the nonlinear damping")
        .range(1.0, 5.0);
    t.add(&Law::coupled_damping, "coupled_damping", "-",
          "true: nonlinear coefficient is fluid_damping_linear times fluid_damping_nonlinear");
    optional(0);
    for (std::size_t i = 6; i < 8; ++i) scalar(i);
    optional(1);
    scalar(8);
    optional(2);
    optional(3);
    t.add(&Law::chamber_preload_curve, "chamber_preload_curve", "N, -",
          "Factor on the chamber force over preload [[N, -], ...]; null: 1");
    t.add(&Law::switch_signal, "switch_signal", "s, -",
          "Coupling of a switchable mount over time [[s, 0..1], ...]; null: set from outside, 1 by default");
  });
  return table;
}

namespace {

void check_table(const Curve& points, const std::string& where, double lower, double upper, const char* rule) {
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (i > 0 && points[i].first < points[i - 1].first)
      throw_bad_input(fmt::format("{}[{}]", where, i),
                      fmt::format("{:g} lies before {:g}", points[i].first, points[i - 1].first), "sort the points");
    if (!(points[i].second >= lower && points[i].second <= upper))
      throw_bad_input(fmt::format("{}[{}]", where, i), fmt::format("{:g} is not {}", points[i].second, rule),
                      "correct the value");
  }
}

}  // namespace

void prepare(HydroMount<double>& law, const std::string& where) {
  const FieldTable& table = field_table<HydroMount<double>>();
  for (std::size_t i = 0; i < law.members.size(); ++i)
    check_bounds(*table.find(hydromount_parameters[i].name), law.*law.members[i],
                 where + "." + hydromount_parameters[i].name);
  check_bounds(*table.find("fluid_damping_exponent"), law.fluid_damping_exponent, where + ".fluid_damping_exponent");
  for (std::size_t i = 0; i < law.optional_members.size(); ++i)
    if (const char* name = hydromount_parameters[law.members.size() + i].name; law.*law.optional_members[i])
      check_bounds(*table.find(name), *(law.*law.optional_members[i]), where + "." + name);
  if (law.bypass_area.has_value() != law.bypass_threshold.has_value())
    throw_bad_input(where + (law.bypass_area ? ".bypass_threshold" : ".bypass_area"),
                    "a bypass needs both its area and its threshold", "give both, or null for both");
  check_table(law.chamber_preload_curve, where + ".chamber_preload_curve", 1e-6, 1e6, "a factor between 1e-6 and 1e6");
  check_table(law.switch_signal, where + ".switch_signal", 0.0, 1.0, "between 0 and 1");
  prepare(law.main_rubber, where + ".main_rubber");
  prepare(law.chamber_rubber, where + ".chamber_rubber");
}

HydroMount<double> hydromount_from_json(const Json& in, const std::string& where) {
  if (!in.is_object())
    throw_bad_input(
        where, "a model must be a JSON object",
        R"(write {"model": "hydromount", "main_rubber": {...}, "chamber_rubber": {...}, "parameters": {...}})");
  static const std::vector<std::string> keys = {"model",       "main_rubber", "chamber_rubber", "parameters",
                                                "temperature", "name",        "axis",           "comment"};
  for (const auto& [key, value] : in.items())
    if (std::find(keys.begin(), keys.end(), key) == keys.end())
      throw_bad_input(where + "." + key, fmt::format("unknown field {} of a hydro mount model", in_quotes(key)),
                      suggest(key, keys));
  for (const char* part : {"main_rubber", "chamber_rubber", "parameters"})
    if (!in.contains(part))
      throw_bad_input(where + "." + part, fmt::format("{} is missing", part), fmt::format("add \"{}\": {{...}}", part));
  HydroMount<double> law;
  law.main_rubber = elastomer_from_json(in["main_rubber"], where + ".main_rubber");
  law.chamber_rubber = elastomer_from_json(in["chamber_rubber"], where + ".chamber_rubber");
  Json parameters = in["parameters"];
  const std::string place = where + ".parameters";
  if (parameters.is_object()) {
    // Geometry has no sensible default; what damps or decouples is off when it is not asked for or null.
    for (const char* name : {"chamber_area", "channel_area", "channel_length", "fluid_density"})
      if (!parameters.contains(name))
        throw_bad_input(place + "." + name, fmt::format("{} is missing", name),
                        field_table<HydroMount<double>>().find(name)->meaning);
    for (const char* name : {"fluid_damping_linear", "fluid_damping_nonlinear"})
      if (!parameters.contains(name) || parameters[name].is_null()) parameters[name] = 0.0;
    for (const char* name : {"fluid_damping_exponent", "decoupler_gradient", "decoupler_residual_slope",
                             "pressure_limit_smoothing", "coupled_damping"})
      if (parameters.contains(name) && parameters[name].is_null()) parameters.erase(name);
  }
  from_json_fields(law, parameters, place);
  if (in.contains("temperature") && !in["temperature"].is_null())
    law.temperature = temperature_rows<FluidTemperatureRow>(
        in["temperature"], where + ".temperature",
        {&FluidTemperatureRow::damping_linear, &FluidTemperatureRow::damping_nonlinear},
        "fluid_damping_linear, fluid_damping_nonlinear");
  prepare(law, place);
  return law;
}

HydroMount<double> law_at_temperature(const HydroMount<double>& law, double temperature_c) {
  if (!law.knows_temperature())
    throw_bad_input("temperature_c", "this hydro mount has no temperature table, nor have its rubbers",
                    R"(add "temperature": [[temperature_c, stiffness, freq, ampl], ...] to its rubbers and )"
                    R"([[temperature_c, fluid_damping_linear, fluid_damping_nonlinear], ...] to it)");
  HydroMount<double> out = law;
  out.heat(temperature_c);
  out.forget_temperature();
  prepare(out, "temperature");
  return out;
}

void model_json(const HydroMount<double>& law, Json& out) {
  out = Json::object();
  out["model"] = law.model;
  model_json(law.main_rubber, out["main_rubber"]);
  model_json(law.chamber_rubber, out["chamber_rubber"]);
  to_json_fields(law, out["parameters"]);
  for (const FluidTemperatureRow& row : law.temperature)
    out["temperature"].push_back({row.temperature_c, row.damping_linear, row.damping_nonlinear});
}

double static_displacement(const HydroMount<double>& law, double force) {
  return static_displacement(law.main_rubber, force);
}

std::optional<SteadyResponse> steady_response(const HydroMount<double>& law, double frequency_hz, double amplitude,
                                              double u0) {
  SteadyOptions options;
  options.odd_harmonics = 15;  // what a loop's range to 1e-4 takes
  const HarmonicBalance balance(law, u0, options);
  for (const SteadyState& state : balance.solve_all(frequency_hz, amplitude))
    if (state.stable) return state.response;
  return std::nullopt;
}

std::unique_ptr<Mount> make_mount(const HydroMount<double>& law) {
  return std::make_unique<MountOf<HydroMount<double>>>(law);
}

const FieldTable& fields_of(const Fold*) {
  static const FieldTable table = FieldTable::results<Fold>("fold", [](FieldTable& t) {
    t.add(&Fold::frequency_hz, "frequency_hz", "Hz", "Where the mount jumps");
    t.add(&Fold::amplitude, "amplitude_m", "m", "Amplitude of the sine");
    t.add(&Fold::k_dyn, "k_dyn", "N/m", "Dynamic stiffness there");
    t.add(&Fold::loss_angle, "loss_angle_deg", "deg", "Loss angle there").in_degrees();
  });
  return table;
}

}  // namespace kdyn::inline hydromount
