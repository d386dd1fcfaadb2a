// SPDX-License-Identifier: Apache-2.0
#include "kdyn/identify/compare.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/json.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/doctor/doctor.hpp"
#include "kdyn/element/simulate.hpp"
#include "kdyn/identify/internal/compare_items.hpp"
#include "kdyn/identify/internal/fit_setup.hpp"
#include "kdyn/identify/internal/law_candidate.hpp"
#include "kdyn/identify/map_noise.hpp"
#include "kdyn/numerics/levels.hpp"
#include "kdyn/signal/sine_fit.hpp"

namespace kdyn::inline identify {
namespace {

using namespace identify;
using C = std::complex<double>;

// A raw record with what is known about it.
struct Record {
  const BenchSeries* series;
  std::optional<SineReduction> sine;
};

SeriesMisfit simulate_record(Mount& mount, const Record& record) {
  const BenchSeries& s = *record.series;
  const std::vector<double> model = simulate(mount, s.time, s.displacement);
  const std::size_t first = record.sine ? record.sine->first : 0,
                    count = record.sine ? record.sine->count : s.time.size();
  double mean_model = 0.0, mean_force = 0.0, miss = 0.0, size = 0.0;
  for (std::size_t i = first; i < first + count; ++i)
    mean_model += model[i] / static_cast<double>(count), mean_force += s.force[i] / static_cast<double>(count);
  SeriesMisfit out;
  const std::size_t stride = std::max<std::size_t>(1, count / 1500);
  for (std::size_t i = first; i < first + count; ++i) {
    const double f = s.force[i] - mean_force, m = model[i] - mean_model;
    miss += (m - f) * (m - f);
    size += f * f;
    if ((i - first) % stride == 0) {
      out.displacement.push_back(s.displacement[i]);
      out.measured.push_back(f);
      out.model.push_back(m);
    }
  }
  out.force_rel = size > 0.0 ? std::sqrt(miss / size) : 0.0;
  return out;
}

// Rows of one preload the data doctor lets pass, and the records, with one row for each of a steady sine.
Items used_items(const ElastomerData& data, const CompareOptions& options, std::vector<Record>& records,
                 std::vector<Finding>& findings) {
  Items items;
  std::vector<MapRow>& rows = items.rows;
  if (!data.map.rows.empty()) {
    ElastomerData map_only;
    map_only.map = data.map;
    findings = examine_all(map_only);
    const std::vector<bool> usable = usable_rows(map_only, {}, findings);
    std::map<double, std::size_t> preloads;
    for (const MapRow& row : data.map.rows) ++preloads[row.preload];
    double chosen = preloads.begin()->first;
    for (const auto& [preload, n] : preloads) chosen = n > preloads[chosen] ? preload : chosen;
    if (options.preload) {
      chosen = *options.preload;
      if (!preloads.contains(chosen))
        throw_bad_input("preload", fmt::format("no row has the preload {:g} N", chosen),
                        "take one of the map's preloads");
    } else if (preloads.size() > 1) {
      findings.push_back({Severity::note, "one_preload", "preload",
                          fmt::format("the map has {} preloads; laws are compared at {:g} N", preloads.size(), chosen),
                          "choose another by --preload"});
    }
    for (std::size_t i = 0; i < data.map.rows.size(); ++i)
      if (usable[i] && data.map.rows[i].preload == chosen) rows.push_back(data.map.rows[i]);
  }
  items.record_of_row.assign(rows.size(), -1);
  for (const BenchSeries& series : data.series) {
    Record record{&series, reduce_sine_record(series.time, series.displacement, series.force)};
    items.records.push_back(make_fit_record(series, record.sine, findings));
    if (record.sine) {
      MapRow row;
      row.frequency_hz = record.sine->frequency_hz;
      row.amplitude = record.sine->amplitude;
      row.k_dyn = record.sine->k_dyn;
      row.loss_angle = record.sine->loss_angle;
      rows.push_back(row);
      items.record_of_row.push_back(static_cast<int>(items.records.size()) - 1);
      findings.push_back({Severity::note, "record_reduced", series.source.path,
                          fmt::format("steady sine of {:.4g} Hz and {:.4g} mm over {:.1f} cycles: {:.4g} N/mm, {:.1f} "
                                      "deg; {:.0f} % of the force is first harmonic",
                                      row.frequency_hz, 1e3 * row.amplitude, record.sine->cycles, 1e-3 * row.k_dyn,
                                      row.loss_angle * 180.0 / std::numbers::pi, 100.0 * record.sine->force_purity),
                          "nothing to do"});
    } else {
      findings.push_back({Severity::note, "record_not_sine", series.source.path,
                          "this record is no steady sine: laws are fitted to its force over time", "nothing to do"});
    }
    records.push_back(record);
  }
  items.starts = rows;
  if (rows.empty())
    for (const FitRecord& r : items.records) items.starts.push_back(r.guess);
  // A single record is left out in parts of its time.
  if (rows.empty() && items.records.size() == 1) items.records = parts_in_time(items.records.front(), 3);
  return items;
}

// Rows of one frequency and amplitude that disagree: no law can meet both, and the ranking means nothing.
void note_contradictions(const std::vector<MapRow>& rows, std::vector<Finding>& findings) {
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = i + 1; j < rows.size(); ++j) {
      const auto near = [](double a, double b) { return std::abs(a - b) < 0.05 * std::abs(b); };
      if (!near(rows[i].frequency_hz, rows[j].frequency_hz) || !near(rows[i].amplitude, rows[j].amplitude)) continue;
      const double ratio = std::abs(std::log(rows[i].k_dyn / rows[j].k_dyn));
      if (ratio < std::log(1.3)) continue;
      findings.push_back(
          {Severity::warning, "rows_contradict", "data",
           fmt::format("{:.4g} N/mm and {:.4g} N/mm, both at {:.3g} Hz and {:.3g} mm: the data are not those of one "
                       "part in one state",
                       1e-3 * rows[i].k_dyn, 1e-3 * rows[j].k_dyn, rows[i].frequency_hz, 1e3 * rows[i].amplitude),
           "compare the laws on the records of one preload and one part"});
      return;
    }
}

std::string verdict_of(const CompareResult& result) {
  if (result.laws.size() < 2) return "";
  const LawFit &best = result.laws[0], &second = result.laws[1];
  const char* what = result.cross_validated ? "predicts data left out of its fit" : "meets the data";
  std::string text = fmt::format("{} {} to {:.1f} % of the {}", best.title, what, 100.0 * best.score,
                                 result.rows.empty() ? "force" : "complex stiffness");
  if (second.score < 1.05 * best.score)
    text += fmt::format("; {} is as good ({:.1f} %), the data do not distinguish them.", second.title,
                        100.0 * second.score);
  else
    text += fmt::format(", the next best, {}, to {:.1f} %.", second.title, 100.0 * second.score);
  const LawFit& worst = result.laws.back();
  // Where the spread lies: over amplitudes or everywhere.
  if (worst.left_out_amplitudes && worst.left_out_frequencies && worst.score > 2.0 * best.score)
    text +=
        fmt::format(" {} is off by {:.0f} % on left-out amplitudes and {:.0f} % on left-out frequencies.", worst.title,
                    100.0 * worst.left_out_amplitudes->total, 100.0 * worst.left_out_frequencies->total);
  return text;
}

// Records of free motion have no rows to judge by: what the best law leaves of the force.
void judge_records(CompareResult& result) {
  constexpr double poor = 0.25;
  LawFit& best = result.laws.front();
  if (!(best.fit.total > poor)) return;
  const std::string words = fmt::format("the best law leaves {:.0f} % of the force", 100.0 * best.fit.total);
  if (result.status == "converged") result.status = "poor_fit", result.reason = words;
  for (ParameterEstimate& p : best.parameters)
    p.std = p.upper_95 = std::numeric_limits<double>::infinity(), p.lower_95 = 0.0;
  result.findings.push_back({Severity::serious, "poor_fit", "data", words,
                             "check units, signs and delays of the records, and whether they are of one part"});
  result.verdict = "None of the laws describes the data: " + words + ". " + result.verdict;
}

// The gate of all identifications on the best law: where it fails all do.
void judge_best(const Items& items, CompareResult& result) {
  const std::vector<std::size_t> of_map = all_of(items).rows;  // records are judged by their force, not by one harmonic
  if (of_map.empty()) return judge_records(result);
  StiffnessMap map;
  map.axis = result.axis;
  std::vector<ModelRow> model;
  for (const std::size_t i : of_map) {
    const C k = result.laws.front().stiffness[i];
    map.rows.push_back(result.rows[i]);
    model.push_back({std::abs(k), std::arg(k)});
  }
  const GateVerdict verdict = judge_fit(map_channels(map, std::vector<bool>(map.rows.size(), true), model));
  if (!verdict.poor) return;
  apply_gate(verdict,
             "none of the compared laws describes the data: check units, signs and whether all rows are of one part, "
             "preload and direction",
             result.status, result.reason, result.laws.front().parameters, result.findings);
  result.verdict = "None of the laws describes the data: " + verdict.words + ". " + result.verdict;
}

}  // namespace

