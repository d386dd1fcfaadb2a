// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <numbers>
#include <optional>

#include <fmt/format.h>

#include "kdyn/app/mount/jobs.hpp"
#include "kdyn/app/present/display.hpp"
#include "kdyn/app/present/shared_results.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/laws/model_field.hpp"
#include "kdyn/laws/model_file.hpp"
#include "kdyn/rig/model_axis.hpp"

namespace kdyn {

const FieldTable& app::fields_of(const LineariseJob*) {
  using J = app::LineariseJob;
  static const FieldTable table = FieldTable::of<J>("linearise", [](FieldTable& t) {
    t.add(&J::model, "model", "-", "Model file, or the result.json of a fit").from_words().must_be_given().reads();
    t.add(&J::axis, "axis", "-",
          "Axis of a six-axis bushing: fx fy fz tx ty tz; tx ty tz of another model says that it is a rotation");
    t.include(&J::linear, field_table<LinearModelOptions>());
  });
  return table;
}

}  // namespace kdyn

namespace kdyn::app {

struct LineariseOutput {
  const LineariseJob& job;
  AxisKind axis;
  const LinearModel& found;
  ModelObject model;
  std::vector<Finding> findings;
};

namespace {

// x' = A x + B (u, v), F = C x + D (u, v): one state, the force, for each Maxwell term [rig E16], two for a fluid.
NamedStateSpace state_space_of(const LinearModel& m) {
  const auto terms = static_cast<Eigen::Index>(m.time.size()), states = terms + (m.fluid.stiffness > 0.0 ? 2 : 0);
  NamedStateSpace out{{},
                      {"displacement", "velocity"},
                      {"force"},
                      Eigen::MatrixXd::Zero(states, states),
                      Eigen::MatrixXd::Zero(states, 2),
                      Eigen::MatrixXd::Ones(1, states),
                      Eigen::MatrixXd::Zero(1, 2)};
  for (Eigen::Index i = 0; i < terms; ++i) {
    out.A(i, i) = -1.0 / m.time[static_cast<std::size_t>(i)];
    out.B(i, 1) = m.stiffness[static_cast<std::size_t>(i)];
  }
  out.D << m.static_stiffness, m.damping;
  if (m.fluid.stiffness > 0.0) {
    // q'' = w^2 (u - q) - 2 z w q', F = k_f (u - q)  [rig E17]
    const double w = 2.0 * std::numbers::pi * m.fluid.frequency_hz;
    out.A(terms, terms + 1) = 1.0;
    out.A(terms + 1, terms) = -w * w;
    out.A(terms + 1, terms + 1) = -2.0 * m.fluid.damping * w;
    out.B(terms + 1, 0) = w * w;
    out.C(0, terms) = -m.fluid.stiffness;
    out.C(0, terms + 1) = 0.0;
    out.D(0, 0) += m.fluid.stiffness;
  }
  return out;
}

struct LargestDifference {
  const LinearModel& of;
};
const FieldTable& fields_of(const LargestDifference*) {
  using L = LargestDifference;
  static const FieldTable table = FieldTable::results<L>("largest difference", [](FieldTable& t) {
    t.add([](const L& l) { return l.of.worst; }, "relative", "-", "Largest relative difference");
    t.add([](const L& l) { return l.of.worst_hz; }, "frequency_hz", "Hz", "Where it is");
  });
  return table;
}

struct OperatingPoint {
  const LineariseOutput& of;
};
const FieldTable& fields_of(const OperatingPoint*) {
  using P = OperatingPoint;
  static const FieldTable table = FieldTable::results<P>("operating point", [](FieldTable& t) {
    const auto axis = [](const P& p) { return p.of.axis; };
    add_on_axis<P>(
        t, axis, [](const P& p) { return p.of.found.displacement; }, displacement_field, "Displacement or angle");
    add_on_axis<P>(
        t, axis, [](const P& p) { return p.of.found.preload; }, preload_field, "Preload");
    t.add([](const P& p) { return p.of.found.static_stiffness; }, "static_stiffness", "N/m or N*m/rad",
          "Static stiffness");
  });
  return table;
}

struct MaxwellTerm {
  double stiffness = 0.0, time = 0.0;
};
const FieldTable& fields_of(const MaxwellTerm*) {
  static const FieldTable table = FieldTable::results<MaxwellTerm>("Maxwell term", [](FieldTable& t) {
    t.add(&MaxwellTerm::stiffness, "stiffness", "N/m or N*m/rad", "Stiffness");
    t.add(&MaxwellTerm::time, "time_s", "s", "Relaxation time");
  });
  return table;
}

struct MaxwellShown {
  const LinearModel& of;
};
const FieldTable& fields_of(const MaxwellShown*) {
  using M = MaxwellShown;
  static const FieldTable table = FieldTable::results<M>("Maxwell model", [](FieldTable& t) {
    t.add([](const M& m) { return m.of.static_stiffness; }, "static_stiffness", "N/m or N*m/rad",
          "Stiffness of the spring");
    t.add([](const M& m) { return m.of.damping; }, "damping", "N*s/m or N*m*s/rad", "Damper beside a fluid term");
    t.add(
        [](const M& m) {
          std::vector<MaxwellTerm> out;
          for (std::size_t i = 0; i < m.of.time.size(); ++i) out.push_back({m.of.stiffness[i], m.of.time[i]});
          return out;
        },
        "terms", "-", "Maxwell terms");
  });
  return table;
}

struct FluidShown {
  LinearModel::Fluid of;
};
const FieldTable& fields_of(const FluidShown*) {
  using F = FluidShown;
  static const FieldTable table = FieldTable::results<F>("fluid term", [](FieldTable& t) {
    t.add([](const F& f) { return f.of.stiffness; }, "stiffness", "N/m", "Stiffness in series with the mass");
    t.add([](const F& f) { return f.of.frequency_hz; }, "frequency_hz", "Hz", "Resonance");
    t.add([](const F& f) { return f.of.damping; }, "damping", "-", "Damping ratio");
  });
  return table;
}

// One frequency: the linear model and the mount it stands for.
struct LinearRow {
  const LineariseOutput& of;
  std::size_t i;
};
const FieldTable& fields_of(const LinearRow*) {
  using R = LinearRow;
  static const FieldTable table = FieldTable::results<R>("linear model at one frequency", [](FieldTable& t) {
    const auto axis = [](const R& r) { return r.of.axis; };
    t.add([](const R& r) { return r.of.found.frequency_hz[r.i]; }, "frequency_hz", "Hz", "Frequency");
    add_on_axis<R>(
        t, axis, [](const R& r) { return r.of.job.linear.amplitude_m; }, amplitude_field, "Amplitude");
    add_on_axis<R>(
        t, axis, [](const R& r) { return r.of.job.linear.preload_n; }, preload_field, "Preload");
    t.add([](const R& r) { return std::abs(r.of.found.model[r.i]); }, "k_dyn", "N/m or N*m/rad",
          "Dynamic stiffness of the linear model");
    t.add([](const R& r) { return std::arg(r.of.found.model[r.i]); }, "loss_angle_deg", "deg", "Its loss angle")
        .in_degrees();
    t.add([](const R& r) { return std::abs(r.of.found.target[r.i]); }, "k_dyn_mount", "N/m or N*m/rad",
          "Dynamic stiffness of the mount");
    t.add([](const R& r) { return std::arg(r.of.found.target[r.i]); }, "loss_angle_mount_deg", "deg", "Its loss angle")
        .in_degrees();
  });
  return table;
}

}  // namespace

const FieldTable& fields_of(const LineariseOutput*) {
  using O = LineariseOutput;
  static const FieldTable table = FieldTable::results<O>("linearise result", [](FieldTable& t) {
    t.add([](const O&) { return "done"; }, "status", "-", "done");
    t.add([](const O& o) { return axis_word(o.axis); }, "axis", "-", "translation or rotation");
    t.add([](const O& o) { return o.found.misfit; }, "misfit", "-", "|linear - mount| / |mount| over the band");
    t.add([](const O& o) { return LargestDifference{o.found}; }, "largest_difference", "-", "Largest difference");
    t.add([](const O& o) { return OperatingPoint{o}; }, "operating_point", "-", "Where it was made linear");
    t.add(&O::model, "model", "-", "The linear model, as a model file");
    add_findings<O>(t);
    t.add([](const O& o) { return MaxwellShown{o.found}; }, "maxwell", "-", "Spring and Maxwell terms");
    t.add(
         [](const O& o) {
           return o.found.fluid.stiffness > 0.0 ? std::optional(FluidShown{o.found.fluid}) : std::nullopt;
         },
         "fluid", "-", "Fluid term, where there is one")
        .unless_null();
    t.add([](const O& o) { return state_space_of(o.found); }, "state_space", "-", "The same as a state-space model");
    t.add(
        [](const O& o) {
          std::vector<LinearRow> out;
          for (std::size_t i = 0; i < o.found.frequency_hz.size(); ++i) out.push_back({o, i});
          return out;
        },
        "map", "-", "Linear model and mount over frequency");
    t.add(
        [](const O& o) -> const auto& { return o.job; }, "options_used", "-", "All options");
  });
  return table;
}

Outcome linearise_job(const LineariseJob& job, Progress&) {
  const std::string content = read_text(job.model);
  const AxisMount given = mount_on_axis(parse_json(content, job.model), job.model, job.axis);
  const AxisDisplay units = axis_display(given.kind);
  const LinearModel m = linear_model(*given.mount, job.linear);
  Outcome outcome;
  outcome.inputs.push_back({job.model, sha256(content), {}});
  const std::string about =
      fmt::format("Linear about {} {} (preload {} {}), at {} {} amplitude, {} to {} Hz: {} and {} count from there.",
                  format_number(m.displacement * units.displacement.factor), units.displacement.unit,
                  format_number(m.preload * units.force.factor), units.force.unit,
                  format_number(job.linear.amplitude_m * units.displacement.factor), units.displacement.unit,
                  format_number(job.linear.from_hz), format_number(job.linear.to_hz),
                  lower_case(units.displacement_name), lower_case(units.force_name));
  ModelObject model;
  linear_model_json(m, *given.mount, model.json);
  put_comment(model, about);
  put_axis(model, given.axis);
  outcome.files.push_back({"model.json", dump_json(model.json)});
  std::vector<Finding> findings;
  if (m.misfit > 0.03)
    findings.push_back({m.misfit > 0.1 ? Severity::serious : Severity::warning, "linear_misfit", job.model,
                        fmt::format("the linear model misses the mount by {:.2g} %, {:.2g} % at {:.3g} Hz: no passive "
                                    "linear element of this kind follows it "
                                    "at this amplitude",
                                    100.0 * m.misfit, 100.0 * m.worst, m.worst_hz),
                        "narrow the band with from_hz and to_hz, offer more terms, or use the law itself"});
  const bool fluid = m.fluid.stiffness > 0.0;
  to_json_fields(LineariseOutput{job, given.kind, m, model, findings}, outcome.result);
  report::Plot k{
      .title = "Stiffness", .x = {"Frequency", "Hz", true}, .y = {"Dynamic stiffness", units.stiffness.unit}},
      angle{.title = "Loss angle", .x = k.x, .y = {"Loss angle", "deg"}};
  report::Series mount_k{.name = "mount at this amplitude", .style = report::SeriesStyle::markers},
      linear_k{.name = "linear model"}, mount_d = mount_k, linear_d = linear_k;
  for (std::size_t i = 0; i < m.frequency_hz.size(); ++i) {
    for (auto* s : {&mount_k, &linear_k, &mount_d, &linear_d}) s->x.push_back(m.frequency_hz[i]);
    mount_k.y.push_back(units.stiffness.factor * std::abs(m.target[i]));
    linear_k.y.push_back(units.stiffness.factor * std::abs(m.model[i]));
    mount_d.y.push_back(std::arg(m.target[i]) / degree);
    linear_d.y.push_back(std::arg(m.model[i]) / degree);
  }
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
    table.rows.push_back(
        {{fmt::format("Maxwell {}", i + 1), units.stiffness.factor * m.stiffness[i], 1e3 * m.time[i]}});
  d.section("Terms").add(std::move(table));
  if (fluid)
    d.sections.back().add(
        report::Text{fmt::format("A fluid term of {} {} resonates at {} Hz with a damping ratio of {}: a spring in "
                                 "series with a mass and a damper.",
                                 format_number(units.stiffness.factor * m.fluid.stiffness, 4), units.stiffness.unit,
                                 format_number(m.fluid.frequency_hz, 4), format_number(m.fluid.damping, 3))});
  d.section("Findings").add(report::Findings{findings});
  outcome.document = std::move(d);
  outcome.text = fmt::format("linear model with {} Maxwell {}{}, static stiffness {} {}, misfit {:.2g} %\n  {}\n",
                             m.time.size(), m.time.size() == 1 ? "term" : "terms",
                             fluid ? fmt::format(" and a fluid resonance at {:.3g} Hz", m.fluid.frequency_hz) : "",
                             format_number(units.stiffness.factor * m.static_stiffness), units.stiffness.unit,
                             100.0 * m.misfit, about);
  outcome.text += findings_text(findings);
  return outcome;
}

}  // namespace kdyn::app
