// SPDX-License-Identifier: Apache-2.0
// kdyn insitu: a multibody model and measured signals in, parameters of its mounts out.
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "kdyn/app/display.hpp"
#include "kdyn/app/inputs.hpp"
#include "kdyn/app/multibody_jobs.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/io/signal_csv.hpp"
#include "kdyn/mbs/model_file.hpp"

namespace kdyn {

template <>
const FieldTable& field_table<app::InsituJob>() {
  using J = app::InsituJob;
  static const FieldTable table = FieldTable::of<J>("insitu", [](FieldTable& t) {
    t.add(&J::job, "job", "-", "Multibody model file, or a JSON file with the fields below").from_words();
    t.add(&J::model, "model", "-", "Multibody model file, when the first word is a job file");
    t.add(&J::data, "data", "-", "Measured signals: delimited text with a time column");
    t.add(&J::signals, "signals", "-",
          "Signals to compare, by the names kdyn simulate gives them: m2.position.x, frame.acceleration.z, left.fz.load");
    t.add(&J::start, "start", "-", "Free parameters and their start values: left.fz.stiffness=2e5, engine.mass=200");
    t.add(&J::step_s, "step_s", "s", "Time step instead of the model's").above(0.0);
    t.add(&J::duration_s, "duration_s", "s", "Duration instead of the model's").above(0.0);
    t.include(&J::fit, field_table<InsituOptions>());
  });
  return table;
}

}  // namespace kdyn

