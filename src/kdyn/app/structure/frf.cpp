// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>

#include <fmt/format.h>

#include "kdyn/app/present/display.hpp"
#include "kdyn/app/present/response_view.hpp"
#include "kdyn/app/present/shared_results.hpp"
#include "kdyn/app/present/structure_plots.hpp"
#include "kdyn/app/structure/modal_inputs.hpp"
#include "kdyn/app/structure/modal_jobs.hpp"
#include "kdyn/data/dof_field.hpp"
#include "kdyn/io/exchange.hpp"
#include "kdyn/numerics/statistics.hpp"

namespace kdyn {

const FieldTable& app::fields_of(const FrfJob*) {
  using J = app::FrfJob;
  static const FieldTable table = FieldTable::of<J>("frf", [](FieldTable& t) {
    t.add(&J::data, "data", "-",
          "Time signals of force and responses: universal files, HDF5, MAT or CSV; one file for each run")
        .from_words()
        .must_be_given()
        .reads();
    t.add(&J::geometry, "geometry", "-", "File with the points of the structure; passed on to the next step").reads();
    t.add(&J::title, "title", "-", "Title of the report");
    t.include(&J::frf, field_table<FrfOptions>());
  });
  return table;
}

}  // namespace kdyn

namespace kdyn {
namespace {

const FieldTable& channel_table() {
  using C = FrequencyResponseChannel;
  static const FieldTable table = FieldTable::results<C>("channel", [](FieldTable& t) {
    t.add(&C::output, "output", "-", "Where the response was measured");
    t.add(&C::input, "input", "-", "Where the force acted");
    t.add(&C::output_unit, "output_unit", "-", "Unit of the response");
    t.add(&C::input_unit, "input_unit", "-", "Unit of the force");
  });
  return table;
}

}  // namespace

const FieldTable& fields_of(const BlockInfo*);
const FieldTable& fields_of(const FrequencyResponseChannel*);

const FieldTable& fields_of(const FrequencyResponseChannel*) { return channel_table(); }
const FieldTable& fields_of(const BlockInfo*) {
  using B = BlockInfo;
  static const FieldTable table = FieldTable::results<B>("block", [](FieldTable& t) {
    t.add(&B::start_s, "start_s", "s", "Start of the block").shown_in("s");
    t.add(&B::peak, "peak_n", "N", "Largest force");
    t.add(&B::second_peak, "second_peak", "-", "Hammer: largest force after the pulse, as part of the peak");
    t.add(&B::used, "used", "-", "Whether it was averaged");
    t.add(&B::reason, "reason", "-", "Why not");
  });
  return table;
}

}  // namespace kdyn

