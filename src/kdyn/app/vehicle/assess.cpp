// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>

#include <fmt/format.h>

#include "kdyn/app/inputs.hpp"
#include "kdyn/app/present/display.hpp"
#include "kdyn/app/present/shared_results.hpp"
#include "kdyn/app/vehicle/vehicle_jobs.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/io/signal_csv.hpp"
#include "kdyn/signal/channel_check.hpp"

namespace kdyn {

const FieldTable& app::fields_of(const AssessJob*) {
  using J = app::AssessJob;
  static const FieldTable table = FieldTable::of<J>("assess", [](FieldTable& t) {
    t.add(&J::file, "file", "-", "Signals over time: time_s and any channels, units in the header")
        .from_words()
        .must_be_given()
        .reads();
    t.add(&J::compare, "compare", "-", "A second record: damage and comfort of the first are set in relation to it")
        .reads();
    t.add(&J::channels, "channels", "-", "Channels to assess; none: all");
    t.add(&J::weighting, "weighting", "-",
          "Weighting of channels whose name does not tell, e.g. {\"acc1\": \"Wk\"}; \"none\" leaves one out");
    t.add(&J::units, "units", "-", "Units of channels that do not tell theirs, e.g. {\"acc1\": \"g\"}");
    t.add(&J::start_s, "start_s", "s", "Start of the assessed part, by the time column");
    t.add(&J::end_s, "end_s", "s", "End of the assessed part, by the time column");
    t.add(&J::exponents, "exponents", "-", "Woehler exponents of the pseudo-damage").range(1.0, 30.0);
    t.add(&J::equivalent_cycles, "equivalent_cycles", "-", "Cycles of the sine that does the same damage").above(0.0);
    t.add(&J::gate, "gate", "-", "Reversals below this share of the range are not counted").range(0.0, 0.5);
    t.add(&J::resolution_hz, "resolution_hz", "Hz", "Resolution of the power spectral density").range(1e-3, 1e3);
    t.add(&J::title, "title", "-", "Title of the report; by default the name of the file");
  });
  return table;
}

}  // namespace kdyn

namespace kdyn {

const FieldTable& fields_of(const Comfort*);
const FieldTable& fields_of(const Comfort*) {
  using C = Comfort;
  static const FieldTable table = FieldTable::results<C>("comfort", [](FieldTable& t) {
    t.add([](const C& c) { return to_string(c.weighting); }, "weighting", "-", "Frequency weighting of ISO 2631-1");
    t.add(&C::factor, "k", "-", "Factor of the axis");
    t.add(&C::rms, "weighted_rms", "m/s^2 or rad/s^2", "Weighted acceleration, rms");
    t.add(&C::mtvv, "mtvv", "m/s^2 or rad/s^2", "Maximum transient vibration value");
    t.add(&C::mtvv_at_s, "mtvv_at_s", "s", "When it is reached").shown_in("s");
    t.add(&C::vdv, "vdv", "m/s^1.75", "Fourth-power vibration dose value");
    t.add(&C::crest_factor, "crest_factor", "-", "Peak over rms");
    t.add(&C::peak, "peak", "m/s^2 or rad/s^2", "Largest weighted value");
    t.add(&C::shocks, "shocks", "-", "Whether the rms alone underestimates it");
    t.add(&C::reaction, "reaction", "-", "Likely reaction, ISO 2631-1 C.2.3");
    t.add(&C::perception, "vdi_2057", "-", "Perception, VDI 2057");
  });
  return table;
}

}  // namespace kdyn

