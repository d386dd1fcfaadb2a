// SPDX-License-Identifier: Apache-2.0
#include "kdyn/fmu/internal/system_model.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"

namespace kdyn::fmi {
namespace {

using namespace mbs;

constexpr const char* place = "resources/system.json";

bool is_drive(const Joint& joint) {
  return joint.kind == JointKind::drive_translation || joint.kind == JointKind::drive_rotation;
}

TimeSignal& load_signal(PointLoad& load, int component) {
  return component < 3 ? load.force[static_cast<std::size_t>(component)]
                       : load.torque[static_cast<std::size_t>(component - 3)];
}

template <class T>
int place_of(const std::vector<T>& list, const std::string& name) {
  const auto found = std::find_if(list.begin(), list.end(), [&](const T& one) { return one.name == name; });
  if (found == list.end())
    throw_bad_input(place, fmt::format("the model has no {}", in_quotes(name)), "export the model again");
  return static_cast<int>(found - list.begin());
}

}  // namespace

std::vector<SystemInput> possible_inputs(const Model& model) {
  std::vector<SystemInput> out;
  for (std::size_t l = 0; l < model.loads.size(); ++l) {
    PointLoad load = model.loads[l];
    if (load.name.empty()) continue;
    for (int k = 0; k < 6; ++k) {
      const TimeSignal& signal = load_signal(load, k);
      SystemInput input;
      input.name = fmt::format("{}.{}.{}", load.name, k < 3 ? "force" : "torque", "xyz"[k % 3]);
      input.unit = k < 3 ? "N" : "N*m";
      input.owner = load.name;
      input.meaning = load.follows ? "Load in the axes of its marker" : "Load in global axes";
      input.part = static_cast<int>(l), input.component = k;
      input.start = signal(0.0);
      input.used = !signal.is_zero();
      out.push_back(input);
    }
  }
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const Joint& joint = model.joints[j];
    if (!is_drive(joint)) continue;
    SystemInput input;
    input.kind = SystemInput::Kind::drive;
    input.name = joint.name + ".drive";
    input.owner = joint.name;
    input.unit = joint.kind == JointKind::drive_translation ? "m" : "rad";
    input.meaning = "Motion of a driven joint";
    input.part = static_cast<int>(j);
    input.start = joint.drive(0.0);
    out.push_back(input);
  }
  int axis = 0;
  for (const Connection& c : model.connections)
    for (int k = 0; k < component_count(c); ++k) {
      const AxisLaw* law = c.laws[static_cast<std::size_t>(k)].get();
      if (law == nullptr) continue;
      for (int i = 0; i < law->input_count(); ++i) {
        const InputName about = law->input(i);
        SystemInput input;
        input.kind = SystemInput::Kind::law;
        input.name = fmt::format("{}.{}", axis_name(c, k), about.name);
        input.unit = about.unit;
        input.meaning = about.meaning;
        input.part = axis, input.component = i;
        input.start = about.start, input.lower = about.lower, input.upper = about.upper;
        input.bounded = true;
        out.push_back(input);
      }
      ++axis;
    }
  return out;
}

