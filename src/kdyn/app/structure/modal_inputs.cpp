// SPDX-License-Identifier: Apache-2.0
#include "kdyn/app/structure/modal_inputs.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/field_known.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/data/dof_field.hpp"
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
  all.inputs.push_back({path, file.sha256, {}});
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

// What is taken from the result.json of kdyn modal.
struct ModeInFile {
  double frequency_hz = 0.0, damping = 0.0;
  std::vector<double> shape_re, shape_im;
};
const FieldTable& fields_of(const ModeInFile*) {
  using M = ModeInFile;
  static const FieldTable table = FieldTable::results<M>("mode in a file", [](FieldTable& t) {
    t.add(&M::frequency_hz, "frequency_hz", "Hz", "Natural frequency");
    t.add(&M::damping, "damping", "-", "Damping ratio");
    t.add(&M::shape_re, "shape_re", "-", "Mode shape, real part");
    t.add(&M::shape_im, "shape_im", "-", "Imaginary part");
  });
  return table;
}

struct SystemInFile {
  CoordinateSystem of;
};
const FieldTable& fields_of(const SystemInFile*) {
  static const FieldTable plain = FieldTable::results<CoordinateSystem>("system", [](FieldTable& t) {
    t.add(&CoordinateSystem::label, "label", "-", "Label");
    t.add(&CoordinateSystem::R_GL, "R_GL", "-", "Turns local components into global ones, by rows");
  });
  static const FieldTable table =
      FieldTable::results<SystemInFile>("system in a file", [](FieldTable& t) { t.include(&SystemInFile::of, plain); });
  return table;
}

struct GeometryInFile {
  std::vector<SystemInFile> systems;
  std::vector<std::vector<double>> nodes;  // label, x, y, z, label of the system of motion
  std::vector<std::vector<std::int64_t>> lines;
};
const FieldTable& fields_of(const GeometryInFile*) {
  using G = GeometryInFile;
  static const FieldTable table = FieldTable::results<G>("geometry in a file", [](FieldTable& t) {
    t.add(&G::systems, "systems", "-", "Coordinate systems");
    t.add(&G::nodes, "nodes", "-", "Points");
    t.add(&G::lines, "lines", "-", "Lines");
  });
  return table;
}

struct ModesInFile {
  std::string title = "modes";
  bool shapes_scaled = false;
  std::vector<Dof> outputs;
  std::vector<ModeInFile> poles;
  GeometryInFile geometry;
};
const FieldTable& fields_of(const ModesInFile*) {
  using M = ModesInFile;
  static const FieldTable table = FieldTable::results<M>("modes in a file", [](FieldTable& t) {
    t.add(&M::title, "title", "-", "Title");
    t.add(&M::shapes_scaled, "shapes_scaled", "-", "Whether shapes have unit modal mass");
    t.add(&M::outputs, "outputs", "-", "Degrees of freedom of the shapes");
    t.add(&M::poles, "poles", "-", "Modes");
    t.add(&M::geometry, "geometry", "-", "Points of the structure");
  });
  return table;
}

Geometry geometry_of(const GeometryInFile& in, const std::string& where) {
  Geometry out;
  for (const SystemInFile& one : in.systems) out.systems.push_back(one.of);
  for (std::size_t i = 0; i < in.nodes.size(); ++i) {
    const std::vector<double>& n = in.nodes[i];
    const auto is_label = [](double x) { return std::abs(x) < 9e15; };
    if (n.size() < 4 || !is_label(n.front()) || !is_label(n.back()))
      throw_bad_input(fmt::format("{}.geometry.nodes[{}]", where, i), "a point has a label and three coordinates",
                      "give the result.json of kdyn modal as it was written");
    GeometryNode node;
    node.label = static_cast<std::int64_t>(n[0]);
    node.position = {n[1], n[2], n[3]};
    if (n.size() > 4) node.motion_system = static_cast<std::int64_t>(n[4]);
    out.nodes.push_back(node);
  }
  for (const std::vector<std::int64_t>& nodes : in.lines) out.lines.emplace_back().nodes = nodes;
  return out;
}

// The result.json of kdyn modal.
ModeSet modes_from_result(const std::string& path, const std::string& content, ModalInputs& all) {
  ModesInFile in;
  from_known_fields(in, parse_json(content, path), path);
  all.inputs.push_back({path, sha256(content), {}});
  ModeSet out;
  out.name = in.title;
  out.complex_shapes = true;
  out.scaling = in.shapes_scaled ? ModeScaling::unit_modal_mass : ModeScaling::unknown;
  out.dofs = in.outputs;
  out.geometry = geometry_of(in.geometry, path);
  for (const ModeInFile& pole : in.poles) {
    if (pole.shape_re.size() != in.outputs.size() || pole.shape_im.size() != in.outputs.size()) out.dofs.clear();
    Mode mode;
    mode.pole = pole_of(pole.frequency_hz, pole.damping);
    for (std::size_t i = 0; i < out.dofs.size(); ++i) mode.shape.emplace_back(pole.shape_re[i], pole.shape_im[i]);
    out.modes.push_back(std::move(mode));
  }
  if (out.dofs.empty() || out.modes.empty())
    throw_bad_input(path, "this is not the result of kdyn modal: it has no modes with shapes at its outputs",
                    "give the result.json of kdyn modal, or its modes.uff");
  return out;
}

}  // namespace

std::vector<SignalSet> read_signals(const std::vector<std::string>& paths, ModalInputs& all) {
  std::vector<SignalSet> out;
  for (const std::string& path : paths) {
    if (const std::string content = is_recording(path) ? "" : read_text(path); looks_like_signal_csv(content)) {
      out.push_back(parse_signal_csv(content, path));
      all.findings.insert(all.findings.end(), out.back().findings.begin(), out.back().findings.end());
      all.inputs.push_back({path, out.back().source.sha256, {}});
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