namespace kdyn::app {
namespace {

// Cycles with at least these ranges, in 64 even classes: the exact counts of a long record would fill the file.
struct RangeClasses {
  std::vector<double> range, count;
  explicit RangeClasses(const std::vector<Cycle>& cycles) {
    constexpr std::size_t classes = 64;
    const RangeSpectrum exact = cumulative_ranges(cycles);
    for (std::size_t i = 0; i < classes && !exact.range.empty(); ++i) {
      range.push_back(exact.range.front() * (static_cast<double>(i) + 0.5) / classes);
      // Ranges fall: the first one below the class ends the count.
      const auto end = std::lower_bound(exact.range.begin(), exact.range.end(), range.back(), std::greater_equal<>());
      count.push_back(
          end == exact.range.begin() ? 0.0 : exact.cumulative[static_cast<std::size_t>(end - exact.range.begin()) - 1]);
    }
  }
};
const FieldTable& fields_of(const RangeClasses*) {
  using R = RangeClasses;
  static const FieldTable table = FieldTable::results<R>("range classes", [](FieldTable& t) {
    t.add(&R::range, "range", "as unit says", "Ranges, 64 even classes");
    t.add(&R::count, "cycles_at_least", "-", "Cycles with at least this range");
  });
  return table;
}

struct SpectrumShown {
  const Psd& of;
};
const FieldTable& fields_of(const SpectrumShown*) {
  using P = SpectrumShown;
  static const FieldTable table = FieldTable::results<P>("power spectral density", [](FieldTable& t) {
    t.add(
        [](const P& p) -> const auto& { return p.of.frequency_hz; }, "frequency_hz", "Hz", "Frequencies");
    t.add(
        [](const P& p) -> const auto& { return p.of.density; }, "density", "unit^2/Hz", "Density");
  });
  return table;
}

struct ChannelShown {
  const AssessedChannel* of = nullptr;
};
const FieldTable& fields_of(const ChannelShown*) {
  using C = ChannelShown;
  static const FieldTable table = FieldTable::results<C>("assessed channel", [](FieldTable& t) {
    t.add([](const C& c) { return c.of->unit; }, "unit", "-", "Unit");
    t.add([](const C& c) { return c.of->rate_hz; }, "rate_hz", "Hz", "Sampling rate");
    t.add([](const C& c) { return c.of->values.size(); }, "samples", "-", "Samples that were assessed");
    t.add([](const C& c) { return c.of->durability.lowest; }, "lowest", "as unit says", "Lowest value");
    t.add([](const C& c) { return c.of->durability.highest; }, "highest", "as unit says", "Highest value");
    t.add([](const C& c) { return c.of->durability.rms; }, "rms", "as unit says", "Root mean square");
    t.add(
         [](const C& c) -> const auto& { return c.of->comfort; }, "comfort", "-", "Ride comfort, of accelerations")
        .unless_null();
    t.add([](const C& c) { return c.of->durability.cycles; }, "rainflow_cycles", "-", "Rainflow cycles");
    t.add([](const C& c) { return RangeClasses(c.of->durability.rainflow_cycles); }, "rainflow", "-",
          "Rainflow cycles by range");
    t.add([](const C& c) { return RangeClasses(c.of->durability.pair_cycles); }, "range_pairs", "-",
          "Range pairs by range");
    t.add([](const C& c) { return SpectrumShown{c.of->psd}; }, "psd", "-", "Power spectral density");
  });
  return table;
}

struct DamageShown {
  double exponent = 0.0, damage = 0.0, amplitude = 0.0;
};
const FieldTable& fields_of(const DamageShown*) {
  using D = DamageShown;
  static const FieldTable table = FieldTable::results<D>("pseudo-damage", [](FieldTable& t) {
    t.add(&D::exponent, "exponent", "-", "Woehler exponent");
    t.add(&D::damage, "damage", "-", "Pseudo-damage");
    t.add(&D::amplitude, "equivalent_amplitude", "as unit says", "Amplitude of the sine that does the same");
  });
  return table;
}

struct CrossingsShown {
  const LevelCrossings* of = nullptr;
};
const FieldTable& fields_of(const CrossingsShown*) {
  using C = CrossingsShown;
  static const FieldTable table = FieldTable::results<C>("level crossings", [](FieldTable& t) {
    t.add(
        [](const C& c) -> const auto& { return c.of->level; }, "level", "as unit says", "Levels");
    t.add(
        [](const C& c) -> const auto& { return c.of->count; }, "count", "-", "Crossings");
  });
  return table;
}

template <class T>
using ByName = std::vector<std::pair<std::string, T>>;

// One record: values by channel, and by point of the body. A record that is compared has only those keys it has values
// for.
struct RecordShown {
  ByName<double> weighted_rms, vibration_total;
  ByName<std::vector<DamageShown>> damage;
  ByName<CrossingsShown> crossings;
  ByName<ChannelShown> channels;

