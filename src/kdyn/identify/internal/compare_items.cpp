// SPDX-License-Identifier: Apache-2.0
#include "kdyn/identify/internal/compare_items.hpp"

#include <algorithm>
#include <cmath>

#include "kdyn/numerics/levels.hpp"

namespace kdyn::inline identify {
namespace {

using C = std::complex<double>;

// ln(K_model/K) of rows, two residuals each, from `at` on.
void put_rows(const LawCandidate& law, const Eigen::VectorXd& values, const std::vector<MapRow>& rows,
              Eigen::VectorXd& r, Eigen::MatrixXd* J) {
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
}

// The force of a record, about its mean and over the measured variation, from `at` on.
Eigen::Index put_record(const LawCandidate& law, const Eigen::VectorXd& values, const FitRecord& record,
                        Eigen::Index at, Eigen::VectorXd& r, Eigen::MatrixXd* J) {
  Eigen::VectorXd force;
  Eigen::MatrixXd slope;
  law.force(values, record, force, J != nullptr ? &slope : nullptr);
  const Eigen::Index n = force.size();
  const double mean = force.mean();
  for (Eigen::Index i = 0; i < n; ++i)
    r[at + i] =
        (force[i] - mean - (record.force[record.scored[static_cast<std::size_t>(i)]] - record.mean)) / record.size;
  if (J != nullptr) {
    const Eigen::RowVectorXd mean_slope = slope.colwise().mean();
    for (Eigen::Index i = 0; i < n; ++i) J->row(at + i) = (slope.row(i) - mean_slope) / record.size;
  }
  return at + n;
}

LogFitOptions fit_options(const CompareOptions& options) {
  LogFitOptions settings;
  settings.max_iterations = static_cast<int>(options.max_iterations);
  settings.scatter = 0.7;
  settings.tolerance = 1e-9;
  settings.rough_iterations = 15;
  settings.seed = static_cast<std::uint64_t>(options.seed);
  settings.robust = false;
  return settings;
}

// Records of sines go with their rows; others are seen by every fit.
void give_to_records(const Items& items, Folds& folds) {
  folds.of_record.assign(items.records.size(), not_left_out);
  for (std::size_t i = 0; i < items.rows.size(); ++i)
    if (items.record_of_row[i] >= 0)
      folds.of_record[static_cast<std::size_t>(items.record_of_row[i])] = folds.of_row[i];
}

}  // namespace

Seen all_of(const Items& items) {
  Seen seen;
  for (std::size_t i = 0; i < items.rows.size(); ++i)
    if (items.record_of_row[i] < 0) seen.rows.push_back(i);
  for (std::size_t i = 0; i < items.records.size(); ++i) seen.records.push_back(i);
  return seen;
}

// The fit to first harmonics, from several starts.
LogFitResult fit_rows(const LawCandidate& law, const std::vector<MapRow>& rows, const CompareOptions& options,
                      Progress& progress) {
  LogFitProblem problem;
  problem.parameters = law.parameters;
  problem.groups = {{"stiffness", "-", 0.02, false}};
  problem.group_of.assign(2 * rows.size(), 0);
  problem.evaluate = [&](const Eigen::VectorXd& values, Eigen::VectorXd& r, Eigen::MatrixXd* J) {
    put_rows(law, values, rows, r, J);
    return r.allFinite() && (J == nullptr || J->allFinite());
  };
  LogFitOptions settings = fit_options(options);
  settings.starts = static_cast<int>(options.starts);
  return fit_log_parameters(problem, settings, progress);
}

// The fit to what is seen, from the values of another one: that to first harmonics, or (noise given) that to all items.
LogFitResult fit_seen(const LawCandidate& law, const Items& items, const Seen& seen, const CompareOptions& options,
                      const LogFitResult& from, bool noise_known, Progress& progress) {
  std::vector<MapRow> rows;
  for (const std::size_t i : seen.rows) rows.push_back(items.rows[i]);
  LogFitProblem problem;
  problem.parameters = law.parameters;
  const double rows_noise = from.groups.front().noise, records_noise = noise_known ? from.groups.back().noise : 0.05;
  problem.groups = {{"stiffness", "-", rows_noise, noise_known}, {"force", "-", records_noise, noise_known}};
  problem.group_of.assign(2 * rows.size(), 0);
  for (const std::size_t i : seen.records)
    problem.group_of.insert(problem.group_of.end(), items.records[i].scored.size(), 1);
  problem.evaluate = [&](const Eigen::VectorXd& values, Eigen::VectorXd& r, Eigen::MatrixXd* J) {
    if (!rows.empty()) put_rows(law, values, rows, r, J);
    Eigen::Index at = 2 * static_cast<Eigen::Index>(rows.size());
    for (const std::size_t i : seen.records) at = put_record(law, values, items.records[i], at, r, J);
    return r.allFinite() && (J == nullptr || J->allFinite());
  };
  LogFitOptions settings = fit_options(options);
  settings.starts = 0;
  settings.also_from = from.values;
  settings.with_intervals = !noise_known;
  if (noise_known) settings.tolerance = 1e-6;  // what a fold predicts is told to a tenth of a percent
  return fit_log_parameters(problem, settings, progress);
}

void measure(const LawCandidate& law, const Eigen::VectorXd& values, const Items& items,
             const std::vector<std::size_t>& rows, const std::vector<std::size_t>& records, Distance& out) {
  std::vector<MapRow> some;
  for (const std::size_t i : rows) some.push_back(items.rows[i]);
  if (!some.empty()) {
    Eigen::VectorXcd K;
    law.stiffness(values, some, K, nullptr);
    for (std::size_t k = 0; k < rows.size(); ++k)
      out.rows[rows[k]] = std::log(K[static_cast<Eigen::Index>(k)] / measured(some[k]));
  }
  for (const std::size_t i : records) {
    Eigen::VectorXd force;
    law.force(values, items.records[i], force, nullptr);
    out.records[i] = force_misfit(items.records[i], {force.data(), force.data() + force.size()});
  }
}

// Rows that stand for a record count by its loop.
Misfit misfit_of(const Items& items, const Distance& d, const std::vector<std::size_t>& rows,
                 const std::vector<std::size_t>& records) {
  Misfit m;
  double items_counted = 0.0;
  const auto n = static_cast<double>(std::max<std::size_t>(rows.size(), 1));
  for (const std::size_t i : rows) {
    const C z = d.rows[i];
    m.k_dyn_rel += std::expm1(z.real()) * std::expm1(z.real()) / n;
    m.loss_angle += z.imag() * z.imag() / n;
    if (items.record_of_row[i] >= 0) continue;
    m.total += std::norm(z);
    items_counted += 1.0;
  }
  for (const std::size_t i : records) m.total += d.records[i] * d.records[i], items_counted += 1.0;
  return {std::sqrt(m.k_dyn_rel), std::sqrt(m.loss_angle), std::sqrt(m.total / std::max(items_counted, 1.0))};
}

Folds amplitude_folds(const Items& items, const std::vector<double>& levels) {
  Folds folds{{}, {}, levels.size()};
  for (const MapRow& row : items.rows) folds.of_row.push_back(nearest_level(levels, level_amplitude(row)));
  give_to_records(items, folds);
  return folds;
}

Folds frequency_folds(const Items& items, const std::vector<double>& levels, std::size_t blocks) {
  Folds folds{{}, {}, std::min(blocks, levels.size())};
  for (const MapRow& row : items.rows)
    folds.of_row.push_back(nearest_level(levels, row.frequency_hz) * folds.count / levels.size());
  give_to_records(items, folds);
  return folds;
}

// Records of any other motion, each by itself; many of them in six groups.
Folds record_folds(const Items& items) {
  Folds folds;
  folds.of_row.assign(items.rows.size(), not_left_out);
  std::size_t others = 0;
  for (const FitRecord& r : items.records) folds.of_record.push_back(r.sine ? not_left_out : others++ % 6);
  folds.count = std::min<std::size_t>(others, 6);
  return folds;
}

// [identify E40] Each item's prediction by a fit that has not seen its fold.
Distance predictions(const LawCandidate& law, const Items& items, const Folds& folds, const CompareOptions& options,
                     const LogFitResult& full, LawFit& out, Progress& progress) {
  Distance d{std::vector<C>(items.rows.size()), std::vector<double>(items.records.size(), 0.0)};
  for (std::size_t fold = 0; fold < folds.count; ++fold) {
    Seen seen;
    std::vector<std::size_t> rows, records;
    for (std::size_t i = 0; i < items.rows.size(); ++i) {
      if (folds.of_row[i] == fold)
        rows.push_back(i);
      else if (items.record_of_row[i] < 0)
        seen.rows.push_back(i);
    }
    for (std::size_t i = 0; i < items.records.size(); ++i)
      (folds.of_record[i] == fold ? records : seen.records).push_back(i);
    if (seen.rows.empty() && seen.records.empty()) continue;
    const LogFitResult fit = fit_seen(law, items, seen, options, full, true, progress);
    out.iterations += fit.iterations;
    out.evaluations += fit.evaluations;
    measure(law, fit.values, items, rows, records, d);
  }
  return d;
}
std::pair<std::vector<std::size_t>, std::vector<std::size_t>> left_out_items(const Folds& folds) {
  std::pair<std::vector<std::size_t>, std::vector<std::size_t>> out;
  for (std::size_t i = 0; i < folds.of_row.size(); ++i)
    if (folds.of_row[i] != not_left_out) out.first.push_back(i);
  for (std::size_t i = 0; i < folds.of_record.size(); ++i)
    if (folds.of_record[i] != not_left_out) out.second.push_back(i);
  return out;
}

}  // namespace kdyn::inline identify
