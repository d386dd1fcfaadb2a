// SPDX-License-Identifier: Apache-2.0
#include "kdyn/rig/rig.hpp"

#include <cmath>
#include <complex>
#include <numbers>

#include <gtest/gtest.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/json.hpp"
#include "kdyn/elastomer/elastomer_model.hpp"
#include "kdyn/elastomer/harmonic.hpp"

namespace kdyn::inline rig {
namespace {

constexpr double degree = std::numbers::pi / 180.0;

Elastomer<double> limited(FrictionLaw law) {
  Elastomer<double> e;
  e.law = law;
  e.ymax = 150.0 / 338e3;
  return e;
}
Elastomer<double> unlimited(FrictionLaw law) {
  Elastomer<double> e;
  e.law = law;
  return e;
}
Elastomer<double> curved() {
  Elastomer<double> e = limited(FrictionLaw::masing);
  e.curve_points = {{-3e-3, -2600.0}, {-1e-3, -500.0}, {0.0, 0.0}, {1e-3, 400.0}, {2e-3, 1000.0}, {4e-3, 3500.0}};
  prepare(e, "test");
  return e;
}

// Area of the recorded loop as a polygon.
double area_of(const std::vector<double>& u, const std::vector<double>& f) {
  double area = 0.0;
  for (std::size_t i = 0; i < u.size(); ++i) {
    const std::size_t j = (i + 1) % u.size();
    area += 0.5 * (f[i] + f[j]) * (u[j] - u[i]);
  }
  return area;
}

TEST(RigMap, AgreesWithTheClosedFormInBothReductions) {
  // The contract is 1e-4. 512 samples leave (2 pi/512)^2/6 = 2.5e-5 where the force has corners, 1e-7 of settling and,
  // for a curve whose second derivative jumps, what 64 places of it leave in the closed form.
  RigOptions options;
  options.frequencies_hz = {0.5, 5.0, 40.0};
  options.amplitudes_m = {2e-5, 3e-4, 2e-3};
  for (const Elastomer<double>& law : {unlimited(FrictionLaw::masing), limited(FrictionLaw::masing),
                                       unlimited(FrictionLaw::g4), limited(FrictionLaw::g4), curved()}) {
    options.preloads_n = law.curve ? std::vector<double>{-300.0, 0.0, 900.0} : std::vector<double>{0.0};
    const RigResult result = run_rig(*make_mount(law), options);
    EXPECT_EQ(result.status, "done") << result.reason;
    ASSERT_EQ(result.map.size(), 9 * options.preloads_n.size());
    for (const RigMapRow& row : result.map) {
      ASSERT_TRUE(row.closed_form.has_value());
      const SteadyResponse &s = row.response, &c = *row.closed_form;
      EXPECT_NEAR(s.k_dyn / c.k_dyn, 1.0, 1e-4);
      EXPECT_NEAR(s.k_dyn_loop / c.k_dyn_loop, 1.0, 1e-4);
      EXPECT_NEAR(s.loss_angle, c.loss_angle, 1e-4);
      EXPECT_NEAR(s.loss_angle_loop, c.loss_angle_loop, 1e-4);
      EXPECT_TRUE(row.settled);
    }
    ASSERT_EQ(result.loops.size(), 3u);  // every amplitude at the middle frequency of the first preload
    EXPECT_EQ(result.loops[1].frequency_hz, 5.0);
    EXPECT_NEAR(area_of(result.loops[1].displacement, result.loops[1].force),
                std::numbers::pi * 9e-8 * result.map[4].response.k_dyn * std::sin(result.map[4].response.loss_angle),
                1e-4 * 9e-8 * 338e3);
  }
}

TEST(RigMap, ReportsPointsThatDoNotSettle) {
  // [rig E1] Two cycles are too few for the Kelvin-Voigt part at 100 Hz (relaxation in 38 ms).
  RigOptions options;
  options.frequencies_hz = {0.1, 100.0};
  options.amplitudes_m = {1e-4};
  options.max_cycles = 3;
  const RigResult result = run_rig(*make_mount(unlimited(FrictionLaw::masing)), options);
  EXPECT_EQ(result.status, "not_settled");
  EXPECT_NE(result.reason.find("1 of 2"), std::string::npos) << result.reason;
  EXPECT_TRUE(result.map[0].settled);
  EXPECT_FALSE(result.map[1].settled);
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].code, "not_settled");
  EXPECT_NE(result.findings[0].where.find("100 Hz"), std::string::npos);
}

