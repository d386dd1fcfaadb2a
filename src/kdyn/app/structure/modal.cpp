// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <optional>

#include <fmt/format.h>

#include "kdyn/app/present/shared_results.hpp"
#include "kdyn/app/structure/modal_inputs.hpp"
#include "kdyn/app/structure/modal_jobs.hpp"
#include "kdyn/app/structure/modal_report.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/data/dof_field.hpp"
#include "kdyn/io/exchange.hpp"
#include "kdyn/io/frf_csv.hpp"
#include "kdyn/modes/mass_line.hpp"
#include "kdyn/sysid/equalise.hpp"
#include "kdyn/sysid/result_fields.hpp"

namespace kdyn {

const FieldTable& app::fields_of(const ModalJob*) {
  using J = app::ModalJob;
  static const FieldTable table = FieldTable::of<J>("modal", [](FieldTable& t) {
    t.add(&J::data, "data", "-",
          "Frequency responses: universal files, HDF5, MAT or CSV; several files are put side by side")
        .from_words()
        .must_be_given()
        .reads();
    t.add(&J::geometry, "geometry", "-", "File with the points of the structure, for animated shapes").reads();
    t.add(&J::title, "title", "-", "Title of the report");
    t.add(&J::equalise, "equalise", "-", "Also write the responses with this damping ratio for all modes; 0: not")
        .range(0.0, 0.99);
    t.add(&J::mass_line_hz, "mass_line_hz", "Hz",
          "Band above the suspension and below the elastic modes: mass, centre of gravity and inertia from it; two "
          "frequencies")
        .range(0.0, 1e7);
    t.include(&J::modal, field_table<ModalOptions>());
  });
  return table;
}

}  // namespace kdyn

