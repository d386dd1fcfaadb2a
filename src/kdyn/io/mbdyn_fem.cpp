// SPDX-License-Identifier: Apache-2.0
#include "kdyn/io/mbdyn_fem.hpp"

#include <array>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/io/internal/scan.hpp"

namespace kdyn::inline io {
namespace {

using internal::TextLine;
using internal::TextLines;

struct Group {
  std::size_t line = 0, offset = 0;
  std::vector<double> values;
};

// The number of "** RECORD GROUP 8, ..." or 0.
int group_number(std::string_view line) {
  const std::string text = lower_case(line.substr(0, 60));
  const std::size_t at = text.find("record group");
  if (at == std::string::npos) return 0;
  const auto words = internal::words_of(std::string_view(text).substr(at + 12));
  if (words.empty()) return 0;
  const auto number = internal::field_integer(words[0].substr(0, words[0].find(',')));
  return number && *number > 0 && *number < 100 ? static_cast<int>(*number) : 0;
}

Matrix square(const std::string& name, std::size_t size, std::vector<double>&& values) {
  Matrix matrix;
  matrix.name = name;
  matrix.rows = matrix.columns = static_cast<int>(size);
  matrix.real = std::move(values);
  matrix.symmetric = is_symmetric(matrix);
  return matrix;
}

}  // namespace

bool looks_like_mbdyn_fem(std::string_view content) {
  return lower_case(content.substr(0, 4096)).find("** record group 1") != std::string::npos;
}

MbdynFem parse_mbdyn_fem(std::string_view content, const std::string& name) {
  if (!looks_like_mbdyn_fem(content))
    throw_bad_input(name, "this is no MBDyn modal data file: '** RECORD GROUP 1' is missing", "check the file");
  MbdynFem out;
  out.modes.source.path = name;
  std::map<int, Group> groups;
  Group* current = nullptr;
  int number = 0;
  TextLines lines(content);
  TextLine line;
  const auto complain = [&](int group, std::size_t at_line, std::size_t offset, const std::string& message) {
    if (out.findings.size() < 100)
      out.findings.push_back({Severity::serious, "bad_record",
                              fmt::format("{}:{}: record group {}, byte {}", name, at_line, group, offset), message,
                              "repair the record group"});
  };
  while (lines.next(line)) {
    const std::string_view text = trim(line.text);
    if (text.empty()) continue;
    if (text.starts_with("**")) {
      if (const int found = group_number(text); found > 0) {
        number = found;
        current = &groups[number];
        current->line = line.number, current->offset = line.offset;
      }
      continue;
    }
    if (current == nullptr) continue;
    if (number == 1) {
      // REV0 and five counts; only the numbers matter.
      for (const std::string_view word : internal::words_of(text))
        if (const auto value = internal::field_number(word)) current->values.push_back(*value);
      continue;
    }
    if (number == 3 || number == 4 || number > 11) continue;
    if (!internal::append_numbers(text, current->values))
      complain(number, line.number, line.offset, fmt::format("{} are no numbers", in_quotes(text)));
  }
  for (const auto& [group, data] : groups)
    if (group > 11)
      out.findings.push_back({Severity::note, "group_skipped", fmt::format("{}:{}", name, data.line),
                              fmt::format("record group {} is not used", group), "nothing, unless you need it"});

  std::size_t nodes = groups[2].values.size();
  // Labels and coordinates take more room here than their shortest text; a file of one-digit numbers only is no body.
  const std::size_t per_node = sizeof(GeometryNode) + 6 * sizeof(Dof) +
                               96 * (1 + groups[8].values.size() / (6 * std::max<std::size_t>(nodes, 1)));
  if (nodes > internal::allowed_bytes(content.size()) / 4 / per_node) {
    complain(2, groups[2].line, groups[2].offset,
             fmt::format("{} nodes are more than a file of this size can describe; the body was not read", nodes));
    nodes = 0;
  }
  const std::array<const std::vector<double>*, 3> coordinates = {&groups[5].values, &groups[6].values,
                                                                 &groups[7].values};
  const auto& head = groups[1].values;
  if (!head.empty() && head[0] != static_cast<double>(nodes))
    complain(1, groups[1].line, groups[1].offset,
             fmt::format("{} nodes are announced and {} are listed", head[0], nodes));
  for (std::size_t i = 0; i < nodes; ++i) {
    GeometryNode node;
    const double label = groups[2].values[i];
    node.label = std::abs(label) < 1e15 ? static_cast<std::int64_t>(label) : 0;
    for (std::size_t k = 0; k < 3; ++k) node.position[k] = i < coordinates[k]->size() ? (*coordinates[k])[i] : 0.0;
    out.modes.geometry.nodes.push_back(node);
    for (int direction = 1; direction <= 6; ++direction) out.modes.dofs.push_back({node.label, direction, {}});
  }
  for (int k = 5; k <= 7; ++k)
    if (groups[k].values.size() != nodes)
      complain(k, groups[k].line, groups[k].offset,
               fmt::format("{} coordinates for {} nodes", groups[k].values.size(), nodes));
  const std::vector<double>& shapes = groups[8].values;
  const std::size_t modes = nodes > 0 ? shapes.size() / (6 * nodes) : 0;
  if (nodes > 0 && shapes.size() % (6 * nodes) != 0)
    complain(8, groups[8].line, groups[8].offset,
             fmt::format("{} values are no multiple of 6 x {} nodes; the last mode was dropped", shapes.size(), nodes));
  const auto modal = [&](int group, const char* what) {
    std::vector<double>& values = groups[group].values;
    if (values.size() == modes * modes) return square(what, modes, std::move(values));
    if (!values.empty())
      complain(group, groups[group].line, groups[group].offset,
               fmt::format("{} values are no {} x {} matrix", values.size(), modes, modes));
    return Matrix{};
  };
  out.modal_mass = modal(9, "modal_mass");
  out.modal_stiffness = modal(10, "modal_stiffness");
  for (std::size_t m = 0; m < modes; ++m) {
    Mode mode;
    const auto first = shapes.begin() + static_cast<std::ptrdiff_t>(m * 6 * nodes);
    mode.shape.assign(first, first + static_cast<std::ptrdiff_t>(6 * nodes));
    const int i = static_cast<int>(m);
    if (out.modal_mass.rows > 0) mode.modal_mass = out.modal_mass.at(i, i).real();
    if (mode.modal_mass > 0.0 && out.modal_stiffness.rows > 0)
      mode.pole = {0.0, std::sqrt(std::max(0.0, out.modal_stiffness.at(i, i).real() / mode.modal_mass))};
    out.modes.modes.push_back(std::move(mode));
  }
  if (modes > 0) out.modes.scaling = out.modal_mass.rows > 0 ? ModeScaling::as_given : ModeScaling::unknown;
  std::vector<double>& lumped = groups[11].values;
  if (lumped.size() == 6 * nodes)
    out.lumped_mass = std::move(lumped);
  else if (!lumped.empty())
    complain(11, groups[11].line, groups[11].offset,
             fmt::format("{} lumped masses for {} nodes", lumped.size(), nodes));
  return out;
}

std::string mbdyn_fem_text(const MbdynFem& body) {
  const std::vector<GeometryNode>& nodes = body.modes.geometry.nodes;
  const std::size_t modes = body.modes.modes.size();
  fmt::memory_buffer out;
  const auto print = [&](auto... arguments) { fmt::format_to(std::back_inserter(out), arguments...); };
  const auto group = [&](int number, const char* what) { print(FMT_STRING("** RECORD GROUP {}, {}\n"), number, what); };
  group(1, "HEADER");
  print(FMT_STRING("**   REVISION,  NODE,  NORMAL, ATTACHMENT, CONSTRAINT, REJECTED MODES.\n      REV0 {} {} 0 0 0\n"),
        nodes.size(), modes);
  group(2, "FINITE ELEMENT NODE LIST");
  for (std::size_t i = 0; i < nodes.size(); ++i)
    print(FMT_STRING("{}{}"), nodes[i].label, i % 10 == 9 || i + 1 == nodes.size() ? "\n" : " ");
  group(3, "INITIAL MODAL DISPLACEMENTS");
  for (std::size_t i = 0; i < modes; ++i) print(FMT_STRING("{}\n"), 0);
  group(4, "INITIAL MODAL VELOCITIES");
  for (std::size_t i = 0; i < modes; ++i) print(FMT_STRING("{}\n"), 0);
  const char* axes[] = {"NODAL X COORDINATES", "NODAL Y COORDINATES", "NODAL Z COORDINATES"};
  for (std::size_t k = 0; k < 3; ++k) {
    group(static_cast<int>(k) + 5, axes[k]);
    for (const GeometryNode& node : nodes) print(FMT_STRING("{:.17g}\n"), node.position[k]);
  }
  group(8, "MODE SHAPES");
  // Six values per node of the geometry, wherever the degrees of freedom stand in the set.
  std::map<std::pair<std::int64_t, int>, std::size_t> place;
  for (std::size_t i = 0; i < body.modes.dofs.size(); ++i)
    place.emplace(std::pair{body.modes.dofs[i].node, body.modes.dofs[i].direction}, i);
  for (std::size_t m = 0; m < modes; ++m) {
    print(FMT_STRING("**    NORMAL MODE SHAPE # {}\n"), m + 1);
    for (const GeometryNode& node : nodes)
      for (int direction = 1; direction <= 6; ++direction) {
        const auto found = place.find({node.label, direction});
        print(FMT_STRING("{:.17g}{}"), found == place.end() ? 0.0 : body.modes.modes[m].shape[found->second].real(),
              direction == 6 ? "\n" : " ");
      }
  }
  const auto matrix = [&](int number, const char* what, const Matrix& values) {
    if (values.rows == 0) return;
    group(number, what);
    for (int c = 0; c < values.columns; ++c)
      for (int r = 0; r < values.rows; ++r)
        print(FMT_STRING("{:.17g}{}"), values.at(r, c).real(), r + 1 == values.rows ? "\n" : " ");
  };
  matrix(9, "MODAL MASS MATRIX. COLUMN-MAJOR FORM", body.modal_mass);
  matrix(10, "MODAL STIFFNESS MATRIX. COLUMN-MAJOR FORM", body.modal_stiffness);
  if (!body.lumped_mass.empty()) {
    group(11, "DIAGONAL OF LUMPED MASS MATRIX");
    for (std::size_t i = 0; i < body.lumped_mass.size(); ++i)
      print(FMT_STRING("{:.17g}{}"), body.lumped_mass[i], i % 6 == 5 ? "\n" : " ");
  }
  return fmt::to_string(out);
}

}  // namespace kdyn::inline io
