// SPDX-License-Identifier: Apache-2.0
#include "kdyn/identify/compare.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/json.hpp"
#include "kdyn/base/text.hpp"
#include "kdyn/doctor/doctor.hpp"
#include "kdyn/element/simulate.hpp"
#include "kdyn/identify/internal/fit_setup.hpp"
#include "kdyn/identify/internal/law_candidate.hpp"
#include "kdyn/identify/map_noise.hpp"
#include "kdyn/numerics/levels.hpp"
#include "kdyn/signal/sine_fit.hpp"

namespace kdyn::inline identify {
namespace {

using namespace identify;
using C = std::complex<double>;

C measured(const MapRow& row) { return std::polar(row.k_dyn, row.loss_angle); }

// What the row belongs to: the commanded amplitude where it is known, since achieved ones scatter.
double level_amplitude(const MapRow& row) {
  return row.nominal_amplitude > 0.0 ? row.nominal_amplitude : row.amplitude;
}

// The one fit of all laws: ln(K_model/K), real and imaginary part alike. A fit to part of the rows begins at the one to
// all of them and weighs them by its noise.
LogFitResult fit_rows(const LawCandidate& law, const std::vector<MapRow>& rows, const CompareOptions& options,
                      const LogFitResult* of_all, Progress& progress) {
  LogFitProblem problem;
  problem.parameters = law.parameters;
  problem.groups = {{"stiffness", "-", of_all != nullptr ? of_all->groups.front().noise : 0.02, of_all != nullptr}};
  problem.group_of.assign(2 * rows.size(), 0);
  problem.evaluate = [&](const Eigen::VectorXd& values, Eigen::VectorXd& r, Eigen::MatrixXd* J) {
    Eigen::VectorXcd K;
    Eigen::MatrixXcd dK;
    if (J != nullptr) dK.setZero(static_cast<Eigen::Index>(rows.size()), values.size());
    law.stiffness(values, rows, K, J != nullptr ? &dK : nullptr);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto at = static_cast<Eigen::Index>(i);
      const C ratio = std::log(K[at] / measured(rows[i]));
      r[2 * at] = ratio.real();
      r[2 * at + 1] = ratio.imag();
      if (J == nullptr) continue;
      const Eigen::RowVectorXcd relative = dK.row(at) / K[at];
      J->row(2 * at) = relative.real();
      J->row(2 * at + 1) = relative.imag();
    }
    return r.allFinite();
  };
  LogFitOptions settings;
  settings.max_iterations = static_cast<int>(options.max_iterations);
  settings.starts = of_all == nullptr ? static_cast<int>(options.starts) : 0;
  settings.scatter = 0.7;
  settings.tolerance = 1e-9;
  settings.seed = static_cast<std::uint64_t>(options.seed);
  settings.with_intervals = of_all == nullptr;
  settings.robust = false;
  if (of_all != nullptr) settings.also_from = of_all->values;
  return fit_log_parameters(problem, settings, progress);
}

Misfit misfit_of(const std::vector<C>& log_ratio) {
  Misfit m;
  const auto n = static_cast<double>(std::max<std::size_t>(log_ratio.size(), 1));
  for (const C& z : log_ratio) {
    m.k_dyn_rel += std::expm1(z.real()) * std::expm1(z.real()) / n;
    m.loss_angle += z.imag() * z.imag() / n;
    m.total += std::norm(z) / n;
  }
  return {std::sqrt(m.k_dyn_rel), std::sqrt(m.loss_angle), std::sqrt(m.total)};
}

// [identify E40] Each row's prediction by a fit that has not seen its fold.
std::vector<C> predictions(const LawCandidate& law, const std::vector<MapRow>& rows,
                           const std::vector<std::size_t>& fold_of, std::size_t folds, const CompareOptions& options,
                           const LogFitResult& full, LawFit& out, Progress& progress) {
  std::vector<C> log_ratio(rows.size());
  for (std::size_t fold = 0; fold < folds; ++fold) {
    std::vector<MapRow> seen, left_out;
    std::vector<std::size_t> index;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (fold_of[i] == fold)
        left_out.push_back(rows[i]), index.push_back(i);
      else
        seen.push_back(rows[i]);
    }
    const LogFitResult fit = fit_rows(law, seen, options, &full, progress);
    out.iterations += fit.iterations;
    out.evaluations += fit.evaluations;
    Eigen::VectorXcd K;
    law.stiffness(fit.values, left_out, K, nullptr);
    for (std::size_t k = 0; k < index.size(); ++k)
      log_ratio[index[k]] = std::log(K[static_cast<Eigen::Index>(k)] / measured(left_out[k]));
  }
  return log_ratio;
}

