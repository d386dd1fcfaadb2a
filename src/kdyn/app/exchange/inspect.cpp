// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>

#include <fmt/format.h>

#include "kdyn/app/exchange/recognise.hpp"
#include "kdyn/app/inputs.hpp"
#include "kdyn/app/mount/jobs.hpp"
#include "kdyn/app/multibody/model_picture.hpp"
#include "kdyn/app/present/bench_plots.hpp"
#include "kdyn/app/present/display.hpp"
#include "kdyn/app/present/structure_plots.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/doctor/doctor.hpp"
#include "kdyn/door/reduce_sines.hpp"
#include "kdyn/door/templates.hpp"
#include "kdyn/io/exchange.hpp"
#include "kdyn/signal/channel_check.hpp"

namespace kdyn {

const FieldTable& app::fields_of(const InspectJob*) {
  static const FieldTable table = FieldTable::of<app::InspectJob>("inspect", [](FieldTable& t) {
    using J = app::InspectJob;
    t.add(&J::files, "files", "-", "Files to look at").from_words().must_be_given().reads();
    t.include(&J::read, field_table<ReadHints>());
    t.add(&J::save_layout, "save_layout", "-",
          "Keep columns and units given here under this name, for files with the same header");
    t.add(&J::layout_for_user, "layout_for_user", "-", "Keep it for this user in all projects instead of this project");
  });
  return table;
}

}  // namespace kdyn

