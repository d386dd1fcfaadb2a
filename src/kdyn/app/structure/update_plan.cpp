// SPDX-License-Identifier: Apache-2.0
// Planning of an updating test: sensors, lines, and what the test would determine.
#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "kdyn/app/present/shared_results.hpp"
#include "kdyn/app/structure/update_jobs.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/data/dof_field.hpp"
#include "kdyn/update/plan.hpp"

namespace kdyn::app {
namespace {

struct PlannedSensor {
  Dof motion;
  double independence = 0.0;
};
const FieldTable& fields_of(const PlannedSensor*) {
  using S = PlannedSensor;
  static const FieldTable table = FieldTable::results<S>("planned sensor", [](FieldTable& t) {
    t.add(&S::motion, "motion", "-", "Point and direction");
    t.add(&S::independence, "independence", "-", "Effective independence");
  });
  return table;
}

struct PlannedAccuracy {
  double std = 0.0;
  std::string verdict;
};
const FieldTable& fields_of(const PlannedAccuracy*) {
  using P = PlannedAccuracy;
  static const FieldTable table = FieldTable::results<P>("planned accuracy", [](FieldTable& t) {
    t.add(&P::std, "predicted_std", "-", "Predicted standard deviation of the ratio; null: not determined");
    t.add(&P::verdict, "verdict", "-", "determined, weak or not determined");
  });
  return table;
}

}  // namespace

struct UpdatePlanOutput {
  const UpdateJob& job;
  std::string reason;
  Eigen::VectorXd expected_hz;
  std::vector<PlannedSensor> sensors;
  std::vector<Dof> inputs;
  const update::SensorChoice& choice;
  Eigen::VectorXd lines_hz;
  std::vector<std::pair<std::string, PlannedAccuracy>> parameters;
  std::vector<Finding> findings{};
};

const FieldTable& fields_of(const UpdatePlanOutput*) {
  using O = UpdatePlanOutput;
  static const FieldTable table = FieldTable::results<O>("update plan", [](FieldTable& t) {
    t.add([](const O&) { return "done"; }, "status", "-", "done");
    t.add(&O::reason, "reason", "-", "What came out");
    t.add(&O::expected_hz, "expected_hz", "Hz", "Modes that are expected in the band");
    t.add(
        [](const O& o) -> const auto& { return o.sensors; }, "sensors", "-", "Motions to measure");
    t.add(&O::inputs, "inputs", "-", "Where forces act");
    t.add([](const O& o) { return o.choice.rejected_alike; }, "rejected_alike", "-",
          "Candidates that see the modes as others do");
    t.add([](const O& o) { return o.choice.condition; }, "condition", "-", "Condition of the shapes at the sensors");
    t.add([](const O& o) { return o.choice.largest_off_diagonal_mac; }, "largest_off_diagonal_mac", "-",
          "How well the sensors tell modes apart");
    t.add(&O::lines_hz, "lines_hz", "Hz", "Lines to measure");
    t.add(
         [](const O& o) -> const auto& { return o.parameters; }, "parameters", "-", "What the test would determine")
        .unless_empty();
    add_findings<O>(t);
    t.add(
        [](const O& o) -> const auto& { return o.job; }, "options_used", "-", "All options");
  });
  return table;
}

namespace {

using Eigen::Index;

std::vector<Dof> dofs_of(const std::vector<std::string>& words, const update::FullModel& model) {
  std::vector<Dof> out;
  const auto add = [&](const Dof& dof) {
    if (model.knows(dof)) out.push_back(dof);
  };
  for (const std::string& word : words) {
    const Dof dof = parse_dof(word);
    if (dof.direction != 0) {
      if (!model.knows(dof))
        throw_bad_input("candidates", fmt::format("the model has no motion {}", word),
                        "name points as node number and direction, 12+Z");
      out.push_back(dof);
      continue;
    }
    for (int direction = 1; direction <= 3; ++direction) add({dof.node, direction, dof.name});
  }
  if (words.empty()) {
    // All points; thinned so that the work stays small.
    const std::size_t stride = std::max<std::size_t>(1, model.geometry.nodes.size() / 400);
    for (std::size_t n = 0; n < model.geometry.nodes.size(); n += stride)
      for (int direction = 1; direction <= 3; ++direction) add({model.geometry.nodes[n].label, direction, ""});
  }
  return out;
}

}  // namespace

Outcome plan_update(const UpdateJob& job, const update::FullModel& model, Progress& progress) {
  const update::UpdateOptions& options = job.updating;
  if (options.band_hz.size() != 2)
    throw_bad_input("band_hz", "a plan needs the band of the test", "give for example --band-hz 30,265");
  if (options.damping.empty())
    throw_bad_input("damping", "a plan needs the damping of the test", "give for example --damping 0.01");
  if (options.lines_per_half_bandwidth.empty())
    throw_bad_input("lines_per_half_bandwidth", "a plan needs the density of the lines",
                    "give for example --lines-per-half-bandwidth 2");
  const std::vector<Dof> candidates = dofs_of(job.candidates, model);
  fe::BasisOptions basis_options;
  basis_options.modes = std::min(options.basis_modes, model.matrices.size());
  basis_options.sensitivity_modes = options.sensitivity_modes;
  basis_options.eigensolver = options.eigensolver;
  const fe::ParametricBasis basis = fe::parametric_basis(model.matrices, model.group_of, basis_options, {}, progress);
  std::vector<Index> in_band;
  for (Index r = basis.nominal.rigid; r < basis.nominal.frequency_hz.size(); ++r)
    if (basis.nominal.frequency_hz[r] <= options.band_hz[1]) in_band.push_back(r);
  if (in_band.empty()) throw_bad_input("band_hz", "the model has no elastic mode in it", "choose a band with modes");
  const Eigen::VectorXd poles = basis.nominal.frequency_hz(in_band);
  const Eigen::MatrixXd rows = model.rows(candidates, "candidates"),
                        shapes = (rows * basis.nominal.shapes)(Eigen::all, in_band);
  const int wanted = job.sensors > 0 ? job.sensors : static_cast<int>(2 * in_band.size());
  const update::SensorChoice choice =
      update::choose_sensors(shapes, std::min(wanted, static_cast<int>(candidates.size())));
  const double damping = options.damping.back();
  const Eigen::VectorXd lines = update::lines_from_poles(poles, options.band_hz[0], options.band_hz[1], damping,
                                                         options.lines_per_half_bandwidth.back());

  std::vector<Dof> outputs, inputs = dofs_of(job.inputs, model);
  for (const int i : choice.chosen) outputs.push_back(candidates[static_cast<std::size_t>(i)]);
  if (job.inputs.empty()) {
    std::vector<std::size_t> order(outputs.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return choice.independence[a] > choice.independence[b]; });
    inputs.clear();
    for (std::size_t i = 0; i < std::min<std::size_t>(3, order.size()); ++i) inputs.push_back(outputs[order[i]]);
  }
  // The planned test on the nominal model.
  const fe::ReducedModel reduced = fe::project(model.matrices, basis.vectors, model.rows(outputs, "outputs"),
                                               model.rows(inputs, "inputs").transpose());
  const Eigen::VectorXd nominal = Eigen::VectorXd::Ones(reduced.parameters);
  update::Target target;
  target.frequency_hz = lines;
  target.values = update::accelerance(update::modal_form(reduced, nominal, false), lines, damping);
  const Eigen::VectorXd level = 0.01 * job.noise_percent * target.values.cwiseAbs().colwise().mean().transpose();
  std::vector<bool> free;
  std::vector<std::string> names;
  for (const update::ParameterSetting& p : model.parameters) free.push_back(!p.fixed), names.push_back(p.name);
  const update::Gate gate =
      update::identifiability(reduced, nominal, target, damping, {level.cwiseAbs2(), lines.size(), {}}, free, names,
                              {options.target_percent, 0.5});

