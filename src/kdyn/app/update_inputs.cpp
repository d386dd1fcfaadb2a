// SPDX-License-Identifier: Apache-2.0
// Model and parameters of an updating job.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "kdyn/app/fe_inputs.hpp"
#include "kdyn/app/update_jobs.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"

namespace kdyn::app {
namespace {

constexpr std::array<const char*, 6> component_names = {"x", "y", "z", "rx", "ry", "rz"};

int component_of(const Json& value, const std::string& where) {
  if (value.is_number_integer() && value.get<int>() >= 1 && value.get<int>() <= 6) return value.get<int>() - 1;
  if (value.is_string())
    for (std::size_t c = 0; c < 6; ++c)
      if (lower_case(value.get<std::string>()) == component_names[c]) return static_cast<int>(c);
  throw_bad_input(where, fmt::format("component {} is none of x y z rx ry rz", value.dump()), "write for example \"component\": \"z\"");
}

std::vector<std::int64_t> labels_of(const Json& entry, const std::string& where) {
  const Json labels = entry.value("labels", Json::array());
  std::vector<std::int64_t> out;
  for (const Json& one : labels.is_array() ? labels : Json::array({labels})) {
    if (!one.is_number_integer())
      throw_bad_input(where + ".labels", fmt::format("{} is no label", one.dump()), "write for example \"labels\": [2000001]");
    out.push_back(one.get<std::int64_t>());
  }
  return out;
}

double number_of(const Json& entry, const char* key, double otherwise, const std::string& where) {
  if (!entry.contains(key)) return otherwise;
  if (!entry[key].is_number() || !std::isfinite(entry[key].get<double>()))
    throw_bad_input(fmt::format("{}.{}", where, key), fmt::format("{} is no number", entry[key].dump()), "give a number");
  return entry[key].get<double>();
}

std::string text_of(const Json& entry, const char* key, const std::string& otherwise, const std::string& where) {
  if (!entry.contains(key)) return otherwise;
  if (!entry[key].is_string()) throw_bad_input(fmt::format("{}.{}", where, key), fmt::format("{} is no text", entry[key].dump()), "put it in quotes");
  return entry[key].get<std::string>();
}

void set_limits(update::ParameterSetting& p, const Json& from, const std::string& where) {
  if (!from.is_object()) throw_bad_input(where, "limits are an object", R"(write {"lower": -0.6, "upper": 1.5})");
  p.lower = number_of(from, "lower", p.lower, where);
  p.upper = number_of(from, "upper", p.upper, where);
  if (from.contains("fixed") && !from["fixed"].is_boolean())
    throw_bad_input(where + ".fixed", fmt::format("{} is neither true nor false", from["fixed"].dump()), "write true or false");
  p.fixed = from.value("fixed", p.fixed);
  if (!(p.lower > -1.0) || !(p.upper > p.lower))
    throw_bad_input(where, fmt::format("bounds {} .. {} are not possible", p.lower, p.upper),
                    "give relative changes with -1 < lower < upper, as -0.6 and 1.5");
}

const char* unit_of(fe::ParameterKind kind, int component) {
  switch (kind) {
    case fe::ParameterKind::thickness: return "m";
    case fe::ParameterKind::young: return "Pa";
    case fe::ParameterKind::density: return "kg/m^3";
    case fe::ParameterKind::spring: return component < 3 ? "N/m" : "N*m/rad";
    case fe::ParameterKind::scalar_spring: return "N/m";
    case fe::ParameterKind::point_mass: return "kg";
  }
  return "";
}

}  // namespace

std::vector<update::ParameterSetting> parameter_settings(const Json& parameters, const Json& groups) {
  if (!parameters.is_array() || parameters.empty())
    throw_bad_input("parameters", "there are no parameters to calibrate", R"(write [{"kind": "bushing", "labels": [2000001]}, ...])");
  if (!groups.is_object())
    throw_bad_input("groups", "must be an object of group and limits", R"(write {"rotational": {"lower": -0.6, "upper": 1.5}})");
  std::vector<update::ParameterSetting> out;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Json& entry = parameters[i];
    const std::string where = fmt::format("parameters[{}]", i);
    if (!entry.is_object()) throw_bad_input(where, "a parameter is an object", R"(write {"name": "t", "kind": "thickness", "labels": [1]})");
    const std::string kind = text_of(entry, "kind", "matrix", where);
    update::ParameterSetting p;
    p.name = text_of(entry, "name", "", where);
    p.group = text_of(entry, "group", "", where);
    const auto finish = [&](update::ParameterSetting one) {
      if (one.name.empty()) throw_bad_input(where, "it has no name", "name the parameter");
      one.what.name = one.name;
      if (groups.contains(one.group)) set_limits(one, groups[one.group], "groups." + one.group);
      set_limits(one, entry, where);
      if (std::any_of(out.begin(), out.end(), [&](const auto& other) { return other.name == one.name; }))
        throw_bad_input(where, fmt::format("the name {} is there twice", one.name), "give every parameter its own name");
      out.push_back(std::move(one));
    };
    if (kind == "bushing") {  // all six stiffnesses of each spring
      for (const std::int64_t spring : labels_of(entry, where))
        for (int c = 0; c < 6; ++c) {
          update::ParameterSetting one = p;
          one.name = fmt::format("{}{}_{}", p.name, spring, component_names[static_cast<std::size_t>(c)]);
          if (one.group.empty()) one.group = c < 3 ? "translational" : "rotational";
          one.what = {one.name, fe::ParameterKind::spring, {spring}, c};
          one.unit = unit_of(fe::ParameterKind::spring, c);
          finish(std::move(one));
        }
      continue;
    }
    if (kind == "matrix") {
      p.unit = text_of(entry, "unit", "-", where);
      p.nominal = number_of(entry, "nominal", 1.0, where);
      finish(std::move(p));
      continue;
    }
    bool known = false;
    for (const auto candidate : {fe::ParameterKind::thickness, fe::ParameterKind::young, fe::ParameterKind::density, fe::ParameterKind::spring,
                                 fe::ParameterKind::scalar_spring, fe::ParameterKind::point_mass})
      if (kind == fe::to_string(candidate)) p.what.kind = candidate, known = true;
    if (!known)
      throw_bad_input(where + ".kind", fmt::format("unknown kind {}", in_quotes(kind)),
                      "one of bushing, spring, scalar_spring, point_mass, thickness, young, density, matrix");
    p.what.labels = labels_of(entry, where);
    if (p.what.kind == fe::ParameterKind::spring) {
      p.what.component = component_of(entry.value("component", Json()), where + ".component");
      if (p.group.empty()) p.group = p.what.component < 3 ? "translational" : "rotational";
    }
    if (p.group.empty()) p.group = kind;
    p.unit = unit_of(p.what.kind, p.what.component);
    finish(std::move(p));
  }
  return out;
}

update::FullModel read_full_model(const UpdateJob& job, ModalInputs& inputs, std::vector<CoordinateSystem>* systems) {
  if (job.model.empty())
    throw_bad_input("model", "the model is missing", "give a Nastran deck, or files with M, K and the derivatives dK_name of the parameters");
  const std::vector<update::ParameterSetting> parameters = parameter_settings(job.parameters, job.groups);
  const FeSource source = read_fe_source(job.model, {job.length_m, job.mass_kg});
  inputs.findings.insert(inputs.findings.end(), source.findings.begin(), source.findings.end());
  for (const Json& input : source.inputs) inputs.inputs.push_back(input);
  if (systems != nullptr) *systems = source.systems;
  if (source.model) return update::full_model(*source.model, parameters);
  update::FullModel out = update::full_model(source.matrices, parameters, job.model.front());
  out.geometry = source.geometry;
  return out;
}

}  // namespace kdyn::app
