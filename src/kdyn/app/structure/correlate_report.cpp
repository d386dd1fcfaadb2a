// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "kdyn/app/present/display.hpp"
#include "kdyn/app/present/structure_plots.hpp"
#include "kdyn/app/structure/correlate_job.hpp"

namespace kdyn::app {
namespace {

using namespace report;

std::vector<std::string> frequency_names(const ModeSet& set, const std::vector<std::size_t>& modes) {
  std::vector<std::string> out;
  for (const std::size_t i : modes) out.push_back(fmt::format("{:.1f}", set.modes[i].frequency_hz()));
  return out;
}

// With a sign unless it rounds to zero.
std::string signed_percent(double share) {
  return std::abs(share) < 5e-4 ? "0.0" : fmt::format("{:+.1f}", 100.0 * share);
}

// Points, axes and lines of a set beside those of another: labels are moved out of its way.
void add_geometry(const Geometry& from, std::int64_t shift, Geometry& to) {
  const auto moved = [shift](std::int64_t label) { return label == 0 ? 0 : label + shift; };
  for (CoordinateSystem system : from.systems) {
    system.label = moved(system.label);
    to.systems.push_back(std::move(system));
  }
  for (GeometryNode node : from.nodes) {
    node.label += shift;
    node.motion_system = moved(node.motion_system);
    to.nodes.push_back(node);
  }
  for (TraceLine line : from.lines) {
    for (std::int64_t& node : line.nodes) node = moved(node);
    to.lines.push_back(std::move(line));
  }
  for (GeometryElement element : from.elements) {
    for (std::int64_t& node : element.nodes) node += shift;
    to.elements.push_back(std::move(element));
  }
}

// Shapes of both sets on one picture, the test's turned and scaled to the model's as the sensors see them.
Animation test_over_model(const CorrelateReportInput& in) {
  const ModeCorrelation& c = *in.modes;
  const ModeSet &test = *in.test.modes, &model = *in.model.modes;
  if (in.test.drawn.nodes.empty() || in.model.drawn.nodes.empty() || c.pairs.empty()) return {};
  std::int64_t shift = 0;
  std::set<std::int64_t> drawn;
  for (const GeometryNode& node : in.model.drawn.nodes) {
    drawn.insert(node.label);
    shift = std::max(shift, node.label);
  }
  for (const CoordinateSystem& system : in.model.drawn.systems) shift = std::max(shift, system.label);
  ModeSet both;
  both.geometry = in.model.drawn;
  // A deck's shapes are in global axes, its outline has none of its own.
  add_geometry(in.test.drawn, shift, both.geometry);
  std::vector<std::size_t> model_rows;
  for (std::size_t i = 0; i < model.dofs.size(); ++i)
    if (drawn.contains(model.dofs[i].node)) {
      model_rows.push_back(i);
      both.dofs.push_back(model.dofs[i]);
    }
  std::vector<Dof> marked;
  for (Dof dof : test.dofs) {
    dof.node += shift;
    both.dofs.push_back(dof);
    marked.push_back(dof);
  }
  const auto column = [](const std::vector<std::size_t>& all, std::size_t mode) {
    return static_cast<Eigen::Index>(std::find(all.begin(), all.end(), mode) - all.begin());
  };
  for (const ModePair& pair : c.pairs) {
    const Eigen::VectorXcd x = c.test_at_sensors.col(column(c.test_modes, pair.test));
    const Eigen::VectorXcd y = c.model_at_sensors.col(column(c.model_modes, pair.model));
    const std::complex<double> onto = x.dot(y) / x.squaredNorm();  // least squares: onto x ~ y
    Mode& mode = both.modes.emplace_back();
    mode.pole = test.modes[pair.test].pole;
    for (const std::size_t row : model_rows) mode.shape.push_back(model.modes[pair.model].shape[row]);
    for (const auto& value : test.modes[pair.test].shape) mode.shape.push_back(onto * value);
  }
  Animation out = animation(both, "Pairs of modes", marked, true);
  for (std::size_t i = 0; i < out.shapes.size() && i < c.pairs.size(); ++i)
    out.shapes[i].name = fmt::format("Test {:.2f} Hz, model {:.2f} Hz ({} %), MAC {:.2f}", c.pairs[i].test_hz,
                                     c.pairs[i].model_hz, signed_percent(c.pairs[i].difference), c.pairs[i].mac);
  out.caption =
      "Dots: the test, turned and scaled to the model at its sensors. Where dots leave the model, shapes differ.";
  return out;
}

Table pair_table(const ModeCorrelation& c, bool model_damped) {
  Table table{.title = "Pairs of modes",
              .columns = {{.title = "Mode of the test"},
                          {.title = "Test", .unit = "Hz", .digits = 6},
                          {.title = "Mode of the model"},
                          {.title = "Model", .unit = "Hz", .digits = 6},
                          {.title = "Difference", .unit = "%", .digits = 3},
                          {.title = "MAC", .digits = 3},
                          {.title = "Damping of the test", .unit = "%", .digits = 3}}};
  if (model_damped) table.columns.push_back({.title = "Damping of the model", .unit = "%", .digits = 3});
  for (const ModePair& pair : c.pairs) {
    Row row{.cells = {pair.test + 1, pair.test_hz, pair.model + 1, pair.model_hz, 100.0 * pair.difference, pair.mac,
                      100.0 * pair.test_damping},
            .quality = pair.mac < 0.7 || std::abs(pair.difference) > 0.1 ? Quality::fair : Quality::neutral};
    if (model_damped) row.cells.push_back(100.0 * pair.model_damping);
    table.rows.push_back(std::move(row));
  }
  table.note = "Pairs are made by MAC, largest first, whatever the frequencies are.";
  return table;
}

Heatmap signed_map(const std::string& title, const Eigen::MatrixXd& values, const std::vector<std::string>& rows,
                   std::vector<std::string> columns, const std::string& caption) {
  columns.resize(static_cast<std::size_t>(values.cols()));
  Heatmap map{
      .title = title, .row_names = rows, .column_names = columns, .lower = -1.0, .upper = 1.0, .caption = caption};
  for (Eigen::Index i = 0; i < values.rows(); ++i) {
    std::vector<double> row;
    for (Eigen::Index j = 0; j < values.cols(); ++j) row.push_back(values(i, j));
    map.values.push_back(std::move(row));
  }
  return map;
}

void add_modes(Document& d, const CorrelateReportInput& in) {
  const ModeCorrelation& c = *in.modes;
  double mean = 0.0, largest = 0.0;
  for (const ModePair& pair : c.pairs) {
    mean += pair.mac / static_cast<double>(c.pairs.size());
    largest = std::max(largest, std::abs(pair.difference));
  }
  d.key_figures.push_back({.label = "Pairs",
                           .value = c.pairs.size(),
                           .quality = c.pairs.size() == c.test_modes.size() ? Quality::good
                                      : c.pairs.empty()                     ? Quality::poor
                                                                            : Quality::fair,
                           .note = fmt::format("of {} modes of the test", c.test_modes.size())});
  if (!c.pairs.empty()) {
    d.key_figures.push_back({.label = "MAC of the pairs",
                             .value = mean,
                             .quality = mean > 0.9   ? Quality::good
                                        : mean > 0.7 ? Quality::fair
                                                     : Quality::poor,
                             .note = "mean",
                             .digits = 3});
    d.key_figures.push_back({.label = "Frequencies",
                             .value = 100.0 * largest,
                             .unit = "%",
                             .quality = judge(largest, 0.02, 0.1),
                             .note = "largest difference of a pair",
                             .digits = 3});
  }
  d.key_figures.push_back({.label = "Sensors", .value = c.matches.size(), .note = "with a point of the model"});
  if (Animation moving = test_over_model(in); !moving.shapes.empty())
    d.section("Shapes", "Test and model in one picture.").named("shapes").add(std::move(moving));
  bool damped = false;
  for (const ModePair& pair : c.pairs) damped = damped || pair.model_damping > 0.0;
  auto& modes = d.section("Modes").named("modes");
  if (!c.pairs.empty()) modes.add(pair_table(c, damped));
  const auto alone = [](const ModeSet& set, const std::vector<std::size_t>& list) {
    return fmt::format("{} Hz", fmt::join(frequency_names(set, list), ", "));
  };
  if (!c.test_alone.empty())
    modes.add(Text{fmt::format("Modes of the test without a partner: {}.", alone(*in.test.modes, c.test_alone))});
  if (!c.model_alone.empty())
    modes.add(Text{fmt::format("Modes of the model without a partner, in the range of the test: {}.",
                               alone(*in.model.modes, c.model_alone))});
  // Columns far above the test say nothing; result.json has them all.
  double highest = 0.0;
  for (const std::size_t i : c.test_modes) highest = std::max(highest, in.test.modes->modes[i].frequency_hz());
  std::vector<std::size_t> shown;
  std::vector<Eigen::Index> kept;
  for (std::size_t j = 0; j < c.model_modes.size(); ++j) {
    const bool paired =
        std::any_of(c.pairs.begin(), c.pairs.end(), [&](const ModePair& p) { return p.model == c.model_modes[j]; });
    if (!paired && in.model.modes->modes[c.model_modes[j]].frequency_hz() > 1.5 * highest) continue;
    shown.push_back(c.model_modes[j]);
    kept.push_back(static_cast<Eigen::Index>(j));
  }
  const auto rows = frequency_names(*in.test.modes, c.test_modes), columns = frequency_names(*in.model.modes, shown);
  modes.add(mac_map("MAC: test (rows, Hz) against model (columns, Hz)", c.mac(Eigen::all, kept), rows, columns,
                    "A good pair is alone in its row and its column."));
  if (c.orthogonality)
    modes.add(
        signed_map("Orthogonality of the test modes", *c.orthogonality, rows, rows,
                   "Modal mass as the modes of the model see it. Values beside the diagonal: noise, neighbours "
                   "that were not separated, or a model whose mass is distributed differently. Below 0.1 is good."));
  if (c.cross_orthogonality)
    modes.add(signed_map("Cross-orthogonality: test (rows, Hz) against model (columns, Hz)", *c.cross_orthogonality,
                         rows, columns, "Unlike the MAC it weighs points by the mass they stand for."));
  if (c.sensors.empty()) return;
  Plot plot{.title = "Sensors over the pairs", .x = {"Sensor", ""}, .y = {"Agreement", "", false, -1.05, 1.05}};
  Series points{.name = "sign and CoMAC: 1 agrees, -1 reversed", .style = SeriesStyle::markers};
  Table table{.title = "Sensors that agree least",
              .columns = {{.title = "Sensor"},
                          {.title = "Point of the model"},
                          {.title = "Distance", .unit = "mm", .digits = 3},
                          {.title = "CoMAC", .digits = 3},
                          {.title = "Sign", .digits = 3}}};
  std::vector<const SensorAgreement*> order;
  for (std::size_t i = 0; i < c.sensors.size(); ++i) {
    points.x.push_back(static_cast<double>(i + 1));
    points.y.push_back(c.sensors[i].sign);
    points.hover.push_back(label(c.sensors[i].sensor));
    order.push_back(&c.sensors[i]);
  }
  std::stable_sort(order.begin(), order.end(), [](const auto* a, const auto* b) { return a->sign < b->sign; });
  order.resize(std::min<std::size_t>(order.size(), 10));
  for (const SensorAgreement* s : order)
    table.rows.push_back(
        {{label(s->sensor), s->node, s->distance < 1e-9 ? 0.0 : 1000.0 * s->distance, s->comac, s->sign},
         s->sign < 0.0   ? Quality::poor
         : s->sign < 0.7 ? Quality::fair
                         : Quality::neutral});
  plot.series = {std::move(points)};
  plot.height_px = 240;
  d.section("Sensors", "Which points spoil the agreement.").named("sensors").add(std::move(plot)).add(std::move(table));
}

void add_responses(Document& d, const CorrelateReportInput& in) {
  const ResponseCorrelation& c = *in.responses;
  const FrequencyResponse& test = *in.test.responses;
  double mean = 0.0;
  std::vector<std::size_t> order(c.channels.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    order[i] = i;
    mean += c.channels[i].frac / static_cast<double>(c.channels.size());
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return c.channels[a].frac < c.channels[b].frac; });
  d.key_figures.push_back({.label = "FRAC",
                           .value = mean,
                           .quality = mean > 0.9   ? Quality::good
                                      : mean > 0.6 ? Quality::fair
                                                   : Quality::poor,
                           .note = fmt::format("mean of {} channels", c.channels.size()),
                           .digits = 3});
  auto& section = d.section("Responses", "Worst channels first.").named("responses");
  const std::size_t shown = std::min<std::size_t>(order.size(), 12);
  std::vector<ResponseCurve> curves;
  std::vector<std::string> groups;
  for (std::size_t k = 0; k < shown; ++k) {
    const std::size_t i = order[k];
    const FrequencyResponseChannel& channel = test.channels[c.channels[i].test];
    groups.push_back(
        fmt::format("{} by {}, FRAC {:.2f}", label(channel.output), label(channel.input), c.channels[i].frac));
    const int group = static_cast<int>(k);
    curves.push_back({"test", SeriesStyle::markers, group, c.frequency_hz, c.test_values[i]});
    curves.push_back({"model", SeriesStyle::line, group, c.frequency_hz, c.model_values[i]});
  }
  const FrequencyResponseChannel& first = test.channels[c.channels.front().test];
  section.add(bode("Response", first.output_unit.empty() ? "" : first.output_unit + "/" + first.input_unit, curves,
                   groups, "Channel"));
  if (!c.rvac.empty()) {
    Plot plot{.title = "Agreement of the deflections over frequency",
              .x = {"Frequency", "Hz"},
              .y = {"RVAC", "", false, 0.0, 1.05}};
    for (std::size_t i = 0; i < c.rvac.size(); ++i)
      plot.series.push_back(
          {.name = label(c.inputs[i]), .style = SeriesStyle::line, .x = c.frequency_hz, .y = c.rvac[i]});
    plot.height_px = 240;
    plot.caption = "1: all outputs of an input move as in the model; it drops where modes are exchanged or shifted.";
    section.add(std::move(plot));
  }
  Table table{.title = "Channels",
              .columns = {{.title = "Output"},
                          {.title = "Input"},
                          {.title = "FRAC", .digits = 3},
                          {.title = "Size model/test", .digits = 3}}};
  for (const std::size_t i : order)
    table.rows.push_back({{label(test.channels[c.channels[i].test].output),
                           label(test.channels[c.channels[i].test].input), c.channels[i].frac, c.channels[i].size},
                          c.channels[i].frac < 0.6 ? Quality::fair : Quality::neutral});
  section.add(std::move(table));
}

}  // namespace

Document correlate_report(const CorrelateReportInput& in) {
  Document d{.title = in.title,
             .subtitle = fmt::format("Correlation of {} (test) and {} (model)", in.test.name, in.model.name)};
  if (in.modes != nullptr) add_modes(d, in);
  if (in.responses != nullptr) add_responses(d, in);
  d.section("Findings").add(Findings{.findings = in.findings, .when_empty = "Nothing unusual."});
  return d;
}

}  // namespace kdyn::app