namespace kdyn::app {

struct FrfOutput {
  const FrfJob& job;
  const FrfEstimate& estimate;
  std::optional<double> coherence;
  std::vector<std::string> files;
};

const FieldTable& fields_of(const FrfOutput*) {
  using O = FrfOutput;
  static const FieldTable table = FieldTable::results<O>("frf result", [](FieldTable& t) {
    t.add([](const O&) { return "done"; }, "status", "-", "done");
    t.add([](const O& o) { return o.estimate.averages; }, "averages", "-", "Blocks for each input");
    t.add([](const O& o) { return o.estimate.added_decay; }, "added_decay", "1/s",
          "By the exponential window; kdyn modal takes it off");
    t.add([](const O& o) { return o.estimate.block_s; }, "block_s", "s", "Length of a block").shown_in("s");
    t.add([](const O& o) { return o.estimate.sample_rate; }, "sample_rate_hz", "Hz", "Sampling rate");
    t.add([](const O& o) { return o.estimate.response.frequency_hz.size(); }, "lines", "-", "Frequencies");
    t.add(
        [](const O& o) {
          return std::pair(o.estimate.response.frequency_hz.front(), o.estimate.response.frequency_hz.back());
        },
        "band_hz", "Hz", "First and last frequency");
    t.add(&O::coherence, "coherence_median", "-", "Median over lines and channels, where forces were measured")
        .unless_null();
    t.add(
         [](const O& o) -> const auto& { return o.estimate.response.channels; }, "channels", "-",
         "Responses that were estimated")
        .unless_empty();
    t.add(
        [](const O& o) -> const auto& { return o.estimate.blocks; }, "blocks", "-", "Blocks of the records");
    t.add(&O::files, "files", "-", "Files beside result.json");
    t.add(
        [](const O& o) -> const auto& { return o.estimate.findings; }, "findings", "-",
        "What was noticed, and what to do");
    t.add(
        [](const O& o) -> const auto& { return o.job; }, "options_used", "-", "All options");
  });
  return table;
}

namespace {

using namespace report;

// Worst, median and best coherence of the lines, over all channels.
std::optional<double> median_coherence(const FrequencyResponse& response) {
  std::vector<double> all;
  for (const auto& channel : response.channels)
    all.insert(all.end(), channel.coherence.begin(), channel.coherence.end());
  if (all.empty()) return std::nullopt;
  return median(std::move(all));
}

std::string channel_name(const FrequencyResponseChannel& channel) {
  return label(channel.output) + ":" + label(channel.input);
}

// The driving point when there is one, else the first channel; then channels spread over the rest.
std::vector<std::size_t> shown_channels(const FrequencyResponse& response, std::size_t most) {
  std::vector<std::size_t> shown;
  for (std::size_t c = 0; c < response.channels.size() && shown.empty(); ++c)
    if (response.channels[c].output == response.channels[c].input) shown.push_back(c);
  const std::size_t count = response.channels.size();
  for (std::size_t i = 0; shown.size() < std::min(most, count) && i < count; ++i) {
    const std::size_t c = i * std::max<std::size_t>(1, count / most) % count;
    if (std::find(shown.begin(), shown.end(), c) == shown.end()) shown.push_back(c);
  }
  return shown;
}

void add_blocks(Document& d, const FrfEstimate& estimate, const FrfJob& job) {
  auto& blocks = d.section("Blocks", "What was transformed and averaged.");
  Plot force{.title = "Force of the first block", .x = {"Time", "s"}, .y = {"Force", "N"}},
      answer{.title = "First response of the first block",
             .x = {"Time", "s"},
             .y = {"Response", estimate.response.channels.front().output_unit}};
  force.series.push_back(
      {.name = "windowed", .style = SeriesStyle::line, .x = estimate.example_time, .y = estimate.example_force});
  answer.series.push_back(
      {.name = "windowed", .style = SeriesStyle::line, .x = estimate.example_time, .y = estimate.example_response});
  force.height_px = answer.height_px = 220;
  blocks.add(PlotRow{{force, answer}, 0, false});
  if (job.frf.excitation == ModalExcitation::hammer) {
    Table table{.title = "Hits",
                .columns = {{.title = "Hit"},
                            {.title = "Start", .unit = "s"},
                            {.title = "Peak force", .unit = "N"},
                            {.title = "Second peak", .unit = "%", .digits = 3},
                            {.title = "Used"}}};
    for (std::size_t b = 0; b < estimate.blocks.size(); ++b) {
      const BlockInfo& info = estimate.blocks[b];
      table.rows.push_back({{b + 1, info.start_s, info.peak, 100.0 * info.second_peak,
                             info.used ? std::string("yes") : "no: " + info.reason},
                            info.used ? Quality::neutral : Quality::fair});
    }
    blocks.add(std::move(table));
  }
}

Document frf_report(const std::string& title, const FrfEstimate& estimate, const FrfJob& job) {
  const FrequencyResponse& response = estimate.response;
  const bool ambient = job.frf.excitation == ModalExcitation::ambient;
  Document d{
      .title = title,
      .subtitle = ambient ? "Half spectra of responses, forces not measured" : "Frequency responses from time signals"};
  const std::optional<double> coherence = median_coherence(response);
  const auto left_out =
      std::count_if(estimate.blocks.begin(), estimate.blocks.end(), [](const BlockInfo& b) { return !b.used; });
  d.key_figures.push_back({.label = "Channels", .value = response.channels.size()});
  d.key_figures.push_back({.label = "Lines",
                           .value = response.frequency_hz.size(),
                           .note = fmt::format("{:.4g} Hz apart", 1.0 / estimate.block_s)});
  d.key_figures.push_back({.label = "Averages",
                           .value = estimate.averages,
                           .quality = estimate.averages >= 3 ? Quality::good : Quality::fair,
                           .note = ambient ? "segments" : "blocks for each input"});
  if (coherence)
    d.key_figures.push_back({.label = "Coherence",
                             .value = *coherence,
                             .quality = *coherence > 0.95  ? Quality::good
                                        : *coherence > 0.8 ? Quality::fair
                                                           : Quality::poor,
                             .note = "median over lines and channels",
                             .digits = 3});
  if (job.frf.excitation == ModalExcitation::hammer)
    d.key_figures.push_back({.label = "Hits left out",
                             .value = left_out,
                             .quality = left_out == 0 ? Quality::good : Quality::fair,
                             .note = "double hits, clipped force"});
  if (estimate.added_decay > 0.0)
    d.key_figures.push_back({.label = "Added decay",
                             .value = estimate.added_decay,
                             .unit = "1/s",
                             .note = "exponential window; identifying the modes takes it off"});

  auto& section = d.section(ambient ? "Half spectra" : "Frequency responses",
                            ambient ? "Magnitude and phase of a few channels against a reference: they have the poles "
                                      "and shapes of frequency responses; all of them are in the files beside."
                                    : "Magnitude, phase and coherence of a few channels; all of them are in the files "
                                      "beside.");
  const std::vector<std::size_t> shown = shown_channels(response, 4);
  std::vector<ResponseCurve> curves;
  std::vector<std::string> groups;
  Plot coherence_plot{.title = "Coherence",
                      .x = {"Frequency", "Hz", false, response.frequency_hz.front(), response.frequency_hz.back()},
                      .y = {"Coherence", "", false, 0.0, 1.0},
                      .group_label = "Channel"};
  coherence_plot.height_px = 150;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const auto& channel = response.channels[shown[i]];
    groups.push_back(channel_name(channel));
    curves.push_back({"estimate", SeriesStyle::line, static_cast<int>(i), response.frequency_hz, channel.values});
    coherence_plot.series.push_back({.name = "estimate",
                                     .style = SeriesStyle::line,
                                     .x = response.frequency_hz,
                                     .y = channel.coherence,
                                     .group = static_cast<int>(i)});
  }
  coherence_plot.groups = groups;
  PlotRow row = bode(ambient ? "Half spectra" : "Frequency responses",
                     ambient ? "" : unit_of(response.channels[shown.front()]), curves, groups, "Channel");
  if (coherence) row.plots.push_back(std::move(coherence_plot));
  section.add(std::move(row));
  if (!response.channels[shown.front()].covariance.empty()) {
    const auto& channel = response.channels[shown.front()];
    Plot plot{.title = "Uncertainty of " + channel_name(channel),
              .x = {"Frequency", "Hz", false, response.frequency_hz.front(), response.frequency_hz.back()},
              .y = {"Magnitude", ambient ? "" : unit_of(channel), true}};
    Series value{.name = "estimate", .style = SeriesStyle::line, .x = response.frequency_hz},
        deviation{.name = "standard deviation", .style = SeriesStyle::line, .x = response.frequency_hz};
    for (std::size_t k = 0; k < channel.values.size(); ++k) {
      value.y.push_back(std::abs(channel.values[k]));
      deviation.y.push_back(std::sqrt(channel.covariance[k].re_re + channel.covariance[k].im_im));
    }
    plot.series = {std::move(value), std::move(deviation)};
    plot.height_px = 240;
    plot.caption = "Where the two meet, a line carries no information.";
    section.add(std::move(plot));
  }
  if (!ambient) add_blocks(d, estimate, job);
  d.section("Findings").add(Findings{.findings = estimate.findings, .when_empty = "Nothing unusual in the signals."});
  return d;
}

}  // namespace