  explicit RecordShown(const AssessedRecord& record) : vibration_total(record.totals.begin(), record.totals.end()) {
    for (const AssessedChannel& c : record.channels) {
      channels.emplace_back(c.name, ChannelShown{&c});
      if (c.comfort) weighted_rms.emplace_back(c.name, c.comfort->rms);
      std::vector<DamageShown> all;
      for (std::size_t i = 0; i < c.durability.exponents.size(); ++i)
        all.push_back({c.durability.exponents[i], c.durability.damage[i], c.durability.equivalent[i]});
      if (!all.empty()) damage.emplace_back(c.name, std::move(all));
      crossings.emplace_back(c.name, CrossingsShown{&c.durability.crossings});
    }
  }
};

constexpr const char *about_rms = "Weighted rms by channel", *about_total = "Vibration total value by point",
                     *about_damage = "Damage by channel", *about_crossings = "Level crossings by channel",
                     *about_channels = "All about each channel";

const FieldTable& fields_of(const RecordShown*) {
  using R = RecordShown;
  static const FieldTable table = FieldTable::results<R>("assessed record", [](FieldTable& t) {
    t.add(
         [](const R& r) -> const auto& { return r.channels; }, "channels", "-", about_channels)
        .unless_empty();
    t.add(
         [](const R& r) -> const auto& { return r.weighted_rms; }, "weighted_rms", "m/s^2 or rad/s^2", about_rms)
        .unless_empty();
    t.add(
         [](const R& r) -> const auto& { return r.damage; }, "damage", "-", about_damage)
        .unless_empty();
    t.add(
         [](const R& r) -> const auto& { return r.crossings; }, "level_crossings", "-", about_crossings)
        .unless_empty();
    t.add(
         [](const R& r) -> const auto& { return r.vibration_total; }, "vibration_total", "m/s^2", about_total)
        .unless_empty();
  });
  return table;
}

struct DamageRatio {
  double exponent = 0.0, ratio = 0.0;
};
const FieldTable& fields_of(const DamageRatio*) {
  static const FieldTable table = FieldTable::results<DamageRatio>("damage ratio", [](FieldTable& t) {
    t.add(&DamageRatio::exponent, "exponent", "-", "Woehler exponent");
    t.add(&DamageRatio::ratio, "ratio", "-", "Damage of the second record over that of the first");
  });
  return table;
}

}  // namespace

struct AssessOutput {
  const AssessJob& job;
  RecordShown first;
  std::optional<RecordShown> compared;
  ByName<std::vector<DamageRatio>> relative_damage;
  ByName<double> relative_rms;
  std::vector<Finding> findings;
};

const FieldTable& fields_of(const AssessOutput*) {
  using O = AssessOutput;
  static const FieldTable table = FieldTable::results<O>("assess result", [](FieldTable& t) {
    t.add([](const O&) { return "done"; }, "status", "-", "done");
    t.add(
        [](const O& o) -> const auto& { return o.first.weighted_rms; }, "weighted_rms", "m/s^2 or rad/s^2", about_rms);
    t.add(
        [](const O& o) -> const auto& { return o.first.vibration_total; }, "vibration_total", "m/s^2", about_total);
    t.add(
        [](const O& o) -> const auto& { return o.first.damage; }, "damage", "-", about_damage);
    t.add(
        [](const O& o) -> const auto& { return o.first.crossings; }, "level_crossings", "-", about_crossings);
    t.add(
        [](const O& o) -> const auto& { return o.first.channels; }, "channels", "-", about_channels);
    t.add(
         [](const O& o) -> const auto& { return o.compared; }, "compared", "-", "The same of the second record")
        .unless_null();
    t.add(
         [](const O& o) -> const auto& { return o.relative_damage; }, "relative_damage", "-",
         "Second record over the first, by channel")
        .unless_empty();
    t.add(
         [](const O& o) -> const auto& { return o.relative_rms; }, "relative_weighted_rms", "-",
         "Second record over the first, by channel")
        .unless_empty();
    add_findings<O>(t);
    t.add(
        [](const O& o) -> const auto& { return o.job; }, "options_used", "-", "All options");
  });
  return table;
}

namespace {

class Assessor {
 public:
  Assessor(const AssessJob& job, std::vector<Finding>& findings)
      : job_(job),
        findings_(findings),
        weighting_(job.weighting) {
    for (const auto& [channel, name] : weighting_)
      if (name != "none" && !weighting_named(name))
        throw_bad_input("weighting." + channel, fmt::format("unknown weighting {}", in_quotes(name)),
                        "use Wk, Wd, Wc, We, Wj or none");
    reading_.units = job.units;
  }

