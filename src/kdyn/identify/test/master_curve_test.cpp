// SPDX-License-Identifier: Apache-2.0
#include "kdyn/identify/master_curve.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "kdyn/base/error.hpp"
#include "kdyn/base/random.hpp"

namespace kdyn::inline identify {
namespace {

// A polymer with one broad relaxation (Cole-Cole) that shifts by WLF, 0.1 to 100 Hz, as a DMA measures it.
std::vector<ModulusRow> polymer(const std::vector<double>& temperatures, double c1, double c2, double noise,
                                std::uint64_t seed, double vertical_power = 0.0) {
  std::vector<ModulusRow> rows;
  RandomStream random(seed);
  for (const double T : temperatures)
    for (int k = 0; k < 10; ++k) {
      const double f = std::pow(10.0, -1.0 + k / 3.0);
      const std::complex<double> x =
          std::pow(std::complex<double>(0.0, std::pow(10.0, std::log10(f) + wlf_log_a(c1, c2, T, 20.0) - 2.0)), 0.45);
      const std::complex<double> E = (1e6 + 2e9 * x / (1.0 + x)) * std::pow((T + 273.15) / 293.15, vertical_power);
      rows.push_back(
          {T, f, E.real() * std::exp(noise * random.normal()), E.imag() * std::exp(2.0 * noise * random.normal())});
    }
  return rows;
}
const std::vector<double> temperatures = {-20.0, -10.0, 0.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0};

// Oracle: the law the data were made with. 95 % intervals of 48 factors: fewer than 41 inside has a probability below 1 %.
TEST(MasterCurve, IntervalsHoldTheTruth) {
  int inside = 0, all = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const double c1 = 9.0 + static_cast<double>(seed), c2 = 100.0 + 8.0 * static_cast<double>(seed);
    const MasterCurveResult r = fit_master_curve(polymer(temperatures, c1, c2, 0.01, seed), {20.0, {}, {}});
    ASSERT_EQ(r.status, "converged");
    ASSERT_EQ(r.factors.size(), temperatures.size());
    EXPECT_EQ(r.shifted_by, ShiftBy::both);
    EXPECT_NEAR(r.noise_storage_rel, 0.01, 0.002);  // 90 values: 15 % of their scatter
    for (const ShiftFactor& f : r.factors) {
      if (f.status == "reference") continue;
      const double truth = wlf_log_a(c1, c2, f.temperature_c, 20.0);
      inside += truth >= f.log_a_lower && truth <= f.log_a_upper ? 1 : 0;
      ++all;
      EXPECT_LT(f.log_a_std, 0.1) << f.temperature_c;
    }
    ASSERT_EQ(r.laws.front().law, "wlf");
    EXPECT_LT(r.laws.front().parameters[0].lower_95, c1);
    EXPECT_GT(r.laws.front().parameters[0].upper_95, c1);
    EXPECT_LT(r.laws.front().parameters[1].lower_95, c2);
    EXPECT_GT(r.laws.front().parameters[1].upper_95, c2);
  }
  EXPECT_EQ(all, 48);
  EXPECT_GE(inside, 41);
}

TEST(MasterCurve, VerticalShiftsOfARubberNetwork) {
  const std::vector<ModulusRow> rows = polymer(temperatures, 12.0, 130.0, 0.003, 5, 1.0);
  MasterCurveOptions entropic{20.0, ShiftBy::automatic, VerticalShift::entropic};
  const MasterCurveResult right = fit_master_curve(rows, entropic);
  EXPECT_NEAR(right.noise_storage_rel, 0.003, 0.0006);
  for (const ShiftFactor& f : right.factors) {
    EXPECT_NEAR(f.b, (f.temperature_c + 273.15) / 293.15, 1e-12);
    if (f.status != "determined") continue;
    EXPECT_NEAR(f.log_a, wlf_log_a(12.0, 130.0, f.temperature_c, 20.0), 4.0 * f.log_a_std);
  }
  // Left out, the shift of some percent stays in the residuals, which are several times the noise.
  const MasterCurveResult wrong = fit_master_curve(rows, {20.0, {}, VerticalShift::none});
  EXPECT_GT(wrong.noise_storage_rel, 1.5 * right.noise_storage_rel);
}

// Steps of 40 degrees leave gaps: nothing but the smoothness says how far the curves lie apart, and it is told.
TEST(MasterCurve, TellsWhatDoesNotOverlap) {
  const MasterCurveResult r = fit_master_curve(polymer({-20.0, 20.0, 60.0}, 17.0, 110.0, 0.01, 3), {20.0, {}, {}});
  EXPECT_EQ(r.factors.front().status, "not_determined");
  EXPECT_FALSE(std::isfinite(r.factors.front().log_a_std));
  EXPECT_TRUE(
      std::any_of(r.findings.begin(), r.findings.end(), [](const Finding& f) { return f.code == "no_overlap"; }));
}

TEST(MasterCurve, RefusesWhatItCannotUse) {
  std::vector<ModulusRow> one = polymer({20.0}, 12.0, 130.0, 0.0, 1),
                          wrong = polymer(temperatures, 12.0, 130.0, 0.0, 1);
  EXPECT_THROW(fit_master_curve(one, {}), Error);
  wrong[3].storage = -1.0;
  EXPECT_THROW(fit_master_curve(wrong, {}), Error);
  wrong[3].storage = 1e6;
  EXPECT_THROW(fit_master_curve(wrong, {33.0, {}, {}}), Error);
}

std::vector<std::vector<double>> numbers_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::vector<std::vector<double>> out;
  std::string line;
  for (int n = 0; std::getline(file, line); ++n) {
    if (n < 2 || line.empty()) continue;
    std::replace(line.begin(), line.end(), ',', ' ');
    std::istringstream cells(line);
    std::vector<double> row;
    for (double x; cells >> x;) row.push_back(x);
    out.push_back(row);
  }
  return out;
}

