// SPDX-License-Identifier: Apache-2.0
#include "kdyn/app/exchange/mount_files.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/hydromount/hydromount.hpp"
#include "kdyn/laws/model_file.hpp"
#include "kdyn/numerics/monotone_curve.hpp"

namespace kdyn::app {
namespace {

struct NamePair {
  const char* key;        // of the property file
  const char* parameter;  // of the model
};
constexpr NamePair elastomer_pairs[] = {{"STIFFNESS_STATIC", "static_stiffness"},
                                        {"ALPHA", "alpha"},
                                        {"BETA", "beta"},
                                        {"GAMMA", "gamma"},
                                        {"LAMBDA", "lambda"},
                                        {"RDL_RUBBER", "rdl"},
                                        {"RHO_RUBBER", "rho"},
                                        {"SCALE_FREQ", "scale_freq"},
                                        {"SCALE_AMPL", "scale_ampl"},
                                        {"SCALE_CURVE", "scale_curve"},
                                        {"SCALE_STIFFNESS_STATIC", "scale_static_stiffness"}};
constexpr NamePair hydro_pairs[] = {{"CHAMBER_AREA", "chamber_area"},
                                    {"FLUID_CHANNEL_AREA", "channel_area"},
                                    {"FLUID_CHANNEL_LENGTH", "channel_length"},
                                    {"FLUID_DENSITY", "fluid_density"},
                                    {"FLUID_DAMPING_LINEAR", "fluid_damping_linear"},
                                    {"FLUID_DAMPING_NONLINEAR", "fluid_damping_nonlinear"},
                                    {"FLUID_DAMPING_EXPONENT", "fluid_damping_exponent"}};

std::optional<double> number(const UbfDirection& d, const std::string& key) {
  const auto found = d.numbers.find(key);
  return found == d.numbers.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::string> text(const UbfDirection& d, const std::string& key) {
  const auto found = d.texts.find(key);
  return found == d.texts.end() ? std::nullopt : std::optional(found->second);
}

// The key of a rubber in a file with two of them. Some stand in the appendix under names of their own.
std::string key_of(const std::string& key, const std::string& prefix) {
  if (prefix.empty()) return key;
  if (key == "RDL_RUBBER") return prefix + "RDL";
  if (key == "RHO_RUBBER") return prefix + "RHO";
  if (key == "SCALE_CURVE" && prefix == "MAIN_RUBBER_") return "SCALE_MAIN_RUBBER_CURVE";
  if (key == "SCALE_STIFFNESS_STATIC" && prefix == "CHAMBER_RUBBER_") return "SCALE_CHAMBER_STIFFNESS";
  return prefix + key;
}

// Common to both rubbers in the appendix, unless the rubber has its own.
bool is_common(const std::string& key, const std::string& prefix) {
  return key == "ALPHA" || key == "BETA" || key == "GAMMA" || (key == "LAMBDA" && prefix == "MAIN_RUBBER_");
}

bool says_yes(const UbfDirection& d, const std::string& key) {
  const auto found = d.texts.find(key);
  return found != d.texts.end() &&
         (found->second == "yes" || found->second == "on" || found->second == "1" || found->second == "true");
}

Json curve_json(const Curve& curve) {
  Json out = Json::array();
  for (const auto& [x, f] : curve) out.push_back({x, f});
  return out;
}

bool rises(const Curve& curve) {
  for (std::size_t i = 1; i < curve.size(); ++i)
    if (!(curve[i].first > curve[i - 1].first && curve[i].second > curve[i - 1].second)) return false;
  return curve.size() >= 2;
}

UbfTable table_of(const UbfDirection& d, const std::string& name) {
  const auto found = d.tables.find(name);
  return found == d.tables.end() ? UbfTable{} : found->second;
}

Curve curve_of(const UbfTable& table) {
  Curve out;
  for (const auto& row : table) out.emplace_back(row[0], row[1]);
  return out;
}

// On one line through the origin, to the digits of a file.
bool is_line(const Curve& curve) {
  const double range = curve.back().second - curve.front().second,
               slope = range / (curve.back().first - curve.front().first);
  return std::all_of(curve.begin(), curve.end(),
                     [&](const auto& point) { return std::abs(point.second - slope * point.first) <= 1e-12 * range; });
}

// The rubber whose keys start with `prefix`.
std::optional<Json> rubber(const UbfDirection& d, const std::string& prefix, const Curve& curve, bool use_curve,
                           const std::string& where, std::vector<Finding>& findings) {
  Json parameters = Json::object();
  for (const NamePair& pair : elastomer_pairs) {
    std::optional<double> value = number(d, key_of(pair.key, prefix));
    if (!value && is_common(pair.key, prefix)) value = number(d, pair.key);
    if (value) parameters[pair.parameter] = *value;
  }
  const std::string friction = prefix + "FRICTION_";
  const auto gradient = number(d, friction + "SIGNUM_GRADIENT"), limit = number(d, friction + "MAX_1"),
             other = number(d, friction + "MAX_2");
  const bool limited = limit && *limit > 0.0 && (!gradient || *gradient != 0.0);
  parameters["ymax"] = limited ? Json(*limit) : Json();
  if (limited && other && std::abs(*other - *limit) > 1e-12 * *limit)
    findings.push_back(
        {Severity::warning, "lost", where,
         fmt::format("{}MAX_2 differs from {}MAX_1; the model has one limit and took the first", friction, friction),
         "check the limit"});
  if (use_curve && rises(curve))
    parameters["curve"] = curve_json(curve);
  else if (use_curve && !curve.empty())
    findings.push_back({Severity::warning, "curve_not_rising", where,
                        "the static curve does not rise everywhere and was replaced by the constant stiffness",
                        "smooth the curve"});
  if (!parameters.contains("static_stiffness") && !parameters.contains("curve")) return std::nullopt;
  Json model = {
      {"model", "elastomer"}, {"law", text(d, friction + "LAW").value_or("g4")}, {"parameters", std::move(parameters)}};
  const auto start_up = text(d, friction + "START_UP"), common_start_up = text(d, "FRICTION_START_UP");
  const auto deadband = number(d, friction + "DEADBAND"), common_deadband = number(d, "FRICTION_DEADBAND");
  if (start_up || common_start_up) model["options"]["start_up"] = start_up ? *start_up : *common_start_up;
  if (deadband || common_deadband) model["options"]["deadband"] = deadband ? *deadband : *common_deadband;
  if (const UbfTable table = table_of(d, prefix + "TEMPERATURE"); !table.empty()) model["temperature"] = table;
  return model;
}

std::optional<Json> hydro_model(const UbfDirection& d, const std::string& where, std::vector<Finding>& findings) {
  auto main = rubber(d, "MAIN_RUBBER_", d.curve, says_yes(d, "MAIN_RUBBER_USE_CURVE") || says_yes(d, "USE_CURVE"),
                     where, findings);
  if (!main) return std::nullopt;
  Json p = Json::object();
  for (const NamePair& pair : hydro_pairs)
    if (const auto value = number(d, pair.key)) p[pair.parameter] = *value;
  const auto at = [&](const char* key) { return p.contains(key) ? p[key].get<double>() : 0.0; };
  const double area = at("channel_area"), length = at("channel_length"), chamber = at("chamber_area");
  // A file may give the fluid's mass instead of its density; m_K = rho A_K l_K.
  const auto mass = number(d, "FLUID_MASS");
  if (mass && area > 0.0 && length > 0.0) {
    const double density = *mass / (area * length);
    if (!p.contains("fluid_density")) {
      p["fluid_density"] = density;
    } else if (std::abs(density / at("fluid_density") - 1.0) > 1e-3) {
      findings.push_back(
          {Severity::warning, "mass_and_density", where,
           fmt::format("FLUID_MASS means a density of {:.5g} kg/m^3, FLUID_DENSITY says {:.5g}; the mass is used",
                       density, at("fluid_density")),
           "check both"});
      p["fluid_density"] = density;
    }
  }
  UbfDirection with_chamber = d;
  if (!number(d, "CHAMBER_RUBBER_STIFFNESS_STATIC") && chamber > 0.0 && area > 0.0)
    if (const auto resonance = number(d, "FLUID_RESONANCE_FREQUENCY")) {
      const double omega = 2.0 * std::numbers::pi * *resonance / (area / chamber);
      with_chamber.numbers["CHAMBER_RUBBER_STIFFNESS_STATIC"] = at("fluid_density") * area * length * omega * omega;
      findings.push_back({Severity::note, "derived", where,
                          "the chamber stiffness was derived from FLUID_RESONANCE_FREQUENCY",
                          "nothing, if that is meant"});
    }
  const Curve chamber_curve = curve_of(table_of(d, "CHAMBER_RUBBER_CURVE"));
  auto chamber_rubber = rubber(with_chamber, "CHAMBER_RUBBER_", chamber_curve, !chamber_curve.empty(), where, findings);
  if (!chamber_rubber) {
    findings.push_back({Severity::serious, "incomplete", where,
                        "neither CHAMBER_RUBBER_STIFFNESS_STATIC nor what it follows from is given", "add the key"});
    return std::nullopt;
  }
  const auto scaled = [&](const char* key, const char* parameter) {
    if (const auto scale = number(d, key); scale && *scale != 1.0 && p.contains(parameter))
      p[parameter] = at(parameter) * *scale;
  };
  scaled("SCALE_FLUID_DAMPING_LINEAR", "fluid_damping_linear");
  scaled("SCALE_FLUID_DAMPING_NONLINEAR", "fluid_damping_nonlinear");
  const auto optional = [&](const char* parameter, const std::optional<double>& value, bool on) {
    p[parameter] = value && on ? Json(*value) : Json();
  };
  const auto clearance = number(d, "DECOUPLING_CLEARANCE"), limit = number(d, "FLUID_PRESSURE_LIMIT"),
             bypass = number(d, "FLUID_PRESSURE_LIMIT_BYPASS_AREA");
  const bool decoupled = clearance && *clearance > 0.0, bypassed = bypass && *bypass > 0.0;
  optional("decoupler_clearance", clearance, decoupled);
  // Without a clearance the gradient alone is a lever. A gradient of 0 then stands for "no decoupler" in files of
  // others.
  const double gradient = number(d, "DECOUPLING_GRADIENT").value_or(1.0);
  p["decoupler_gradient"] = decoupled || gradient > 0.0 || text(d, "MAIN_RUBBER_FRICTION_LAW") ? gradient : 1.0;
  if (const auto slope = number(d, "DECOUPLING_RESIDUAL_SLOPE")) p["decoupler_residual_slope"] = *slope;
  optional("pressure_limit", limit, number(d, "FLUID_PRESSURE_LIMIT_SIGNUM_GRADIENT").value_or(0.0) != 0.0);
  optional("bypass_area", bypass, bypassed);
  optional("bypass_threshold", number(d, "FLUID_PRESSURE_LIMIT_BYPASS_THRESHOLD"), bypassed);
  if (const auto smoothing = number(d, "FLUID_PRESSURE_LIMIT_SMOOTHING")) p["pressure_limit_smoothing"] = *smoothing;
  // The file holds b = d beta, as every reader understands it; the model then has beta.
  const bool coupled = says_yes(d, "FLUID_DAMPING_COUPLED");
  p["coupled_damping"] = coupled;
  if (coupled)
    p["fluid_damping_nonlinear"] =
        at("fluid_damping_linear") > 0.0 ? at("fluid_damping_nonlinear") / at("fluid_damping_linear") : 0.0;
  for (const auto& [parameter, table] :
       {std::pair("chamber_preload_curve", "CHAMBER_PRELOAD_CURVE"), std::pair("switch_signal", "SWITCH_SIGNAL")})
    if (const Curve curve = curve_of(table_of(d, table)); !curve.empty()) p[parameter] = curve_json(curve);
  for (const char* key : {"SCALE_FLUID_TUNED_MASS_DAMPER", "SCALE_FREQ_SHIFT"})
    if (const auto scale = number(d, key); scale && *scale != 1.0)
      findings.push_back({Severity::warning, "lost", where, fmt::format("{} has no counterpart and was left out", key),
                          "change the channel's length or area instead"});
  if (!d.chamber_curve.empty())
    findings.push_back({Severity::warning, "lost", where, "the impact of the preload on the chamber was left out",
                        "add it to the model by hand"});
  Json model = {{"model", "hydromount"},
                {"main_rubber", std::move(*main)},
                {"chamber_rubber", std::move(*chamber_rubber)},
                {"parameters", std::move(p)}};
  if (const UbfTable table = table_of(d, "FLUID_TEMPERATURE"); !table.empty()) model["temperature"] = table;
  return model;
}

UbfTable table_from(const Json& rows) { return rows.get<UbfTable>(); }

bool has_rows(const Json& object, const char* key) {
  return object.contains(key) && object[key].is_array() && !object[key].empty();
}

// The keys of a rubber, from the complete form that the law itself writes. In a hydro mount the main rubber comes
// first.
void put_rubber(UbfDirection& d, const Json& model, const std::string& prefix) {
  const Json& parameters = model["parameters"];
  const bool chamber = prefix == "CHAMBER_RUBBER_", curved = has_rows(parameters, "curve");
  for (const NamePair& pair : elastomer_pairs) {
    double value = parameters[pair.parameter].get<double>();
    // Beside a curve the law does not use its constant stiffness: the slope at zero is what the words mean.
    if (curved && std::string(pair.key) == "STIFFNESS_STATIC")
      value = MonotoneCurve(parameters["curve"].get<Curve>()).slope(0.0);
    if (!is_common(pair.key, prefix) || prefix.empty())
      d.numbers[key_of(pair.key, prefix)] = value;
    else if (!chamber)
      d.numbers[pair.key] = value;
    else if (d.numbers[pair.key] != value)
      d.numbers[key_of(pair.key, prefix)] = value;
  }
  const std::string friction = prefix + "FRICTION_";
  const Json& limit = parameters["ymax"];
  d.numbers[friction + "SIGNUM_GRADIENT"] = limit.is_number() ? 1e9 : 0.0;
  if (limit.is_number()) d.numbers[friction + "MAX_1"] = d.numbers[friction + "MAX_2"] = limit.get<double>();
  d.texts[friction + "LAW"] = model["law"].get<std::string>();
  d.texts[friction + "START_UP"] = model["options"]["start_up"].get<std::string>();
  d.numbers[friction + "DEADBAND"] = model["options"]["deadband"].get<double>();
  if (has_rows(model, "temperature")) d.tables[prefix + "TEMPERATURE"] = table_from(model["temperature"]);
  if (chamber) {
    if (curved) d.tables["CHAMBER_RUBBER_CURVE"] = table_from(parameters["curve"]);
    return;
  }
  d.texts[prefix + "USE_CURVE"] = curved ? "yes" : "no";
  if (curved) d.curve = parameters["curve"].get<Curve>();
}

}  // namespace

std::optional<Json> model_of(const UbfDirection& d, bool hydro, const std::string& where,
                             std::vector<Finding>& findings) {
  if (!d.present) return std::nullopt;
  if (const auto scale = number(d, "FORCE_SCALE")) {
    UbfDirection own = d;
    own.numbers.erase("FORCE_SCALE");
    auto model = model_of(own, hydro, where, findings);
    if (model) (*model)["scale"] = *scale;
    return model;
  }
  if (hydro && d.numbers.contains("MAIN_RUBBER_STIFFNESS_STATIC")) return hydro_model(d, where, findings);
  // Fields that are not in the file stay at the law's defaults, except that dynamic parts must be asked for.
  auto model = rubber(d, "", d.curve, says_yes(d, "USE_CURVE"), where, findings);
  if (model && !d.numbers.contains("RDL_RUBBER") && d.numbers.contains("DYNAMIC_HARDENING_1"))
    findings.push_back({Severity::warning, "data_sheet", where,
                        "the file has data-sheet values (dynamic hardening, loss angle) but no internal parameters: "
                        "the model is a plain spring",
                        "identify it: kdyn fit elastomer"});
  return model;
}

std::optional<Json> model_of(const BushingDirection& d, const std::string& where, std::vector<Finding>& findings) {
  Json parameters = Json::object();
  double stiffness = d.stiffness.value_or(0.0);
  std::optional<MonotoneCurve> curve;
  if (rises(d.curve)) {
    curve.emplace(d.curve);
    stiffness = curve->slope(0.0);  // what the damping is referred to
    if (is_line(d.curve))
      curve.reset(),
          stiffness = (d.curve.back().second - d.curve.front().second) / (d.curve.back().first - d.curve.front().first);
  } else if (d.curve.size() >= 2) {
    stiffness = (d.curve.back().second - d.curve.front().second) / (d.curve.back().first - d.curve.front().first);
    if (stiffness > 0.0)
      findings.push_back({Severity::warning, "curve_not_rising", where,
                          "the static curve does not rise everywhere and was replaced by its secant",
                          "smooth the curve"});
  }
  const bool damped = d.damping && *d.damping > 0.0;
  if (!(stiffness > 0.0) || !std::isfinite(stiffness)) {
    if (damped)
      findings.push_back({Severity::warning, "damping_without_spring", where,
                          "there is damping but no spring; the direction was left out",
                          "give it a stiffness, or a damper of its own in the multibody model"});
    return std::nullopt;
  }
  parameters[curve ? "curve" : "static_stiffness"] = curve ? curve_json(d.curve) : Json(stiffness);
  if (damped) {
    // [elastomer E2] with beta -> infinity is the damper lambda gamma alone; at a large beta it is lambda gamma beta/(1
    // + beta), and a soft spring alpha adds nothing to it. The damper of the law is referred to the stiffness at the
    // operating point, so it follows the curve.
    constexpr double beta = 1e6;
    parameters["alpha"] = 1e-6, parameters["beta"] = beta, parameters["gamma"] = 1.0;
    parameters["lambda"] = *d.damping / stiffness * (1.0 + beta) / beta;
    double low = 1.0, high = 1.0;
    if (curve)
      for (int i = 0; i <= 100; ++i) {
        const double ratio = curve->slope(curve->front() + (curve->back() - curve->front()) * i / 100.0) / stiffness;
        low = std::min(low, ratio), high = std::max(high, ratio);
      }
    if (high > 1.01 * low)
      findings.push_back({high > 1.5 * low ? Severity::warning : Severity::note, "damping_follows_curve", where,
                          fmt::format("the damping is exact about zero displacement; about other points it follows the "
                                      "slope of the curve, {:.2g} to {:.2g} "
                                      "times as much, where the file means a constant",
                                      low, high),
                          "nothing, for small preloads"});
  }
  return Json{{"model", "elastomer"}, {"law", "masing"}, {"parameters", std::move(parameters)}};
}

UbfDirection ubf_direction_of(const Json& given, const std::string& where, bool& hydro) {
  UbfDirection d;
  d.present = true;
  Json model;
  mount_from_json(given, where)->to_json(model);  // complete, every parameter said
  const auto name = model["model"].get<std::string>();
  hydro = name == "hydromount";
  if (model.contains("scale")) d.numbers["FORCE_SCALE"] = model["scale"].get<double>();
  if (name == "elastomer") {
    put_rubber(d, model, "");
    return d;
  }
  if (!hydro)
    throw_bad_input(where, fmt::format("model {} has no .ubf form", in_quotes(name)),
                    "export elastomer and hydromount models");
  put_rubber(d, model["main_rubber"], "MAIN_RUBBER_");
  put_rubber(d, model["chamber_rubber"], "CHAMBER_RUBBER_");
  const Json& p = model["parameters"];
  const auto value = [&](const char* key, double otherwise = 0.0) {
    return p[key].is_number() ? p[key].get<double>() : otherwise;
  };
  for (const NamePair& pair : hydro_pairs) d.numbers[pair.key] = value(pair.parameter);
  if (p["coupled_damping"].get<bool>()) {
    d.texts["FLUID_DAMPING_COUPLED"] = "yes";
    d.numbers["FLUID_DAMPING_NONLINEAR"] = value("fluid_damping_linear") * value("fluid_damping_nonlinear");
  }
  d.numbers["DECOUPLING_CLEARANCE"] = value("decoupler_clearance");
  d.numbers["DECOUPLING_GRADIENT"] = value("decoupler_gradient", 1.0);
  d.numbers["FLUID_PRESSURE_LIMIT"] = value("pressure_limit");
  d.numbers["FLUID_PRESSURE_LIMIT_SIGNUM_GRADIENT"] = p["pressure_limit"].is_number() ? 1e9 : 0.0;
  d.numbers["FLUID_PRESSURE_LIMIT_BYPASS_AREA"] = value("bypass_area");
  d.numbers["FLUID_PRESSURE_LIMIT_BYPASS_THRESHOLD"] = value("bypass_threshold");
  // What is at its default stays out of the file.
  const HydroMount<double> plain;
  const auto unless = [&](const char* key, const char* parameter, double usual) {
    if (value(parameter) != usual) d.numbers[key] = value(parameter);
  };
  unless("DECOUPLING_RESIDUAL_SLOPE", "decoupler_residual_slope", plain.decoupler_residual_slope);
  unless("FLUID_PRESSURE_LIMIT_SMOOTHING", "pressure_limit_smoothing", plain.pressure_limit_smoothing);
  if (has_rows(p, "chamber_preload_curve")) d.tables["CHAMBER_PRELOAD_CURVE"] = table_from(p["chamber_preload_curve"]);
  if (has_rows(p, "switch_signal")) d.tables["SWITCH_SIGNAL"] = table_from(p["switch_signal"]);
  if (has_rows(model, "temperature")) d.tables["FLUID_TEMPERATURE"] = table_from(model["temperature"]);
  return d;
}

}  // namespace kdyn::app