struct Folds {
  std::vector<std::size_t> of_row;
  std::size_t count = 0;
};

Folds amplitude_folds(const std::vector<MapRow>& rows, const std::vector<double>& levels) {
  Folds folds{{}, levels.size()};
  for (const MapRow& row : rows) folds.of_row.push_back(nearest_level(levels, level_amplitude(row)));
  return folds;
}

Folds frequency_folds(const std::vector<MapRow>& rows, const std::vector<double>& levels, std::size_t blocks) {
  Folds folds{{}, std::min(blocks, levels.size())};
  for (const MapRow& row : rows)
    folds.of_row.push_back(nearest_level(levels, row.frequency_hz) * folds.count / levels.size());
  return folds;
}

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

// Rows of one preload the data doctor lets pass, and one row per sine record.
std::vector<MapRow> used_rows(const ElastomerData& data, const CompareOptions& options, std::vector<Record>& records,
                              std::vector<Finding>& findings) {
  std::vector<MapRow> rows;
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
  for (const BenchSeries& series : data.series) {
    Record record{&series, reduce_sine_record(series.time, series.displacement, series.force)};
    if (record.sine) {
      MapRow row;
      row.frequency_hz = record.sine->frequency_hz;
      row.amplitude = record.sine->amplitude;
      row.k_dyn = record.sine->k_dyn;
      row.loss_angle = record.sine->loss_angle;
      rows.push_back(row);
      findings.push_back({Severity::note, "record_reduced", series.source.path,
                          fmt::format("steady sine of {:.4g} Hz and {:.4g} mm over {:.1f} cycles: {:.4g} N/mm, {:.1f} "
                                      "deg; {:.0f} % of the force is first harmonic",
                                      row.frequency_hz, 1e3 * row.amplitude, record.sine->cycles, 1e-3 * row.k_dyn,
                                      row.loss_angle * 180.0 / std::numbers::pi, 100.0 * record.sine->force_purity),
                          "nothing to do"});
    } else {
      findings.push_back({Severity::note, "record_not_sine", series.source.path,
                          "this record is no steady sine: laws are checked on it but not fitted to it",
                          "give a map or records of steady sines for the fit"});
    }
    records.push_back(record);
  }
  return rows;
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
  const char* what = result.cross_validated ? "predicts what it has not seen" : "meets the data";
  std::string text = fmt::format("{} {} to {:.1f} % of the complex stiffness", best.title, what, 100.0 * best.score);
  if (second.score < 1.05 * best.score)
    text +=
        fmt::format("; {} is as good ({:.1f} %), the data do not tell them apart.", second.title, 100.0 * second.score);
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

// The gate of all identifications on the best law: where it fails all do.
void judge_best(CompareResult& result) {
  StiffnessMap map;
  map.axis = result.axis;
  map.rows = result.rows;
  std::vector<ModelRow> model;
  for (const C& k : result.laws.front().stiffness) model.push_back({std::abs(k), std::arg(k)});
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
  result.rows = used_rows(data, options, records, result.findings);
  if (result.rows.empty())
    throw_bad_input("data", "neither a map nor a record of a steady sine is given",
                    "give a map, or raw records of steady sines");
  note_contradictions(result.rows, result.findings);
  std::vector<double> amplitudes, frequencies;
  for (const MapRow& row : result.rows)
    amplitudes.push_back(level_amplitude(row)), frequencies.push_back(row.frequency_hz);
  result.amplitude_levels = levels_of(amplitudes);
  result.frequency_levels = levels_of(frequencies, frequency_spread);
  const Folds by_amplitude = amplitude_folds(result.rows, result.amplitude_levels);
  const Folds by_frequency =
      frequency_folds(result.rows, result.frequency_levels, static_cast<std::size_t>(options.frequency_blocks));
  result.cross_validated = by_amplitude.count > 1 || by_frequency.count > 1;
  if (by_amplitude.count < 2)
    result.findings.push_back({Severity::warning, "one_amplitude", "data",
                               "all rows have one amplitude: laws with friction cannot be told from laws without",
                               "measure at three amplitudes or more"});
  if (by_frequency.count < 2)
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
    const LawCandidate law = make_law_candidate(names[n], result.rows, static_cast<int>(options.maxwell_branches));
    LawFit out;
    out.law = law.law;
    out.title = law.title;
    const LogFitResult full = fit_rows(law, result.rows, options, nullptr, progress);
    out.status = full.status;
    out.parameters = full.parameters;
    out.not_told_apart = full.not_told_apart;
    out.iterations = full.iterations;
    out.evaluations = full.evaluations;
    const std::unique_ptr<Mount> mount = law.mount(full.values);
    mount->to_json(out.model);
    Eigen::VectorXcd K;
    law.stiffness(full.values, result.rows, K, nullptr);
    std::vector<C> log_ratio;
    for (std::size_t i = 0; i < result.rows.size(); ++i) {
      out.stiffness.push_back(K[static_cast<Eigen::Index>(i)]);
      log_ratio.push_back(std::log(out.stiffness.back() / measured(result.rows[i])));
    }
    out.fit = misfit_of(log_ratio);
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
    if (by_amplitude.count > 1) {
      log_ratio = predictions(law, result.rows, by_amplitude.of_row, by_amplitude.count, options, full, out, progress);
      out.left_out_amplitudes = misfit_of(log_ratio);
      square += out.left_out_amplitudes->total * out.left_out_amplitudes->total;
      ++splits;
    }
    for (std::size_t level = 0; level < result.amplitude_levels.size(); ++level) {
      std::vector<C> part;
      for (std::size_t i = 0; i < result.rows.size(); ++i)
        if (by_amplitude.of_row[i] == level) part.push_back(log_ratio[i]);
      out.amplitude_misfit.push_back(misfit_of(part).total);
    }
    if (by_frequency.count > 1) {
      out.left_out_frequencies = misfit_of(
          predictions(law, result.rows, by_frequency.of_row, by_frequency.count, options, full, out, progress));
      square += out.left_out_frequencies->total * out.left_out_frequencies->total;
      ++splits;
    }
    out.score = splits > 0 ? std::sqrt(square / splits) : out.fit.total;
    if (!std::isfinite(out.score)) out.score = std::numeric_limits<double>::infinity();
    for (const Record& record : records) out.series.push_back(simulate_record(*mount, record));
    out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (full.status != "converged" && result.status == "converged") {
      result.findings.push_back({Severity::note, "fit_not_converged", out.law,
                                 fmt::format("the fit of {} ended without converging: {}", out.title, full.reason),
                                 "raise max_iterations"});
    }
    if (2 * result.rows.size() < law.parameters.size() + 2)
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
  if (!result.laws.empty()) judge_best(result);
  if (result.reason.empty())
    result.reason = fmt::format("{} laws fitted to {} rows", result.laws.size(), result.rows.size());
  return result;
}

}  // namespace kdyn::inline identify
