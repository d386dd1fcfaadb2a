// SPDX-License-Identifier: Apache-2.0
// Model and parameters of an updating job.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "kdyn/app/structure/fe_inputs.hpp"
#include "kdyn/app/structure/update_jobs.hpp"
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
  throw_bad_input(where, fmt::format("component {} is none of x y z rx ry rz", value.dump()),
                  "write for example \"component\": \"z\"");
}

void set_limits(update::ParameterSetting& p, const UpdateLimits& from, const std::string& where) {
  p.lower = from.lower.value_or(p.lower);
  p.upper = from.upper.value_or(p.upper);
  p.fixed = from.fixed.value_or(p.fixed);
  if (from.known_percent) p.prior_std = 0.01 * *from.known_percent;
  if (!(p.lower > -1.0) || !(p.upper > p.lower))
    throw_bad_input(where, fmt::format("bounds {} .. {} are not possible", p.lower, p.upper),
                    "give relative changes with -1 < lower < upper, as -0.6 and 1.5");
}

const char* unit_of(const fe::Parameter& what) {
  if (what.loss) return "-";
  const int component = what.component;
  switch (what.kind) {
    case fe::ParameterKind::thickness: return "m";
    case fe::ParameterKind::young: return "Pa";
    case fe::ParameterKind::density: return "kg/m^3";
    case fe::ParameterKind::spring: return component < 3 ? "N/m" : "N*m/rad";
    case fe::ParameterKind::scalar_spring: return "N/m";
    case fe::ParameterKind::point_mass: return "kg";
  }
  return "";
}

fe::ParameterKind kind_of(UpdateParameterKind kind) {
  switch (kind) {
    case UpdateParameterKind::thickness: return fe::ParameterKind::thickness;
    case UpdateParameterKind::material_loss_factor:
    case UpdateParameterKind::young: return fe::ParameterKind::young;
    case UpdateParameterKind::density: return fe::ParameterKind::density;
    case UpdateParameterKind::scalar_loss_factor:
    case UpdateParameterKind::scalar_spring: return fe::ParameterKind::scalar_spring;
    case UpdateParameterKind::point_mass: return fe::ParameterKind::point_mass;
    case UpdateParameterKind::loss_factor:
    case UpdateParameterKind::spring:
    case UpdateParameterKind::matrix:
    case UpdateParameterKind::bushing: break;
  }
  return fe::ParameterKind::spring;
}

}  // namespace

std::vector<update::ParameterSetting> parameter_settings(const UpdateJob& job) {
  if (job.parameters.empty())
    throw_bad_input("parameters", "there are no parameters to calibrate",
                    R"(write [{"kind": "bushing", "labels": [2000001]}, ...])");
  std::vector<update::ParameterSetting> out;
  for (std::size_t i = 0; i < job.parameters.size(); ++i) {
    const UpdateParameter& entry = job.parameters[i];
    const std::string where = fmt::format("parameters[{}]", i);
    update::ParameterSetting p;
    p.name = entry.name;
    p.group = entry.group;
    if (entry.known_value) {
      if (!entry.limits.known_percent)
        throw_bad_input(where + ".known_value", "it does not say how well it is known",
                        "give known_percent beside it, its standard deviation");
      if (entry.kind == UpdateParameterKind::bushing)
        throw_bad_input(where + ".known_value", "a bushing has six stiffnesses",
                        "write a spring for each component that is known");
      if (*entry.known_value == 0.0 || !std::isfinite(*entry.known_value))
        throw_bad_input(where + ".known_value", "it has to be a number other than zero", "give the value of the bench");
      p.prior_value = *entry.known_value;
    }
    const auto finish = [&](update::ParameterSetting one) {
      if (one.name.empty()) throw_bad_input(where, "it has no name", "name the parameter");
      one.what.name = one.name;
      if (const auto group = job.groups.find(one.group); group != job.groups.end())
        set_limits(one, group->second, "groups." + one.group);
      set_limits(one, entry.limits, where);
      if (std::any_of(out.begin(), out.end(), [&](const auto& other) { return other.name == one.name; }))
        throw_bad_input(where, fmt::format("the name {} is there twice", one.name),
                        "give every parameter its own name");
      out.push_back(std::move(one));
    };
    if (entry.kind == UpdateParameterKind::bushing) {  // all six stiffnesses of each spring
      for (const std::int64_t spring : entry.labels)
        for (int c = 0; c < 6; ++c) {
          update::ParameterSetting one = p;
          one.name = fmt::format("{}{}_{}", p.name, spring, component_names[static_cast<std::size_t>(c)]);
          if (one.group.empty()) one.group = c < 3 ? "translational" : "rotational";
          one.what = {one.name, fe::ParameterKind::spring, {spring}, c};
          one.unit = unit_of(one.what);
          finish(std::move(one));
        }
      continue;
    }
    if (entry.kind == UpdateParameterKind::matrix) {
      p.unit = entry.unit.empty() ? "-" : entry.unit;
      p.nominal = entry.nominal.value_or(1.0);
      finish(std::move(p));
      continue;
    }
    p.what.kind = kind_of(entry.kind);
    p.what.labels = entry.labels;
    p.what.loss = entry.kind == UpdateParameterKind::loss_factor ||
                  entry.kind == UpdateParameterKind::scalar_loss_factor ||
                  entry.kind == UpdateParameterKind::material_loss_factor;
    if (p.what.loss) {
      // Nobody knows a loss factor to a factor of ten before it is measured.
      p.lower = -0.98, p.upper = 9.0;
      if (p.group.empty()) p.group = "loss";
      if (entry.nominal) p.what.loss_factor = *entry.nominal;
      if (!(p.what.loss_factor > 0.0 && p.what.loss_factor <= 3.0))
        throw_bad_input(where + ".nominal", fmt::format("{} is no loss factor", p.what.loss_factor),
                        "give the loss factor from which to start, as 0.1");
      p.what.component = -1;
      if (p.what.kind == fe::ParameterKind::spring && !entry.component.is_null())
        p.what.component = component_of(entry.component, where + ".component");
      if (p.what.kind != fe::ParameterKind::spring) p.what.component = 0;
    } else if (p.what.kind == fe::ParameterKind::spring) {
      p.what.component = component_of(entry.component, where + ".component");
      if (p.group.empty()) p.group = p.what.component < 3 ? "translational" : "rotational";
    }
    if (p.group.empty()) p.group = fe::to_string(p.what.kind);
    p.unit = unit_of(p.what);
    finish(std::move(p));
  }
  return out;
}

update::FullModel read_full_model(const UpdateJob& job, ModalInputs& inputs, std::vector<CoordinateSystem>* systems) {
  if (job.model.empty())
    throw_bad_input("model", "the model is missing",
                    "give a Nastran deck, or files with M, K and the derivatives dK_name of the parameters");
  const std::vector<update::ParameterSetting> parameters = parameter_settings(job);
  const FeSource source = read_fe_source(job.model, {job.length_m, job.mass_kg, job.ignore_cards});
  inputs.findings.insert(inputs.findings.end(), source.findings.begin(), source.findings.end());
  inputs.inputs.insert(inputs.inputs.end(), source.inputs.begin(), source.inputs.end());
  if (systems != nullptr) *systems = source.systems;
  if (source.model) return update::full_model(*source.model, parameters);
  update::FullModel out = update::full_model(source.matrices, parameters, job.model.front());
  out.geometry = source.geometry;
  return out;
}

}  // namespace kdyn::app
