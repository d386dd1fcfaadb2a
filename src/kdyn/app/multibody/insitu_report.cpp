// SPDX-License-Identifier: Apache-2.0
// Report of kdyn insitu: what was found, whether the gradient can be trusted, what the signals tell, and how the search
// went.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kdyn/app/multibody/multibody_jobs.hpp"
#include "kdyn/app/present/display.hpp"

namespace kdyn::app {
namespace {

using namespace report;

constexpr std::size_t plots_shown = 8;  // of signals; the others are folded away

// A relative standard deviation as people judge it.
Quality judge(double std) { return !(std < 0.3) ? Quality::poor : std < 0.05 ? Quality::good : Quality::fair; }
Value percent(double std) { return std::isfinite(std) ? Value(100.0 * std) : Value("not determined"); }
// A place has no size of its own: its deviation is said in its unit.
Value deviation(const InsituParameter& p, double std) {
  if (p.scale == 0.0 || !std::isfinite(std)) return percent(std);
  const DisplayUnit unit = display_unit(p.unit);
  return Value(fmt::format("{:.2g} {}", std * p.scale * unit.factor, unit.unit));
}

void add_key_figures(Document& d, const InsituInputs& inputs, const InsituResult& result) {
  d.key_figures.push_back({.label = "Status",
                           .value = result.status,
                           .quality = result.status == "converged" ? Quality::good : Quality::poor,
                           .note = result.reason});
  d.key_figures.push_back({.label = "Misfit",
                           .value = 100.0 * result.misfit,
                           .unit = "%",
                           .note = "rms of the difference over rms of the signals",
                           .digits = 3});
  double worst = 0.0;
  for (Eigen::Index i = 0; i < result.after.std.size(); ++i)
    if (inputs.parameters[static_cast<std::size_t>(i)].scale == 0.0 || !std::isfinite(result.after.std[i]))
      worst = std::max(worst, result.after.std[i]);
  if (!result.parameters.empty() && worst > 0.0 && result.status != "poor_fit")
    d.key_figures.push_back({.label = "Least certain parameter",
                             .value = percent(worst),
                             .unit = std::isfinite(worst) ? "%" : "",
                             .quality = judge(worst),
                             .note = "standard deviation",
                             .digits = 2});
  d.key_figures.push_back({.label = "Iterations",
                           .value = result.history.empty() ? 0 : result.history.size() - 1,
                           .note = fmt::format("{} runs", result.evaluations)});
  if (result.gradient_check.done)
    d.key_figures.push_back({.label = "Gradient check",
                             .value = fmt::format("{:.1e}", result.gradient_check.adjoint_forward),
                             .quality = result.gradient_check.adjoint_forward < 1e-6 ? Quality::good : Quality::poor,
                             .note = fmt::format("adjoint against direct; {:.1e} against differences",
                                                 result.gradient_check.adjoint_differences)});
}

Table identifiability_table(const InsituInputs& inputs, const InsituResult& result) {
  Table table{.columns = {{.title = "Parameter"},
                          {.title = "Start"},
                          {.title = "Found"},
                          {.title = "Unit"},
                          {.title = "Std. before", .unit = "%", .align = Align::right, .digits = 2},
                          {.title = "Std. after", .unit = "%", .align = Align::right, .digits = 2},
                          {.title = "Prior", .unit = "%", .align = Align::right, .digits = 2}}};
  for (std::size_t i = 0; i < inputs.parameters.size(); ++i) {
    const auto k = static_cast<Eigen::Index>(i);
    const InsituParameter& p = inputs.parameters[i];
    Value prior;
    for (const InsituPrior& one : inputs.priors)
      for (std::size_t j = 0; j < one.parameters.size(); ++j)
        if (one.parameters[j] == static_cast<int>(i))
          prior = deviation(p, std::sqrt(one.covariance(static_cast<Eigen::Index>(j), static_cast<Eigen::Index>(j))));
    const DisplayUnit unit = display_unit(p.unit);
    table.rows.push_back({{p.name, p.start * unit.factor,
                           i < result.parameters.size() ? Value(result.parameters[i].value * unit.factor) : Value(),
                           unit.unit, deviation(p, result.before.std[k]),
                           result.after.std.size() > k ? deviation(p, result.after.std[k]) : Value(), prior},
                          judge(result.after.std.size() > k ? result.after.std[k] : result.before.std[k])});
  }
  table.note = fmt::format(
      "Before: what the signals tell at the start values, for noise of {:.3g} % of each signal. After: at the values "
      "found, for {:.3g} %.",
      100.0 * result.before.noise, 100.0 * result.noise);
  return table;
}

bool of_model(const InsituParameter& p) { return p.of == InsituParameter::Of::model; }

// Places may be zero: their deviation stands in their unit, and is judged by it.
Table place_table(const InsituInputs& inputs, const InsituResult& result, bool of_model_shown) {
  Table table{.title = of_model_shown ? "Places of bushings, from how the model gives them"
                                      : "Gains, offsets and delays of channels",
              .columns = {{.title = of_model_shown ? "Place" : "Channel"},
                          {.title = "Value"},
                          {.title = "Unit"},
                          {.title = "95 % interval", .align = Align::right},
                          {.title = "Std. deviation"}}};
  for (std::size_t i = 0; i < result.parameters.size(); ++i) {
    if (inputs.parameters[i].scale == 0.0 || of_model(inputs.parameters[i]) != of_model_shown) continue;
    const ParameterEstimate& p = result.parameters[i];
    const DisplayUnit unit = display_unit(p.unit);
    if (std::isfinite(p.std))
      table.rows.push_back(
          {{p.name, p.value * unit.factor, unit.unit,
            fmt::format("{:.4g} ... {:.4g}", p.lower_95 * unit.factor, p.upper_95 * unit.factor), p.std * unit.factor},
           judge(result.after.std[static_cast<Eigen::Index>(i)])});
    else  // the model does not describe the data: intervals are withheld
      table.rows.push_back({{p.name, p.value * unit.factor, unit.unit, "not known", Value()}});
  }
  return table;
}

Table gradient_table(const InsituInputs& inputs, const InsituGradientCheck& check) {
  Table table{
      .title =
          "Derivative of the objective by the logarithm of each parameter (places: by cm or 0.01 rad), at the start",
      .columns = {{.title = "Parameter"},
                  {.title = "Adjoint", .digits = 10},
                  {.title = "Direct sensitivity", .digits = 10},
                  {.title = "Central differences", .digits = 10}}};
  for (std::size_t i = 0; i < inputs.parameters.size(); ++i) {
    const auto k = static_cast<Eigen::Index>(i);
    table.rows.push_back(
        {{inputs.parameters[i].name, check.adjoint[k], check.forward[k], check.differences[k]}, Quality::neutral});
  }
  table.note = fmt::format(
      "Largest differences over the largest component: adjoint against direct {:.2e}, adjoint against differences "
      "{:.2e}.",
      check.adjoint_forward, check.adjoint_differences);
  return table;
}

// One signal: measured, and computed at the start, on the way and at the end.
Plot response_plot(const InsituInputs& inputs, const InsituResult& result, std::size_t e, std::size_t j) {
  const InsituExperiment& x = inputs.experiments[e];
  const auto row = static_cast<Eigen::Index>(j);
  Plot plot{.title = (inputs.experiments.size() > 1 ? x.name + ": " : "") + x.signals[j],
            .x = {"Time", "s"},
            .y = {x.signals[j].substr(x.signals[j].find('.') + 1), inputs.units[e][j]},
            .height_px = 260};
  Series measured{.name = "measured", .style = SeriesStyle::markers};
  for (Eigen::Index n = 0; n < x.measured.cols(); ++n)
    if (std::isfinite(x.measured(row, n))) {
      measured.x.push_back(x.sampling.time(n, x.run.step_s));
      measured.y.push_back(x.measured(row, n));
    }
  plot.series.push_back(std::move(measured));
  const auto add = [&](const Eigen::MatrixXd& y, const std::string& name, SeriesStyle style) {
    Series s{.name = name, .style = style};
    for (Eigen::Index n = 0; n < y.cols(); ++n) {
      s.x.push_back(x.sampling.time(n, x.run.step_s));
      s.y.push_back(y(row, n));
    }
    plot.series.push_back(std::move(s));
  };
  // Up to four iterations on the way: more hide each other.
  int shown = 0;
  for (std::size_t i = 0; i + 1 < result.history.size() && shown < 4; ++i)
    if (!result.history[i].response.empty())
      add(result.history[i].response[e], i == 0 ? "start" : fmt::format("iteration {}", i), SeriesStyle::dashed_line),
          ++shown;
  add(result.response[e], "found", SeriesStyle::line);
  return plot;
}

void add_responses(Document& d, const InsituInputs& inputs, const InsituResult& result) {
  if (result.response.empty()) return;
  Section& section =
      d.section("Responses", "Measured and computed: at the start, on the way and with the parameters found.")
          .named("responses");
  std::vector<Block> folded;
  std::size_t count = 0;
  for (std::size_t e = 0; e < inputs.experiments.size(); ++e)
    for (std::size_t j = 0; j < inputs.experiments[e].signals.size(); ++j) {
      Plot plot = response_plot(inputs, result, e, j);
      if (count++ < plots_shown)
        section.add(std::move(plot));
      else if (count <= 60)
        folded.push_back(Block{std::move(plot)});
    }
  if (!folded.empty()) {
    const std::string title = fmt::format("{} more signals", folded.size());
    section.add(Details(title, std::move(folded)));
  }
  Table table{.title = "Misfit of each signal",
              .columns = {{.title = "Experiment"}, {.title = "Signal"}, {.title = "Misfit", .unit = "%", .digits = 3}}};
  for (std::size_t e = 0; e < result.misfits.size(); ++e)
    for (std::size_t j = 0; j < result.misfits[e].size(); ++j)
      table.rows.push_back(
          {{inputs.experiments[e].name, inputs.experiments[e].signals[j], 100.0 * result.misfits[e][j]},
           Quality::neutral});
  section.add(std::move(table));
  if (result.channels.empty()) return;
  Table fit{.title = "Each channel against the model",
            .columns = {{.title = "Experiment"},
                        {.title = "Signal"},
                        {.title = "Factor", .digits = 4},
                        {.title = "Std. deviation", .digits = 2},
                        {.title = "Delay", .unit = "ms", .digits = 3},
                        {.title = "Std. deviation", .unit = "ms", .digits = 2},
                        {.title = "Noise", .unit = "%", .digits = 3}}};
  for (const InsituChannel& c : result.channels)
    fit.rows.push_back(
        {{c.experiment, c.signal, c.factor, c.factor_std, 1e3 * c.delay_s, 1e3 * c.delay_std_s, 100.0 * c.noise},
         Quality::neutral});
  fit.note =
      "Shown over expected, when gain, offset and delay of every channel are freed beside the parameters: 1 and 0 "
      "within "
      "their standard deviations where all is well.";
  std::vector<Block> inside;
  inside.push_back(Block{std::move(fit)});
  section.add(Details("Factor and delay of each channel", std::move(inside)));
}

void add_convergence(Document& d, const InsituInputs& inputs, const InsituResult& result) {
  std::vector<const InsituIteration*> all;
  for (const auto* part : {&inputs.earlier, &result.history})
    for (const InsituIteration& i : *part) all.push_back(&i);
  if (all.empty()) return;
  Plot objective{.title = "Objective", .x = {"Iteration", ""}, .y = {"Sum of weighted squares", "", true}};
  Plot values{.title = "Parameters over their last value", .x = {"Iteration", ""}, .y = {"Ratio", "", true}};
  Series course{.name = "objective", .style = SeriesStyle::line_and_markers};
  // Places begin near zero: their course stands in a plot of its own, in their unit.
  Plot places{.title = "Places of bushings", .x = {"Iteration", ""}, .y = {"Shift or turn", "mm, mrad"}};
  for (const InsituParameter& p : inputs.parameters)
    if (of_model(p))
      (p.scale > 0.0 ? places : values).series.push_back({.name = p.name, .style = SeriesStyle::line_and_markers});
  for (std::size_t i = 0; i < all.size(); ++i) {
    course.x.push_back(static_cast<double>(i));
    course.y.push_back(all[i]->objective);
    std::size_t ratio = 0, place = 0;
    for (std::size_t k = 0; k < inputs.parameters.size(); ++k) {
      if (!of_model(inputs.parameters[k])) continue;
      const bool is_place = inputs.parameters[k].scale > 0.0;
      Series& series = is_place ? places.series[place++] : values.series[ratio++];
      series.x.push_back(static_cast<double>(i));
      series.y.push_back(is_place ? 1e3 * all[i]->values[k] : all[i]->values[k] / all.back()->values[k]);
    }
  }
  objective.series.push_back(std::move(course));
  Section& section = d.section("Convergence").named("convergence");
  section.add(std::move(objective));
  if (!values.series.empty()) section.add(std::move(values));
  if (!places.series.empty()) section.add(std::move(places));
  if (result.starts.empty()) return;
  Table table{
      .title = "Searches from several starts",
      .columns = {
          {.title = "Start"}, {.title = "Status"}, {.title = "Iterations"}, {.title = "Objective", .digits = 6}}};
  double best = result.starts.front().objective;
  for (const InsituStart& s : result.starts) best = std::min(best, s.objective);
  for (std::size_t i = 0; i < result.starts.size(); ++i)
    table.rows.push_back({{i, result.starts[i].status, result.starts[i].iterations, result.starts[i].objective},
                          result.starts[i].objective <= best * 1.01 + 1e-12 ? Quality::good : Quality::fair});
  table.note = "Green: ended at the best value. Start 0 is the given one.";
  section.add(std::move(table));
}

}  // namespace

Document insitu_report(const InsituInputs& inputs, const InsituResult& result) {
  Document d{.title = inputs.title, .subtitle = "In-situ identification of mounts"};
  add_key_figures(d, inputs, result);
  std::vector<Finding> findings = inputs.findings;
  findings.insert(findings.end(), result.findings.begin(), result.findings.end());
  if (!result.parameters.empty()) {
    std::vector<ParameterEstimate> sized;
    for (std::size_t i = 0; i < result.parameters.size(); ++i)
      if (inputs.parameters[i].scale == 0.0) sized.push_back(result.parameters[i]);
    Section& section = d.section("Parameters").named("parameters");
    if (!sized.empty()) section.add(parameter_table(sized));
    for (const bool model : {true, false})
      if (Table places = place_table(inputs, result, model); !places.rows.empty()) section.add(std::move(places));
  }
  d.section("Findings").add(Findings{.findings = findings, .when_empty = "Nothing to report."});
  add_start_section(d, inputs.starts);
  add_responses(d, inputs, result);
  add_convergence(d, inputs, result);
  if (result.before.std.size() > 0) {
    Section& section =
        d.section("Identifiability", "What the signals can tell about each parameter, before the search and after it.")
            .named("identifiability");
    section.add(identifiability_table(inputs, result));
    if (!result.before.weak.empty()) {
      std::string text = "Before the search:";
      for (const std::string& weak : result.before.weak) text += "\n\n" + weak + ".";
      section.add(Text{text});
    }
    if (result.after.correlation.rows() > 1) {
      Heatmap map{.title = "Correlation of the parameters",
                  .caption = "Pairs near 1 or -1 cannot be distinguished by these signals."};
      for (const InsituParameter& p : inputs.parameters) map.row_names.push_back(p.name);
      map.column_names = map.row_names;
      for (Eigen::Index i = 0; i < result.after.correlation.rows(); ++i) {
        const Eigen::VectorXd row = result.after.correlation.row(i);
        map.values.emplace_back(row.data(), row.data() + row.size());
      }
      section.add(std::move(map));
    }
  }
  if (result.gradient_check.done)
    d.section("Gradient check").named("gradients").add(gradient_table(inputs, result.gradient_check));
  return d;
}

}  // namespace kdyn::app
