// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "kdyn/app/display.hpp"
#include "kdyn/app/jobs.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/rig/model_file.hpp"

namespace kdyn {

template <>
const FieldTable& field_table<app::LineariseJob>() {
  using J = app::LineariseJob;
  static const FieldTable table = FieldTable::of<J>("linearise", [](FieldTable& t) {
    t.add(&J::model, "model", "-", "Model file, or the result.json of a fit").from_words().must_be_given();
    t.add(&J::axis, "axis", "-", "Axis of a six-axis bushing: fx fy fz tx ty tz");
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
          {"D", Json::array({{direct, 0.0}})}};
}

}  // namespace

Outcome linearise_job(const LineariseJob& job, Progress&) {
  const std::string content = read_text(job.model);
  const auto mount = mount_from_json(parse_json(content, job.model), job.model, job.axis);
  const LinearModel m = linear_model(*mount, job.linear);
  Outcome outcome;
  outcome.inputs.push_back({{"path", job.model}, {"sha256", sha256(content)}});
  Json& out = outcome.result;
  out["status"] = "done";
  out["misfit"] = m.misfit;
  Json terms = Json::array();
  for (std::size_t i = 0; i < m.time.size(); ++i) terms.push_back({{"stiffness", m.stiffness[i]}, {"time_s", m.time[i]}});
  out["maxwell"] = {{"static_stiffness", m.static_stiffness}, {"terms", terms}};
  const bool fluid = m.fluid.stiffness > 0.0;
  if (fluid) out["fluid"] = {{"stiffness", m.fluid.stiffness}, {"frequency_hz", m.fluid.frequency_hz}, {"damping", m.fluid.damping}};
  out["state_space"] = state_space_json(m);
  out["map"] = Json::array();
  report::Plot k{.title = "Stiffness", .x = {"Frequency", "Hz", true}, .y = {"Dynamic stiffness", "N/mm"}},
      angle{.title = "Loss angle", .x = k.x, .y = {"Loss angle", "deg"}};
  report::Series mount_k{.name = "mount at this amplitude", .style = report::SeriesStyle::markers}, linear_k{.name = "linear model"},
      mount_d = mount_k, linear_d = linear_k;
  for (std::size_t i = 0; i < m.frequency_hz.size(); ++i) {
    out["map"].push_back({{"frequency_hz", m.frequency_hz[i]},
                          {"amplitude_m", job.linear.amplitude_m},
                          {"preload_n", job.linear.preload_n},
                          {"k_dyn", std::abs(m.model[i])},
                          {"loss_angle_deg", std::arg(m.model[i]) / degree},
                          {"k_dyn_mount", std::abs(m.target[i])},
                          {"loss_angle_mount_deg", std::arg(m.target[i]) / degree}});
    for (auto* s : {&mount_k, &linear_k, &mount_d, &linear_d}) s->x.push_back(m.frequency_hz[i]);
    mount_k.y.push_back(1e-3 * std::abs(m.target[i]));
    linear_k.y.push_back(1e-3 * std::abs(m.model[i]));
    mount_d.y.push_back(std::arg(m.target[i]) / degree);
    linear_d.y.push_back(std::arg(m.model[i]) / degree);
  }
  to_json_fields(job, out["options_used"]);
  k.series = {mount_k, linear_k};
  angle.series = {mount_d, linear_d};
  report::Document d{.title = "Linear model",
                     .subtitle = fmt::format("Valid near {} mm amplitude, {} to {} Hz", format_number(1e3 * job.linear.amplitude_m),
                                             format_number(job.linear.from_hz), format_number(job.linear.to_hz))};
  d.key_figures.push_back({.label = "Misfit",
                           .value = 100.0 * m.misfit,
                           .unit = "%",
                           .quality = m.misfit < 0.02 ? report::Quality::good : report::Quality::fair,
                           .digits = 2});
  d.key_figures.push_back({.label = "States", .value = m.time.size() + (fluid ? 2 : 0)});
  d.section("Mount and linear model").add(report::PlotRow{{k, angle}, 0, true});
  report::Table table;
  table.columns = {{"Term"}, {"Stiffness", "N/mm"}, {"Time", "ms"}};
  table.rows.push_back({{"spring", 1e-3 * m.static_stiffness, report::Value()}});
  for (std::size_t i = 0; i < m.time.size(); ++i) table.rows.push_back({{fmt::format("Maxwell {}", i + 1), 1e-3 * m.stiffness[i], 1e3 * m.time[i]}});
  d.section("Terms").add(std::move(table));
  if (fluid)
    d.sections.back().add(report::Text{
        fmt::format("A fluid term of {} N/mm resonates at {} Hz with a damping ratio of {}: a spring in series with a mass and a damper.",
                    format_number(1e-3 * m.fluid.stiffness, 4), format_number(m.fluid.frequency_hz, 4), format_number(m.fluid.damping, 3))});
  outcome.document = std::move(d);
  outcome.text = fmt::format("linear model with {} Maxwell terms{}, misfit {:.2g} %\n", m.time.size(),
                             fluid ? fmt::format(" and a fluid resonance at {:.3g} Hz", m.fluid.frequency_hz) : "", 100.0 * m.misfit);
  return outcome;
}

}  // namespace kdyn::app
