// SPDX-License-Identifier: Apache-2.0
#include "kdyn/app/mount_files.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"

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

bool says_yes(const UbfDirection& d, const std::string& key) {
  const auto found = d.texts.find(key);
  return found != d.texts.end() && (found->second == "yes" || found->second == "on" || found->second == "1" || found->second == "true");
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

// The rubber whose keys start with `prefix`; ALPHA, BETA, GAMMA and LAMBDA are common unless the rubber has its own.
std::optional<Json> rubber(const UbfDirection& d, const std::string& prefix, const Curve& curve, bool use_curve, const std::string& where,
                           std::vector<Finding>& findings) {
  Json parameters = Json::object();
  for (const NamePair& pair : elastomer_pairs) {
    const std::string key(pair.key);
    std::optional<double> value;
    if (prefix.empty()) {
      value = number(d, key);
    } else {
      const std::string own = key == "RDL_RUBBER" ? "RDL" : key == "RHO_RUBBER" ? "RHO" : key;
      value = number(d, prefix + own);
      const bool shared = key == "ALPHA" || key == "BETA" || key == "GAMMA" || (key == "LAMBDA" && prefix == "MAIN_RUBBER_");
      if (!value && shared) value = number(d, key);
    }
    if (value) parameters[pair.parameter] = *value;
  }
  const std::string friction = prefix + "FRICTION_";
  const auto gradient = number(d, friction + "SIGNUM_GRADIENT"), limit = number(d, friction + "MAX_1"), other = number(d, friction + "MAX_2");
  const bool limited = limit && *limit > 0.0 && (!gradient || *gradient != 0.0);
  parameters["ymax"] = limited ? Json(*limit) : Json();
  if (limited && other && std::abs(*other - *limit) > 1e-12 * *limit)
    findings.push_back({Severity::warning, "lost", where,
                        fmt::format("{}MAX_2 differs from {}MAX_1; the model has one limit and took the first", friction, friction),
                        "check the limit"});
  if (use_curve && rises(curve))
    parameters["curve"] = curve_json(curve);
  else if (use_curve && !curve.empty())
    findings.push_back({Severity::warning, "curve_not_rising", where,
                        "the static curve does not rise everywhere and was replaced by the constant stiffness", "smooth the curve"});
  if (!parameters.contains("static_stiffness") && !parameters.contains("curve")) return std::nullopt;
  Json model = {{"model", "elastomer"}, {"law", "g4"}, {"parameters", std::move(parameters)}};
  if (const auto law = d.texts.find(prefix + "FRICTION_LAW"); law != d.texts.end()) model["law"] = law->second;
  Json options = Json::object();
  if (const auto start = d.texts.find("FRICTION_START_UP"); start != d.texts.end()) options["start_up"] = start->second;
  if (const auto deadband = number(d, "FRICTION_DEADBAND")) options["deadband"] = *deadband;
  if (!options.empty()) model["options"] = std::move(options);
  return model;
}

std::optional<Json> hydro_model(const UbfDirection& d, const std::string& where, std::vector<Finding>& findings) {
  auto main = rubber(d, "MAIN_RUBBER_", d.curve, says_yes(d, "MAIN_RUBBER_USE_CURVE") || says_yes(d, "USE_CURVE"), where, findings);
  if (!main) return std::nullopt;
  if (const auto scale = number(d, "SCALE_MAIN_RUBBER_CURVE")) (*main)["parameters"]["scale_curve"] = *scale;
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
           fmt::format("FLUID_MASS means a density of {:.5g} kg/m^3, FLUID_DENSITY says {:.5g}; the mass was believed", density, at("fluid_density")),
           "check both"});
      p["fluid_density"] = density;
    }
  }
  UbfDirection with_chamber = d;
  if (!number(d, "CHAMBER_RUBBER_STIFFNESS_STATIC") && chamber > 0.0 && area > 0.0)
    if (const auto resonance = number(d, "FLUID_RESONANCE_FREQUENCY")) {
      const double omega = 2.0 * std::numbers::pi * *resonance / (area / chamber);
      with_chamber.numbers["CHAMBER_RUBBER_STIFFNESS_STATIC"] = at("fluid_density") * area * length * omega * omega;
      findings.push_back(
          {Severity::note, "derived", where, "the chamber stiffness was derived from FLUID_RESONANCE_FREQUENCY", "nothing, if that is meant"});
    }
  auto chamber_rubber = rubber(with_chamber, "CHAMBER_RUBBER_", {}, false, where, findings);
  if (!chamber_rubber) {
    findings.push_back(
        {Severity::serious, "incomplete", where, "neither CHAMBER_RUBBER_STIFFNESS_STATIC nor what it follows from is given", "add the key"});
    return std::nullopt;
  }
  if (const auto scale = number(d, "SCALE_CHAMBER_STIFFNESS")) (*chamber_rubber)["parameters"]["scale_static_stiffness"] = *scale;
  const auto scaled = [&](const char* key, const char* parameter) {
    if (const auto scale = number(d, key); scale && *scale != 1.0 && p.contains(parameter)) p[parameter] = at(parameter) * *scale;
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
  optional("decoupler_gradient", number(d, "DECOUPLING_GRADIENT").value_or(1.0), decoupled);
  optional("pressure_limit", limit, number(d, "FLUID_PRESSURE_LIMIT_SIGNUM_GRADIENT").value_or(0.0) != 0.0);
  optional("bypass_area", bypass, bypassed);
  optional("bypass_threshold", number(d, "FLUID_PRESSURE_LIMIT_BYPASS_THRESHOLD"), bypassed);
  p["coupled_damping"] = false;
  for (const char* key : {"SCALE_FLUID_TUNED_MASS_DAMPER", "SCALE_FREQ_SHIFT"})
    if (const auto scale = number(d, key); scale && *scale != 1.0)
      findings.push_back({Severity::warning, "lost", where, fmt::format("{} has no counterpart and was left out", key),
                          "change the channel's length or area instead"});
  if (!d.chamber_curve.empty())
    findings.push_back({Severity::warning, "lost", where, "the impact of the preload on the chamber was left out", "add it to the model by hand"});
  return Json{
      {"model", "hydromount"}, {"main_rubber", std::move(*main)}, {"chamber_rubber", std::move(*chamber_rubber)}, {"parameters", std::move(p)}};
}

