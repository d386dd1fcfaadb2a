// SPDX-License-Identifier: Apache-2.0
#include "kdyn/identify/active_mount_fit.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "kdyn/base/error.hpp"
#include "kdyn/base/random.hpp"

namespace kdyn::inline identify {
namespace {

ActiveMount<double> truth() {
  ActiveMount<double> law;  // the published mount, moved
  law.cB1 *= 1.3;
  law.dB1 *= 0.7;
  law.cA *= 1.2;
  law.dK *= 1.5;
  law.kM *= 0.9;
  law.cT1 *= 0.8;
  law.dT2 *= 2.0;
  return law;
}

// P_yx to 150 Hz and S_x to 400 Hz, as the two rigs of the paper deliver.
std::vector<ActiveFrfPoint> measured(const ActiveMount<double>& law, double gain_noise, double phase_noise,
                                     std::uint64_t seed, bool passive = true, bool active = true) {
  std::vector<ActiveFrfPoint> points;
  RandomStream random(seed);
  const auto add = [&](ActivePath path, double upper) {
    for (int i = 0; i < 60; ++i) {
      const double f = std::pow(upper, i / 59.0);
      const auto H = active_responses(law, f)[static_cast<std::size_t>(path)];
      points.push_back({f, path,
                        std::complex<double>(H.re, H.im) * (1.0 + gain_noise * random.normal()) *
                            std::polar(1.0, phase_noise * random.normal())});
    }
  };
  if (passive) add(ActivePath::P_yx, 150.0);
  if (active) add(ActivePath::S_x, 400.0);
  return points;
}

TEST(ActiveMountFit, ReturnsTheTruthFromExactData) {
  const ActiveMountFitResult fit = fit_active_mount(measured(truth(), 0.0, 0.0, 1), {}, {});
  EXPECT_EQ(fit.status, "converged");
  for (const ParameterEstimate& p : fit.parameters) {
    if (p.status == ParameterStatus::fixed) continue;
    for (std::size_t i = 0; i < active_mount_parameters.size(); ++i)
      if (p.name == active_mount_parameters[i].name) {
        const double expected = truth().*ActiveMount<double>::members[i];
        // Exact data: what is left is the prior (weight 1e-10) and the stopping rule.
        EXPECT_NEAR(p.value, expected, 1e-5 * expected) << p.name;
      }
  }
}

TEST(ActiveMountFit, IntervalsCoverTheTruth) {
  int inside = 0, total = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    ActiveMountFitOptions options;
    options.starts = 2;
    const ActiveMountFitResult fit = fit_active_mount(measured(truth(), 0.01, 0.01, seed), {}, options);
    EXPECT_EQ(fit.status, "converged");
    EXPECT_NEAR(fit.noise_gain_rel, 0.01, 0.004);  // 120 samples: 6.5 % standard deviation, robust estimate
    for (const ParameterEstimate& p : fit.parameters) {
      if (p.status == ParameterStatus::fixed) continue;
      for (std::size_t i = 0; i < active_mount_parameters.size(); ++i)
        if (p.name == active_mount_parameters[i].name) {
          const double expected = truth().*ActiveMount<double>::members[i];
          inside += p.lower_95 <= expected && expected <= p.upper_95;
          ++total;
        }
    }
  }
  // 144 intervals, correlated within a fit: 95 % nominal, 85 % is four standard deviations below for 40 independent
  // ones.
  EXPECT_GE(inside, 0.85 * total);
}

TEST(ActiveMountFit, SaysWhatTheDataCannotTell) {
  const ActiveMountFitResult active_only = fit_active_mount(measured(truth(), 0.0, 0.0, 1, false, true), truth(), {});
  for (const ParameterEstimate& p : active_only.parameters)
    if (p.name == "cT1") {
      EXPECT_EQ(p.status, ParameterStatus::fixed);
    }
  EXPECT_EQ(active_only.findings.front().code, "no_passive_response");
  ActiveMountFitOptions options;
  options.free = {"lK", "rho"};  // only their product acts
  const ActiveMountFitResult both = fit_active_mount(measured(truth(), 0.0, 0.0, 1), truth(), options);
  ASSERT_FALSE(both.not_told_apart.empty());
  EXPECT_NE(both.not_told_apart.front().find("lK"), std::string::npos);
  EXPECT_NE(both.not_told_apart.front().find("rho"), std::string::npos);
}

TEST(ActiveMountFit, RefusesBadOptions) {
  const auto points = measured(truth(), 0.0, 0.0, 1);
  ActiveMountFitOptions options;
  options.free = {"AB"};
  EXPECT_THROW(fit_active_mount(points, {}, options), Error);
  options.free = {"cX"};
  EXPECT_THROW(fit_active_mount(points, {}, options), Error);
  options = {};
  options.fix = {{"cA", -1.0}};
  EXPECT_THROW(fit_active_mount(points, {}, options), Error);
  EXPECT_THROW(fit_active_mount({}, {}, {}), Error);
}

TEST(ActiveFrfFile, ReadsBothFormsAndUnits) {
  const ActiveFrf cartesian = parse_active_frf("frequency_hz,S_x_re_n_per_v,s_x_im\n10,3,4\n20,1,-1\n", "a.csv");
  ASSERT_EQ(cartesian.points.size(), 2u);
  EXPECT_EQ(cartesian.points[0].value, std::complex<double>(3.0, 4.0));
  EXPECT_EQ(cartesian.points[1].line, 3u);
  const ActiveFrf polar = parse_active_frf("frequency_hz;p_yx_abs_n_per_mm;p_yx_phase_deg\n10;400;90\n", "b.csv");
  ASSERT_EQ(polar.points.size(), 1u);
  EXPECT_EQ(polar.points[0].path, ActivePath::P_yx);
  EXPECT_NEAR(polar.points[0].value.imag(), 400e3, 1e-6);
  // As other programs write it: units in brackets, decimal comma, a column of remarks.
  const ActiveFrf foreign = parse_active_frf(
      "Frequency [Hz];S_x abs [N/V];S_x phase [deg];Remark\n10,5;2,5;180;first\n20;2;-90;second\n", "c.csv");
  ASSERT_EQ(foreign.points.size(), 2u);
  EXPECT_EQ(foreign.points[0].frequency_hz, 10.5);
  EXPECT_NEAR(foreign.points[0].value.real(), -2.5, 1e-12);
  EXPECT_NEAR(foreign.points[1].value.imag(), -2.0, 1e-12);
}

TEST(ActiveFrfFile, BrokenFilesAreNamed) {
  const auto where_of = [](const char* text) {
    try {
      parse_active_frf(text, "a.csv");
    } catch (const Error& e) {
      return e.where();
    }
    return std::string("no error");
  };
  EXPECT_EQ(where_of("frequency_hz,s_x_re\n10,1\n"), "a.csv:1");
  EXPECT_EQ(where_of("frequency_hz,other\n10,1\n"), "a.csv:1");
  EXPECT_EQ(where_of("frequency_hz,p_xx_re,p_xx_im\n10,1,1\n"), "a.csv:1");          // no unit
  EXPECT_EQ(where_of("frequency_hz,s_x_re [mm],s_x_im [mm]\n10,1,1\n"), "a.csv:1");  // not N/V
  EXPECT_EQ(where_of("frequency_hz,s_x_re,s_x_im\n0,1,1\n"), "a.csv:2");
  EXPECT_EQ(where_of("frequency_hz,s_x_re,s_x_im\n5,0,0\n"), "a.csv:2");
  EXPECT_NE(where_of(""), "no error");
  EXPECT_NE(where_of("frequency_hz,s_x_re,s_x_im\n5,a,0\n"), "no error");
}

TEST(ActiveFrfFile, WritingAndReadingAgree) {
  const auto points = measured(truth(), 0.01, 0.01, 3);
  const ActiveFrf back = parse_active_frf(active_frf_csv(points, ActivePath::S_x), "s.csv");
  std::size_t i = 0;
  for (const ActiveFrfPoint& p : points)
    if (p.path == ActivePath::S_x) {
      EXPECT_EQ(back.points[i++].value, p.value);
    }
  EXPECT_EQ(i, back.points.size());
}

}  // namespace
}  // namespace kdyn::inline identify
