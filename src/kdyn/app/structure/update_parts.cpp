// SPDX-License-Identifier: Apache-2.0
// Parts of an updating job: their responses, measured or equalised already, and where and along what their channels
// act.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "kdyn/app/structure/update_jobs.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/fe/nastran_model.hpp"

namespace kdyn::app {
namespace {

FrequencyResponse responses_of(const std::vector<std::string>& data, const std::string& where, ModalInputs& inputs) {
  if (data.empty()) throw_bad_input(where, "it has no data", R"(write "data": ["frf.uff"])");
  return read_responses(data, inputs);
}

std::vector<update::EqualisedResponses> equalised_of(const std::vector<UpdateEqualised>& list, const std::string& where,
                                                     ModalInputs& inputs) {
  std::vector<update::EqualisedResponses> out;
  for (std::size_t i = 0; i < list.size(); ++i)
    out.push_back({list[i].damping, responses_of(list[i].data, fmt::format("{}[{}]", where, i), inputs)});
  return out;
}

std::string point_of(const Dof& dof) { return label({dof.node, 0, dof.name}); }

// The direction of one channel: a vector, or an axis of a coordinate system at its point.
Eigen::Vector3d direction(const Json& value, const Dof& dof, const Dof& in_model, const std::string& where,
                          const update::FullModel& model, const std::vector<CoordinateSystem>& systems) {
  if (value.is_array() && value.size() == 3 &&
      std::all_of(value.begin(), value.end(), [](const Json& x) { return x.is_number(); })) {
    const Eigen::Vector3d out(value[0].get<double>(), value[1].get<double>(), value[2].get<double>());
    if (!out.allFinite() || !(out.norm() > 0.0))
      throw_bad_input(where, "the vector has no direction", "give three numbers, not all zero");
    return out;
  }
  if (!value.is_number_integer())
    throw_bad_input(where, fmt::format("{} is neither a vector nor a coordinate system", value.dump()),
                    "write [x, y, z] in global axes, or the label of a CORD2R, CORD2C or CORD2S of the deck");
  const auto system = std::find_if(systems.begin(), systems.end(),
                                   [&](const CoordinateSystem& s) { return s.label == value.get<std::int64_t>(); });
  if (system == systems.end()) {
    std::string known;
    for (const CoordinateSystem& s : systems) known += fmt::format("{}{}", known.empty() ? "" : ", ", s.label);
    throw_bad_input(where, fmt::format("the deck has no coordinate system {}", value.get<std::int64_t>()),
                    known.empty() ? "give a vector [x, y, z]" : "one of " + known + ", or a vector [x, y, z]");
  }
  if (dof.direction == 0)
    throw_bad_input(where, fmt::format("channel {} has no direction", label(dof)), "give a vector [x, y, z]");
  const auto node = std::find_if(model.geometry.nodes.begin(), model.geometry.nodes.end(),
                                 [&](const GeometryNode& n) { return n.label == in_model.node; });
  if (node == model.geometry.nodes.end())
    throw_bad_input(where, fmt::format("the model has no point {}", point_of(in_model)),
                    "correct the label, or give channel_map");
  const Eigen::Matrix3d axes = fe::axes_at(*system, Eigen::Map<const Eigen::Vector3d>(node->position.data()));
  return (dof.direction < 0 ? -1.0 : 1.0) * axes.col((std::abs(dof.direction) - 1) % 3);
}

// A vector is for one label; a coordinate system for one label or for all channels of a point.
void set_directions(update::Part& part, const std::vector<std::pair<std::string, Json>>& directions,
                    const update::FullModel& model, const std::vector<CoordinateSystem>& systems) {
  std::vector<Dof> dofs;
  const FrequencyResponse& responses = part.equalised.empty() ? part.responses : part.equalised.back().responses;
  for (const FrequencyResponseChannel& channel : responses.channels)
    for (const Dof& dof : {channel.output, channel.input})
      if (std::find(dofs.begin(), dofs.end(), dof) == dofs.end()) dofs.push_back(dof);
  for (const auto& [name, value] : directions) {
    const std::string where = "directions." + name;
    bool used = false;
    for (const Dof& dof : dofs) {
      const bool of_point = value.is_number_integer() && name == point_of(dof);
      if (name != label(dof) && !of_point) continue;
      const auto mapped = std::find_if(part.channel_map.begin(), part.channel_map.end(),
                                       [&](const auto& pair) { return pair.first == label(dof); });
      const Dof in_model = mapped != part.channel_map.end() ? parse_dof(mapped->second) : dof;
      part.directions[label(dof)] = direction(value, dof, in_model, where, model, systems);
      used = true;
    }
    if (!used)
      throw_bad_input(
          where, fmt::format("{} has no channel {}", part.name, name),
          "use the label of an output or input of the data (12+Z); a point alone (12) takes a coordinate system");
  }
}

}  // namespace

std::vector<update::Part> read_parts(const UpdateJob& job, const update::FullModel& model,
                                     const std::vector<CoordinateSystem>& systems, ModalInputs& inputs) {
  std::vector<update::Part> out;
  const auto add = [&](std::string name, FrequencyResponse responses,
                       std::vector<update::EqualisedResponses> equalised) {
    update::Part part{std::move(name), std::move(responses), job.channel_map};
    part.equalised = std::move(equalised);
    part.noise_percent = job.noise_percent;
    set_directions(part, job.directions, model, systems);
    out.push_back(std::move(part));
  };
  if (!job.data.empty() && !job.equalised.empty())
    throw_bad_input("equalised", "there is data too", "give responses as measured (data) or equalised ones, not both");
  if (!job.data.empty())
    add(std::filesystem::path(job.data.front()).stem().string(), read_responses(job.data, inputs), {});
  if (!job.equalised.empty()) add("part", {}, equalised_of(job.equalised, "equalised", inputs));
  for (std::size_t i = 0; i < job.parts.size(); ++i) {
    const UpdatePart& part = job.parts[i];
    const std::string where = fmt::format("parts[{}]", i),
                      name = part.name.empty() ? fmt::format("part {}", i + 1) : part.name;
    if (!part.equalised.empty())
      add(name, {}, equalised_of(part.equalised, where + ".equalised", inputs));
    else
      add(name, responses_of(part.data, where, inputs), {});
  }
  if (out.empty())
    throw_bad_input("data", "there are no measured responses",
                    "give data, equalised or parts, or --plan to plan the test");
  return out;
}

// The calibrated model as the deck it came from.
std::string file_name_of(const std::string& name) {
  std::string out;
  for (const char c : name) out += std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' ? c : '_';
  return out;
}

std::vector<UpdatedDeckOfPart> updated_decks(const UpdateJob& job, const update::FullModel& model,
                                             const update::UpdateResult& result, const std::string& folder,
                                             std::vector<Finding>& findings) {
  std::vector<UpdatedDeckOfPart> out;
  if (!job.write_deck || !model.map || job.model.empty()) return out;
  std::vector<fe::Parameter> parameters;
  for (const update::ParameterSetting& p : model.parameters) parameters.push_back(p.what);
  for (const update::PartResult& part : result.parts) {
    if (part.optimum.ratio.size() == 0) continue;
    try {
      UpdatedDeckOfPart one;
      one.part = part.name;
      one.folder = result.parts.size() > 1 ? folder + "/" + file_name_of(part.name) : folder;
      one.deck = fe::updated_deck(job.model.front(), {job.length_m, job.mass_kg, job.ignore_cards}, parameters,
                                  part.optimum.ratio.head(static_cast<Eigen::Index>(parameters.size())));
      out.push_back(std::move(one));
    } catch (const Error& error) {
      findings.push_back({Severity::warning, "deck_not_written", part.name,
                          fmt::format("the updated deck was not written: {}", error.message()), error.remedy()});
    }
  }
  return out;
}

}  // namespace kdyn::app
