// SPDX-License-Identifier: Apache-2.0
// Pictures of ride comfort and durability, one record or two beside each other.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kdyn/app/present/display.hpp"
#include "kdyn/app/vehicle/vehicle_jobs.hpp"
#include "kdyn/base/text.hpp"

namespace kdyn::app {
namespace {

using namespace report;

// Draws one thing of a channel for every record.
template <class Make>
Plot for_records(Plot plot, const std::vector<AssessedRecord>& records, const std::string& channel, Make&& make) {
  for (std::size_t i = 0; i < records.size(); ++i)
    if (const AssessedChannel* c = records[i].find(channel)) {
      Series s = make(*c);
      s.name = records[i].name;
      s.group = static_cast<int>(i);
      plot.series.push_back(std::move(s));
    }
  plot.height_px = 260;
  return plot;
}

std::string density_unit(const std::string& unit) { return unit.empty() ? "1/Hz" : "(" + unit + ")^2/Hz"; }

void channel_section(Document& d, const std::vector<AssessedRecord>& records, const AssessedChannel& first) {
  auto& section =
      d.section(first.name, first.comfort ? fmt::format("{} weighting, {}", to_string(first.comfort->weighting),
                                                        meaning_of(first.comfort->weighting))
                                          : "");
  const std::string& unit = first.unit;
  const Plot time = for_records({.title = "Signal", .x = {"Time", "s"}, .y = {first.name, unit}}, records, first.name,
                                [](const AssessedChannel& c) { return Series{.x = c.time, .y = c.values}; });
  // Seven decades below the peak there is rounding only.
  const double peak =
      first.psd.density.empty() ? 0.0 : *std::max_element(first.psd.density.begin(), first.psd.density.end());
  report::Axis density{"Density", density_unit(unit), true};
  if (peak > 0.0) density.lower = 1e-7 * peak;
  const Plot psd = for_records({.title = "Power spectral density", .x = {"Frequency", "Hz", true}, .y = density},
                               records, first.name, [](const AssessedChannel& c) {
                                 Series s;
                                 for (std::size_t k = 1; k < c.psd.frequency_hz.size(); ++k)
                                   s.x.push_back(c.psd.frequency_hz[k]), s.y.push_back(c.psd.density[k]);
                                 return s;
                               });
  if (first.comfort) {
    const Plot running = for_records(
        {.title = "Running rms, 1 s, weighted", .x = {"Time", "s"}, .y = {"a_w", unit}}, records, first.name,
        [](const AssessedChannel& c) { return c.comfort ? Series{.x = c.time, .y = c.comfort->running} : Series{}; });
    section.add(PlotRow{{time, running}, 0, true});
  } else {
    section.add(time);
  }
  Plot ranges = for_records(
      {.title = "Rainflow ranges", .x = {"Cycles with at least this range", "", true}, .y = {"Range", unit}}, records,
      first.name, [](const AssessedChannel& c) {
        const RangeSpectrum r = cumulative_ranges(c.durability.rainflow_cycles);
        return Series{.x = r.cumulative, .y = r.range};
      });
  if (records.size() == 1) {  // with two records four lines would be too many
    const RangeSpectrum pairs = cumulative_ranges(first.durability.pair_cycles);
    ranges.series.push_back({.name = "range pairs",
                             .style = SeriesStyle::dashed_line,
                             .x = pairs.cumulative,
                             .y = pairs.range,
                             .group = 1});
  }
  const Plot crossings = for_records({.title = "Level crossings", .x = {"Crossings", "", true}, .y = {"Level", unit}},
                                     records, first.name, [](const AssessedChannel& c) {
                                       return Series{.style = SeriesStyle::line_and_markers,
                                                     .x = c.durability.crossings.count,
                                                     .y = c.durability.crossings.level};
                                     });
  section.add(PlotRow{{psd, ranges, crossings}, 0, false});
}

Table comfort_table(const std::vector<AssessedRecord>& records) {
  Table table;
  table.columns = {{"Record"},
                   {"Channel"},
                   {"Weighting"},
                   {"a_w", "m/s^2", Align::right, 3},
                   {"MTVV", "m/s^2", Align::right, 3},
                   {"VDV", "m/s^1.75", Align::right, 3},
                   {"Crest factor", "", Align::right, 3},
                   {"ISO 2631-1"},
                   {"VDI 2057"}};
  for (const AssessedRecord& record : records) {
    for (const AssessedChannel& c : record.channels)
      if (c.comfort)
        table.rows.push_back(
            {{record.name, c.name, fmt::format("{}, k {:g}", to_string(c.comfort->weighting), c.comfort->factor),
              c.comfort->rms, c.comfort->mtvv, c.comfort->vdv, c.comfort->crest_factor, c.comfort->reaction,
              c.comfort->perception},
             c.comfort->shocks ? Quality::fair : Quality::neutral});
    for (const auto& [point, total] : record.totals)
      table.rows.push_back({{record.name, point + ", all axes", "total value", total, Value(), Value(), Value(),
                             comfort_reaction(total), ""},
                            Quality::good});
  }
  table.note = "Shaded: the signal holds shocks, judge by MTVV and VDV as well.";
  return table;
}

Table damage_table(const std::vector<AssessedRecord>& records) {
  Table table;
  table.columns = {{"Channel"}, {"Unit"}};
  for (const AssessedRecord& record : records)
    table.columns.push_back({records.size() > 1 ? "Range, " + record.name : "Range", "", Align::right, 4});
  if (records.size() == 1) table.columns.push_back({"Rainflow cycles", "", Align::right, 5});
  const auto& exponents = records[0].channels[0].durability.exponents;
  for (const double k : exponents)
    table.columns.push_back(
        {fmt::format("{}, k = {:g}", records.size() > 1 ? "Damage ratio" : "Amplitude", k), "", Align::right, 3});
  for (const AssessedChannel& c : records[0].channels) {
    Row row{{c.name, c.unit, c.durability.highest - c.durability.lowest}};
    const AssessedChannel* other = records.size() > 1 ? records[1].find(c.name) : nullptr;
    if (records.size() > 1 && other == nullptr) continue;
    row.cells.emplace_back(other != nullptr ? other->durability.highest - other->durability.lowest
                                            : c.durability.cycles);
    for (std::size_t i = 0; i < exponents.size(); ++i) {
      const double value =
          other != nullptr ? other->durability.damage[i] / c.durability.damage[i] : c.durability.equivalent[i];
      row.cells.emplace_back(value);
      if (other != nullptr && (value > 2.0 || value < 0.5)) row.quality = Quality::fair;
    }
    table.rows.push_back(std::move(row));
  }
  table.note = records.size() > 1 ? fmt::format("Ratio: {} over {}. Shaded: apart by more than a factor of 2.",
                                                records[1].name, records[0].name)
                                  : fmt::format("Amplitude: of the sine that does the same damage in {:g} cycles.",
                                                records[0].channels[0].durability.equivalent_cycles);
  return table;
}

double percent(double value, double of) { return 100.0 * (value / of - 1.0); }

// The middle one of the chosen exponents stands for all where one number must do.
double damage_ratio(const AssessedChannel& first, const AssessedChannel& second) {
  const std::size_t middle = first.durability.exponents.size() / 2;
  return second.durability.damage[middle] / first.durability.damage[middle];
}

std::string verdict(const std::vector<AssessedRecord>& records) {
  std::vector<std::string> lines;
  const AssessedRecord& first = records[0];
  for (const auto& [point, total] : first.totals) {
    std::string line = fmt::format("Ride at the {}: {:.3g} m/s^2, {}", point, total, comfort_reaction(total));
    if (records.size() > 1)
      if (const auto other = records[1].totals.find(point); other != records[1].totals.end())
        line += fmt::format("; {} has {:.3g} m/s^2 ({:+.0f} %), {}", records[1].name, other->second,
                            percent(other->second, total), comfort_reaction(other->second));
    lines.push_back(line + ".");
  }
  std::vector<std::string> shocks, more, less;
  for (const AssessedRecord& record : records)
    for (const AssessedChannel& c : record.channels)
      if (c.comfort && c.comfort->shocks && std::find(shocks.begin(), shocks.end(), c.name) == shocks.end())
        shocks.push_back(c.name);
  if (!shocks.empty()) lines.push_back("Shocks in " + join(shocks, ", ") + ": judge by MTVV and VDV as well.");
  if (records.size() > 1) {
    for (const AssessedChannel& c : first.channels)
      if (const AssessedChannel* other = records[1].find(c.name); other != nullptr && !c.durability.damage.empty()) {
        const double ratio = damage_ratio(c, *other);
        if (ratio > 1.0 / 0.9) more.push_back(fmt::format("{} x {:.2g}", c.name, ratio));
        if (ratio < 0.9) less.push_back(fmt::format("{} x {:.2g}", c.name, ratio));
      }
    if (!more.empty()) lines.push_back(fmt::format("{} does more damage: {}.", records[1].name, join(more, ", ")));
    if (!less.empty()) lines.push_back(fmt::format("{} does less damage: {}.", records[1].name, join(less, ", ")));
    if (more.empty() && less.empty()) lines.push_back("Damage is the same within a tenth in every channel.");
  }
  return join(lines, "\n\n");
}

void add_key_figures(Document& d, const std::vector<AssessedRecord>& records) {
  for (const AssessedRecord& record : records)
    for (const auto& [point, total] : record.totals)
      d.key_figures.push_back({.label = fmt::format("{}, total value", point),
                               .value = total,
                               .unit = "m/s^2",
                               .quality = total < 0.5    ? Quality::good
                                          : total < 1.25 ? Quality::fair
                                                         : Quality::poor,
                               .note = records.size() > 1 ? record.name : comfort_reaction(total),
                               .digits = 3});
  for (const AssessedChannel& c : records[0].channels) {
    if (d.key_figures.size() >= 6) break;
    const AssessedChannel* other = records.size() > 1 ? records[1].find(c.name) : nullptr;
    if (other != nullptr && !c.durability.damage.empty()) {
      const double ratio = damage_ratio(c, *other);
      d.key_figures.push_back({.label = "Damage ratio, " + c.name,
                               .value = ratio,
                               .quality = ratio > 0.5 && ratio < 2.0 ? Quality::good : Quality::fair,
                               .note = fmt::format("{} over {}, exponent {:g}", records[1].name, records[0].name,
                                                   c.durability.exponents[c.durability.exponents.size() / 2]),
                               .digits = 3});
    } else if (records.size() == 1 && c.comfort) {
      d.key_figures.push_back({.label = c.name + ", weighted rms",
                               .value = c.comfort->rms,
                               .unit = c.unit,
                               .note = c.comfort->perception,
                               .digits = 3});
    }
  }
}

}  // namespace

Document assess_report(const std::string& title, const std::vector<AssessedRecord>& records,
                       const std::vector<Finding>& findings) {
  Document d{.title = title,
             .subtitle = records.size() > 1
                             ? fmt::format("Ride comfort and durability, compared with {}", records[1].name)
                             : "Ride comfort and durability"};
  add_key_figures(d, records);
  if (const std::string text = verdict(records); !text.empty()) d.section("Verdict").named("verdict").add(Text{text});
  const bool comfort = std::any_of(records.begin(), records.end(), [](const AssessedRecord& r) {
    return std::any_of(r.channels.begin(), r.channels.end(), [](const auto& c) { return c.comfort.has_value(); });
  });
  if (comfort)
    d.section("Ride comfort", "ISO 2631-1 with the words of the standard and of VDI 2057.")
        .named("comfort")
        .add(comfort_table(records));
  d.section("Durability", "Rainflow after ASTM E1049 on exact ranges; only ratios of damage mean something.")
      .named("durability")
      .add(damage_table(records));
  for (const AssessedChannel& c : records[0].channels) channel_section(d, records, c);
  d.section("Findings").add(Findings{.findings = findings, .when_empty = "Nothing unusual in the signals."});
  return d;
}

}  // namespace kdyn::app
