// SPDX-License-Identifier: Apache-2.0
// What laws are compared by: rows and records, fits to all or some of them, and what is left out in turn.
#pragma once

#include <complex>
#include <utility>
#include <vector>

#include "kdyn/identify/compare.hpp"
#include "kdyn/identify/internal/fit_record.hpp"
#include "kdyn/identify/internal/law_candidate.hpp"

namespace kdyn::inline identify {

inline std::complex<double> measured(const MapRow& row) { return std::polar(row.k_dyn, row.loss_angle); }
// What the row belongs to: the commanded amplitude where it is known, since achieved ones scatter.
inline double level_amplitude(const MapRow& row) {
  return row.nominal_amplitude > 0.0 ? row.nominal_amplitude : row.amplitude;
}

// What the laws are held against: rows of a map by ln(K_model/K), real and imaginary part alike, and records by their
// force about its mean over the measured variation. Rows that stand for a record only start its fit and show in
// pictures.
struct Items {
  std::vector<MapRow> rows;
  std::vector<int> record_of_row;  // -1: the row is one of a map
  std::vector<FitRecord> records;
  std::vector<MapRow> starts;  // rows first fits are made to: all rows, or what the records look like
};
// Which of them a fit sees.
struct Seen {
  std::vector<std::size_t> rows, records;
};
Seen all_of(const Items& items);

// The fit to first harmonics, from several starts.
LogFitResult fit_rows(const LawCandidate& law, const std::vector<MapRow>& rows, const CompareOptions& options,
                      Progress& progress);
// The fit to what is seen, from the values of another one: that to first harmonics, or (noise known) that to all items.
LogFitResult fit_seen(const LawCandidate& law, const Items& items, const Seen& seen, const CompareOptions& options,
                      const LogFitResult& from, bool noise_known, Progress& progress);

// How far a law is from each item.
struct Distance {
  std::vector<std::complex<double>> rows;  // ln(K_model/K)
  std::vector<double> records;             // force misfit over force variation
};
void measure(const LawCandidate& law, const Eigen::VectorXd& values, const Items& items,
             const std::vector<std::size_t>& rows, const std::vector<std::size_t>& records, Distance& out);
// Rows that stand for a record count by its loop.
Misfit misfit_of(const Items& items, const Distance& d, const std::vector<std::size_t>& rows,
                 const std::vector<std::size_t>& records);

// What is left out in turn.
constexpr std::size_t not_left_out = static_cast<std::size_t>(-1);

struct Folds {
  std::vector<std::size_t> of_row, of_record;
  std::size_t count = 0;
};

Folds amplitude_folds(const Items& items, const std::vector<double>& levels);
Folds frequency_folds(const Items& items, const std::vector<double>& levels, std::size_t blocks);
Folds record_folds(const Items& items);  // of any other motion than sines
std::pair<std::vector<std::size_t>, std::vector<std::size_t>> left_out_items(const Folds& folds);  // rows, records

// [identify E40] Each item's prediction by a fit that has not seen its fold.
Distance predictions(const LawCandidate& law, const Items& items, const Folds& folds, const CompareOptions& options,
                     const LogFitResult& full, LawFit& out, Progress& progress);

}  // namespace kdyn::inline identify
