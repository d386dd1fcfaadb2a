// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>

#include <fmt/format.h>

#include "kdyn/app/display.hpp"
#include "kdyn/app/inputs.hpp"
#include "kdyn/app/vehicle_jobs.hpp"
#include "kdyn/base/error.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/io/signal_csv.hpp"

namespace kdyn {

const FieldTable& app::fields_of(const AssessJob*) {
  using J = app::AssessJob;
  static const FieldTable table = FieldTable::of<J>("assess", [](FieldTable& t) {
    t.add(&J::file, "file", "-", "Signals over time: time_s and any channels, units in the header").from_words().must_be_given();
    t.add(&J::compare, "compare", "-", "A second record: damage and comfort of the first are set in relation to it");
    t.add(&J::channels, "channels", "-", "Channels to assess; none: all");
    t.add(&J::weighting, "weighting", "-", "Weighting of channels whose name does not tell, e.g. {\"acc1\": \"Wk\"}; \"none\" leaves one out");
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

namespace kdyn::app {
namespace {

std::map<std::string, std::string> text_map(const Json& json, const char* option, const char* example) {
  if (!json.is_object()) throw_bad_input(option, "must be an object of channel and text", fmt::format("write {}", example));
  std::map<std::string, std::string> out;
  for (const auto& [channel, value] : json.items()) {
    if (!value.is_string()) throw_bad_input(fmt::format("{}.{}", option, channel), "must be text", fmt::format("write {}", example));
    out[channel] = value.get<std::string>();
  }
  return out;
}

class Assessor {
 public:
  Assessor(const AssessJob& job, std::vector<Finding>& findings)
      : job_(job),
        findings_(findings),
        weighting_(text_map(job.weighting, "weighting", R"({"acc1": "Wk"})")) {
    for (const auto& [channel, name] : weighting_)
      if (name != "none" && !weighting_named(name))
        throw_bad_input("weighting." + channel, fmt::format("unknown weighting {}", in_quotes(name)), "use Wk, Wd, Wc, We, Wj or none");
    reading_.units = text_map(job.units, "units", R"({"acc1": "g"})");
  }

  AssessedRecord assess(const std::string& path, Json& inputs) {
    const SignalTable table = read_signal_table(path, reading_);
    inputs.push_back(source_json(table.source));
    findings_.insert(findings_.end(), table.findings.begin(), table.findings.end());
    const SignalSet set = signals_of(table);
    check_names(table);
    const double step = set.signals.empty() ? 1.0 : set.signals.front().step_s;
    const auto [begin, end] = part_of(table, step);
    AssessedRecord record;
    record.name = std::filesystem::path(path).stem().string();
    std::map<std::string, std::vector<Comfort>> points;
    for (const Signal& signal : set.signals) {
      if (!job_.channels.empty() && std::find(job_.channels.begin(), job_.channels.end(), signal.name) == job_.channels.end()) continue;
      AssessedChannel channel = assess_channel(signal, begin, end, path);
      if (channel.comfort && !channel.point.empty()) points[channel.point].push_back(*channel.comfort);
      record.channels.push_back(std::move(channel));
    }
    if (record.channels.empty()) throw_bad_input(path, "there is no channel to assess", "give channels beside the time column");
    for (const auto& [point, axes] : points) record.totals[point] = vibration_total(axes);
    return record;
  }

 private:
  void check_names(const SignalTable& table) const {
    std::vector<std::string> names;
    for (const SignalColumn& c : table.columns) names.push_back(c.name);
    for (const std::string& wanted : job_.channels)
      if (std::find(names.begin(), names.end(), wanted) == names.end())
        throw_bad_input(fmt::format("{}:{}", table.name, table.header_line), fmt::format("there is no channel {}", in_quotes(wanted)),
                        suggest(wanted, names));
  }

  std::pair<std::size_t, std::size_t> part_of(const SignalTable& table, double step) const {
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
    out.values.assign(signal.values.begin() + static_cast<std::ptrdiff_t>(begin), signal.values.begin() + static_cast<std::ptrdiff_t>(end));
    for (std::size_t i = begin; i < end; ++i) out.time.push_back(signal.start_s + static_cast<double>(i) * signal.step_s);
    if (signal.unit.empty())
      findings_.push_back({Severity::warning, "no_unit", path,
                           fmt::format("channel {} carries no unit: it is counted as it is and gets no comfort value", in_quotes(signal.name)),
                           "write the unit into the header, such as seat_z [m/s^2]"});
    const bool linear = signal.unit == "m/s^2", angular = signal.unit == "rad/s^2";
    const auto given = weighting_.find(signal.name);
    if (given != weighting_.end() && given->second != "none" && !linear && !angular)
      throw_bad_input("weighting." + signal.name,
                      fmt::format("channel {} is in {} and cannot be weighted", signal.name, signal.unit.empty() ? "no unit" : signal.unit),
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
        findings_.push_back({Severity::note, "no_weighting", path, fmt::format("the name {} tells no axis: no comfort value", in_quotes(signal.name)),
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
      findings_.push_back({Severity::warning, "slow_sampling", path,
                           fmt::format("channel {}: at {:g} Hz there is nothing above {:g} Hz, but the weighting reaches to 80 Hz", c.name, c.rate_hz,
                                       0.5 * c.rate_hz),
                           "sample at 200 Hz or faster"});
    if (length < 10.0)
      findings_.push_back({Severity::note, "short", path,
                           fmt::format("{:.3g} s are short for a comfort value: below 1 Hz few cycles are in it", length),
                           "record a minute or more"});
    if (const double mean = c.comfort->mean; std::abs(mean) > 0.1 * c.comfort->unweighted_rms) {
      const bool gravity = std::abs(std::abs(mean) / 9.81 - 1.0) < 0.05;
      findings_.push_back({Severity::note, "offset", path,
                           fmt::format("channel {} has a mean of {:.3g} {}, {}; it was taken off before the weighting", c.name, mean, c.unit,
                                       gravity ? "which is gravity" : "an offset"),
                           "nothing to do for comfort; check the zero of the sensor if you do not expect it"});
    }
    if (c.comfort->shocks)
      findings_.push_back({Severity::note, "shocks", path,
                           fmt::format("channel {} holds shocks (crest factor {:.1f}, MTVV {:.2g} x rms): the rms alone underestimates it", c.name,
                                       c.comfort->crest_factor, c.comfort->mtvv / c.comfort->rms),
                           "judge by MTVV and VDV as well"});
  }

  const AssessJob& job_;
  std::vector<Finding>& findings_;
  std::map<std::string, std::string> weighting_;
  SignalTableOptions reading_;
};

// Cycles with at least these ranges, in 64 even classes: the exact counts of a long record would fill the file.
Json classes_json(const std::vector<Cycle>& cycles) {
  constexpr std::size_t classes = 64;
  const RangeSpectrum exact = cumulative_ranges(cycles);
  std::vector<double> range, count;
  for (std::size_t i = 0; i < classes && !exact.range.empty(); ++i) {
    range.push_back(exact.range.front() * (static_cast<double>(i) + 0.5) / classes);
    // Ranges fall: the first one below the class ends the count.
    const auto end = std::lower_bound(exact.range.begin(), exact.range.end(), range.back(), std::greater_equal<>());
    count.push_back(end == exact.range.begin() ? 0.0 : exact.cumulative[static_cast<std::size_t>(end - exact.range.begin()) - 1]);
  }
  return {{"range", range}, {"cycles_at_least", count}};
}

Json channel_json(const AssessedChannel& c) {
  Json out = {{"unit", c.unit},
              {"rate_hz", c.rate_hz},
              {"samples", c.values.size()},
              {"lowest", c.durability.lowest},
              {"highest", c.durability.highest},
              {"rms", c.durability.rms}};
  if (c.comfort)
    out["comfort"] = {{"weighting", to_string(c.comfort->weighting)},
                      {"k", c.comfort->factor},
                      {"weighted_rms", c.comfort->rms},
                      {"mtvv", c.comfort->mtvv},
                      {"mtvv_at_s", c.comfort->mtvv_at_s},
                      {"vdv", c.comfort->vdv},
                      {"crest_factor", c.comfort->crest_factor},
                      {"peak", c.comfort->peak},
                      {"shocks", c.comfort->shocks},
                      {"reaction", c.comfort->reaction},
                      {"vdi_2057", c.comfort->perception}};
  out["rainflow_cycles"] = c.durability.cycles;
  out["rainflow"] = classes_json(c.durability.rainflow_cycles);
  out["range_pairs"] = classes_json(c.durability.pair_cycles);
  out["psd"] = {{"frequency_hz", c.psd.frequency_hz}, {"density", c.psd.density}};
  return out;
}

void record_json(const AssessedRecord& record, Json& out) {
  for (const AssessedChannel& c : record.channels) {
    out["channels"][c.name] = channel_json(c);
    if (c.comfort) out["weighted_rms"][c.name] = c.comfort->rms;
    for (std::size_t i = 0; i < c.durability.exponents.size(); ++i) {
      out["damage"][c.name].push_back(
          {{"exponent", c.durability.exponents[i]}, {"damage", c.durability.damage[i]}, {"equivalent_amplitude", c.durability.equivalent[i]}});
    }
    out["level_crossings"][c.name] = {{"level", c.durability.crossings.level}, {"count", c.durability.crossings.count}};
  }
  for (const auto& [point, total] : record.totals) out["vibration_total"][point] = total;
}

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
  Json& out = outcome.result;
  out["status"] = "done";
  for (const char* key : {"weighted_rms", "vibration_total", "damage", "level_crossings", "channels"}) out[key] = Json::object();
  record_json(records[0], out);
  if (records.size() > 1) {
    record_json(records[1], out["compared"]);
    int common = 0;
    for (const AssessedChannel& c : records[0].channels) {
      const AssessedChannel* other = records[1].find(c.name);
      if (other == nullptr) continue;
      if (other->unit != c.unit)
        throw_bad_input(job.compare,
                        fmt::format("channel {} is in {} here and in {} in {}", c.name, other->unit.empty() ? "no unit" : other->unit,
                                    c.unit.empty() ? "no unit" : c.unit, job.file),
                        "compare signals of one quantity");
      ++common;
      Json relative = Json::array();  // the compared file over the first one
      for (std::size_t i = 0; i < c.durability.exponents.size(); ++i)
        relative.push_back({{"exponent", c.durability.exponents[i]}, {"ratio", other->durability.damage[i] / c.durability.damage[i]}});
      out["relative_damage"][c.name] = std::move(relative);
      if (c.comfort && other->comfort) out["relative_weighted_rms"][c.name] = other->comfort->rms / c.comfort->rms;
    }
    if (common == 0) throw_bad_input(job.compare, "the two files have no channel in common", "give both files the same channel names");
  }
  for (const AssessedRecord& record : records) {
    outcome.text += record.name + "\n";
    for (const AssessedChannel& c : record.channels) {
      outcome.text += fmt::format("  {:<20} rms {:<10.4g} {:<8}", c.name, c.durability.rms, c.unit);
      if (c.comfort)
        outcome.text += fmt::format(" {} weighted {:.4g}, MTVV {:.4g}, VDV {:.4g}: {}", to_string(c.comfort->weighting), c.comfort->rms,
                                    c.comfort->mtvv, c.comfort->vdv, c.comfort->reaction);
      outcome.text += "\n";
    }
    for (const auto& [point, total] : record.totals)
      outcome.text += fmt::format("  total of {}: {:.4g} m/s^2, {}\n", point, total, comfort_reaction(total));
  }
  out["findings"] = to_json(findings);
  to_json_fields(job, out["options_used"]);
  outcome.document = assess_report(job.title.empty() ? records[0].name : job.title, records, findings);
  progress.report(1.0, "done");
  return outcome;
}

}  // namespace kdyn::app