struct StopAfter final : Progress {
  explicit StopAfter(double fraction) : limit(fraction) {}
  void report(double fraction, std::string_view) override { reached = fraction; }
  bool stop_requested() const override { return reached >= limit; }
  double limit, reached = 0.0;
};

TEST(Rig, StopsWithWhatItHas) {
  RigOptions options;
  options.frequencies_hz = {10.0, 20.0, 30.0, 40.0};
  options.amplitudes_m = {1e-4};
  StopAfter half(0.5), at_once(0.0);
  const auto mount = make_mount(unlimited(FrictionLaw::masing));
  const RigResult map = run_rig(*mount, options, nullptr, half);
  EXPECT_EQ(map.status, "stopped");
  EXPECT_EQ(map.map.size(), 2u);
  EXPECT_NE(map.reason.find("2 of 4"), std::string::npos) << map.reason;
  options.program = RigProgram::static_loop;
  EXPECT_EQ(run_rig(*mount, options, nullptr, at_once).status, "stopped");
  StopAfter second(0.3);
  const RigResult loop = run_rig(*mount, options, nullptr, second);
  EXPECT_EQ(loop.status, "stopped");
  EXPECT_NE(loop.reason.find("2 of 3"), std::string::npos) << loop.reason;
  options.program = RigProgram::transient;
  options.formula = "1e-3*t";
  EXPECT_EQ(run_rig(*mount, options, nullptr, at_once).status, "stopped");
}

TEST(RigStatic, LoopHasTheAreaOfTheClosedForm) {
  // [rig E2] Friction alone: work per cycle is k W. The polygon of 4000 samples misses about (rho h)^2/12 of the steep
  // start of each branch.
  for (Elastomer<double> law :
       {unlimited(FrictionLaw::masing), limited(FrictionLaw::masing), limited(FrictionLaw::g4)}) {
    law.lambda = 0.0;
    law.start_up = StartUp::backbone;
    RigOptions options;
    options.program = RigProgram::static_loop;
    options.static_points = 4000;
    options.static_cycles = 20;
    const RigResult result = run_rig(*make_mount(law), options);
    ASSERT_EQ(result.static_loop.force.size(), 4000u);
    const double expected = law.static_stiffness * friction_loop_area(law.friction(), 2e-3);
    EXPECT_NEAR(area_of(result.static_loop.displacement, result.static_loop.force) / expected, 1.0, 1e-5);
    // The corners are samples.
    EXPECT_NEAR(*std::max_element(result.static_loop.displacement.begin(), result.static_loop.displacement.end()), 2e-3,
                1e-17);
    EXPECT_NEAR(*std::min_element(result.static_loop.displacement.begin(), result.static_loop.displacement.end()),
                -2e-3, 1e-17);
  }
}

TEST(RigStatic, KelvinVoigtPartAddsWhatATriangleTakes) {
  // At constant speed v the damper carries k lambda gamma v once the Kelvin-Voigt spring has followed; the area is 4 a
  // times that. After a corner it takes its relaxation time, 38 ms of a 12 s ramp, to turn round.
  Elastomer<double> law = unlimited(FrictionLaw::masing);
  law.rdl = law.rho = 0.0;
  RigOptions options;
  options.program = RigProgram::static_loop;
  options.static_points = 4000;
  const RigResult result = run_rig(*make_mount(law), options);
  const double expected = 4.0 * 2e-3 * law.static_stiffness * law.lambda * law.gamma * options.static_rate_m_per_s;
  EXPECT_NEAR(area_of(result.static_loop.displacement, result.static_loop.force) / expected, 1.0, 0.01);
}

TEST(RigStatic, RunsAboutThePreload) {
  RigOptions options;
  options.program = RigProgram::static_loop;
  options.static_amplitude_m = 1e-4;
  options.preloads_n = {1000.0};
  const auto mount = make_mount(curved());
  const RigResult result = run_rig(*mount, options);
  // Friction and Kelvin-Voigt part are centred, so the mean force is that of the curve over the stroke; corners relax
  // within one sample in 400.
  double u = 0.0, f = 0.0;
  for (std::size_t i = 0; i < result.static_loop.force.size(); ++i) {
    u += result.static_loop.displacement[i] / 400.0;
    f += (result.static_loop.force[i] - mount->static_force(result.static_loop.displacement[i])) / 400.0;
  }
  EXPECT_NEAR(u, 2e-3, 1e-9);
  EXPECT_NEAR(f, 0.0, 1e-3);
}

