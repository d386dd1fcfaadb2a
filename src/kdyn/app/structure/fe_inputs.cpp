// SPDX-License-Identifier: Apache-2.0
#include "kdyn/app/structure/fe_inputs.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/io/exchange.hpp"

namespace kdyn::app {
namespace {

// A deck is a model when it has elements or names matrices of its own as K2GG; else its DMIG matrices are the model.
bool is_model(const NastranDeck& deck, bool has_matrices) {
  bool nodes = false;
  for (const NastranCard& card : deck.cards) {
    if (card.name.front() == 'C' && !card.name.starts_with("CORD")) return true;
    nodes = nodes || card.name == "GRID" || card.name == "SPOINT";
  }
  for (const std::string& line : deck.control)
    if (lower_case(line).starts_with("k2gg")) return true;
  return nodes && !has_matrices;
}

}  // namespace

FeSource read_fe_source(const std::vector<std::string>& files, const fe::NastranSettings& settings,
                        bool modes_will_do) {
  if (files.empty())
    throw_bad_input("files", "a model is needed",
                    "give a Nastran deck, or files with the matrices M and K (.op4 .pch .sti .mtx .h5)");
  FeSource out;
  MatrixSet set;
  std::vector<std::string> holds;
  for (const std::string& path : files) {
    Exchange file = read_exchange(path);
    for (const Finding& f : file.findings)
      if (f.severity == Severity::serious && file.kind() == "unknown")
        throw Error(ErrorCode::bad_input, f.message, f.where, f.remedy);
    out.inputs.push_back({path, file.sha256, {}});
    out.findings.insert(out.findings.end(), file.findings.begin(), file.findings.end());
    holds.push_back(fmt::format("{}: {}", path, file.kind()));
    const bool has_matrices = file.matrices && !file.matrices->matrices.empty();
    if (has_matrices && !(file.deck && is_model(*file.deck, true))) {
      for (Matrix& matrix : file.matrices->matrices) {
        if (matrix.name.empty() || file.format == "matrix_market")
          matrix.name = std::filesystem::path(path).stem().string();
        set.matrices.push_back(std::move(matrix));
      }
    } else if (file.deck && is_model(*file.deck, has_matrices) && !out.model) {
      out.findings.resize(out.findings.size() - file.findings.size());  // the model brings them along
      out.model = fe::model_of(*file.deck, settings);
      if (const auto wishes = file.deck->named("EIGRL"); !wishes.empty()) {
        out.asked_modes =
            static_cast<int>(std::clamp<std::int64_t>(file.deck->integer(*wishes.front(), 5, 0), 0, 1'000'000));
        out.asked_max_frequency_hz = file.deck->real(*wishes.front(), 4, 0.0);
      }
    }
    if (file.deck && file.geometry)
      for (CoordinateSystem system : file.geometry->systems) {
        for (double& x : system.p_GL_G) x *= settings.length_m;
        out.systems.push_back(std::move(system));
      }
    if (out.geometry.nodes.empty()) {
      if (file.modes && !file.modes->geometry.nodes.empty())
        out.geometry = file.modes->geometry;
      else if (file.geometry)
        out.geometry = *file.geometry;
    }
    if (modes_will_do && file.modes && !file.modes->modes.empty()) out.modes = std::move(*file.modes);
  }
  if (!set.matrices.empty()) {
    out.model.reset();  // a deck beside matrices is their geometry
    out.matrices = fe::matrix_model_of(set, files.front());
    out.findings.insert(out.findings.end(), out.matrices.findings.begin(), out.matrices.findings.end());
  } else if (out.model) {
    out.geometry = fe::geometry_of(*out.model);
    out.findings.insert(out.findings.end(), out.model->findings.begin(), out.model->findings.end());
  } else if (!out.modes.modes.empty()) {
    if (out.modes.geometry.nodes.empty()) out.modes.geometry = out.geometry;
  } else {
    throw_bad_input(files.front(), fmt::format("it is no finite-element model ({})", fmt::join(holds, "; ")),
                    fmt::format("give a Nastran deck with nodes and elements, or the matrices M and K{}",
                                modes_will_do ? ", or FE modes" : ""));
  }
  return out;
}

}  // namespace kdyn::app