namespace kdyn::app {
namespace {

using namespace mbs;

constexpr std::array<const char*, 3> xyz = {"x", "y", "z"};
constexpr std::array<const char*, 6> axis_of = {"fx", "fy", "fz", "tx", "ty", "tz"};

struct NamedOutput {
  std::string unit;
  Output output;
};

// Every signal that can be compared, by name; markers are added at the origins of bodies.
std::map<std::string, NamedOutput> known_outputs(Model& model) {
  std::map<std::string, NamedOutput> known;
  const auto of_point = [&](const std::string& name, int marker) {
    for (int k = 0; k < 3; ++k) {
      const std::string axis = xyz[static_cast<std::size_t>(k)];
      known[name + ".position." + axis] = {"m", {OutputKind::position, marker, k}};
      known[name + ".velocity." + axis] = {"m/s", {OutputKind::velocity, marker, k}};
      known[name + ".acceleration." + axis] = {"m/s^2", {OutputKind::acceleration, marker, k}};
    }
  };
  for (std::size_t m = 0; m < model.markers.size(); ++m)
    if (!model.markers[m].name.empty() && model.markers[m].body >= 0) of_point(model.markers[m].name, static_cast<int>(m));
  for (std::size_t b = 0; b < model.bodies.size(); ++b) of_point(model.bodies[b].name, model.add_marker(static_cast<int>(b), Vector3::Zero()));
  for (std::size_t c = 0; c < model.connections.size(); ++c)
    for (int k = 0; k < (model.connections[c].kind == ConnectionKind::bushing ? 6 : 1); ++k) {
      const Connection& connection = model.connections[c];
      const std::string name =
          connection.kind == ConnectionKind::bushing ? connection.name + "." + axis_of[static_cast<std::size_t>(k)] : connection.name;
      known[name + ".deflection"] = {k < 3 ? "m" : "rad", {OutputKind::deflection, static_cast<int>(c), k}};
      known[name + ".load"] = {k < 3 ? "N" : "N*m", {OutputKind::load, static_cast<int>(c), k}};
    }
  return known;
}

std::map<std::string, Parameter> known_parameters(const System& system) {
  std::map<std::string, Parameter> known;
  for (std::size_t a = 0; a < system.axes().size(); ++a) {
    const Axis& axis = system.axes()[a];
    const Connection& c = system.model().connections[static_cast<std::size_t>(axis.connection)];
    const std::string name = c.kind == ConnectionKind::bushing ? c.name + "." + axis_of[static_cast<std::size_t>(axis.component)] : c.name;
    const auto& parameters = axis.law->parameter_names();
    for (std::size_t i = 0; i < parameters.size(); ++i)
      known[name + "." + parameters[i]] = {Parameter::Kind::law, static_cast<int>(a), static_cast<int>(i)};
  }
  for (std::size_t b = 0; b < system.model().bodies.size(); ++b)
    if (system.modes(static_cast<int>(b)) == 0) known[system.model().bodies[b].name + ".mass"] = {Parameter::Kind::mass, static_cast<int>(b), 0};
  return known;
}

template <class T>
const T& look_up(const std::map<std::string, T>& known, const std::string& name, const std::string& where) {
  const auto it = known.find(name);
  if (it != known.end()) return it->second;
  std::vector<std::string> names;
  for (const auto& [key, value] : known) names.push_back(key);
  throw_bad_input(where, fmt::format("the model has no {}", in_quotes(name)), suggest(name, names));
}

// Values at the steps of the run, by straight lines between samples.
VectorX sampled(const SignalTable& table, const SignalColumn& column, double step, Eigen::Index count) {
  VectorX out(count);
  std::size_t i = 0;
  for (Eigen::Index n = 0; n < count; ++n) {
    const double t = static_cast<double>(n) * step;
    while (i + 2 < table.time.size() && table.time[i + 1] < t) ++i;
    const double span = table.time[i + 1] - table.time[i], s = std::clamp((t - table.time[i]) / span, 0.0, 1.0);
    out[n] = column.values[i] + s * (column.values[i + 1] - column.values[i]);
  }
  return out;
}

report::Document report_of(const std::string& title, const InsituResult& result, const std::vector<std::string>& signals,
                           const std::vector<NamedOutput>& outputs, const MatrixX& measured, double step,
                           const std::vector<InsituParameter>& parameters, bool checked) {
  using namespace report;
  Document d{.title = title, .subtitle = "In-situ identification of mounts"};
  d.key_figures.push_back(
      {.label = "Status", .value = result.status, .quality = result.status == "converged" ? Quality::good : Quality::poor, .note = result.reason});
  d.key_figures.push_back(
      {.label = "Misfit", .value = 100.0 * result.misfit, .unit = "%", .note = "rms of the difference over rms of the signal", .digits = 3});
  d.key_figures.push_back({.label = "Iterations", .value = result.history.empty() ? 0 : result.history.size() - 1});
  if (checked)
    d.key_figures.push_back({.label = "Gradient check",
                             .value = result.gradient_check,
                             .quality = result.gradient_check < 1e-6 ? Quality::good : Quality::poor,
                             .note = "adjoint against direct sensitivity, at the start",
                             .digits = 2});
  if (!result.parameters.empty()) d.section("Parameters").add(parameter_table(result.parameters));
  if (result.model.size() > 0) {
    Section& responses = d.section("Responses", "Measured and computed with the parameters found.");
    for (std::size_t j = 0; j < signals.size(); ++j) {
      Plot plot{.title = signals[j], .x = {"Time", "s"}, .y = {signals[j], outputs[j].unit}};
      Series before{.name = "measured"}, after{.name = "model", .style = SeriesStyle::dashed_line};
      for (Eigen::Index n = 0; n < measured.cols(); ++n) {
        before.x.push_back(static_cast<double>(n) * step);
        before.y.push_back(measured(static_cast<Eigen::Index>(j), n));
        after.y.push_back(result.model(static_cast<Eigen::Index>(j), n));
      }
      after.x = before.x;
      plot.series = {std::move(before), std::move(after)};
      responses.add(std::move(plot));
    }
  }
  Plot objective{.title = "Objective", .x = {"Iteration", ""}, .y = {"Sum of weighted squares", "-", true}};
  Plot values{.title = "Parameters over their last value", .x = {"Iteration", ""}, .y = {"Ratio", "-"}};
  Series course{.name = "objective", .style = SeriesStyle::line_and_markers};
  std::vector<Series> ratios;
  for (const InsituParameter& p : parameters) ratios.push_back({.name = p.name, .style = SeriesStyle::line_and_markers});
  for (std::size_t i = 0; i < result.history.size(); ++i) {
    course.x.push_back(static_cast<double>(i));
    course.y.push_back(result.history[i].objective);
    for (std::size_t k = 0; k < ratios.size(); ++k) {
      ratios[k].x.push_back(static_cast<double>(i));
      ratios[k].y.push_back(result.history[i].values[k] / result.history.back().values[k]);
    }
  }
  objective.series.push_back(std::move(course));
  values.series = std::move(ratios);
  d.section("Convergence").add(PlotRow{{std::move(objective), std::move(values)}, 0, true});
  if (result.correlation.size() > 1) {
    Heatmap map{.title = "Correlation of the parameters", .caption = "Pairs near 1 or -1 cannot be told apart by these signals."};
    for (const InsituParameter& p : parameters) map.row_names.push_back(p.name);
    map.column_names = map.row_names;
    for (Eigen::Index i = 0; i < result.correlation.rows(); ++i) {
      const VectorX row = result.correlation.row(i);
      map.values.emplace_back(row.data(), row.data() + row.size());
    }
    d.section("Identifiability").add(std::move(map));
  }
  return d;
}

// A job file gives the fields; what stands on the command line wins. Paths in it are relative to the file.
InsituJob completed(const InsituJob& given) {
  if (given.job.empty()) return given;
  const Json file = read_json(given.job);
  if (file.is_object() && file.contains("bodies")) {
    InsituJob job = given;
    job.model = given.job;
    return job;
  }
  InsituJob job;
  from_json_fields(job, file, given.job);
  const auto folder = std::filesystem::path(given.job).parent_path();
  for (std::string* path : {&job.model, &job.data})
    if (!path->empty()) *path = (folder / *path).string();
  if (!given.model.empty()) job.model = given.model;
  if (!given.data.empty()) job.data = given.data;
  if (!given.signals.empty()) job.signals = given.signals;
  for (const auto& [name, value] : given.start) job.start[name] = value;
  if (given.step_s) job.step_s = given.step_s;
  if (given.duration_s) job.duration_s = given.duration_s;
  job.job = given.job;
  return job;
}

}  // namespace

Outcome insitu_job(const InsituJob& given, Progress& progress) {
  const InsituJob job = completed(given);
  if (job.model.empty()) throw_bad_input("model", "no model is given", "name a multibody model file or a job file");
  if (job.data.empty()) throw_bad_input("data", "no measured signals are given", "name a file with a time column");
  if (job.signals.empty()) throw_bad_input("signals", "no signal is named", "name at least one, such as frame.acceleration.z");
  if (job.start.empty()) throw_bad_input("start", "no parameter is free", "name at least one with its start value, such as left.fz.stiffness=2e5");
  ModelFile file = read_model(job.model);
  if (job.step_s) file.run.step_s = *job.step_s;
  if (job.duration_s) file.run.duration_s = *job.duration_s;
  const auto outputs_by_name = known_outputs(file.model);
  System system(file.model);
  const auto parameters_by_name = known_parameters(system);

  const SignalTable table = read_signal_table(job.data);
  if (table.time.size() < 2) throw_bad_input(job.data, "there is no time column, or fewer than two samples", "add a column \"time [s]\"");
  if (table.time.front() > 0.5 * file.run.step_s)
    throw_bad_input(job.data, fmt::format("the signals begin at {:.6g} s, the model at 0", table.time.front()),
                    "shift the time so that the run's start is 0");
  file.run.duration_s = std::min(file.run.duration_s, table.time.back());
  const Eigen::Index count = std::lround(file.run.duration_s / file.run.step_s) + 1;
  std::vector<NamedOutput> named;
  std::vector<Output> outputs;
  MatrixX measured(static_cast<Eigen::Index>(job.signals.size()), count);
  for (std::size_t j = 0; j < job.signals.size(); ++j) {
    named.push_back(look_up(outputs_by_name, job.signals[j], "signals"));
    outputs.push_back(named.back().output);
    const SignalColumn* column = table.find(job.signals[j]);
    if (!column) {
      std::vector<std::string> names;
      for (const SignalColumn& c : table.columns) names.push_back(c.name);
      throw_bad_input(job.data, fmt::format("there is no column {}", in_quotes(job.signals[j])), suggest(job.signals[j], names));
    }
    measured.row(static_cast<Eigen::Index>(j)) = sampled(table, *column, file.run.step_s, count);
  }
  std::vector<InsituParameter> parameters;
  for (const auto& [name, value] : job.start) {
    parameters.push_back({name, "", look_up(parameters_by_name, name, "start")});
    set_parameter(system, parameters.back().parameter, value);
  }
  const InsituResult result = identify_in_situ(system.model(), file.run, outputs, measured, parameters, job.fit, progress);

  Outcome outcome;
  outcome.inputs.push_back({{"path", job.model}, {"sha256", sha256(read_text(job.model))}});
  outcome.inputs.push_back(source_json(table.source));
  outcome.complete = result.status == "converged";
  Json& out = outcome.result;
  out["status"] = result.status;
  out["reason"] = result.reason;
  out["parameters"] = parameters_json(result.parameters);
  out["misfit"] = result.misfit;
  out["gradient_check"] = {{"done", job.fit.check_gradient},
                           {"largest_difference", result.gradient_check},
                           {"meaning", "adjoint against direct sensitivity over the largest component, at the start"}};
  Json rows = Json::array();
  for (Eigen::Index i = 0; i < result.correlation.rows(); ++i) {
    const VectorX row = result.correlation.row(i);
    rows.push_back(std::vector<double>(row.data(), row.data() + row.size()));
  }
  std::vector<std::string> names;
  for (const InsituParameter& p : parameters) names.push_back(p.name);
  out["correlation"] = {{"names", names}, {"matrix", rows}};
  for (const InsituIteration& i : result.history) out["history"].push_back({{"objective", i.objective}, {"values", i.values}});
  out["findings"] = to_json(table.findings);
  to_json_fields(job, out["options_used"]);
  outcome.text = fmt::format("{}: misfit {:.3g} %, gradient check {:.1e}\n", result.status, 100.0 * result.misfit, result.gradient_check) +
                 parameter_text(result.parameters);
  if (!result.reason.empty()) outcome.text += "  " + result.reason + "\n";
  const std::string title = file.model.title.empty() ? std::filesystem::path(job.model).stem().string() : file.model.title;
  outcome.document = report_of(title, result, job.signals, named, measured, file.run.step_s, parameters, job.fit.check_gradient);
  return outcome;
}

}  // namespace kdyn::app