namespace kdyn::app {
namespace {

struct Inspected {
  InspectedFile file;
  std::vector<report::PlotRow> plots{};
  std::optional<report::Animation> picture{};
};

// The structure as it is, and its shapes where the file has them. Very large ones would make a report of many MB.
std::optional<report::Animation> picture_of(const Exchange& exchange) {
  constexpr std::size_t most_nodes = 100'000;
  ModeSet shown = exchange.modes.value_or(ModeSet{});
  if (shown.geometry.nodes.empty() && exchange.geometry) shown.geometry = *exchange.geometry;
  const std::size_t nodes = shown.geometry.nodes.size();
  if (nodes < 2 || nodes > most_nodes) return std::nullopt;
  report::Animation out = animation(shown, "Structure", shown.dofs, shown.complex_shapes);
  if (out.shapes.empty()) out = structure_picture(shown.geometry, "Structure");
  out.caption = fmt::format("{} nodes. Drag to turn, Ctrl and wheel to zoom, point at a node to read it.", nodes);
  return out;
}

std::vector<report::PlotRow> plots_of(const StiffnessMap& map) {
  constexpr std::size_t most_rows = 20'000;  // more markers than anyone can tell apart
  if (map.rows.size() > most_rows) return {};
  const MapView view(map);
  std::vector<report::PlotRow> all;
  for (std::size_t p = 0; p < view.preloads.size(); ++p) {
    report::PlotRow row = over_frequency(view, p);
    if (view.preloads.size() > 1)
      for (report::Plot& plot : row.plots) plot.title += ", preload " + view.preload_name(p);
    all.push_back(std::move(row));
  }
  return all;
}
std::vector<report::PlotRow> plots_of(const StaticLoop& loop) { return {static_plots(loop)}; }
std::vector<report::PlotRow> plots_of(const BenchSeries& series) { return {series_plots(series)}; }

// Which kind of mount a map looks like. Rubber alone loses less than about 25 deg and stiffens by less than 2.5 times
// over the frequencies of a bench; a fluid column gives a peak of the loss angle or a dip and rise of the stiffness
// about its resonance.
std::optional<Suggestion> suggestion(const StiffnessMap& map) {
  constexpr double rubber_angle = 25.0 * degree, rubber_rise = 2.5;
  const MapRow* most = nullptr;
  double low = 0.0, high = 0.0;
  for (const MapRow& row : map.rows) {
    if (most == nullptr || row.loss_angle > most->loss_angle) most = &row;
    // At the same amplitude and preload as the first row: both change the stiffness of rubber as well.
    const MapRow& first = map.rows.front();
    if (std::abs(row.amplitude - first.amplitude) > 0.1 * first.amplitude ||
        std::abs(row.preload - first.preload) > 0.1 * std::abs(first.preload) + 1.0)
      continue;
    low = low == 0.0 ? row.k_dyn : std::min(low, row.k_dyn);
    high = std::max(high, row.k_dyn);
  }
  if (most == nullptr || map.axis == AxisKind::rotation) return std::nullopt;
  const bool hydro = most->loss_angle > rubber_angle || high > rubber_rise * low;
  return Suggestion{hydro ? "fit hydromount" : "fit elastomer",
                    fmt::format("the loss angle reaches {:.0f} deg (at {:.3g} Hz) and the stiffness at one amplitude "
                                "spans {:.0f} to {:.0f} N/mm over frequency",
                                most->loss_angle / degree, most->frequency_hz, 1e-3 * low, 1e-3 * high)};
}
std::optional<Suggestion> suggestion(const StaticLoop&) { return std::nullopt; }
std::optional<Suggestion> suggestion(const BenchSeries&) { return std::nullopt; }

// Models are JSON; whether a file is, is told by its name or its first character.
bool looks_like_json(const std::string& path) {
  if (std::filesystem::path(path).extension() == ".json") return true;
  std::ifstream file(path);
  char first = 0;
  return file >> first && first == '{';
}

bool is_json_record(const std::string& content, const std::string& path) {
  try {
    const Json in = parse_json(content, path);
    // The data of a job are names of files.
    return in.is_object() && in.contains("data") && in["data"].is_array() &&
           (in["data"].empty() || !in["data"].front().is_string());
  } catch (const Error&) {
    return false;
  }
}

Inspected of(InspectedFile recognised, const std::string& path, const std::string& content) {
  recognised.what.source = {path, sha256(content), {}};
  return {std::move(recognised)};
}

// Bench measurements go through the data doctor as well.
void add_bench(const BenchSet& set, bool several, Inspected& out) {
  const auto add = [&](const auto& data) {
    const BenchSummary summary = summarise(data);
    InspectedSet one{data.source, to_string(set.bench.kind), summary.rows, summary.axis};
    if (summary.frequencies > 0) {
      one.frequency_range_hz = {summary.frequency_min_hz, summary.frequency_max_hz};
      one.amplitudes = summary.amplitudes;
      one.preloads = summary.preloads;
    }
    one.suggests = suggestion(data);
    one.part = set.labels.part;
    one.direction = set.labels.direction;
    if (!std::isnan(set.labels.temperature_c)) one.temperature_c = set.labels.temperature_c;
    for (const ColumnUse& use : set.mapping) one.source.mapping[use.meaning] = use.column;
    if (const auto sheet = set.place.rfind('!'); sheet != std::string::npos)
      one.source.sheet = set.place.substr(sheet + 1);
    std::vector<std::string>& words = out.file.summary;
    std::string label;
    if (!set.labels.part.empty()) label += "part " + set.labels.part;
    if (!set.labels.direction.empty())
      label += (label.empty() ? "direction " : ", direction ") + set.labels.direction + " (from " +
               set.labels.direction_from + ")";
    if (!label.empty()) words.push_back(label);
    words.insert(words.end(), summary.words.begin(), summary.words.end());
    for (report::PlotRow& row : plots_of(data)) {
      // Sheets of a workbook look alike: each picture says whose it is.
      if (several && !set.labels.direction.empty())
        for (report::Plot& plot : row.plots) plot.title = set.labels.direction + ": " + plot.title;
      out.plots.push_back(std::move(row));
    }
    const std::vector<Finding> more = examine(data);
    out.file.findings.insert(out.file.findings.end(), more.begin(), more.end());
    if (several) return out.file.sets.push_back(std::move(one));
    one.source.path = out.file.what.source.path, one.source.sha256 = out.file.what.source.sha256;
    out.file.what = std::move(one);
  };
  switch (set.bench.kind) {
    case BenchKind::map: add(set.bench.map); break;
    case BenchKind::static_loop: add(set.bench.loop); break;
    case BenchKind::series: {
      add(set.bench.series);
      if (const auto reduced = reduce_sines(set.bench.series, out.file.findings))
        out.file.summary.push_back(fmt::format("{} steady sine{}: a fit takes points of a map from it",
                                               reduced->rows.size(), reduced->rows.size() == 1 ? "" : "s"));
      break;
    }
    case BenchKind::unknown: break;
  }
}

// Labels of the cards of one name, each once.
std::vector<std::int64_t> labels_of(const NastranDeck& deck, std::string_view card) {
  std::set<std::int64_t> labels;
  for (const NastranCard* one : deck.named(card)) labels.insert(deck.integer(*one, 2, 0));
  return {labels.begin(), labels.end()};
}

// Bushings sit where their first node is; those of the ground at their only one.
std::vector<InspectedPlace> bushings_of(const NastranDeck& deck, const Geometry& geometry) {
  std::map<std::int64_t, std::array<double, 3>> nodes;
  for (const GeometryNode& node : geometry.nodes) nodes.emplace(node.label, node.position);
  std::map<std::int64_t, InspectedPlace> out;
  for (const NastranCard* one : deck.named("CBUSH"))
    for (const std::size_t end : {4, 5})
      if (const auto node = nodes.find(deck.integer(*one, end, 0)); node != nodes.end()) {
        const std::int64_t label = deck.integer(*one, 2, 0);
        out.emplace(label, InspectedPlace{fmt::format("{}", label), "bushing", node->second});
        break;
      }
  std::vector<InspectedPlace> places;
  for (auto& [label, place] : out) places.push_back(std::move(place));
  return places;
}

Inspected inspect_exchange(const std::string& path, const ReadHints& hints) {
  Inspected out;
  std::vector<Finding> told;
  Exchange exchange = read_exchange(path, options_for(path, hints, told));
  if (exchange.kind() == "unknown") {
    const std::string content = read_text(path);
    if (const auto other = recognise_other(path, content)) return of(*other, path, content);
  }
  out.file.what = {{path, exchange.sha256, {}}, exchange.kind()};
  out.file.format = exchange.format;
  if (exchange.format == "csv" || exchange.format == "xlsx" || exchange.format == "ods" || exchange.format.empty())
    out.file.columns = columns_of_table(path), out.file.sheets = sheets_of_workbook(path);
  out.file.summary = exchange.words;
  out.file.findings = std::move(told);
  out.file.findings.insert(out.file.findings.end(), exchange.findings.begin(), exchange.findings.end());
  if (exchange.signals && exchange.sets.empty())
    for (Finding& found : check_channels(*exchange.signals, path)) out.file.findings.push_back(std::move(found));
  for (const BenchSet& set : exchange.sets) add_bench(set, exchange.sets.size() > 1, out);
  if (exchange.deck) {
    out.file.cards_skipped = exchange.deck->skipped;
    out.file.deck = {labels_of(*exchange.deck, "CBUSH"), labels_of(*exchange.deck, "PSHELL"),
                     labels_of(*exchange.deck, "MAT1")};
    if (exchange.geometry) out.file.places = bushings_of(*exchange.deck, *exchange.geometry);
  }
  out.picture = picture_of(exchange);
  return out;
}

// What was said of the columns is kept for files with the same header.
void keep_layout(const InspectJob& job, InspectOutput& output, Outcome& outcome) {
  LayoutTemplate layout;
  layout.name = job.save_layout;
  layout.columns = job.read.columns, layout.units = job.read.units, layout.decimal = job.read.decimal;
  for (const auto& [meaning, column] : bench_options(job.read).columns)
    if (!column.starts_with("=") && !parse_number(column)) layout.match.push_back(column);
  if (layout.match.empty())
    throw_bad_input("save_layout", "no column is named by which the header could be known again",
                    "name the columns: --columns force=\"Load Cell 2\"");
  const std::string path = save_layout_template(layout, job.layout_for_user);
  outcome.text += fmt::format("saved the layout {} as {}\n", in_quotes(layout.name), path);
  output.layout = {layout.name, path, layout.match};
}

}  // namespace

Outcome inspect(const InspectJob& job, Progress& progress) {
  if (job.files.empty()) throw_bad_input("files", "no file is named", "kdyn inspect FILE...");
  Outcome outcome;
  InspectOutput output;
  std::vector<Finding>& all = output.findings;
  report::Document document{.title = std::filesystem::path(job.files.front()).filename().string(),
                            .subtitle = "What is in the data"};
  if (job.files.size() > 1) document.title += fmt::format(" and {} more", job.files.size() - 1);
  for (const std::string& path : job.files) {
    if (progress.stop_requested()) {
      outcome.complete = false;
      output.status = "stopped";
      break;
    }
    Inspected one;
    if (looks_like_json(path)) {
      const std::string content = read_text(path);
      // Records of laboratories are JSON too.
      one = is_json_record(content, path) ? inspect_exchange(path, job.read)
                                          : of(recognise_json(path, content), path, content);
    } else {
      one = inspect_exchange(path, job.read);
    }
    if (one.file.what.kind == "multibody" && !one.picture) {
      std::vector<ModelPlace> places;
      one.picture = model_picture(path, one.file.findings, places);
      for (ModelPlace& place : places) one.file.places.push_back({std::move(place.name), place.kind, place.at});
    }
    outcome.text += path + "\n";
    const std::vector<Finding>& findings = one.file.findings;
    for (const std::string& line : one.file.summary) outcome.text += "  " + line + "\n";
    outcome.text += findings_text(findings);
    if (findings.empty()) outcome.text += "  nothing to report\n";
    auto& section = document.section(path);
    section.add(report::Text{join(one.file.summary, "\n\n")});
    section.add(report::Findings{.findings = findings});
    for (report::PlotRow& row : one.plots) section.add(std::move(row));
    if (one.picture) section.add(std::move(*one.picture));
    outcome.inputs.push_back({path, one.file.what.source.sha256, {}});
    all.insert(all.end(), findings.begin(), findings.end());
    output.files.push_back(std::move(one.file));
  }
  if (!job.save_layout.empty()) keep_layout(job, output, outcome);
  to_json_fields(output, outcome.result);
  for (const auto& [severity, label] : {std::pair(Severity::serious, "Serious"),
                                        std::pair(Severity::warning, "Warnings"), std::pair(Severity::note, "Notes")}) {
    const auto count = std::count_if(all.begin(), all.end(),
                                     [severity = severity](const Finding& f) { return f.severity == severity; });
    const bool bad = count > 0 && severity != Severity::note;
    document.key_figures.push_back({.label = label,
                                    .value = count,
                                    .quality = !bad                            ? report::Quality::good
                                               : severity == Severity::serious ? report::Quality::poor
                                                                               : report::Quality::fair});
  }
  outcome.document = std::move(document);
  return outcome;
}

}  // namespace kdyn::app