// Mean square difference of neighbouring curves where they overlap, in ln E', for given shifts: says nothing of how the
// shifts were found.
double left_between_neighbours(const std::vector<ModulusRow>& rows, const std::map<double, double>& log_a) {
  double square = 0.0, count = 0.0;
  for (auto cold = log_a.begin(), warm = std::next(cold); warm != log_a.end(); ++cold, ++warm) {
    std::vector<std::pair<double, double>> line;
    for (const ModulusRow& r : rows)
      if (std::abs(r.temperature_c - cold->first) < 2.0)
        line.emplace_back(std::log10(r.frequency_hz) + cold->second, std::log(r.storage));
    std::sort(line.begin(), line.end());
    for (const ModulusRow& r : rows) {
      if (std::abs(r.temperature_c - warm->first) > 2.0) continue;
      const double x = std::log10(r.frequency_hz) + warm->second;
      for (std::size_t i = 0; i + 1 < line.size(); ++i)
        if (line[i].first <= x && x <= line[i + 1].first) {
          const double t = (x - line[i].first) / (line[i + 1].first - line[i].first);
          square += std::pow(std::log(r.storage) - (1.0 - t) * line[i].second - t * line[i + 1].second, 2);
          count += 1.0;
        }
    }
  }
  return std::sqrt(square / count);
}

