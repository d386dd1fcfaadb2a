// SPDX-License-Identifier: Apache-2.0
// Pictures of an updating job: before and after, what the data determine, how sure it is, and how parts differ.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>

#include <fmt/format.h>

#include "kdyn/app/present/display.hpp"
#include "kdyn/app/present/structure_plots.hpp"
#include "kdyn/app/structure/update_jobs.hpp"

namespace kdyn::app {
namespace {

using namespace report;
using update::PartResult;

std::vector<double> list(const Eigen::VectorXd& v) { return {v.data(), v.data() + v.size()}; }

double smallest_mac(const update::Pairing& pairing) {
  double out = 1.0;
  for (const update::ModePair& pair : pairing.pairs) out = std::min(out, pair.mac);
  return pairing.pairs.empty() ? 0.0 : out;
}

double largest_shift(const PartResult& part, const update::Pairing& pairing, const update::ModesAtSensors& model) {
  double out = 0.0;
  for (const update::ModePair& pair : pairing.pairs)
    out = std::max(out, std::abs(model.frequency_hz[pair.model] / part.test.frequency_hz[pair.test] - 1.0));
  return out;
}

Table before_and_after(const PartResult& part) {
  Table table{.title = "Before and after", .columns = {{""}, {"Nominal"}, {"Calibrated"}}};
  const bool aside = std::isfinite(part.metric.validation), noise = !part.noise.draws.empty();
  const auto row = [&](const char* what, double update::Metrics::*which) {
    Row out{{what, part.metric_before.*which, part.metric.*which}};
    if (noise) out.cells.push_back(part.noise_metric.*which);
    table.rows.push_back(std::move(out));
  };
  if (noise) table.columns.push_back({"By noise alone"});
  row("Metric, channels of the calibration", &update::Metrics::calibration);
  if (aside) row("Metric, validation channels", &update::Metrics::validation);
  if (noise) row("Metric of resolved samples, calibration", &update::Metrics::resolved_calibration);
  if (noise && aside) row("Metric of resolved samples, validation channels", &update::Metrics::resolved_validation);
  table.rows.push_back({{"Modes paired with the test", static_cast<double>(part.pairs_before.pairs.size()),
                         static_cast<double>(part.pairs_after.pairs.size())}});
  table.rows.push_back({{"Smallest MAC of a pair", smallest_mac(part.pairs_before), smallest_mac(part.pairs_after)}});
  table.rows.push_back(
      {{"Largest frequency difference of a pair, %", 100.0 * largest_shift(part, part.pairs_before, part.before),
        100.0 * largest_shift(part, part.pairs_after, part.after)}});
  if (part.mass_before > 0.0) table.rows.push_back({{"Mass, kg", part.mass_before, part.mass_after}});
  for (Row& line : table.rows) line.cells.resize(table.columns.size());
  table.note =
      part.model.loses()
          ? fmt::format(
                "The metric is the mean of |log10(H model / H test)|^2 on responses as measured, with the loss "
                "factors of the model. It misses the raw responses by {:.3g} % of their norm.",
                100.0 * part.damped_misfit)
          : fmt::format(
                "The metric is the mean of |log10(H model / H test)|^2 with {:g} % damping for all modes. With "
                "the damping of the test mapped to the modes, "
                "the model misses the raw responses by {:.3g} % of their norm.",
                100.0 * part.stages.back().damping, 100.0 * part.damped_misfit);
  if (noise)
    table.note += fmt::format(
        " Resolved are {:.1f} % of the samples: their response is above three standard deviations of its noise; the "
        "logarithm of the others is a "
        "random number. 'By noise alone' is what a perfect model would leave over.",
        part.resolved_percent);
  return table;
}

Table parameters_of(const PartResult& part, const update::FullModel& model) {
  Table table{.title = "Parameters",
              .columns = {{"Parameter"},
                          {"Unit"},
                          {"Nominal"},
                          {"Calibrated"},
                          {"Change", "%", Align::right, 3},
                          {"95 % half interval", "%", Align::right, 2},
                          {"By the data"}}};
  for (std::size_t s = 0; s < model.parameters.size(); ++s) {
    const update::ParameterSetting& p = model.parameters[s];
    const ParameterEstimate& e = part.parameters[s];
    const DisplayUnit unit = display_unit(p.unit);
    Row row;
    row.cells = {p.name,
                 unit.unit,
                 unit.factor * p.nominal,
                 unit.factor * e.value,
                 100.0 * (e.value / p.nominal - 1.0),
                 p.fixed ? Value("fixed") : Value(100.0 * 0.5 * (e.upper_95 - e.lower_95) / std::abs(e.value)),
                 p.fixed ? "" : update::to_string(part.gate_at_optimum.verdict[s])};
    if (!p.fixed && part.gate_at_optimum.verdict[s] != update::Verdict::determined) row.quality = Quality::poor;
    table.rows.push_back(std::move(row));
  }
  if (part.model_to_noise > update::model_error_limit)
    table.note = fmt::format(
        "The misfit of the model is {:.3g} times that of noise, so none counts as determined; intervals hold noise and "
        "what the error of the model may do to each parameter. ",
        part.model_to_noise);
  if (part.finer_mesh.made())
    table.note += fmt::format(
        "With a mesh twice as fine it is {:.3g} times{}. ", part.finer_mesh.model_to_noise,
        part.finer_mesh.share > 0.0 ? ", and the intervals hold twice what that mesh does to each parameter" : "");
  const bool reference = !part.uncertainty.empty() && part.uncertainty.front().name == "recalibration";
  table.note +=
      reference
          ? "Intervals come from full re-calibration with new noise."
          : "Intervals are predicted from sensitivities and measured noise; Monte Carlo draws give the reference.";
  return table;
}

Plot parameter_plot(const PartResult& part, const update::FullModel& model) {
  Plot plot{.title = "Calibrated over nominal", .x = {"Parameter", ""}, .y = {"p / p nominal", ""}};
  Series series{.name = "calibrated, 95 % interval", .style = SeriesStyle::markers};
  for (std::size_t s = 0; s < model.parameters.size(); ++s) {
    const double nominal = model.parameters[s].nominal;
    series.x.push_back(static_cast<double>(s + 1));
    series.y.push_back(part.parameters[s].value / nominal);
    series.lower.push_back(part.parameters[s].lower_95 / nominal),
        series.upper.push_back(part.parameters[s].upper_95 / nominal);
    series.hover.push_back(model.parameters[s].name);
  }
  plot.series.push_back(std::move(series));
  plot.series.push_back({.name = "nominal",
                         .style = SeriesStyle::dashed_line,
                         .x = {0.5, static_cast<double>(model.parameters.size()) + 0.5},
                         .y = {1.0, 1.0}});
  return plot;
}

Table mode_table(const PartResult& part) {
  Table table{.title = "Modes",
              .columns = {{"Test", "Hz"},
                          {"Damping", "%", Align::right, 3},
                          {"Nominal", "Hz"},
                          {"Difference", "%", Align::right, 2},
                          {"MAC"},
                          {"Calibrated", "Hz"},
                          {"Difference", "%", Align::right, 2},
                          {"MAC"}}};
  for (Eigen::Index i = 0; i < part.test.frequency_hz.size(); ++i) {
    const double test = part.test.frequency_hz[i];
    Row row;
    row.cells = {test, 100.0 * part.test.damping[i]};
    const auto find = [&](const update::Pairing& pairing) {
      return std::find_if(pairing.pairs.begin(), pairing.pairs.end(),
                          [&](const auto& p) { return p.test == static_cast<int>(i); });
    };
    if (const auto b = find(part.pairs_before); b != part.pairs_before.pairs.end()) {
      const double f = part.before.frequency_hz[b->model];
      row.cells.insert(row.cells.end(), {f, 100.0 * (f / test - 1.0), b->mac});
    } else {
      row.cells.insert(row.cells.end(), {"none", Value(), Value()});
    }
    if (const auto a = find(part.pairs_after); a != part.pairs_after.pairs.end()) {
      const double f = part.after.frequency_hz[a->model];
      row.cells.insert(row.cells.end(), {f, 100.0 * (f / test - 1.0), a->mac});
      row.quality = a->mac >= 0.95 ? Quality::good : a->mac >= 0.8 ? Quality::fair : Quality::poor;
    } else {
      row.cells.insert(row.cells.end(), {"none", Value(), Value()});
      row.quality = Quality::poor;
    }
    table.rows.push_back(std::move(row));
  }
  table.note = "Pairs have the largest sum of MOC (shape and frequency together); pairs with a small MAC are rejected.";
  return table;
}

// With loss factors: what damps each mode.
Table damping_table(const PartResult& part) {
  Table table{.title = "What damps each mode",
              .columns = {{"Mode", "Hz"},
                          {"Test", "%", Align::right, 3},
                          {"Model", "%", Align::right, 3},
                          {"by loss factors", "%", Align::right, 3},
                          {"by all else", "%", Align::right, 3}}};
  for (Eigen::Index r = 0; r < part.own_damping.size(); ++r) {
    const auto pair = std::find_if(part.pairs_after.pairs.begin(), part.pairs_after.pairs.end(),
                                   [&](const auto& p) { return p.model == static_cast<int>(r); });
    const double all = part.damping_after[r], own = part.own_damping[r];
    table.rows.push_back(
        {{part.after.frequency_hz[r],
          pair != part.pairs_after.pairs.end() ? Value(100.0 * part.test.damping[pair->test]) : Value("none"),
          100.0 * all, 100.0 * (all - own), 100.0 * own}});
  }
  table.note =
      "Damping ratios. What no loss factor stands for is a damping ratio of each mode, taken for alike within 50 %.";
  return table;
}

// Up to three channels: driving points first.
void add_responses(Section& section, const PartResult& part) {
  const update::Stage& stage = part.stages.back();
  const Eigen::Index outputs = static_cast<Eigen::Index>(part.outputs.size());
  std::vector<Eigen::Index> shown;
  for (const bool driving : {true, false})
    for (Eigen::Index c = 0; c < stage.target.values.cols() && shown.size() < 3; ++c) {
      const bool is_driving =
          part.outputs[static_cast<std::size_t>(c % outputs)] == part.inputs[static_cast<std::size_t>(c / outputs)];
      if (is_driving == driving && stage.target.uses(c) && (driving || c % 7 == 0)) shown.push_back(c);
    }
  const std::vector<double> hz = list(stage.target.frequency_hz);
  const Eigen::MatrixXcd before =
      update::accelerance(update::modal_form(part.model, Eigen::VectorXd::Ones(part.model.parameters), false),
                          stage.target.frequency_hz, stage.damping);
  const Eigen::MatrixXcd after = update::accelerance(update::modal_form(part.model, part.optimum.ratio, false),
                                                     stage.target.frequency_hz, stage.damping);
  for (const Eigen::Index c : shown) {
    const auto values = [&](const Eigen::MatrixXcd& h) {
      return std::vector<std::complex<double>>(h.col(c).data(), h.col(c).data() + h.rows());
    };
    section.add(bode(fmt::format("{} by {}", label(part.outputs[static_cast<std::size_t>(c % outputs)]),
                                 label(part.inputs[static_cast<std::size_t>(c / outputs)])),
                     "(m/s^2)/N",
                     {{"test", SeriesStyle::markers, 0, hz, values(stage.target.values)},
                      {"nominal", SeriesStyle::dashed_line, 1, hz, values(before)},
                      {"calibrated", SeriesStyle::line, 2, hz, values(after)}},
                     {}, ""));
  }
}

void add_gate(Section& section, const PartResult& part, const update::FullModel& model) {
  Table table{.title = "Predicted 95 % half intervals",
              .columns = {{"Parameter"},
                          {"At the nominal model", "%", Align::right, 2},
                          {""},
                          {"At the optimum", "%", Align::right, 2},
                          {""}}};
  for (std::size_t s = 0; s < model.parameters.size(); ++s) {
    if (model.parameters[s].fixed) continue;
    const auto i = static_cast<Eigen::Index>(s);
    const update::Verdict verdict = part.gate.verdict[s];
    table.rows.push_back({{model.parameters[s].name, 196.0 * part.gate.std[i], update::to_string(verdict),
                           196.0 * part.gate_at_optimum.std[i] / part.optimum.ratio[i],
                           update::to_string(part.gate_at_optimum.verdict[s])},
                          verdict == update::Verdict::determined ? Quality::neutral : Quality::poor});
  }
  section.add(std::move(table));
  if (part.suggestions.empty()) return;
  Table help{.title = "What would help",
             .columns = {{"Add"},
                         {"Where"},
                         {"Parameter that gains most"},
                         {"Std. deviation now", "%", Align::right, 2},
                         {"then", "%", Align::right, 2}}};
  for (const update::Suggestion& s : part.suggestions)
    help.rows.push_back({{s.kind == "mass" ? fmt::format("a second test with {:.2g} kg", s.kg) : s.kind, s.label,
                          s.parameter, 100.0 * s.std_before, 100.0 * s.std_after}});
  help.note = "Standard deviations are lower bounds for weighted estimates of the planned test.";
  section.add(std::move(help));
}

const char* short_name(const std::string& method) {
  if (method == "recalibration") return "Re-cal.";
  if (method == "gate") return "Gate";
  if (method == "sandwich") return "Sandwich";
  if (method == "homoscedastic") return "Homosc.";
  if (method == "weighted") return "Weighted";
  if (method == "pair_bootstrap") return "Pair b.";
  return "Block b.";
}

void add_uncertainty(Section& section, const PartResult& part, const update::FullModel& model) {
  Table words{
      .title = "Methods",
      .columns = {{"Method"}, {"Name"}, {"Median ratio to re-calibration", "", Align::right, 2}, {"What it measures"}}};
  for (const update::UncertaintyMethod& method : part.uncertainty)
    words.rows.push_back({{short_name(method.name), method.name, method.to_reference, method.measures}});
  section.add(std::move(words));
  Table table{.title = "Standard deviation by method, %", .columns = {{"Parameter"}}};
  for (const update::UncertaintyMethod& method : part.uncertainty)
    table.columns.push_back({short_name(method.name), "", Align::right, 2});
  for (std::size_t s = 0; s < model.parameters.size(); ++s) {
    if (model.parameters[s].fixed) continue;
    Row row;
    row.cells.push_back(model.parameters[s].name);
    const auto i = static_cast<Eigen::Index>(s);
    for (const update::UncertaintyMethod& method : part.uncertainty)
      row.cells.push_back(100.0 * method.std[i] / part.optimum.ratio[i]);
    table.rows.push_back(std::move(row));
  }
  section.add(std::move(table));
}

Plot convergence(const PartResult& part) {
  Plot plot{.title = "Metric over the steps of each start", .x = {"Accepted step", ""}, .y = {"Metric", "", true}};
  plot.caption = "The metric jumps up where a stage with less damping begins: its resonances are sharper.";
  for (std::size_t i = 0; i < std::min<std::size_t>(part.starts.runs.size(), 12); ++i) {
    Series series{.name = i == 0 ? "nominal start" : fmt::format("start {}", i + 1)};
    const std::vector<double>& history = part.starts.runs[i].history;
    for (std::size_t k = 0; k < history.size(); ++k)
      series.x.push_back(static_cast<double>(k + 1)), series.y.push_back(history[k]);
    plot.series.push_back(std::move(series));
  }
  return plot;
}

void add_population(Document& out, const std::string& of, const update::UpdateResult& result,
                    const update::Population& population) {
  Section& section = out.section(of + "The parts together",
                                 "Differences between parts, separated from the noise of their measurement.")
                         .named("population");
  Table spread{.title = "Spread of the parameters",
               .columns = {{"Parameter"},
                           {"Unit"},
                           {"Mean"},
                           {"Observed", "%", Align::right, 2},
                           {"Noise", "%", Align::right, 2},
                           {"Between parts", "%", Align::right, 2},
                           {"p of no difference", "", Align::right, 2}}};
  for (const update::ParameterSpread& p : population.parameters) {
    const DisplayUnit unit = display_unit(p.unit);
    const double percent = 100.0 / std::abs(p.mean);
    spread.rows.push_back({{p.name, unit.unit, unit.factor * p.mean, percent * p.observed_std, percent * p.noise_std,
                            percent * p.between_std, p.p_value < 1e-4 ? Value("< 0.0001") : Value(p.p_value)}});
  }
  spread.note = "Standard deviations. 'Between parts' is what remains after the noise is taken off (random effects).";
  section.add(std::move(spread));
  Table metrics{.title = "Metric of every model on the data of every part", .columns = {{"Model"}}};
  for (const PartResult& part : result.parts) metrics.columns.push_back({"data of " + part.name, "", Align::right, 3});
  Row nominal;
  nominal.cells.push_back("nominal");
  for (const double m : population.nominal_metric) nominal.cells.push_back(m);
  metrics.rows.push_back(std::move(nominal));
  for (std::size_t i = 0; i < result.parts.size(); ++i) {
    Row row;
    row.cells.push_back("calibrated by " + result.parts[i].name);
    for (Eigen::Index j = 0; j < population.cross_metric.cols(); ++j)
      row.cells.push_back(population.cross_metric(static_cast<Eigen::Index>(i), j));
    metrics.rows.push_back(std::move(row));
  }
  metrics.note = "Off the diagonal: how well the model of one part predicts another, on all channels.";
  section.add(std::move(metrics));
}

void add_decks(Document& out, const UpdateCase& one, const std::string& of_case) {
  Section& section =
      out.section(of_case + "Updated deck",
                  "The deck with the calibrated parameters: only these fields differ from the one given.")
          .named("updated_deck");
  for (const UpdatedDeckOfPart& deck : one.decks) {
    Table table{.title = deck.folder + "/" + deck.deck.files.front().first,
                .columns = {{"Parameter"}, {"Card"}, {"Field"}, {"Before"}, {"After"}, {"Where"}}};
    for (const fe::CardChange& change : deck.deck.changes)
      table.rows.push_back(
          {{change.parameter, change.card, change.field, change.before, change.after,
            fmt::format("{}:{}", std::filesystem::path(change.file).filename().string(), change.line)}});
    table.note = "Values in the units of the deck. Read back, its matrices are those of the parameters.";
    section.add(std::move(table));
  }
}

void add_case(Document& out, const UpdateCase& one, const std::string& of_case) {
  const update::UpdateResult& result = one.result;
  const update::FullModel& model = one.model;
  if (result.parts.size() > 1) add_population(out, of_case, result, one.population);
  for (const PartResult& part : result.parts) {
    const std::string of = of_case + (result.parts.size() > 1 ? part.name + ": " : "");
    out.section(of + "Result")
        .named("result")
        .add(before_and_after(part))
        .add(parameters_of(part, model))
        .add(parameter_plot(part, model));
    Section& modes =
        out.section(of + "Modes and responses",
                    "Responses have one damping ratio for all modes, so that damping does not disturb the comparison.")
            .named("responses");
    if (part.model.loses()) modes.lead = "Responses as measured, with the loss factors of the model.";
    modes.add(mode_table(part));
    if (part.own_damping.size() > 0) modes.add(damping_table(part));
    std::vector<std::string> rows, columns;
    for (const double f : part.test.frequency_hz) rows.push_back(fmt::format("{:.1f}", f));
    for (const double f : part.after.frequency_hz) columns.push_back(fmt::format("{:.1f}", f));
    modes.add(mac_map("MAC of the calibrated model", part.pairs_after.mac, rows, columns,
                      "Rows: modes of the test, columns: modes of the model, Hz."));
    add_responses(modes, part);
    Section& gate = out.section(of + "What the data can determine",
                                "Sensitivities and measured noise tell how well each parameter can be known: before "
                                "anything is fitted, and again at "
                                "the optimum, where it counts.")
                        .named("determined");
    add_gate(gate, part, model);
    Section& uncertainty = out.section(of + "Uncertainty").named("uncertainty");
    add_uncertainty(uncertainty, part, model);
    out.section(of + "Calibration").named("convergence").add(convergence(part));
  }
  if (!one.decks.empty()) add_decks(out, one, of_case);
}

}  // namespace

Document update_report(const std::string& title, const std::vector<UpdateCase>& cases) {
  const update::UpdateResult& result = cases.front().result;
  const update::FullModel& model = cases.front().model;
  Document out{.title = title,
               .subtitle = result.parts.size() == 1 ? "Model updating"
                                                    : fmt::format("Model updating, {} parts", result.parts.size())};
  if (cases.size() > 1) out.subtitle += fmt::format(", {} configurations", cases.size());
  const PartResult& first = result.parts.front();
  std::size_t free = 0, determined = 0;
  for (std::size_t s = 0; s < model.parameters.size(); ++s)
    if (!model.parameters[s].fixed)
      ++free, determined += first.gate_at_optimum.verdict[s] == update::Verdict::determined;
  const double gain = first.metric_before.calibration / first.metric.calibration;
  const double r = first.model_to_noise;
  if (std::isfinite(r))
    out.key_figures.push_back({.label = "Misfit over that of noise",
                               .value = r,
                               .quality = r <= 1.5                         ? Quality::good
                                          : r <= update::model_error_limit ? Quality::fair
                                                                           : Quality::poor,
                               .note = r > update::model_error_limit ? "the model lacks something: see the findings"
                                                                     : "resolved samples; 1: all that is left is noise",
                               .digits = 3});
  const bool trusted = !(r > update::model_error_limit);
  const std::vector<KeyFigure> more = {
      {.label = "Metric",
       .value = first.metric.calibration,
       .quality = !trusted      ? Quality::neutral
                  : gain > 10.0 ? Quality::good
                  : gain > 2.0  ? Quality::fair
                                : Quality::poor,
       .note = fmt::format("nominal {:.3g}", first.metric_before.calibration),
       .digits = 3},
      {.label = "Parameters determined",
       .value = fmt::format("{} of {}", determined, free),
       .quality = !trusted             ? Quality::poor
                  : determined == free ? Quality::good
                                       : Quality::fair},
      {.label = "Smallest MAC",
       .value = smallest_mac(first.pairs_after),
       .quality = !trusted                                ? Quality::neutral
                  : smallest_mac(first.pairs_after) > 0.9 ? Quality::good
                                                          : Quality::fair,
       .note = fmt::format("{} pairs", first.pairs_after.pairs.size()),
       .digits = 3},
      {.label = "Starts that agree",
       .value = fmt::format("{} of {}", first.starts.same_as_best, first.starts.runs.size())},
      {.label = "Error of the basis",
       .value = 100.0 * first.basis_error,
       .unit = "%",
       .quality = first.basis_error < 1e-3 ? Quality::good : Quality::poor,
       .note = fmt::format("{} vectors, rebuilt {} times", first.model.size(), first.basis_rebuilt),
       .digits = 2}};
  out.key_figures.insert(out.key_figures.end(), more.begin(), more.end());
  if (std::isfinite(first.metric.validation)) {
    const double ratio = first.metric.resolved_validation / first.metric.resolved_calibration;
    out.key_figures.push_back({.label = "Validation / calibration",
                               .value = ratio,
                               .quality = ratio < 1.5 ? Quality::good : Quality::poor,
                               .note = fmt::format("metrics of resolved samples; {:.2f} over all",
                                                   first.metric.validation / first.metric.calibration),
                               .digits = 3});
  }
  std::vector<Finding> findings;
  for (const UpdateCase& one : cases)
    findings.insert(findings.end(), one.result.findings.begin(), one.result.findings.end());
  if (!findings.empty()) out.section("Findings").add(Findings{findings});
  if (result.parts.size() > 1 || cases.size() > 1) add_paper_tables(out, cases);
  for (const UpdateCase& one : cases) add_case(out, one, cases.size() > 1 ? one.name + ": " : "");
  return out;
}

}  // namespace kdyn::app