  AssessedRecord assess(const std::string& path, std::vector<Source>& inputs) {
    const SignalSet table = read_signal_table(path, reading_);
    inputs.push_back(table.source);
    findings_.insert(findings_.end(), table.findings.begin(), table.findings.end());
    const SignalSet set = evenly_sampled(table);
    check_names(table);
    const double step = set.signals.empty() ? 1.0 : set.signals.front().step_s;
    const auto [begin, end] = part_of(table, step);
    AssessedRecord record;
    record.name = std::filesystem::path(path).stem().string();
    std::map<std::string, std::vector<Comfort>> points;
    for (const Signal& signal : set.signals) {
      if (!job_.channels.empty() &&
          std::find(job_.channels.begin(), job_.channels.end(), signal.name) == job_.channels.end())
        continue;
      AssessedChannel channel = assess_channel(signal, begin, end, path);
      if (channel.comfort && !channel.point.empty()) points[channel.point].push_back(*channel.comfort);
      record.channels.push_back(std::move(channel));
    }
    if (record.channels.empty())
      throw_bad_input(path, "there is no channel to assess", "give channels beside the time column");
    for (const auto& [point, axes] : points) record.totals[point] = vibration_total(axes);
    return record;
  }

 private:
  void check_names(const SignalSet& table) const {
    std::vector<std::string> names;
    for (const Signal& c : table.signals) names.push_back(c.name);
    for (const std::string& wanted : job_.channels)
      if (std::find(names.begin(), names.end(), wanted) == names.end())
        throw_bad_input(fmt::format("{}:{}", table.name, table.header_line),
                        fmt::format("there is no channel {}", in_quotes(wanted)), suggest(wanted, names));
  }

  std::pair<std::size_t, std::size_t> part_of(const SignalSet& table, double step) const {
    std::size_t begin = 0, end = table.rows;
    while (job_.start_s && begin < end && table.time[begin] < *job_.start_s - 1e-9 * step) ++begin;
    while (job_.end_s && end > begin && table.time[end - 1] > *job_.end_s + 1e-9 * step) --end;
    if (end - begin < 16)
      throw_bad_input(table.name, fmt::format("only {} samples are left to assess", end - begin),
                      "check start_s and end_s against the time column, or record longer");
    return {begin, end};
  }

  AssessedChannel assess_channel(const Signal& signal, std::size_t begin, std::size_t end, const std::string& path) {
    AssessedChannel out;
    out.name = signal.name;
    out.unit = signal.unit;
    out.rate_hz = 1.0 / signal.step_s;
    out.values.assign(signal.values.begin() + static_cast<std::ptrdiff_t>(begin),
                      signal.values.begin() + static_cast<std::ptrdiff_t>(end));
    for (Finding& found : check_channel(out.values, signal.start_s + static_cast<double>(begin) * signal.step_s,
                                        signal.step_s, signal.name, path))
      findings_.push_back(std::move(found));
    for (std::size_t i = begin; i < end; ++i)
      out.time.push_back(signal.start_s + static_cast<double>(i) * signal.step_s);
    if (signal.unit.empty())
      findings_.push_back({Severity::warning, "no_unit", path,
                           fmt::format("channel {} carries no unit: it is counted as it is and gets no comfort value",
                                       in_quotes(signal.name)),
                           "write the unit into the header, such as seat_z [m/s^2]"});
    const bool linear = signal.unit == "m/s^2", angular = signal.unit == "rad/s^2";
    const auto given = weighting_.find(signal.name);
    if (given != weighting_.end() && given->second != "none" && !linear && !angular)
      throw_bad_input("weighting." + signal.name,
                      fmt::format("channel {} is in {} and cannot be weighted", signal.name,
                                  signal.unit.empty() ? "no unit" : signal.unit),
                      "weightings are for accelerations: m/s^2, g or rad/s^2");
    if ((linear || angular) && !(given != weighting_.end() && given->second == "none")) {
      const auto rule = axis_rule(signal.name, angular);
      if (rule) out.point = rule->point;
      std::optional<Weighting> weighting;
      double factor = 1.0;
      if (given != weighting_.end())
        weighting = weighting_named(given->second);
      else if (rule)
        weighting = rule->weighting, factor = rule->factor;
      if (weighting) {
        out.comfort = assess_comfort(out.values, out.rate_hz, *weighting, factor);
        judge(out, path);
      } else {
        findings_.push_back({Severity::note, "no_weighting", path,
                             fmt::format("the name {} tells no axis: no comfort value", in_quotes(signal.name)),
                             "end the name with _x, _y or _z, or give weighting"});
      }
    }
    out.durability = assess_durability(out.values, job_.exponents, job_.equivalent_cycles, job_.gate);
    out.psd = power_spectral_density(out.values, out.rate_hz, job_.resolution_hz);
    return out;
  }