namespace kdyn::app {

struct ModalOutput {
  const ModalJob& job;
  const ModalResult& found;
  const Geometry& geometry;
  const std::optional<MassLine>& rigid_body;
  std::string title;
  std::vector<std::string> files;
};

namespace {

// Poles beside the modes: residuals of the band.
struct ResidualPole {
  const char* role;
  double frequency, damping;
};
const FieldTable& fields_of(const ResidualPole*) {
  using R = ResidualPole;
  static const FieldTable table = FieldTable::results<R>("residual pole", [](FieldTable& t) {
    t.add([](const R& r) { return r.role; }, "role", "-", "What it stands for");
    t.add([](const R& r) { return r.frequency; }, "frequency_hz", "Hz", "Frequency");
    t.add([](const R& r) { return r.damping; }, "damping", "-", "Damping ratio");
  });
  return table;
}

std::vector<ResidualPole> residual_poles(const ModalModel& model) {
  std::vector<ResidualPole> out;
  for (Eigen::Index r = 0; r < model.poles.size(); ++r)
    if (const PoleRole role = model.roles[static_cast<std::size_t>(r)]; role != PoleRole::mode)
      out.push_back({to_string(role), frequency_hz(model.poles[r]), damping_ratio(model.poles[r])});
  return out;
}

struct UsedSettings {
  const ModalOutput& of;
};
const FieldTable& fields_of(const UsedSettings*) {
  using U = UsedSettings;
  static const FieldTable table = FieldTable::results<U>("modal settings used", [](FieldTable& t) {
    t.add([](const U& u) { return u.of.job.modal.weighting; }, "weighting", "-", "Weighting of the lines")
        .one_of({"none", "relative", "covariance"});
    t.add([](const U& u) { return u.of.found.max_order_used; }, "max_order", "-", "States of the largest model");
    t.add([](const U& u) { return u.of.found.parts_of_band; }, "parts_of_band", "-",
          "Parts of the band that were identified one by one and joined");
    t.add([](const U& u) { return u.of.found.max_damping_used; }, "max_damping", "-",
          "Limit of a mode's damping ratio");
    t.add([](const U& u) { return u.of.found.block_rows_used; }, "block_rows", "-", "Block rows");
    t.add([](const U& u) { return u.of.found.map_hz_used; }, "map_hz", "Hz", "Centre of the bilinear map");
    t.add([](const U& u) { return u.of.found.exact_order; }, "exact_order", "-",
          "Above 0: data of a finite system of this order");
    t.add([](const U& u) { return u.of.found.pole_steps; }, "pole_steps", "-", "Steps of the refinement of the poles");
    t.add([](const U& u) { return u.of.found.converged; }, "converged", "-", "Whether the refinement converged");
  });
  return table;
}

// Points and lines, so that the shapes can be drawn.
struct GeometrySystem {
  const CoordinateSystem& of;
};
const FieldTable& fields_of(const GeometrySystem*) {
  using S = GeometrySystem;
  static const FieldTable table = FieldTable::results<S>("coordinate system", [](FieldTable& t) {
    t.add([](const S& s) { return s.of.label; }, "label", "-", "Label");
    t.add([](const S& s) { return s.of.R_GL; }, "R_GL", "-", "Turns local components into global ones, by rows");
  });
  return table;
}
struct GeometryView {
  const Geometry& of;
};
const FieldTable& fields_of(const GeometryView*) {
  using G = GeometryView;
  static const FieldTable table = FieldTable::results<G>("geometry", [](FieldTable& t) {
    t.add(
        [](const G& g) {
          std::vector<GeometrySystem> out;
          for (const CoordinateSystem& system : g.of.systems) out.push_back({system});
          return out;
        },
        "systems", "-", "Coordinate systems");
    t.add(
        [](const G& g) {
          Json out = Json::array();
          for (const GeometryNode& n : g.of.nodes)
            out.push_back({n.label, n.position[0], n.position[1], n.position[2], n.motion_system});
          return out;
        },
        "nodes", "-", "Points: [label, x, y, z, label of the coordinate system of their motion]");
    t.add(
        [](const G& g) {
          std::vector<std::vector<std::int64_t>> out;
          for (const TraceLine& line : g.of.lines) out.push_back(line.nodes);
          return out;
        },
        "lines", "-", "Points that lines go through; 0 lifts the pen");
  });
  return table;
}

}  // namespace

const FieldTable& fields_of(const ModalOutput*) {
  using O = ModalOutput;
  static const FieldTable table = FieldTable::results<O>("modal result", [](FieldTable& t) {
    t.add([](const O& o) { return o.found.status; }, "status", "-", "done, nothing_found or stopped");
    t.add([](const O& o) { return o.found.reason; }, "reason", "-", "Why");
    t.add(&O::title, "title", "-", "Title of the report");
    t.add([](const O& o) { return o.found.misfit; }, "misfit", "-", "|H_model - H| / |H|, unweighted, in band");
    t.add([](const O& o) { return o.found.misfit_without_residuals; }, "misfit_without_residuals", "-",
          "The same without residual poles");
    t.add(
        [](const O& o) -> const auto& { return o.found.modes; }, "poles", "-", "Modes by frequency");
    t.add([](const O& o) { return residual_poles(o.found.model); }, "residual_poles", "-",
          "Poles that stand for what lies beside the band");
    t.add(
        [](const O& o) -> const auto& { return o.found.frf.output_dofs; }, "outputs", "-",
        "Outputs, in the order of the shapes");
    t.add(
        [](const O& o) -> const auto& { return o.found.frf.input_dofs; }, "inputs", "-", "Inputs");
    t.add([](const O& o) { return o.found.shape_scaling; }, "shape_scaling", "-",
          "How the shapes are scaled, or why not");
    t.add([](const O& o) { return o.found.shapes_scaled; }, "shapes_scaled", "-", "Whether they have unit modal mass");
    t.add(
        [](const O& o) -> const auto& { return o.found.auto_mac; }, "auto_mac", "-",
        "MAC of the shapes among themselves");
    t.add(
        [](const O& o) -> const auto& { return o.found.state_space; }, "state_space", "-",
        "The model in continuous time");
    t.add(
         [](const O& o) -> const auto& { return o.rigid_body; }, "rigid_body", "-",
         "Mass, centre of gravity and inertia from the mass line, where its band was given")
        .unless_null();
    t.add([](const O& o) { return UsedSettings{o}; }, "used", "-", "Settings that were used");
    t.add(
        [](const O& o) {
          return Eigen::VectorXd(
              o.found.singular_values.head(std::min<Eigen::Index>(o.found.singular_values.size(), 200)));
        },
        "singular_values", "-", "Singular values of the subspace, at most 200");
    t.add(
        [](const O& o) -> const auto& { return o.found.cost_history; }, "cost_history", "-", "Cost over the steps");
    t.add(
        [](const O& o) -> const auto& { return o.found.dropped; }, "dropped", "-", "Candidates that are no modes");
    t.add([](const O& o) { return o.geometry.nodes.empty() ? std::nullopt : std::optional(GeometryView{o.geometry}); },
          "geometry", "-", "Points of the structure, where they are known")
        .unless_null();
    t.add(&O::files, "files", "-", "Files beside result.json").unless_empty();
    t.add(
        [](const O& o) -> const auto& { return o.found.findings; }, "findings", "-",
        "What was noticed, and what to do");
    t.add(
        [](const O& o) -> const auto& { return o.job; }, "options_used", "-", "All options");
  });
  return table;
}

namespace {

ModeSet mode_set_of(const ModalResult& result, const Geometry& geometry, const std::string& name) {
  ModeSet out;
  out.name = name;
  out.complex_shapes = true;
  out.scaling = result.shapes_scaled ? ModeScaling::unit_modal_mass : ModeScaling::unknown;
  out.dofs = result.frf.output_dofs;
  out.geometry = geometry;
  for (const IdentifiedMode& m : result.modes) {
    Mode mode;
    mode.pole = m.pole;
    mode.shape.assign(m.shape.data(), m.shape.data() + m.shape.size());
    mode.modal_mass = result.shapes_scaled ? 1.0 : 0.0;
    mode.name = fmt::format("{:.3f} Hz", m.frequency_hz);
    out.modes.push_back(std::move(mode));
  }
  return out;
}

FrequencyResponse responses(const FrfMatrix& frf, const Eigen::MatrixXcd& H, const std::string& name) {
  FrequencyResponse out;
  out.name = name;
  for (const double w : frf.omega) out.frequency_hz.push_back(w / (2.0 * std::numbers::pi));
  for (Eigen::Index u = 0; u < frf.inputs; ++u)
    for (Eigen::Index y = 0; y < frf.outputs; ++y) {
      FrequencyResponseChannel channel;
      channel.output = frf.output_dofs[static_cast<std::size_t>(y)];
      channel.input = frf.input_dofs[static_cast<std::size_t>(u)];
      channel.output_unit = frf.output_unit;
      channel.input_unit = frf.input_unit;
      const Eigen::VectorXcd values = H.col(frf.column(y, u));
      channel.values.assign(values.data(), values.data() + values.size());
      out.channels.push_back(std::move(channel));
    }
  return out;
}

std::string terminal_text(const ModalResult& result, const std::optional<MassLine>& rigid_body) {
  std::string text =
      fmt::format("{}: {} modes, misfit {:.2f} % ({:.2f} % without residual poles), {}\n", result.status,
                  result.modes.size(), 100.0 * result.misfit, 100.0 * result.misfit_without_residuals, result.reason);
  if (result.parts_of_band > 1)
    text += fmt::format("  {} parts of the band, orders up to {}, {:.3g} s\n", result.parts_of_band,
                        result.max_order_used, result.seconds);
  for (const IdentifiedMode& m : result.modes)
    text += fmt::format("  {:10.4f} Hz ± {:.2g}   damping {:8.5f} % ± {:.2g}\n", m.frequency_hz, m.frequency_std_hz,
                        100.0 * m.damping, 100.0 * m.damping_std);
  if (rigid_body) {
    text += fmt::format("  rigid body from {:.4g} to {:.4g} Hz, misfit {:.2f} %\n", rigid_body->low_hz,
                        rigid_body->high_hz, 100.0 * rigid_body->misfit);
    for (const ParameterEstimate& p : rigid_body->parameters)
      text += std::isfinite(p.std) ? fmt::format("    {:<11} {:12.5g} ± {:.2g} {}\n", p.name, p.value, p.std, p.unit)
                                   : fmt::format("    {:<11} not determined\n", p.name);
  }
  text += findings_text(result.findings);
  return text;
}

}  // namespace

Outcome modal_job(const ModalJob& job, Progress& progress) {
  progress.report(0.0, "reading");
  ModalInputs inputs;
  const FrequencyResponse frf = read_responses(job.data, inputs);
  read_geometry(job.geometry, inputs);
  ModalResult result = identify_modes(frf, job.modal, progress);
  // Modes chosen by hand need not describe the whole band.
  if (job.modal.select_hz.empty() && job.modal.drop_hz.empty()) judge_modes(result);
  std::optional<MassLine> rigid_body;
  if (!job.mass_line_hz.empty()) {
    if (job.mass_line_hz.size() != 2 || !(job.mass_line_hz[1] > job.mass_line_hz[0]))
      throw_bad_input("mass_line_hz", "the band must be two increasing frequencies",
                      "write for example --mass-line-hz 8,25");
    const auto inside = std::count_if(frf.frequency_hz.begin(), frf.frequency_hz.end(),
                                      [&](double f) { return f >= job.mass_line_hz[0] && f <= job.mass_line_hz[1]; });
    if (inside < 6)
      throw_bad_input("mass_line_hz", fmt::format("the files have {} lines there", inside),
                      "give a wider band, or responses that reach down to it");
    rigid_body = mass_line(frf_matrix(frf, job.mass_line_hz), inputs.geometry, result.fitted, result.added_decay);
    result.findings.insert(result.findings.end(), rigid_body->findings.begin(), rigid_body->findings.end());
  }
  result.findings.insert(result.findings.begin(), inputs.findings.begin(), inputs.findings.end());
  const std::string title = !job.title.empty()  ? job.title
                            : !frf.name.empty() ? frf.name
                                                : std::filesystem::path(job.data.front()).stem().string();

  Outcome outcome;
  outcome.inputs = inputs.inputs;
  outcome.complete = result.status == "done";
  const ModeSet modes = mode_set_of(result, inputs.geometry, title);
  if (!modes.modes.empty()) {
    Exchange file;
    file.modes = modes;
    std::vector<Finding> lost;
    outcome.files.push_back({"modes.uff", exchange_bytes(file, "modes.uff", {}, lost)});
    outcome.files.push_back(
        {"synthesised.csv",
         frf_csv(responses(result.frf, synthesise(result.model, result.frf.omega), title + ", identified"))});
    bool unit_known = false;
    if (job.equalise > 0.0)
      outcome.files.push_back(
          {"equalised.csv",
           frf_csv(responses(result.frf,
                             synthesise(equalise_damping(result.model, job.equalise,
                                                         response_kind(result.frf.output_unit, unit_known)),
                                        result.frf.omega),
                             title + ", equalised"))});
  }
  to_json_fields(ModalOutput{job, result, inputs.geometry, rigid_body, title, names_of(outcome.files)}, outcome.result);
  outcome.text = terminal_text(result, rigid_body);
  outcome.document = modal_report(title, result, job.modal, modes, rigid_body);
  progress.report(1.0, "done");
  return outcome;
}

}  // namespace kdyn::app
