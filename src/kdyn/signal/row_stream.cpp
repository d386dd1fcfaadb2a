// SPDX-License-Identifier: Apache-2.0
#include "kdyn/signal/row_stream.hpp"

#include <algorithm>
#include <cmath>

#include "kdyn/base/error.hpp"
#include "kdyn/signal/fir.hpp"

namespace kdyn::inline signal {

void RowSummary::add(double time, const double* row) {
  const bool begins = rows_++ == 0;
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    Sums& s = sums_[i];
    const double x = row[i];
    if (begins) s.first = x;
    if (begins || x < s.min) s.min = x, s.min_at = time;
    if (begins || x > s.max) s.max = x, s.max_at = time;
    s.sum += x;
    s.squares += x * x;
    s.last = x;
  }
}

SignalSummary RowSummary::of(std::size_t signal) const {
  const Sums& s = sums_[signal];
  const double n = static_cast<double>(std::max<std::size_t>(rows_, 1));
  return {s.min, s.min_at, s.max, s.max_at, s.sum / n, std::sqrt(s.squares / n), s.first, s.last};
}

RowEnvelope::RowEnvelope(std::size_t signals, std::size_t expected_rows, std::size_t stretches)
    : signals_(signals),
      every_(std::max<std::size_t>(1, (expected_rows + stretches - 1) / std::max<std::size_t>(stretches, 1))) {
  // Two points are as good as the stretch of two rows that they stand for.
  if (expected_rows <= 2 * stretches) every_ = 1;
}

void RowEnvelope::add(double time, const double* row) {
  if (rows_++ % every_ == 0) {
    for (std::size_t i = 0; i < signals_; ++i) stretches_.push_back({row[i], time, row[i], time});
    return;
  }
  Extremes* at = stretches_.data() + (stretches_.size() - signals_);
  for (std::size_t i = 0; i < signals_; ++i) {
    if (row[i] < at[i].low) at[i].low = row[i], at[i].low_at = time;
    if (row[i] > at[i].high) at[i].high = row[i], at[i].high_at = time;
  }
}

std::pair<std::vector<double>, std::vector<double>> RowEnvelope::of(std::size_t signal) const {
  std::pair<std::vector<double>, std::vector<double>> out;
  const auto put = [&](double time, double value) { out.first.push_back(time), out.second.push_back(value); };
  for (std::size_t at = signal; at < stretches_.size(); at += signals_) {
    const Extremes& e = stretches_[at];
    const bool low_first = e.low_at <= e.high_at;
    put(low_first ? e.low_at : e.high_at, low_first ? e.low : e.high);
    if (e.low_at != e.high_at) put(low_first ? e.high_at : e.low_at, low_first ? e.high : e.low);
  }
  return out;
}

RowDecimator::RowDecimator(std::size_t signals, std::size_t every, bool filtered, Sink sink)
    : signals_(signals),
      every_(every),
      filtered_(filtered),
      sink_(std::move(sink)),
      residue_(signals, 0.0),
      squares_(signals, 0.0),
      sums_(signals, 0.0) {
  demand(every >= 1, "every so many rows is at least one");
  if (every_ == 1) return;
  const double half_rate = 0.5 / static_cast<double>(every_);  // of the new rate, in units of the old one
  taps_ = low_pass_taps(0.8 * half_rate, 0.4 * half_rate, 1.0);
  half_ = taps_.size() / 2;
}

// A row goes into every mean whose filter reaches it, so that no row needs to be kept.
void RowDecimator::add(const double* row) {
  if (every_ == 1) {
    sink_(in_++, row);
    return;
  }
  // Means whose filter begins here or, for the first, before the signal does.
  const std::size_t reach = in_ + half_;
  for (std::size_t centre = in_ == 0 ? 0 : reach; centre <= reach; ++centre)
    if (centre % every_ == 0) {
      Pending& fresh = pending_.emplace_back(Pending{centre, std::vector<double>(signals_, 0.0), {}});
      if (in_ > 0) continue;
      // The first row stands for all before it.
      for (std::size_t k = 0; k < half_ - centre; ++k) fresh.taken += taps_[k];
      for (std::size_t i = 0; i < signals_; ++i) fresh.sum[i] = fresh.taken * row[i];
    }
  for (Pending& pending : pending_) {
    const double tap = taps_[in_ + half_ - pending.centre];
    for (std::size_t i = 0; i < signals_; ++i) pending.sum[i] += tap * row[i];
    pending.taken += tap;
    if (pending.centre == in_) pending.plain.assign(row, row + signals_);
  }
  last_.assign(row, row + signals_);
  if (pending_.front().centre + half_ == in_) {
    give(pending_.front());
    pending_.erase(pending_.begin());
  }
  ++in_;
}

void RowDecimator::finish() {
  for (Pending& pending : pending_) {
    if (pending.centre >= in_) break;
    // The last row stands for all behind it.
    for (std::size_t i = 0; i < signals_; ++i) pending.sum[i] += (1.0 - pending.taken) * last_[i];
    give(pending);
  }
  pending_.clear();
}

void RowDecimator::give(const Pending& pending) {
  for (std::size_t i = 0; i < signals_; ++i) {
    const double miss = pending.plain[i] - pending.sum[i];
    residue_[i] += miss * miss;
    squares_[i] += pending.plain[i] * pending.plain[i];
    sums_[i] += pending.plain[i];
  }
  ++out_;
  sink_(pending.centre, filtered_ ? pending.sum.data() : pending.plain.data());
}

std::vector<double> RowDecimator::lost() const {
  std::vector<double> out(signals_, 0.0);
  for (std::size_t i = 0; i < signals_ && out_ > 0; ++i) {
    const double n = static_cast<double>(out_), spread = squares_[i] - sums_[i] * sums_[i] / n;
    if (spread > 1e-24 * squares_[i] && residue_[i] > 0.0) out[i] = std::sqrt(residue_[i] / spread);
  }
  return out;
}

}  // namespace kdyn::inline signal