Outcome frf_job(const FrfJob& job, Progress& progress) {
  progress.report(0.0, "reading");
  ModalInputs inputs;
  const std::vector<SignalSet> records = read_signals(job.data, inputs);
  read_geometry(job.geometry, inputs);
  progress.report(0.3, "averaging");
  FrfEstimate estimate = estimate_frf(records, job.frf);
  estimate.findings.insert(estimate.findings.begin(), inputs.findings.begin(), inputs.findings.end());
  const std::string title = !job.title.empty() ? job.title : std::filesystem::path(job.data.front()).stem().string();
  estimate.response.name = title;

  Outcome outcome;
  outcome.inputs = inputs.inputs;
  Exchange file;
  file.response = estimate.response;
  if (!inputs.geometry.nodes.empty()) file.geometry = inputs.geometry;
  for (const char* name : {"frf.uff", "frf.h5", "frf.csv"}) {
    Exchange part = file;
    // The text table has no place for points, and the store keeps responses apart from geometry.
    if (std::string(name) != "frf.uff") part.geometry.reset();
    std::vector<Finding> lost;
    outcome.files.push_back({name, exchange_bytes(part, name, {}, lost)});
  }
  to_json_fields(FrfOutput{job, estimate, median_coherence(estimate.response), names_of(outcome.files)},
                 outcome.result);
  outcome.text = fmt::format("done: {} channels, {} lines of {:.4g} Hz, {} averages", estimate.response.channels.size(),
                             estimate.response.frequency_hz.size(), 1.0 / estimate.block_s, estimate.averages);
  const std::optional<double> coherence = median_coherence(estimate.response);
  outcome.text += coherence ? fmt::format(", median coherence {:.3f}\n", *coherence) : "\n";
  outcome.text += findings_text(estimate.findings);
  outcome.document = frf_report(title, estimate, job);
  progress.report(1.0, "done");
  return outcome;
}

}  // namespace kdyn::app
