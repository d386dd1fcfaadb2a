// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <numbers>

#include <fmt/format.h>

#include "kdyn/app/modal_inputs.hpp"
#include "kdyn/app/modal_jobs.hpp"
#include "kdyn/app/modal_report.hpp"
#include "kdyn/io/exchange.hpp"
#include "kdyn/io/frf_csv.hpp"
#include "kdyn/sysid/equalise.hpp"

namespace kdyn {

template <>
const FieldTable& field_table<app::ModalJob>() {
  using J = app::ModalJob;
  static const FieldTable table = FieldTable::of<J>("modal", [](FieldTable& t) {
    t.add(&J::data, "data", "-", "Frequency responses: universal files, HDF5, MAT or CSV; several files are put side by side")
        .from_words()
        .must_be_given();
    t.add(&J::geometry, "geometry", "-", "File with the points of the structure, for animated shapes");
    t.add(&J::title, "title", "-", "Title of the report");
    t.add(&J::equalise, "equalise", "-", "Also write the responses with this damping ratio for all modes; 0: not").range(0.0, 0.99);
    t.include(&J::modal, field_table<ModalOptions>());
  });
  return table;
}

}  // namespace kdyn

namespace kdyn::app {
namespace {

Json labels_json(const std::vector<Dof>& dofs) {
  Json out = Json::array();
  for (const Dof& dof : dofs) out.push_back(label(dof));
  return out;
}

Json mode_json(const IdentifiedMode& mode) {
  Json out = {{"frequency_hz", mode.frequency_hz},
              {"damping", mode.damping},
              {"frequency_std_hz", mode.frequency_std_hz},
              {"damping_std", mode.damping_std},
              {"real", mode.pole.real()},
              {"imag", mode.pole.imag()},
              {"phase_collinearity", mode.phase_collinearity},
              {"contribution", mode.contribution},
              {"gain", mode.gain},
              {"seen_orders", mode.seen_orders}};
  for (const char* key : {"shape_re", "shape_im", "participation_re", "participation_im"}) out[key] = Json::array();
  for (const auto& value : mode.shape) {
    out["shape_re"].push_back(value.real());
    out["shape_im"].push_back(value.imag());
  }
  for (const auto& value : mode.participation) {
    out["participation_re"].push_back(value.real());
    out["participation_im"].push_back(value.imag());
  }
  return out;
}

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

Json geometry_json(const Geometry& geometry) {
  Json out = {{"systems", Json::array()}, {"nodes", Json::array()}, {"lines", Json::array()}};
  for (const CoordinateSystem& system : geometry.systems) out["systems"].push_back({{"label", system.label}, {"R_GL", system.R_GL}});
  for (const GeometryNode& node : geometry.nodes)
    out["nodes"].push_back({node.label, node.position[0], node.position[1], node.position[2], node.motion_system});
  for (const TraceLine& line : geometry.lines) out["lines"].push_back(line.nodes);
  return out;
}

std::string terminal_text(const ModalResult& result) {
  std::string text = fmt::format("{}: {} modes, misfit {:.2f} % ({:.2f} % without residual poles), {}\n", result.status, result.modes.size(),
                                 100.0 * result.misfit, 100.0 * result.misfit_without_residuals, result.reason);
  for (const IdentifiedMode& m : result.modes)
    text += fmt::format("  {:10.4f} Hz ± {:.2g}   damping {:8.5f} % ± {:.2g}\n", m.frequency_hz, m.frequency_std_hz, 100.0 * m.damping,
                        100.0 * m.damping_std);
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
  judge_modes(result);
  result.findings.insert(result.findings.begin(), inputs.findings.begin(), inputs.findings.end());
  const std::string title = !job.title.empty() ? job.title : !frf.name.empty() ? frf.name : std::filesystem::path(job.data.front()).stem().string();

  Outcome outcome;
  outcome.inputs = inputs.inputs;
  outcome.complete = result.status == "done";
  Json& out = outcome.result;
  out["status"] = result.status;
  out["reason"] = result.reason;
  out["title"] = title;
  out["misfit"] = result.misfit;
  out["misfit_without_residuals"] = result.misfit_without_residuals;
  out["poles"] = Json::array();
  for (const IdentifiedMode& mode : result.modes) out["poles"].push_back(mode_json(mode));
  out["residual_poles"] = Json::array();
  for (Eigen::Index r = 0; r < result.model.poles.size(); ++r)
    if (const PoleRole role = result.model.roles[static_cast<std::size_t>(r)]; role != PoleRole::mode)
      out["residual_poles"].push_back(
          {{"role", to_string(role)}, {"frequency_hz", frequency_hz(result.model.poles[r])}, {"damping", damping_ratio(result.model.poles[r])}});
  out["outputs"] = labels_json(result.frf.output_dofs);
  out["inputs"] = labels_json(result.frf.input_dofs);
  out["shape_scaling"] = result.shape_scaling;
  out["shapes_scaled"] = result.shapes_scaled;
  out["auto_mac"] = rows_json(result.auto_mac);
  out["state_space"] = {{"A", rows_json(result.state_space.A)},
                        {"B", rows_json(result.state_space.B)},
                        {"C", rows_json(result.state_space.C)},
                        {"D", rows_json(result.state_space.D)}};
  const char* weighting[] = {"none", "relative", "covariance"};
  out["used"] = {{"weighting", weighting[static_cast<int>(job.modal.weighting)]},
                 {"max_order", result.max_order_used},
                 {"block_rows", result.block_rows_used},
                 {"map_hz", result.map_hz_used},
                 {"exact_order", result.exact_order},
                 {"pole_steps", result.pole_steps},
                 {"converged", result.converged}};
  out["singular_values"] =
      std::vector<double>(result.singular_values.data(), result.singular_values.data() + std::min<Eigen::Index>(result.singular_values.size(), 200));
  out["cost_history"] = result.cost_history;
  out["dropped"] = Json::array();
  for (const DroppedCandidate& c : result.dropped)
    out["dropped"].push_back({{"frequency_hz", c.frequency_hz}, {"damping", c.damping}, {"reason", c.reason}});
  if (!inputs.geometry.nodes.empty()) out["geometry"] = geometry_json(inputs.geometry);

  const ModeSet modes = mode_set_of(result, inputs.geometry, title);
  if (!modes.modes.empty()) {
    Exchange file;
    file.modes = modes;
    std::vector<Finding> lost;
    outcome.files.push_back({"modes.uff", exchange_bytes(file, "modes.uff", {}, lost)});
    outcome.files.push_back({"synthesised.csv", frf_csv(responses(result.frf, synthesise(result.model, result.frf.omega), title + ", identified"))});
    bool unit_known = false;
    if (job.equalise > 0.0)
      outcome.files.push_back(
          {"equalised.csv",
           frf_csv(responses(
               result.frf,
               synthesise(equalise_damping(result.model, job.equalise, response_kind(result.frf.output_unit, unit_known)), result.frf.omega),
               title + ", equalised"))});
  }
  for (const OutputFile& file : outcome.files) out["files"].push_back(file.name);
  out["findings"] = to_json(result.findings);
  to_json_fields(job, out["options_used"]);
  outcome.text = terminal_text(result);
  outcome.document = modal_report(title, result, job.modal, modes);
  progress.report(1.0, "done");
  return outcome;
}

}  // namespace kdyn::app