void put_rubber(UbfDirection& d, const Json& model, const std::string& prefix, const std::string& where) {
  if (!model.is_object() || !model.contains("parameters") || !model["parameters"].is_object())
    throw_bad_input(where, "the parameters of a rubber are missing", "give a complete model file");
  const Json& parameters = model["parameters"];
  const auto value = [&](const char* name) {
    return parameters.contains(name) && parameters[name].is_number() ? std::optional(parameters[name].get<double>()) : std::nullopt;
  };
  for (const NamePair& pair : elastomer_pairs) {
    const std::string key(pair.key);
    const std::string own = prefix.empty() ? key : prefix + (key == "RDL_RUBBER" ? "RDL" : key == "RHO_RUBBER" ? "RHO" : key);
    // Common to both rubbers in the appendix; the chamber's own ones are written where they differ.
    const bool common = prefix == "MAIN_RUBBER_" && (key == "ALPHA" || key == "BETA" || key == "GAMMA" || key == "LAMBDA");
    if (const auto number_value = value(pair.parameter)) d.numbers[common ? key : own] = *number_value;
  }
  const auto limit = value("ymax");
  d.numbers[prefix + "FRICTION_SIGNUM_GRADIENT"] = limit ? 1e9 : 0.0;
  if (limit) d.numbers[prefix + "FRICTION_MAX_1"] = d.numbers[prefix + "FRICTION_MAX_2"] = *limit;
  d.texts[prefix + "FRICTION_LAW"] = model.contains("law") && model["law"].is_string() ? model["law"].get<std::string>() : "masing";
  if (prefix == "CHAMBER_RUBBER_") return;
  const bool curve = parameters.contains("curve") && parameters["curve"].is_array() && !parameters["curve"].empty();
  d.texts[prefix + "USE_CURVE"] = curve ? "yes" : "no";
  if (curve)
    for (const Json& point : parameters["curve"])
      if (point.is_array() && point.size() == 2 && point[0].is_number() && point[1].is_number())
        d.curve.emplace_back(point[0].get<double>(), point[1].get<double>());
  if (model.contains("options") && model["options"].is_object() && prefix.empty()) {
    const Json& options = model["options"];
    if (options.contains("start_up") && options["start_up"].is_string()) d.texts["FRICTION_START_UP"] = options["start_up"].get<std::string>();
    if (options.contains("deadband") && options["deadband"].is_number()) d.numbers["FRICTION_DEADBAND"] = options["deadband"].get<double>();
  }
}

}  // namespace