TEST(RigTransient, FormulaAndFileOfTheSameMotionAgree) {
  const auto mount = make_mount(limited(FrictionLaw::masing));
  const auto run_both = [&](const std::string& formula, double rate) {
    RigOptions options;
    options.program = RigProgram::transient;
    options.formula = formula;
    options.sample_rate_hz = rate;
    const RigResult direct = run_rig(*mount, options);
    BenchSeries file;
    file.time = direct.series.time;
    file.displacement = direct.series.displacement;
    options.formula.clear();
    const RigResult read = run_rig(*mount, options, &file);
    EXPECT_EQ(direct.series.displacement, read.series.displacement);
    EXPECT_EQ(direct.series.time.size(), static_cast<std::size_t>(rate) + 1);
    double worst = 0.0;
    for (std::size_t i = 0; i < direct.series.force.size(); ++i)
      worst = std::max(worst, std::abs(direct.series.force[i] - read.series.force[i]));
    return worst;
  };
  // A parabola's velocity is exact from samples too: the same force to rounding.
  EXPECT_LT(run_both("2e-3*t - 3e-3*t^2", 1000.0), 1e-8);
  // Otherwise the velocity of a file is of second order.
  const std::string tones = "8e-4*sin(2*pi*3*t) + 3e-4*sin(2*pi*11.7*t+0.7)";
  const double coarse = run_both(tones, 2000.0), fine = run_both(tones, 4000.0);
  EXPECT_LT(coarse, 0.1);
  EXPECT_NEAR(std::log2(coarse / fine), 2.0, 0.3);
}

TEST(RigTransient, RefusesInputItCannotRun) {
  const auto mount = make_mount(unlimited(FrictionLaw::masing));
  RigOptions options;
  options.program = RigProgram::transient;
  const auto refused_at = [&](const BenchSeries* input) {
    try {
      run_rig(*mount, options, input);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_input);
      EXPECT_FALSE(error.remedy().empty());
      return error.where();
    }
    return std::string("accepted");
  };
  EXPECT_EQ(refused_at(nullptr), "program");
  BenchSeries series;
  series.time = {0.0, 0.1, 0.1};
  series.displacement = {0.0, 1e-3, 2e-3};
  EXPECT_EQ(refused_at(&series), "input");
  series.source.path = "run.csv";
  series.lines.add(0, 2);
  EXPECT_EQ(refused_at(&series), "run.csv:4");
  series.time = {0.0, 0.1};
  EXPECT_EQ(refused_at(&series), "input");
  options.formula = "log(t)";
  EXPECT_EQ(refused_at(nullptr), "formula");
  options.formula = "t +";
  EXPECT_EQ(refused_at(nullptr), "formula");
  options.formula = "t";
  options.duration_s = 1e9;
  EXPECT_EQ(refused_at(nullptr), "duration_s");
}

TEST(RigMap, RefusesAnEmptyGrid) {
  RigOptions options;
  options.amplitudes_m.clear();
  EXPECT_THROW(run_rig(*make_mount(unlimited(FrictionLaw::masing)), options), Error);
}