  void judge(const AssessedChannel& c, const std::string& path) {
    const double length = static_cast<double>(c.values.size()) / c.rate_hz;
    if (c.rate_hz < 200.0)
      findings_.push_back(
          {Severity::warning, "slow_sampling", path,
           fmt::format("channel {}: at {:g} Hz there is nothing above {:g} Hz, but the weighting reaches to 80 Hz",
                       c.name, c.rate_hz, 0.5 * c.rate_hz),
           "sample at 200 Hz or faster"});
    if (length < 10.0)
      findings_.push_back(
          {Severity::note, "short", path,
           fmt::format("{:.3g} s are short for a comfort value: below 1 Hz few cycles are in it", length),
           "record a minute or more"});
    if (const double mean = c.comfort->mean; std::abs(mean) > 0.1 * c.comfort->unweighted_rms) {
      const bool gravity = std::abs(std::abs(mean) / 9.81 - 1.0) < 0.05;
      findings_.push_back({Severity::note, "offset", path,
                           fmt::format("channel {} has a mean of {:.3g} {}, {}; it was taken off before the weighting",
                                       c.name, mean, c.unit, gravity ? "which is gravity" : "an offset"),
                           "nothing to do for comfort; check the zero of the sensor if you do not expect it"});
    }
    if (c.comfort->shocks)
      findings_.push_back(
          {Severity::note, "shocks", path,
           fmt::format(
               "channel {} holds shocks (crest factor {:.1f}, MTVV {:.2g} x rms): the rms alone underestimates it",
               c.name, c.comfort->crest_factor, c.comfort->mtvv / c.comfort->rms),
           "judge by MTVV and VDV as well"});
  }

  const AssessJob& job_;
  std::vector<Finding>& findings_;
  const std::map<std::string, std::string>& weighting_;
  SignalTableOptions reading_;
};

}  // namespace

Outcome assess_job(const AssessJob& job, Progress& progress) {
  std::vector<Finding> findings;
  Assessor assessor(job, findings);
  Outcome outcome;
  std::vector<AssessedRecord> records;
  progress.report(0.0, "assessing");
  records.push_back(assessor.assess(job.file, outcome.inputs));
  if (!job.compare.empty()) {
    progress.report(0.5, "assessing the second record");
    records.push_back(assessor.assess(job.compare, outcome.inputs));
  }
  AssessOutput out{job, RecordShown(records[0]), {}, {}, {}, {}};
  if (records.size() > 1) {
    out.compared.emplace(records[1]);
    int common = 0;
    for (const AssessedChannel& c : records[0].channels) {
      const AssessedChannel* other = records[1].find(c.name);
      if (other == nullptr) continue;
      if (other->unit != c.unit)
        throw_bad_input(
            job.compare,
            fmt::format("channel {} is in {} here and in {} in {}", c.name,
                        other->unit.empty() ? "no unit" : other->unit, c.unit.empty() ? "no unit" : c.unit, job.file),
            "compare signals of one quantity");
      ++common;
      std::vector<DamageRatio>& relative = out.relative_damage.emplace_back(c.name, std::vector<DamageRatio>()).second;
      for (std::size_t i = 0; i < c.durability.exponents.size(); ++i)
        relative.push_back({c.durability.exponents[i], other->durability.damage[i] / c.durability.damage[i]});
      if (c.comfort && other->comfort) out.relative_rms.emplace_back(c.name, other->comfort->rms / c.comfort->rms);
    }
    if (common == 0)
      throw_bad_input(job.compare, "the two files have no channel in common", "give both files the same channel names");
  }
  for (const AssessedRecord& record : records) {
    outcome.text += record.name + "\n";
    for (const AssessedChannel& c : record.channels) {
      outcome.text += fmt::format("  {:<20} rms {:<10.4g} {:<8}", c.name, c.durability.rms, c.unit);
      if (c.comfort)
        outcome.text += fmt::format(" {} weighted {:.4g}, MTVV {:.4g}, VDV {:.4g}: {}", to_string(c.comfort->weighting),
                                    c.comfort->rms, c.comfort->mtvv, c.comfort->vdv, c.comfort->reaction);
      outcome.text += "\n";
    }
    for (const auto& [point, total] : record.totals)
      outcome.text += fmt::format("  total of {}: {:.4g} m/s^2, {}\n", point, total, comfort_reaction(total));
  }
  out.findings = findings;
  to_json_fields(out, outcome.result);
  outcome.document = assess_report(job.title.empty() ? records[0].name : job.title, records, findings);
  progress.report(1.0, "done");
  return outcome;
}

}  // namespace kdyn::app
