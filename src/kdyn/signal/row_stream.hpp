// SPDX-License-Identifier: Apache-2.0
// Signals that come row by row, one value of each at a time, and are not kept: what is left of them in bounded memory.
//
//   [signal E26]  mean = sum x / N,  rms = sqrt(sum x^2 / N)
//   [signal E27]  a row of every M: y_k = sum_j h_j x_(kM + j), j = -m..m, h the low-pass [signal E20] with -6 dB at 0.8
//                 and -80 dB from 1.0 of half of the new sampling rate; beyond both ends the signal is held
#pragma once

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace kdyn::inline signal {

struct SignalSummary {
  double min = 0.0, min_at = 0.0, max = 0.0, max_at = 0.0;  // values and times; the first of equal ones
  double mean = 0.0, rms = 0.0, first = 0.0, last = 0.0;
};

// [signal E26]
class RowSummary {
 public:
  explicit RowSummary(std::size_t signals) : sums_(signals) {}
  void add(double time, const double* row);
  std::size_t rows() const { return rows_; }
  SignalSummary of(std::size_t signal) const;  // zeros before the first row

 private:
  struct Sums {
    double min = 0.0, max = 0.0, min_at = 0.0, max_at = 0.0, sum = 0.0, squares = 0.0, first = 0.0, last = 0.0;
  };
  std::size_t rows_ = 0;
  std::vector<Sums> sums_;
};

// Lowest and highest value of each of some hundred stretches, where they are: a plot of them looks like one of all rows.
class RowEnvelope {
 public:
  RowEnvelope(std::size_t signals, std::size_t expected_rows, std::size_t stretches);
  void add(double time, const double* row);
  // Times and values of one signal, in order.
  std::pair<std::vector<double>, std::vector<double>> of(std::size_t signal) const;

 private:
  struct Extremes {
    double low, low_at, high, high_at;
  };
  std::size_t signals_, every_, rows_ = 0;
  std::vector<Extremes> stretches_;  // stretch by stretch
};

// [signal E27] Every M-th row, filtered so that nothing folds, or as it is.
class RowDecimator {
 public:
  // Takes a row and its number among those that came in.
  using Sink = std::function<void(std::size_t number, const double* row)>;
  RowDecimator(std::size_t signals, std::size_t every, bool filtered, Sink sink);
  void add(const double* row);
  void finish();  // what the filter still holds
  // Of each signal the rms of what lies above the new rate, over its rms about the mean: filtered out, or folded. By the
  // rows that were given out.
  std::vector<double> lost() const;

 private:
  struct Pending {
    std::size_t centre;
    std::vector<double> sum, plain;
    double taken = 0.0;  // sum of the taps so far
  };
  void give(const Pending& pending);

  std::size_t signals_, every_, half_ = 0, in_ = 0, out_ = 0;
  bool filtered_;
  Sink sink_;
  std::vector<double> taps_, last_, residue_, squares_, sums_;
  std::vector<Pending> pending_;  // oldest first
};

}  // namespace kdyn::inline signal
