// SPDX-License-Identifier: Apache-2.0
#include "kdyn/app/structure/fe_report.hpp"

#include <cmath>

#include <fmt/format.h>

#include "kdyn/app/present/structure_plots.hpp"

namespace kdyn::app {

using namespace report;

report::Document fe_report(const FeReportInput& in) {
  const fe::Modes& modes = in.modes;
  Document d{.title = in.title, .subtitle = "Finite-element model: modes and checks"};
  const Eigen::Index count = modes.frequency_hz.size();
  d.key_figures.push_back({.label = "Unknowns", .value = in.unknowns, .digits = 7});
  if (in.diagnosis.mass > 0.0)
    d.key_figures.push_back({.label = "Mass", .value = in.diagnosis.mass, .unit = "kg", .digits = 5});
  d.key_figures.push_back({.label = "Modes",
                           .value = count,
                           .quality = modes.status == fe::ModesStatus::converged ? Quality::good : Quality::poor,
                           .note = fmt::format("{} of them rigid", modes.rigid)});
  if (modes.rigid < count)
    d.key_figures.push_back(
        {.label = "First elastic mode", .value = modes.frequency_hz[modes.rigid], .unit = "Hz", .digits = 5});
  d.key_figures.push_back(
      {.label = "None missed",
       .value = modes.sturm_checked ? (modes.status == fe::ModesStatus::converged ? "proven" : "no") : "not checked",
       .quality = !modes.sturm_checked                         ? Quality::fair
                  : modes.status == fe::ModesStatus::converged ? Quality::good
                                                               : Quality::poor,
       .note = modes.sturm_checked
                   ? fmt::format("{} modes below {:.5g} Hz", modes.sturm_count, modes.sturm_frequency_hz)
                   : modes.reason});
  if (in.reduced_size > 0)
    d.key_figures.push_back({.label = "Reduced model",
                             .value = 100.0 * in.reduction_error,
                             .unit = "%",
                             .quality = in.reduction_error < 1e-3   ? Quality::good
                                        : in.reduction_error < 0.02 ? Quality::fair
                                                                    : Quality::poor,
                             .note = fmt::format("largest frequency error, {} degrees of freedom", in.reduced_size),
                             .digits = 2});
  if (report::Animation moving = animation(in.drawn, "Mode shapes", {}, false); !moving.shapes.empty()) {
    for (std::size_t i = 0; i < moving.shapes.size() && i < in.drawn.modes.size(); ++i)
      moving.shapes[i].name = in.drawn.modes[i].name;
    moving.caption =
        "Drag to turn, Ctrl and wheel to zoom, point at a node to read it. Very large meshes are drawn by their "
        "outline; "
        "rigid modes are left out.";
    d.section("Mode shapes").named("shapes").add(std::move(moving));
  }
  Table table{
      .title = "Modes",
      .columns = {
          {.title = "Mode"}, {.title = "Frequency", .unit = "Hz", .digits = 7}, {.title = "Residual", .digits = 2}}};
  if (!in.reduced_hz.empty()) {
    table.columns.push_back({.title = "Reduced model", .unit = "Hz", .digits = 7});
    table.columns.push_back({.title = "Error", .unit = "%", .digits = 2});
  }
  for (Eigen::Index i = 0; i < count; ++i) {
    Row row{.cells = {i + 1, i < modes.rigid ? Value("rigid") : Value(modes.frequency_hz[i]), modes.residual[i]}};
    if (!in.reduced_hz.empty()) {
      const bool known = i >= modes.rigid && static_cast<std::size_t>(i) < in.reduced_hz.size();
      row.cells.push_back(known ? Value(in.reduced_hz[static_cast<std::size_t>(i)]) : Value());
      row.cells.push_back(
          known ? Value(100.0 * (in.reduced_hz[static_cast<std::size_t>(i)] / modes.frequency_hz[i] - 1.0)) : Value());
    }
    table.rows.push_back(std::move(row));
  }
  table.note =
      "Residual: |K phi - lambda M phi| over |(K + s M) phi|. Shapes have unit modal mass; their largest component is "
      "positive.";
  d.section("Modes").named("modes").add(std::move(table));
  d.section("Matrix doctor", "What was found in the files and in the matrices.")
      .named("doctor")
      .add(
          Findings{.findings = in.findings, .when_empty = "Symmetric, no massless or loose motions, plausible units."});
  return d;
}

}  // namespace kdyn::app