const FieldTable& fields_of(const CompareOptions*) {
  using O = CompareOptions;
  static const FieldTable table = FieldTable::of<O>("fit compare", [](FieldTable& t) {
    t.add(&O::laws, "laws", "-", "Laws to compare; empty: " + join(compared_laws(), ", "));
    t.add(&O::maxwell_branches, "maxwell_branches", "-", "Branches of the generalised Maxwell law").range(1, 8);
    t.add(&O::frequency_blocks, "frequency_blocks", "-",
          "Cross-validation: blocks of neighbouring frequencies that are left out in turn")
        .range(2, 50);
    t.add(&O::starts, "starts", "-", "Start points of each fit").range(1, 100);
    t.add(&O::max_iterations, "max_iterations", "-", "Most iterations of one fit").range(1, 10000);
    t.add(&O::seed, "seed", "-", "Seed of the scattered start points").range(0, 9e15);
    t.add(&O::preload, "preload", "N", "Compare at this preload of the map; null: the one with most rows");
  });
  return table;
}

CompareResult compare_laws(const ElastomerData& data, const CompareOptions& options, Progress& progress) {
  for (const std::string& law : options.laws)
    if (std::find(compared_laws().begin(), compared_laws().end(), law) == compared_laws().end())
      throw_bad_input("laws", fmt::format("unknown law {}", in_quotes(law)), suggest(law, compared_laws()));
  CompareResult result;
  std::vector<Record> records;
  result.axis = !data.map.rows.empty() ? data.map.axis
                : !data.series.empty() ? data.series.front().axis
                                       : AxisKind::translation;
  const Items items = used_items(data, options, records, result.findings);
  result.rows = items.rows;
  if (items.starts.empty())
    throw_bad_input("data", "neither a map nor a record is given",
                    "give a map, or raw records of time, displacement, force");
  note_contradictions(result.rows, result.findings);
  std::vector<double> amplitudes, frequencies;
  for (const MapRow& row : result.rows)
    amplitudes.push_back(level_amplitude(row)), frequencies.push_back(row.frequency_hz);
  result.amplitude_levels = levels_of(amplitudes);
  result.frequency_levels = levels_of(frequencies, frequency_spread);
  const Folds by_amplitude = amplitude_folds(items, result.amplitude_levels);
  const Folds by_frequency =
      frequency_folds(items, result.frequency_levels, static_cast<std::size_t>(options.frequency_blocks));
  const Folds by_record = record_folds(items);
  const bool leaves_records =
      by_record.count > 1 || (by_record.count == 1 && items.records.size() + items.rows.size() > 1);
  result.cross_validated = by_amplitude.count > 1 || by_frequency.count > 1 || leaves_records;
  if (by_amplitude.count == 1)
    result.findings.push_back({Severity::warning, "one_amplitude", "data",
                               "all rows have one amplitude: laws with friction cannot be told from laws without",
                               "measure at three amplitudes or more"});
  if (by_frequency.count == 1)
    result.findings.push_back({Severity::warning, "one_frequency", "data",
                               "all rows have one frequency: the frequency dependence of the laws is not tested",
                               "measure at several frequencies"});

  const std::vector<std::string>& names = options.laws.empty() ? compared_laws() : options.laws;
  result.status = "converged";
  for (std::size_t n = 0; n < names.size(); ++n) {
    progress.report(static_cast<double>(n) / static_cast<double>(names.size()), names[n]);
    if (progress.stop_requested()) {
      result.status = "stopped";
      result.reason = fmt::format("stopped before {}", names[n]);
      break;
    }
    const auto begin = std::chrono::steady_clock::now();
    const LawCandidate law = make_law_candidate(names[n], items.starts, static_cast<int>(options.maxwell_branches));
    LawFit out;
    out.law = law.law;
    out.title = law.title;
    LogFitResult full = fit_rows(law, items.starts, options, progress);
    out.iterations = full.iterations;
    out.evaluations = full.evaluations;
    if (!items.records.empty()) {
      full = fit_seen(law, items, all_of(items), options, full, false, progress);
      out.iterations += full.iterations;
      out.evaluations += full.evaluations;
    }
    out.status = full.status;
    out.parameters = full.parameters;
    out.not_told_apart = full.not_told_apart;
    const std::unique_ptr<Mount> mount = law.mount(full.values);
    mount->to_json(out.model);
    std::vector<std::size_t> every_row(items.rows.size()), every_record(items.records.size());
    std::iota(every_row.begin(), every_row.end(), std::size_t{0});
    std::iota(every_record.begin(), every_record.end(), std::size_t{0});
    Distance distance{std::vector<C>(items.rows.size()), std::vector<double>(items.records.size(), 0.0)};
    measure(law, full.values, items, every_row, every_record, distance);
    for (std::size_t i = 0; i < items.rows.size(); ++i)
      out.stiffness.push_back(std::exp(distance.rows[i]) * measured(items.rows[i]));
    out.fit = misfit_of(items, distance, every_row, every_record);
    out.stiffness_at = [law, values = full.values](double frequency_hz, double amplitude) {
      MapRow row;
      row.frequency_hz = frequency_hz;
      row.amplitude = amplitude;
      Eigen::VectorXcd one;
      law.stiffness(values, {row}, one, nullptr);
      return one[0];
    };
    double square = 0.0;
    int splits = 0;
    const auto split = [&](const Folds& folds) {
      distance = predictions(law, items, folds, options, full, out, progress);
      const auto [rows, left_out] = left_out_items(folds);
      const Misfit m = misfit_of(items, distance, rows, left_out);
      square += m.total * m.total;
      ++splits;
      return m;
    };
    if (by_amplitude.count > 1) out.left_out_amplitudes = split(by_amplitude);
    for (std::size_t level = 0; level < result.amplitude_levels.size(); ++level) {
      std::vector<std::size_t> rows, of_level;
      for (std::size_t i = 0; i < items.rows.size(); ++i) {
        if (by_amplitude.of_row[i] != level) continue;
        rows.push_back(i);
        if (items.record_of_row[i] >= 0) of_level.push_back(static_cast<std::size_t>(items.record_of_row[i]));
      }
      out.amplitude_misfit.push_back(misfit_of(items, distance, rows, of_level).total);
    }
    if (by_frequency.count > 1) out.left_out_frequencies = split(by_frequency);
    if (leaves_records) out.left_out_records = split(by_record);
    out.score = splits > 0 ? std::sqrt(square / splits) : out.fit.total;
    if (!std::isfinite(out.score)) out.score = std::numeric_limits<double>::infinity();
    for (const Record& record : records) out.series.push_back(simulate_record(*mount, record));
    out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (full.status != "converged" && result.status == "converged") {
      result.findings.push_back({Severity::note, "fit_not_converged", out.law,
                                 fmt::format("the fit of {} ended without converging: {}", out.title, full.reason),
                                 "raise max_iterations"});
    }
    if (items.records.empty() && 2 * result.rows.size() < law.parameters.size() + 2)
      result.findings.push_back(
          {Severity::warning, "few_data", out.law,
           fmt::format("{} values for {} parameters of {}: its fit says little, its prediction is what counts",
                       2 * result.rows.size(), law.parameters.size(), out.title),
           "measure more amplitudes and frequencies"});
    result.laws.push_back(std::move(out));
  }
  std::stable_sort(result.laws.begin(), result.laws.end(),
                   [](const LawFit& a, const LawFit& b) { return a.score < b.score; });
  for (std::size_t i = 0; i < result.laws.size(); ++i) result.laws[i].rank = i + 1;
  if (!result.laws.empty() && result.laws.front().status != "converged" && result.status == "converged") {
    result.status = "not_converged";
    result.reason = "the fit of the best law did not converge";
  }
  result.verdict = verdict_of(result);
  if (!result.laws.empty()) judge_best(items, result);
  if (result.reason.empty())
    result.reason = items.records.empty()
                        ? fmt::format("{} laws fitted to {} rows", result.laws.size(), result.rows.size())
                        : fmt::format("{} laws fitted to {} rows of a map and {} records", result.laws.size(),
                                      all_of(items).rows.size(), records.size());
  return result;
}

}  // namespace kdyn::inline identify
