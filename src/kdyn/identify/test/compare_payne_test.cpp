// SPDX-License-Identifier: Apache-2.0
// Strongly filled rubber as Kraus describes it, not as any law of kdyn does: which law follows it, and how closely.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>

#include "kdyn/identify/compare.hpp"

namespace kdyn::inline identify {
namespace {

using C = std::complex<double>;
constexpr double degree = std::numbers::pi / 180.0;

// Kraus 1984: storage k_inf + dk/(1 + X), loss 2 dl sqrt(X)/(1 + X), X = (a/a_c)^(2m); both springs with the weak power
// law of frequency that rubber has, which is their own loss at small and at large amplitudes.
struct Kraus {
  double k_inf, dk, m, dl, rubber_power, network_power;

  C operator()(double f, double a) const {
    const double X = std::pow(a / 3e-4, 2.0 * m);
    const C i_f(0.0, f / 5.0);
    return k_inf * std::pow(i_f, rubber_power) + dk / (1.0 + X) * std::pow(i_f, network_power) +
           C(0.0, 2.0 * dl * std::sqrt(X) / (1.0 + X));
  }
};
// Stiffness falls to a third, and to a quarter; loss angles of 6 to 10 degrees at small amplitudes and 14 to 19 at
// their peak.
const Kraus filled{4e5, 8e5, 0.55, 0.8e5, 0.10, 0.06}, lossy{4e5, 8e5, 0.55, 1.0e5, 0.10, 0.06},
    strongly_filled{3e5, 10e5, 0.60, 1.0e5, 0.10, 0.10};

CompareResult compare(const Kraus& rubber, const std::vector<double>& frequencies) {
  ElastomerData data;
  for (int i = 0; i < 12; ++i)
    for (const double f : frequencies) {
      MapRow row;
      row.frequency_hz = f;
      row.amplitude = 1e-5 * std::pow(400.0, i / 11.0);  // 0.01 to 4 mm
      const C K = rubber(f, row.amplitude);
      row.k_dyn = std::abs(K);
      row.loss_angle = std::arg(K);
      data.map.rows.push_back(row);
    }
  CompareOptions options;
  options.laws = {"payne", "elastomer_masing"};
  options.starts = 3;
  return compare_laws(data, options);
}

const LawFit& fit_of(const CompareResult& r, const std::string& law) { return r.laws[r.laws[0].law == law ? 0 : 1]; }

// What a row of sliders can do about two curves that are free of each other [rivals E16]: half a percent and less than
// a degree. The logarithmic law is two to four percent and degrees off.
TEST(ComparePayne, FollowsKrausSweepsWhereTheLogarithmicLawDoesNot) {
  for (const Kraus& rubber : {filled, lossy}) {
    const CompareResult r = compare(rubber, {10.0});
    EXPECT_EQ(r.laws.front().law, "payne");
    EXPECT_LT(fit_of(r, "payne").fit.k_dyn_rel, 0.005);
    EXPECT_LT(fit_of(r, "payne").fit.loss_angle, 0.5 * degree);
    EXPECT_GT(fit_of(r, "elastomer_masing").fit.k_dyn_rel, 0.02);
    EXPECT_GT(fit_of(r, "elastomer_masing").fit.loss_angle, 2.0 * degree);
  }
  const CompareResult strong = compare(strongly_filled, {10.0});
  EXPECT_LT(fit_of(strong, "payne").fit.k_dyn_rel, 0.007);
  EXPECT_LT(fit_of(strong, "payne").fit.loss_angle, 0.5 * degree);
  EXPECT_GT(fit_of(strong, "elastomer_masing").fit.loss_angle, 3.5 * degree);
}

// Over frequency Kraus' loss peak, which knows none, asks sliders for more than they have: a little over one percent
// remains.
TEST(ComparePayne, FollowsKrausMaps) {
  const CompareResult r = compare(strongly_filled, {1.0, 5.0, 25.0});
  EXPECT_EQ(r.laws.front().law, "payne");
  EXPECT_LT(fit_of(r, "payne").fit.k_dyn_rel, 0.015);
  EXPECT_LT(fit_of(r, "payne").fit.loss_angle, 0.8 * degree);
  EXPECT_LT(fit_of(r, "payne").score, 0.03);
  EXPECT_GT(fit_of(r, "elastomer_masing").fit.k_dyn_rel, 0.05);
  EXPECT_GT(fit_of(r, "elastomer_masing").fit.loss_angle, 4.0 * degree);
}

}  // namespace
}  // namespace kdyn::inline identify
