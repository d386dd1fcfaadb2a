// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "kdyn/app/display.hpp"
#include "kdyn/app/jobs.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/laws/model_file.hpp"
#include "kdyn/rig/model_axis.hpp"

namespace kdyn {

const FieldTable& app::fields_of(const LineariseJob*) {
  using J = app::LineariseJob;
  static const FieldTable table = FieldTable::of<J>("linearise", [](FieldTable& t) {
    t.add(&J::model, "model", "-", "Model file, or the result.json of a fit").from_words().must_be_given();
    t.add(&J::axis, "axis", "-", "Axis of a six-axis bushing: fx fy fz tx ty tz; tx ty tz of another model says that it is a rotation");
    t.include(&J::linear, field_table<LinearModelOptions>());
  });
  return table;
}

}  // namespace kdyn

namespace kdyn::app {
namespace {

// x' = A x + B (u, v), F = C x + D (u, v): one state, the force, for each Maxwell term [rig E16], two for a fluid.
Json state_space_json(const LinearModel& m) {
  Json A = Json::array(), B = Json::array(), C = Json::array();
  for (std::size_t i = 0; i < m.time.size(); ++i) {
    Json row = Json::array();
    for (std::size_t j = 0; j < m.time.size(); ++j) row.push_back(i == j ? -1.0 / m.time[i] : 0.0);
    A.push_back(std::move(row));
    B.push_back({0.0, m.stiffness[i]});
    C.push_back(1.0);
  }
  double direct = m.static_stiffness;
  if (m.fluid.stiffness > 0.0) {
    // q'' = w^2 (u - q) - 2 z w q', F = k_f (u - q)  [rig E17]
    const double w = 2.0 * std::numbers::pi * m.fluid.frequency_hz;
    for (Json& row : A) row.insert(row.end(), {0.0, 0.0});
    Json q = Json::array(), rate = Json::array();
    for (std::size_t j = 0; j < m.time.size(); ++j) q.push_back(0.0), rate.push_back(0.0);
    q.insert(q.end(), {0.0, 1.0});
    rate.insert(rate.end(), {-w * w, -2.0 * m.fluid.damping * w});
    A.push_back(std::move(q));
    A.push_back(std::move(rate));
    B.push_back({0.0, 0.0});
    B.push_back({w * w, 0.0});
    C.push_back(-m.fluid.stiffness);
    C.push_back(0.0);
    direct += m.fluid.stiffness;
  }
  return {{"inputs", {"displacement", "velocity"}}, {"outputs", {"force"}}, {"A", A}, {"B", B}, {"C", Json::array({C})},
          {"D", Json::array({{direct, m.damping}})}};
}

}  // namespace

Outcome linearise_job(const LineariseJob& job, Progress&) {
  const std::string content = read_text(job.model);
  const AxisMount given = mount_on_axis(parse_json(content, job.model), job.model, job.axis);
  const AxisDisplay units = axis_display(given.kind);
  const AxisKeys keys = axis_keys(given.kind);
  const LinearModel m = linear_model(*given.mount, job.linear);
  Outcome outcome;
  outcome.inputs.push_back({{"path", job.model}, {"sha256", sha256(content)}});
  Json& out = outcome.result;
  out["status"] = "done";
  out["axis"] = axis_word(given.kind);
  out["misfit"] = m.misfit;
  out["largest_difference"] = {{"relative", m.worst}, {"frequency_hz", m.worst_hz}};
  out["operating_point"] = {{keys.displacement, m.displacement}, {keys.preload, m.preload}, {"static_stiffness", m.static_stiffness}};
  const std::string about = fmt::format(
      "Linear about {} {} (preload {} {}), at {} {} amplitude, {} to {} Hz: {} and {} count from there.",
      format_number(m.displacement * units.displacement.factor), units.displacement.unit, format_number(m.preload * units.force.factor),
      units.force.unit, format_number(job.linear.amplitude_m * units.displacement.factor), units.displacement.unit, format_number(job.linear.from_hz),
      format_number(job.linear.to_hz), lower_case(units.displacement_name), lower_case(units.force_name));
  linear_model_json(m, *given.mount, out["model"]);
  out["model"]["comment"] = about;
  if (!given.axis.empty()) out["model"]["axis"] = given.axis;
  outcome.files.push_back({"model.json", dump_json(out["model"])});
  std::vector<Finding> findings;
  if (m.misfit > 0.03)
    findings.push_back(
        {m.misfit > 0.1 ? Severity::serious : Severity::warning, "linear_misfit", job.model,
         fmt::format("the linear model misses the mount by {:.2g} %, {:.2g} % at {:.3g} Hz: no passive linear element of this kind follows it "
                     "at this amplitude",
                     100.0 * m.misfit, 100.0 * m.worst, m.worst_hz),
         "narrow the band with from_hz and to_hz, offer more terms, or use the law itself"});
  out["findings"] = to_json(findings);
  Json terms = Json::array();
  for (std::size_t i = 0; i < m.time.size(); ++i) terms.push_back({{"stiffness", m.stiffness[i]}, {"time_s", m.time[i]}});
  out["maxwell"] = {{"static_stiffness", m.static_stiffness}, {"damping", m.damping}, {"terms", terms}};
  const bool fluid = m.fluid.stiffness > 0.0;
  if (fluid) out["fluid"] = {{"stiffness", m.fluid.stiffness}, {"frequency_hz", m.fluid.frequency_hz}, {"damping", m.fluid.damping}};
  out["state_space"] = state_space_json(m);
  out["map"] = Json::array();
  report::Plot k{.title = "Stiffness", .x = {"Frequency", "Hz", true}, .y = {"Dynamic stiffness", units.stiffness.unit}},
      angle{.title = "Loss angle", .x = k.x, .y = {"Loss angle", "deg"}};
  report::Series mount_k{.name = "mount at this amplitude", .style = report::SeriesStyle::markers}, linear_k{.name = "linear model"},
      mount_d = mount_k, linear_d = linear_k;
  for (std::size_t i = 0; i < m.frequency_hz.size(); ++i) {
    out["map"].push_back({{"frequency_hz", m.frequency_hz[i]},
                          {keys.amplitude, job.linear.amplitude_m},
                          {keys.preload, job.linear.preload_n},
                          {"k_dyn", std::abs(m.model[i])},
                          {"loss_angle_deg", std::arg(m.model[i]) / degree},
                          {"k_dyn_mount", std::abs(m.target[i])},
                          {"loss_angle_mount_deg", std::arg(m.target[i]) / degree}});
    for (auto* s : {&mount_k, &linear_k, &mount_d, &linear_d}) s->x.push_back(m.frequency_hz[i]);
    mount_k.y.push_back(units.stiffness.factor * std::abs(m.target[i]));
    linear_k.y.push_back(units.stiffness.factor * std::abs(m.model[i]));
    mount_d.y.push_back(std::arg(m.target[i]) / degree);
    linear_d.y.push_back(std::arg(m.model[i]) / degree);
  }
  to_json_fields(job, out["options_used"]);
  k.series = {mount_k, linear_k};
  angle.series = {mount_d, linear_d};
  report::Document d{.title = "Linear model", .subtitle = about};
  d.key_figures.push_back({.label = "Misfit",
                           .value = 100.0 * m.misfit,
                           .unit = "%",
                           .quality = m.misfit < 0.02 ? report::Quality::good : report::Quality::fair,
                           .digits = 2});
  d.key_figures.push_back({.label = "States", .value = m.time.size() + (fluid ? 2 : 0)});
  d.section("Mount and linear model").add(report::PlotRow{{k, angle}, 0, true});
  report::Table table;
  table.columns = {{"Term"}, {"Stiffness", units.stiffness.unit}, {"Time", "ms"}};
  table.rows.push_back({{"spring", units.stiffness.factor * m.static_stiffness, report::Value()}});
  for (std::size_t i = 0; i < m.time.size(); ++i)
    table.rows.push_back({{fmt::format("Maxwell {}", i + 1), units.stiffness.factor * m.stiffness[i], 1e3 * m.time[i]}});
  d.section("Terms").add(std::move(table));
  if (fluid)
    d.sections.back().add(
        report::Text{fmt::format("A fluid term of {} {} resonates at {} Hz with a damping ratio of {}: a spring in series with a mass and a damper.",
                                 format_number(units.stiffness.factor * m.fluid.stiffness, 4), units.stiffness.unit,
                                 format_number(m.fluid.frequency_hz, 4), format_number(m.fluid.damping, 3))});
  d.section("Findings").add(report::Findings{findings});
  outcome.document = std::move(d);
  outcome.text = fmt::format("linear model with {} Maxwell terms{}, static stiffness {} {}, misfit {:.2g} %\n  {}\n", m.time.size(),
                             fluid ? fmt::format(" and a fluid resonance at {:.3g} Hz", m.fluid.frequency_hz) : "",
                             format_number(units.stiffness.factor * m.static_stiffness), units.stiffness.unit, 100.0 * m.misfit, about);
  outcome.text += findings_text(findings);
  return outcome;
}

}  // namespace kdyn::app