std::optional<Json> model_of(const UbfDirection& d, bool hydro, const std::string& where, std::vector<Finding>& findings) {
  if (!d.present) return std::nullopt;
  if (hydro && d.numbers.contains("MAIN_RUBBER_STIFFNESS_STATIC")) return hydro_model(d, where, findings);
  // Fields that are not in the file stay at the law's defaults, except that dynamic parts must be asked for.
  auto model = rubber(d, "", d.curve, says_yes(d, "USE_CURVE"), where, findings);
  if (model && !d.numbers.contains("RDL_RUBBER") && d.numbers.contains("DYNAMIC_HARDENING_1"))
    findings.push_back({Severity::warning, "data_sheet", where,
                        "the file has data-sheet values (dynamic hardening, loss angle) but no internal parameters: the model is a plain spring",
                        "identify it: kdyn fit elastomer"});
  return model;
}

std::optional<Json> model_of(const BushingDirection& d, const std::string& where, std::vector<Finding>& findings) {
  Json parameters = Json::object();
  double stiffness = 0.0;
  if (rises(d.curve)) {
    parameters["curve"] = curve_json(d.curve);
    // Slope about the origin: what the damping is referred to.
    const auto after = std::upper_bound(d.curve.begin() + 1, d.curve.end() - 1, 0.0, [](double x, const auto& point) { return x < point.first; });
    stiffness = (after->second - (after - 1)->second) / (after->first - (after - 1)->first);
  } else if (d.curve.size() >= 2) {
    stiffness = (d.curve.back().second - d.curve.front().second) / (d.curve.back().first - d.curve.front().first);
    findings.push_back({Severity::warning, "curve_not_rising", where, "the static curve does not rise everywhere and was replaced by its secant",
                        "smooth the curve"});
  } else if (d.stiffness) {
    stiffness = *d.stiffness;
  }
  if (!(stiffness > 0.0) || !std::isfinite(stiffness)) return std::nullopt;
  if (!parameters.contains("curve")) parameters["static_stiffness"] = stiffness;
  if (d.damping && *d.damping > 0.0) {
    // [elastomer E2] with beta -> infinity is the damper lambda gamma alone; beta = 1e6 is that to one part in a million. The damper
    // of the law is referred to the stiffness at the operating point, so it follows the curve.
    parameters["alpha"] = 1.0, parameters["beta"] = 1e6, parameters["gamma"] = 1.0, parameters["lambda"] = *d.damping / stiffness;
    if (parameters.contains("curve"))
      findings.push_back({Severity::note, "damping_follows_curve", where,
                          "the damping is exact about zero displacement; elsewhere it grows with the slope of the curve",
                          "nothing, for small preloads"});
  }
  return Json{{"model", "elastomer"}, {"law", "masing"}, {"parameters", std::move(parameters)}};
}

UbfDirection ubf_direction_of(const Json& model, const std::string& where, bool& hydro) {
  UbfDirection d;
  d.present = true;
  const std::string name = model.is_object() && model.contains("model") && model["model"].is_string() ? model["model"].get<std::string>() : "";
  hydro = name == "hydromount";
  if (name == "elastomer") {
    put_rubber(d, model, "", where);
    return d;
  }
  if (!hydro) throw_bad_input(where, fmt::format("model {} has no .ubf form", in_quotes(name)), "export elastomer and hydromount models");
  if (!model.contains("main_rubber") || !model.contains("chamber_rubber") || !model.contains("parameters"))
    throw_bad_input(where, "main_rubber, chamber_rubber or parameters are missing", "give a complete model file");
  put_rubber(d, model["main_rubber"], "MAIN_RUBBER_", where + ".main_rubber");
  put_rubber(d, model["chamber_rubber"], "CHAMBER_RUBBER_", where + ".chamber_rubber");
  const Json& p = model["parameters"];
  const auto value = [&](const char* key) {
    return p.is_object() && p.contains(key) && p[key].is_number() ? std::optional(p[key].get<double>()) : std::nullopt;
  };
  for (const NamePair& pair : hydro_pairs)
    if (const auto number_value = value(pair.parameter)) d.numbers[pair.key] = *number_value;
  const auto put = [&](const char* key, const std::optional<double>& number_value, double otherwise) {
    d.numbers[key] = number_value.value_or(otherwise);
  };
  put("DECOUPLING_CLEARANCE", value("decoupler_clearance"), 0.0);
  put("DECOUPLING_GRADIENT", value("decoupler_gradient"), 1.0);
  put("FLUID_PRESSURE_LIMIT", value("pressure_limit"), 0.0);
  d.numbers["FLUID_PRESSURE_LIMIT_SIGNUM_GRADIENT"] = value("pressure_limit") ? 1e9 : 0.0;
  put("FLUID_PRESSURE_LIMIT_BYPASS_AREA", value("bypass_area"), 0.0);
  put("FLUID_PRESSURE_LIMIT_BYPASS_THRESHOLD", value("bypass_threshold"), 0.0);
  return d;
}

}  // namespace kdyn::app
