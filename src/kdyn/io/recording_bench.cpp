// SPDX-License-Identifier: Apache-2.0
// A recording as a time series of a mount bench: its displacement and its force are known by their units, or named.
#include <fmt/format.h>

#include "kdyn/base/byte_source.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/file.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/io/internal/recording_parts.hpp"
#include "kdyn/io/signal_csv.hpp"

namespace kdyn::inline io::internal {
namespace {

// The one column in this unit; nothing when there is none.
const SignalColumn* only(const SignalTable& table, const char* unit, const char* what) {
  const SignalColumn* found = nullptr;
  for (const SignalColumn& column : table.columns) {
    if (column.si_unit != unit) continue;
    if (found != nullptr)
      throw_bad_input(
          table.name,
          fmt::format("channels {} and {} are both in {}", in_quotes(found->name), in_quotes(column.name), unit),
          fmt::format("say which one is the {}, or kdyn convert FILE part.csv --channels NAME...", what));
    found = &column;
  }
  return found;
}

}  // namespace

BenchFile bench_of(const std::string& path, const BenchReadOptions& options) {
  SignalTableOptions reading;
  reading.units = options.units;
  SignalTable table = read_signal_table(path, reading);
  const auto named = [&](const char* meaning) -> const SignalColumn* {
    const auto given = options.columns.find(meaning);
    if (given == options.columns.end()) return nullptr;
    const SignalColumn* column = table.find(given->second);
    if (column == nullptr)
      throw_bad_input(path, fmt::format("there is no channel {} with these times", in_quotes(given->second)),
                      "see kdyn inspect");
    return column;
  };
  const SignalColumn *displacement = named("displacement"), *force = named("force");
  if (displacement == nullptr) displacement = only(table, "m", "displacement");
  const bool turns = displacement == nullptr ? (displacement = only(table, "rad", "angle")) != nullptr
                                             : displacement->si_unit == "rad";
  if (displacement == nullptr || (displacement->si_unit != "m" && displacement->si_unit != "rad"))
    throw_bad_input(path, "no channel is a displacement or an angle", "name it, and give its unit");
  if (force == nullptr) force = only(table, turns ? "N*m" : "N", turns ? "moment" : "force");
  if (force != nullptr && force->si_unit != (turns ? "N*m" : "N"))
    throw_bad_input(path,
                    fmt::format("channel {} is in {}, not in {}", in_quotes(force->name),
                                force->unit.empty() ? "no unit" : force->unit, turns ? "N*m" : "N"),
                    "choose another channel, or give its unit");
  BenchFile out;
  out.kind = BenchKind::series;
  out.series.axis = turns ? AxisKind::rotation : AxisKind::translation;
  out.series.displacement = displacement->values;
  if (force != nullptr) out.series.force = force->values;
  for (const SignalColumn& column : table.columns)
    if (&column != displacement && &column != force)
      table.findings.push_back({Severity::note, "channel_not_used", path,
                                fmt::format("channel {} was not used", in_quotes(column.name)), ""});
  out.series.time = std::move(table.time);
  out.series.source = std::move(table.source);
  out.findings = std::move(table.findings);
  return out;
}

}  // namespace kdyn::inline io::internal