// Two FNV-1a sums of 64 bits from different beginnings.
std::string system_token(const std::string& text) {
  std::uint64_t sums[2] = {14695981039346656037ULL, 0x6b64796e206d6273ULL};
  for (const char c : text)
    for (std::uint64_t& sum : sums) sum = (sum ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  const std::string hash = fmt::format("{:016x}{:016x}", sums[0], sums[1]);
  return fmt::format("{{{}-{}-{}-{}-{}}}", hash.substr(0, 8), hash.substr(8, 4), hash.substr(12, 4), hash.substr(16, 4),
                     hash.substr(20, 12));
}

Variable& SystemModel::add(Group group, const std::string& name, const std::string& unit, const char* meaning) {
  Variable out;
  out.group = group;
  if (name.size() >= sizeof out.name)
    throw_bad_input(name,
                    fmt::format("the name of a variable of an FMU has at most {} letters here", sizeof out.name - 1),
                    "shorten names in the model");
  std::snprintf(out.name, sizeof out.name, "%s", name.c_str());
  std::snprintf(out.unit, sizeof out.unit, "%s", unit == "-" ? "" : unit.c_str());
  out.meaning = meaning;
  for (const Variable& other : variables_)
    if (same_text(other.name, out.name))
      throw_bad_input(name, "two variables of the FMU have this name", "give parts of the model names of their own");
  variables_.push_back(out);
  return variables_.back();
}

SystemModel::SystemModel(const std::string& text) {
  const Json in = parse_json(text, place);
  try {
    ModelImage image = model_from_image(in.at("image"), place);
    run_ = image.run;
    add(Group::time, "time", "s", "Simulation time");
    add_inputs(in.at("inputs").get<std::vector<std::string>>(), image.model);
    system_ = std::make_unique<System>(std::move(image.model));
    signals_ = std::make_unique<Signals>(*system_);
    add_outputs(in.at("outputs").get<std::vector<std::string>>());
    add_parameters();
    add(Group::option, "inputs_at_end_of_step", "",
        "False: inputs are those at the beginning of the step, as most tools give them; true: those at its end");
  } catch (const Json::exception& e) {
    throw_bad_input(place, e.what(), "export the model again");
  }
}

void SystemModel::add_inputs(const std::vector<std::string>& names, Model& model) {
  const std::vector<SystemInput> possible = possible_inputs(model);
  for (const std::string& name : names) {
    const SystemInput& input = possible[static_cast<std::size_t>(place_of(possible, name))];
    auto outside = std::make_shared<OutsideSignal>();
    outside->value = input.start;
    if (input.kind == SystemInput::Kind::load)
      load_signal(model.loads[static_cast<std::size_t>(input.part)], input.component) = TimeSignal(outside);
    if (input.kind == SystemInput::Kind::drive)
      model.joints[static_cast<std::size_t>(input.part)].drive = TimeSignal(outside);
    Variable& v = add(Group::input, name, input.unit, input.meaning);
    v.start = input.start, v.lower = input.lower, v.upper = input.upper, v.bounded = input.bounded;
    v.index = static_cast<int>(inputs_.size());
    if (input.kind == SystemInput::Kind::drive) {
      Variable& rate = add(Group::velocity, name + "_rate", input.unit + "/s",
                           "Its velocity; differences of the motion until it is set for the first time");
      rate.index = static_cast<int>(inputs_.size());
    }
    inputs_.push_back(input);
    outside_.push_back(std::move(outside));
  }
  for (PointLoad& load : model.loads)
    for (int k = 0; k < 6; ++k)
      has_clock_ = has_clock_ || load_signal(load, k).formula() != nullptr || !load_signal(load, k).table().empty();
  for (const Joint& joint : model.joints)
    has_clock_ = has_clock_ || joint.drive.formula() != nullptr || !joint.drive.table().empty();
}

void SystemModel::add_outputs(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const auto at = static_cast<std::size_t>(place_of(signals_->list(), name));
    add(Group::force, name, signals_->list()[at].unit, "Signal of the multibody system").index =
        static_cast<int>(outputs_.size());
    outputs_.push_back(at);
  }
}

void SystemModel::add_parameters() {
  for (std::size_t a = 0; a < system_->axes().size(); ++a) {
    const Axis& axis = system_->axes()[a];
    const Connection& c = system_->model().connections[static_cast<std::size_t>(axis.connection)];
    const bool turns = c.kind == ConnectionKind::bushing && axis.component > 2;
    const std::vector<std::string>& names = axis.law->parameter_names();
    for (std::size_t i = 0; i < names.size(); ++i) {
      const ParameterInfo* info = axis.law->parameter_info(i);
      const char* unit = info == nullptr ? "" : turns ? angular_unit(info->unit) : info->unit;
      Variable& v = add(Group::parameter, fmt::format("{}.{}", axis_name(c, axis.component), names[i]), unit,
                        info == nullptr ? "Parameter of a law" : info->meaning);
      v.index = static_cast<int>(parameters_.size());
      v.start = axis.law->parameter(i);
      if (info != nullptr)
        v.lower = info->lower, v.upper = info->upper, v.lower_open = info->lower_open, v.bounded = true;
      parameters_.push_back({Parameter::Kind::law, static_cast<int>(a), static_cast<int>(i)});
    }
  }
}

}  // namespace kdyn::fmi