TEST(RigNoise, HasTheStatisticsAskedForAndRepeatsWithItsSeed) {
  // [rig E3] 20 001 samples: a standard deviation is known to 0.5 %, a mean to 0.7 % of it.
  const auto mount = make_mount(unlimited(FrictionLaw::masing));
  RigOptions options;
  options.program = RigProgram::transient;
  options.formula = "1e-4*sin(2*pi*t)";
  options.sample_rate_hz = 20000.0;
  const RigResult clean = run_rig(*mount, options);
  options.noise_force_n = 2.0;
  options.noise_displacement_m = 1e-6;
  const RigResult noisy = run_rig(*mount, options), again = run_rig(*mount, options);
  EXPECT_EQ(noisy.series.force, again.series.force);
  EXPECT_EQ(noisy.series.displacement, again.series.displacement);
  options.seed = 2;
  EXPECT_NE(run_rig(*mount, options).series.force, noisy.series.force);
  double mean = 0.0, square_f = 0.0, square_u = 0.0, product = 0.0;
  const auto n = static_cast<double>(clean.series.force.size());
  for (std::size_t i = 0; i < clean.series.force.size(); ++i) {
    const double f = (noisy.series.force[i] - clean.series.force[i]) / 2.0,
                 u = (noisy.series.displacement[i] - clean.series.displacement[i]) / 1e-6;
    mean += f / n;
    square_f += f * f / n;
    square_u += u * u / n;
    product += f * u / n;
  }
  EXPECT_NEAR(mean, 0.0, 0.03);
  EXPECT_NEAR(square_f, 1.0, 0.04);
  EXPECT_NEAR(square_u, 1.0, 0.04);
  EXPECT_NEAR(product, 0.0, 0.03);
}

TEST(RigNoise, OfTheMapIsThatOfThePoint) {
  // Scatter of the reduced values over 400 points; a point's noise depends on seed and index alone.
  RigOptions options;
  options.samples_per_cycle = 32;
  options.measured_cycles = 1;
  options.settle_tolerance = 1e-3;
  options.amplitudes_m = {1e-4};
  options.frequencies_hz.assign(400, 10.0);
  const auto mount = make_mount(unlimited(FrictionLaw::masing));
  const RigResult clean = run_rig(*mount, options);
  options.noise_k_dyn_rel = 0.01;
  options.noise_loss_angle_deg = 0.5;
  const RigResult noisy = run_rig(*mount, options);
  double k = 0.0, angle = 0.0;
  for (std::size_t i = 0; i < 400; ++i) {
    k += std::pow((noisy.map[i].response.k_dyn / clean.map[i].response.k_dyn - 1.0) / 0.01, 2) / 400.0;
    angle +=
        std::pow((noisy.map[i].response.loss_angle - clean.map[i].response.loss_angle) / (0.5 * degree), 2) / 400.0;
    // The closed form stays clean.
    EXPECT_EQ(noisy.map[i].closed_form->k_dyn, clean.map[i].closed_form->k_dyn);
  }
  // Four standard deviations of a variance from 400 samples: 4 sqrt(2/400) = 0.28.
  EXPECT_NEAR(k, 1.0, 0.28);
  EXPECT_NEAR(angle, 1.0, 0.28);
  options.frequencies_hz = {10.0};
  EXPECT_EQ(run_rig(*mount, options).map[0].response.k_dyn, noisy.map[0].response.k_dyn);
}

TEST(RigNoise, OfSensorsPassesTheReduction) {
  // Force noise s over N samples scatters the first harmonic by s sqrt(2/N): 1 N on 34 N over 1024 samples is 0.13 %.
  RigOptions options;
  options.frequencies_hz.assign(100, 10.0);
  options.amplitudes_m = {1e-4};
  options.settle_tolerance = 1e-4;
  const auto mount = make_mount(unlimited(FrictionLaw::masing));
  options.noise_force_n = 1.0;
  const RigResult noisy = run_rig(*mount, options);
  double square = 0.0;
  for (const RigMapRow& row : noisy.map) square += std::pow(row.response.k_dyn - row.closed_form->k_dyn, 2) / 100.0;
  EXPECT_NEAR(std::sqrt(square) / (std::sqrt(2.0 / 1024.0) / 1e-4), 1.0, 0.3);
}

TEST(RigOptions, DescribeTheirBounds) {
  RigOptions options;
  const auto refused = [&](const std::string& field, double value) {
    try {
      field_table<RigOptions>().set_one(&options, field, Json(value), "rig");
      return false;
    } catch (const Error& error) {
      return error.where() == "rig." + field;
    }
  };
  for (const Field& field : field_table<RigOptions>().fields()) {
    EXPECT_FALSE(field.meaning.empty()) << field.name;
    std::vector<double> bad;
    if (std::isfinite(field.lower)) bad.push_back(field.lower_open ? field.lower : field.lower - 1.0);
    if (std::isfinite(field.upper)) bad.push_back(2.0 * field.upper + 1.0);
    for (const double value : bad) EXPECT_TRUE(refused(field.name, value)) << field.name;
  }
}

}  // namespace
}  // namespace kdyn::inline rig
