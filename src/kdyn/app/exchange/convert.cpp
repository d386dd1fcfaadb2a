// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <set>

#include <fmt/format.h>

#include "kdyn/app/exchange/exchange_outputs.hpp"
#include "kdyn/base/byte_source.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/doctor/doctor.hpp"
#include "kdyn/door/temperatures.hpp"
#include "kdyn/door/templates.hpp"

namespace kdyn {

const FieldTable& app::fields_of(const ConvertJob*) {
  using J = app::ConvertJob;
  static const FieldTable writing = FieldTable::of<ExchangeWriteOptions>("convert", [](FieldTable& t) {
    t.add(&ExchangeWriteOptions::binary, "binary", "-", "Binary values in .uff (58b) and .op4; false writes text");
    t.add(&ExchangeWriteOptions::version_73, "version_73", "-", "Write .mat as version 7.3 (HDF5) instead of 5");
    t.add(&ExchangeWriteOptions::matrix, "matrix", "-",
          "Which matrix goes into a format that holds one (.mtx, .sti, .mas)");
  });
  static const FieldTable table = FieldTable::of<J>("convert", [](FieldTable& t) {
    t.add(&J::input, "input", "-", "File to read, in any format kdyn knows").from_words().must_be_given().reads();
    t.add(&J::output, "output", "-", "File to write; its extension is the format")
        .from_words()
        .must_be_given()
        .writes();
    t.add(&J::channels, "channels", "-", "Signals to write, by name; group/name and * are understood; all when empty");
    t.include(&J::read, field_table<ReadHints>());
    t.include(&J::write, writing);
  });
  return table;
}

}  // namespace kdyn

namespace kdyn::app {
namespace {

// Maps of one part and direction that share no point (a sheet for each amplitude or preload) are one map.
void join_maps(Contents& contents) {
  if (contents.sets.size() < 2 || objects_of(contents).size() != 1) return;
  StiffnessMap& first = contents.sets.front().bench.map;
  std::set<std::string> points;
  for (const BenchSet& set : contents.sets) {
    if (set.bench.kind != BenchKind::map || set.bench.map.axis != first.axis) return;
    std::set<std::string> own;
    for (const MapRow& row : set.bench.map.rows)
      own.insert(fmt::format("{:.4g} {:.4g} {:.4g} {:.4g}", row.frequency_hz, row.amplitude, row.preload,
                             std::isnan(row.temperature_c) ? 0.0 : row.temperature_c));
    for (const std::string& point : own)
      if (!points.insert(point).second) return;
  }
  contents.findings.push_back({Severity::note, "maps_joined", contents.sets.front().place,
                               fmt::format("{} maps that share no point were joined", contents.sets.size()), ""});
  for (std::size_t i = 1; i < contents.sets.size(); ++i) {
    const std::vector<MapRow>& rows = contents.sets[i].bench.map.rows;
    first.rows.insert(first.rows.end(), rows.begin(), rows.end());
  }
  contents.sets.resize(1);
}

// What is doubtful about measurements; they are written as they were read.
std::vector<Finding> doubts(const std::vector<BenchSet>& sets) {
  std::vector<Finding> out;
  for (const BenchSet& set : sets) {
    std::vector<Finding> found;
    switch (set.bench.kind) {
      case BenchKind::map: found = examine(set.bench.map); break;
      case BenchKind::static_loop: found = examine(set.bench.loop); break;
      case BenchKind::series: found = examine(set.bench.series); break;
      case BenchKind::unknown: break;
    }
    std::copy_if(found.begin(), found.end(), std::back_inserter(out),
                 [](const Finding& f) { return f.severity != Severity::note; });
  }
  return out;
}

}  // namespace

Outcome convert(const ConvertJob& job, Progress&) {
  std::vector<Finding> told;
  Exchange exchange = read_exchange(job.input, options_for(job.input, job.read, told));
  const bool asked = !job.read.part.empty() || !job.read.direction.empty() || job.read.temperature;
  if (exchange.sets.size() > 1 || (!exchange.sets.empty() && asked)) {
    Contents contents;
    contents.sets = std::move(exchange.sets);
    label_temperatures(contents);
    if (asked) choose_object(contents, job.read);
    join_maps(contents);
    exchange.sets = std::move(contents.sets);
    told.insert(told.end(), contents.findings.begin(), contents.findings.end());
  }
  if (exchange.kind() == "unknown") {
    const bool told = !exchange.findings.empty();
    throw_bad_input(told ? exchange.findings.back().where : job.input,
                    told ? exchange.findings.back().message : "nothing that could be converted was found in it",
                    told ? exchange.findings.back().remedy : "see kdyn inspect");
  }
  if (exchange.kind() == "table")  // sheets that are no measurement: why, was found when they were read
    for (const Finding& f : exchange.findings)
      if (f.code == "table_not_recognised") throw_bad_input(f.where, f.message, f.remedy);
  take_signals(exchange, job.channels);
  std::error_code ec;
  if (std::filesystem::equivalent(job.input, job.output, ec))
    throw_bad_input("output", fmt::format("{} is the file that is read: it would be lost", in_quotes(job.output)),
                    "give it another name");
  std::vector<Finding> findings = exchange.findings;
  findings.insert(findings.end(), told.begin(), told.end());
  for (Finding& doubt : doubts(exchange.sets)) findings.push_back(std::move(doubt));
  const std::string kind = exchange.kind(), sha256 = exchange.sha256;
  const std::vector<std::string> words = exchange.words;
  write_exchange(std::move(exchange), job.output, job.write, findings);
  const auto file = ByteSource::open(job.output);
  const WrittenFile made = {job.output, static_cast<std::size_t>(file->size()), kdyn::sha256(*file)};
  Outcome outcome;
  to_json_fields(ConvertOutput{kind, {made}, words, findings}, outcome.result);
  outcome.inputs.push_back({job.input, sha256, {}});
  for (const std::string& line : words) outcome.text += line + "\n";
  outcome.text += findings_text(findings);
  outcome.text += fmt::format("wrote {} ({} bytes)\n", job.output, made.bytes);
  report::Document document{.title = "Conversion", .subtitle = job.input + " to " + job.output};
  document.section("What was in the file").add(report::Text{join(words, "\n\n")});
  document.section("Findings").add(report::Findings{findings});
  outcome.document = std::move(document);
  return outcome;
}

}  // namespace kdyn::app
