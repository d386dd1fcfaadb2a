// SPDX-License-Identifier: Apache-2.0
#include "kdyn/app/structure/modal_inputs.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/io/exchange.hpp"
#include "kdyn/io/signal_csv.hpp"

namespace kdyn::app {
namespace {

// A file that could not be read is an error here, not a finding: the operation cannot go on without it.
Exchange open(const std::string& path, ModalInputs& all) {
  Exchange file = read_exchange(path);
  for (const Finding& f : file.findings)
    if (f.severity == Severity::serious && file.kind() == "unknown")
      throw Error(ErrorCode::bad_input, f.message, f.where, f.remedy);
  all.inputs.push_back({{"path", path}, {"sha256", file.sha256}});
  all.findings.insert(all.findings.end(), file.findings.begin(), file.findings.end());
  if (file.geometry && all.geometry.nodes.empty()) all.geometry = *file.geometry;
  if (file.modes && !file.modes->geometry.nodes.empty() && all.geometry.nodes.empty())
    all.geometry = file.modes->geometry;
  return file;
}

[[noreturn]] void refuse(const Exchange& file, const std::string& wanted) {
  throw_bad_input(file.path, fmt::format("it holds {}, not {}", file.kind(), wanted),
                  fmt::format("give a file with {}", wanted));
}

Geometry geometry_from(const Json& in) {
  Geometry out;
  for (const Json& s : in.value("systems", Json::array())) {
    CoordinateSystem system;
    system.label = s.at("label").get<std::int64_t>();
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) system.R_GL[i][j] = s.at("R_GL").at(i).at(j).get<double>();
    out.systems.push_back(system);
  }
  for (const Json& n : in.value("nodes", Json::array())) {
    GeometryNode node;
    node.label = n.at(0).get<std::int64_t>();
    node.position = {n.at(1).get<double>(), n.at(2).get<double>(), n.at(3).get<double>()};
    if (n.size() > 4) node.motion_system = n.at(4).get<std::int64_t>();
    out.nodes.push_back(node);
  }
  for (const Json& line : in.value("lines", Json::array())) {
    TraceLine trace;
    for (const Json& node : line) trace.nodes.push_back(node.get<std::int64_t>());
    out.lines.push_back(std::move(trace));
  }
  return out;
}

ModeSet modes_from(const Json& result) {
  ModeSet out;
  out.name = result.value("title", "modes");
  out.complex_shapes = true;
  out.scaling = result.value("shapes_scaled", false) ? ModeScaling::unit_modal_mass : ModeScaling::unknown;
  for (const Json& text : result.at("outputs")) out.dofs.push_back(parse_dof(text.get<std::string>()));
  for (const Json& pole : result.at("poles")) {
    Mode mode;
    mode.pole = pole_of(pole.at("frequency_hz").get<double>(), pole.at("damping").get<double>());
    for (std::size_t i = 0; i < out.dofs.size(); ++i)
      mode.shape.emplace_back(pole.at("shape_re").at(i).get<double>(), pole.at("shape_im").at(i).get<double>());
    out.modes.push_back(std::move(mode));
  }
  if (result.contains("geometry")) out.geometry = geometry_from(result["geometry"]);
  return out;
}

// The result.json of kdyn modal.
ModeSet modes_from_result(const std::string& path, const std::string& content, ModalInputs& all) {
  const Json result = parse_json(content, path);
  all.inputs.push_back({{"path", path}, {"sha256", sha256(content)}});
  try {
    return modes_from(result);
  } catch (const Json::exception& problem) {
    throw_bad_input(path, fmt::format("this is not the result of kdyn modal ({})", problem.what()),
                    "give the result.json of kdyn modal, or its modes.uff");
  }
}

}  // namespace

std::vector<SignalSet> read_signals(const std::vector<std::string>& paths, ModalInputs& all) {
  std::vector<SignalSet> out;
  for (const std::string& path : paths) {
    if (const std::string content = is_recording(path) ? "" : read_text(path); looks_like_signal_csv(content)) {
      out.push_back(parse_signal_csv(content, path));
      all.findings.insert(all.findings.end(), out.back().findings.begin(), out.back().findings.end());
      all.inputs.push_back({{"path", path}, {"sha256", out.back().source.sha256}});
      continue;
    }
    Exchange file = open(path, all);
    if (file.recording) take_signals(file, {});
    if (!file.signals || file.signals->signals.empty()) {
      if (file.geometry) continue;  // a geometry among the data files is welcome
      refuse(file, "time signals");
    }
    out.push_back(std::move(*file.signals));
  }
  return out;
}

FrequencyResponse read_responses(const std::vector<std::string>& paths, ModalInputs& all) {
  FrequencyResponse out;
  for (const std::string& path : paths) {
    Exchange file = open(path, all);
    if (!file.response || file.response->channels.empty()) {
      if (file.geometry) continue;
      refuse(file, "frequency responses");
    }
    if (out.channels.empty()) {
      out = std::move(*file.response);
      continue;
    }
    if (out.frequency_hz != file.response->frequency_hz)
      throw_bad_input(path, "its frequency lines differ from those of the first file",
                      "estimate all responses with one block length");
    if (out.added_decay != file.response->added_decay)
      throw_bad_input(path,
                      fmt::format("its exponential window added {:.5g} 1/s, that of the first file {:.5g} 1/s",
                                  file.response->added_decay, out.added_decay),
                      "give all hits to one run of kdyn frf");
    out.channels.insert(out.channels.end(), file.response->channels.begin(), file.response->channels.end());
  }
  if (out.channels.empty())
    throw_bad_input("data", "no file holds frequency responses", "give the frf.uff of kdyn frf, or a CSV");
  return out;
}

ModeSet read_modes(const std::string& path, ModalInputs& all) {
  const std::string content = read_text(path);
  const auto first = content.find_first_not_of(" \t\r\n");
  ModeSet out;
  if (first != std::string::npos && content[first] == '{') {
    out = modes_from_result(path, content, all);
  } else {
    Exchange file = open(path, all);
    if (!file.modes || file.modes->modes.empty()) refuse(file, "modes");
    out = std::move(*file.modes);
  }
  std::vector<std::size_t> moving;
  for (std::size_t i = 0; i < out.dofs.size(); ++i)
    if (std::any_of(out.modes.begin(), out.modes.end(), [i](const Mode& m) { return std::norm(m.shape[i]) > 0.0; }))
      moving.push_back(i);
  if (moving.size() < out.dofs.size()) {
    ModeSet kept = out;
    kept.dofs.clear();
    for (const std::size_t i : moving) kept.dofs.push_back(out.dofs[i]);
    for (std::size_t m = 0; m < out.modes.size(); ++m) {
      kept.modes[m].shape.clear();
      for (const std::size_t i : moving) kept.modes[m].shape.push_back(out.modes[m].shape[i]);
    }
    out = std::move(kept);
  }
  return out;
}

void read_geometry(const std::string& path, ModalInputs& all) {
  if (path.empty()) return;
  all.geometry = {};
  const Exchange file = open(path, all);
  if (all.geometry.nodes.empty()) refuse(file, "geometry");
}

}  // namespace kdyn::app
