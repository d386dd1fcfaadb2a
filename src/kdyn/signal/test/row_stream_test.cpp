// SPDX-License-Identifier: Apache-2.0
// Signals that are not kept, against the same signals kept: sums over all of them, convolution as a whole, sines whose
// fate is known.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "kdyn/base/random.hpp"
#include "kdyn/signal/fir.hpp"
#include "kdyn/signal/row_stream.hpp"

namespace kdyn {
namespace {

constexpr double two_pi = 2.0 * std::numbers::pi;

struct Rows {
  std::vector<std::size_t> numbers;
  std::vector<std::vector<double>> values;  // by signal
  std::vector<double> lost;
};

Rows decimated(const std::vector<std::vector<double>>& signals, std::size_t every, bool filtered) {
  Rows out;
  out.values.resize(signals.size());
  RowDecimator decimator(signals.size(), every, filtered, [&](std::size_t number, const double* row) {
    out.numbers.push_back(number);
    for (std::size_t i = 0; i < signals.size(); ++i) out.values[i].push_back(row[i]);
  });
  std::vector<double> row(signals.size());
  for (std::size_t n = 0; n < signals.front().size(); ++n) {
    for (std::size_t i = 0; i < signals.size(); ++i) row[i] = signals[i][n];
    decimator.add(row.data());
  }
  decimator.finish();
  out.lost = decimator.lost();
  return out;
}

std::vector<double> sine(std::size_t n, double cycles_per_row, double amplitude, double mean = 0.0) {
  std::vector<double> out(n);
  for (std::size_t i = 0; i < n; ++i)
    out[i] = mean + amplitude * std::sin(two_pi * cycles_per_row * static_cast<double>(i) + 0.3);
  return out;
}

// [signal E26]
TEST(RowStream, SummaryIsThatOfAllRows) {
  const std::vector<double> x = sine(1000, 0.013, 2.0, 5.0);
  RowSummary summary(2);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double row[2] = {x[i], -3.0};
    summary.add(0.5 * static_cast<double>(i), row);
  }
  double sum = 0.0, squares = 0.0;
  for (const double v : x) sum += v, squares += v * v;
  const SignalSummary s = summary.of(0), constant = summary.of(1);
  const auto low = std::min_element(x.begin(), x.end()), high = std::max_element(x.begin(), x.end());
  EXPECT_EQ(s.min, *low);
  EXPECT_EQ(s.min_at, 0.5 * static_cast<double>(low - x.begin()));
  EXPECT_EQ(s.max, *high);
  EXPECT_EQ(s.max_at, 0.5 * static_cast<double>(high - x.begin()));
  EXPECT_NEAR(s.mean, sum / 1000.0, 1e-12);
  EXPECT_NEAR(s.rms, std::sqrt(squares / 1000.0), 1e-12);
  EXPECT_EQ(s.first, x.front());
  EXPECT_EQ(s.last, x.back());
  EXPECT_EQ(constant.min, -3.0);
  EXPECT_EQ(constant.max_at, 0.0);  // the first of equal ones
  EXPECT_EQ(constant.rms, 3.0);
}

TEST(RowStream, NoRowsAreZeros) {
  const RowSummary summary(1);
  EXPECT_EQ(summary.of(0).rms, 0.0);
  EXPECT_EQ(summary.rows(), 0u);
}

TEST(RowStream, AnEnvelopeKeepsEveryExtreme) {
  std::vector<double> x = sine(100000, 0.00123, 1.0);
  x[54321] = 40.0, x[54322] = -50.0;  // a spike of one row each
  RowEnvelope envelope(1, x.size(), 500);
  for (std::size_t i = 0; i < x.size(); ++i) envelope.add(static_cast<double>(i), &x[i]);
  const auto [t, y] = envelope.of(0);
  EXPECT_LE(t.size(), 1000u);
  EXPECT_TRUE(std::is_sorted(t.begin(), t.end()));
  EXPECT_EQ(*std::max_element(y.begin(), y.end()), 40.0);
  EXPECT_EQ(*std::min_element(y.begin(), y.end()), -50.0);
  for (std::size_t i = 0; i < t.size(); ++i) EXPECT_EQ(y[i], x[static_cast<std::size_t>(t[i])]);
  // More rows than were expected cost room, and lose nothing.
  RowEnvelope surprised(1, 10, 500);
  for (std::size_t i = 0; i < 5000; ++i) surprised.add(static_cast<double>(i), &x[i]);
  EXPECT_EQ(surprised.of(0).first.size(), 5000u);
}

TEST(RowStream, EveryRowPassesAsItIs) {
  const std::vector<double> x = sine(50, 0.21, 1.0);
  const Rows rows = decimated({x}, 1, true);
  EXPECT_EQ(rows.values[0], x);
}

// [signal E27] against the convolution of the whole signal.
TEST(RowStream, DecimationIsTheConvolution) {
  RandomStream random(7, 0);
  std::vector<std::vector<double>> x(2, std::vector<double>(4000));
  for (auto& signal : x)
    for (double& v : signal) v = random.normal();
  for (const std::size_t every : {std::size_t{2}, std::size_t{7}}) {
    const double half_rate = 0.5 / static_cast<double>(every);
    const std::vector<double> taps = low_pass_taps(0.8 * half_rate, 0.4 * half_rate, 1.0);
    const std::size_t half = taps.size() / 2;
    const Rows rows = decimated(x, every, true);
    ASSERT_EQ(rows.numbers.size(), (4000 - 1) / every + 1);
    for (std::size_t i = 0; i < 2; ++i) {
      // Held beyond both ends, as the door says.
      std::vector<double> held(half, x[i].front());
      held.insert(held.end(), x[i].begin(), x[i].end());
      held.insert(held.end(), half, x[i].back());
      const std::vector<double> all = filter_inside(held, taps);
      for (std::size_t k = 0; k < rows.numbers.size(); ++k) {
        EXPECT_EQ(rows.numbers[k], k * every);
        EXPECT_NEAR(rows.values[i][k], all[k * every], 1e-13);
      }
    }
  }
}

TEST(RowStream, SlowStaysAndFastGoes) {
  const std::size_t n = 40000, every = 10;
  // 0.6 and 1.0 of half of the new rate, 0.05 cycles per row.
  const std::vector<double> slow = sine(n, 0.6 * 0.05, 1.0, 3.0), fast = sine(n, 0.0731, 1.0, 3.0);
  std::vector<double> both(n);
  for (std::size_t i = 0; i < n; ++i) both[i] = slow[i] + 0.5 * (fast[i] - 3.0);
  const Rows rows = decimated({slow, fast, both}, every, true), plain = decimated({slow, fast, both}, every, false);
  for (std::size_t k = 20; k + 20 < rows.numbers.size(); ++k) {
    EXPECT_NEAR(rows.values[0][k], slow[k * every], 1.5e-4);  // 80 dB ripple
    EXPECT_NEAR(rows.values[1][k], 3.0, 1.5e-4);
    EXPECT_EQ(plain.values[1][k], fast[k * every]);
  }
  // Shares of the rms about the mean: nothing, all, and half against sqrt(1 + 1/4) of the mixed one. The ends, where the
  // signal is held, are a few rows of 4000.
  EXPECT_LT(rows.lost[0], 0.02);
  EXPECT_NEAR(rows.lost[1], 1.0, 0.02);
  EXPECT_NEAR(rows.lost[2], 0.5 / std::sqrt(1.25), 0.02);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(rows.lost[i], plain.lost[i]);
}

TEST(RowStream, ShortSignalsAreHeldAtBothEnds) {
  // Shorter than the filter: a constant stays one, and every row that is due comes.
  for (const std::size_t n : {std::size_t{1}, std::size_t{2}, std::size_t{10}, std::size_t{11}}) {
    const Rows rows = decimated({std::vector<double>(n, 4.0)}, 10, true);
    ASSERT_EQ(rows.numbers.size(), (n - 1) / 10 + 1);
    for (const double v : rows.values[0]) EXPECT_NEAR(v, 4.0, 1e-13);
    EXPECT_EQ(rows.lost[0], 0.0);
  }
}

}  // namespace
}  // namespace kdyn