// Measured polymers (public, read in place when they are there). The published master curve and its shift factors belong
// together: each of its frequencies is one of the bench's times a factor. Taken apart into its temperatures it has to
// give the factors back: step by step within 0.1 decade where the curves have a slope. Published factors are multiples of
// 0.06; where ours differ they leave less between neighbours.
TEST(MasterCurve, PublishedShiftFactors) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(KDYN_SHARED_DIR) / "data" / "mounts" / "dma";
  if (!fs::exists(folder)) GTEST_SKIP() << "public data are not there";
  std::map<double, double> published;
  for (const auto& row : numbers_of(folder / "freq_user_master__shift_factors.csv")) published[row[0]] = row[1];
  ASSERT_EQ(published.size(), 21u);
  std::vector<ModulusRow> rows;
  int not_of_the_bench = 0;
  for (const auto& row : numbers_of(folder / "freq_user_master.csv")) {
    double nearest = 1.0, T = 0.0, f = 0.0;
    for (const auto& [temperature, log_a] : published)
      for (int k = 0; k < 10; ++k) {
        const double away = std::abs(std::log10(row[0]) - log_a - (-1.0 + k / 3.0));
        if (away < nearest) nearest = away, T = temperature, f = std::pow(10.0, -1.0 + k / 3.0);
      }
    if (nearest < 2e-3)
      rows.push_back({T, f, row[1], row[2]});
    else
      ++not_of_the_bench;
  }
  EXPECT_EQ(rows.size(), 204u);
  EXPECT_EQ(not_of_the_bench, 2);  // the two ends of the curve were cut at 1e-12 and 1e14 Hz
  const MasterCurveResult r = fit_master_curve(rows, {-5.0, {}, {}});
  EXPECT_EQ(r.status, "converged");
  std::map<double, double> ours;
  for (const ShiftFactor& f : r.factors) ours[f.temperature_c] = f.log_a;
  int near = 0, steps = 0;
  for (auto cold = published.begin(), warm = std::next(cold); warm != published.end(); ++cold, ++warm) {
    const double mine = ours[warm->first] - ours[cold->first], theirs = warm->second - cold->second;
    if (cold->first < -45.0 || warm->first > 80.0) continue;  // a gap; a plateau that rises by 1 % in a decade
    ++steps;
    near += std::abs(mine - theirs) < 0.1 ? 1 : 0;
    EXPECT_NEAR(mine, theirs, 0.12) << warm->first;
  }
  EXPECT_EQ(steps, 16);
  EXPECT_GE(near, 14);
  EXPECT_EQ(r.factors.front().status, "not_determined");  // -50 degC: the published step leaves a gap of 0.7 decades
  for (const ShiftFactor& f : r.factors)
    EXPECT_TRUE(f.temperature_c < 80.0 || f.status == "uncertain") << f.temperature_c;
  EXPECT_LT(left_between_neighbours(rows, ours), 0.75 * left_between_neighbours(rows, published));
}

// Another polymer with the factors its publisher's program finds from the same storage moduli, in pairs by power laws
// (3 to 100 degC; below, the glass rises by 2 % between temperatures).
TEST(MasterCurve, PublishedShiftFactorsOfRawData) {
  namespace fs = std::filesystem;
  const fs::path file = fs::path(KDYN_SHARED_DIR) / "data" / "mounts" / "dma" / "freq_user_raw.csv";
  if (!fs::exists(file)) GTEST_SKIP() << "public data are not there";
  std::vector<ModulusRow> rows;
  for (const auto& row : numbers_of(file)) rows.push_back({row[3], row[0], row[1], row[2]});
  ASSERT_EQ(rows.size(), 210u);
  const MasterCurveResult r = fit_master_curve(rows, {2.5, ShiftBy::storage, {}});
  EXPECT_GT(r.noise_loss_rel, 0.1);  // the loss of the glass does not superpose
  const double published[] = {0.0,       -1.49851,  -3.12418,  -4.77382,  -6.52046,  -8.36482,  -10.14018,
                              -11.44388, -12.51831, -13.44886, -14.28417, -15.02856, -15.67997, -16.22817};
  ASSERT_EQ(r.factors.size(), 21u);
  for (std::size_t i = 8; i < 21; ++i)
    EXPECT_NEAR(r.factors[i].log_a - r.factors[i - 1].log_a, published[i - 7] - published[i - 8], 0.1) << i;
}

}  // namespace
}  // namespace kdyn::inline identify