  Outcome outcome;
  UpdatePlanOutput out{
      job, fmt::format("{} sensors for {} modes", outputs.size(), in_band.size()), poles, {}, inputs, choice, lines,
      {}};
  report::Table table{.title = "Sensors", .columns = {{"Motion"}, {"Independence", ""}}};
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    out.sensors.push_back({outputs[i], choice.independence[i]});
    table.rows.push_back({{label(outputs[i]), choice.independence[i]}});
  }
  report::Table expected{.title = "What the test would determine",
                         .columns = {{"Parameter"}, {"95 % half interval", "%"}, {"Verdict"}}};
  outcome.text = fmt::format("{} sensors for {} modes, {} lines; largest off-diagonal MAC {:.2f}\n", outputs.size(),
                             in_band.size(), lines.size(), choice.largest_off_diagonal_mac);
  for (std::size_t s = 0; s < names.size(); ++s) {
    const double half = 196.0 * gate.std[static_cast<Index>(s)];
    const char* verdict = update::to_string(gate.verdict[s]);
    out.parameters.emplace_back(names[s], PlannedAccuracy{gate.std[static_cast<Index>(s)], verdict});
    expected.rows.push_back(
        {{names[s], half, verdict},
         gate.verdict[s] == update::Verdict::determined ? report::Quality::good : report::Quality::poor});
    outcome.text += fmt::format("  {:<18} ± {:6.2f} %  {}\n", names[s], half, verdict);
  }
  to_json_fields(out, outcome.result);
  report::Document document{.title = job.title.empty() ? "Plan of an updating test" : job.title,
                            .subtitle = fmt::format("{:g} to {:g} Hz", options.band_hz[0], options.band_hz[1])};
  document.key_figures = {
      {.label = "Sensors", .value = outputs.size()},
      {.label = "Expected modes", .value = in_band.size()},
      {.label = "Largest off-diagonal MAC",
       .value = choice.largest_off_diagonal_mac,
       .quality = choice.largest_off_diagonal_mac < 0.25 ? report::Quality::good : report::Quality::fair},
      {.label = "Lines", .value = lines.size()}};
  document
      .section(
          "Sensors",
          fmt::format("Chosen by effective independence; {} candidates see the modes as others do and were rejected.",
                      choice.rejected_alike))
      .add(std::move(table));
  document.section("Parameters", fmt::format("Predicted with {:g} % noise for the nominal model.", job.noise_percent))
      .add(std::move(expected));
  outcome.document = std::move(document);
  return outcome;
}

}  // namespace kdyn::app
