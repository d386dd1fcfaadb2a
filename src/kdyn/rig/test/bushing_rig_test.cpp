// SPDX-License-Identifier: Apache-2.0
// A bushing with several axes moving at once. Oracles: the same laws one by one, radial springs by hand, levers by
// hand.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "kdyn/base/error.hpp"
#include "kdyn/base/json.hpp"
#include "kdyn/laws/model_file.hpp"
#include "kdyn/rig/bushing_rig.hpp"

namespace kdyn::inline rig {
namespace {

Json rubber(double stiffness) {
  return {{"model", "elastomer"},
          {"law", "masing"},
          {"parameters",
           {{"static_stiffness", stiffness},
            {"alpha", 0.1},
            {"beta", 0.1},
            {"gamma", 0.0035},
            {"lambda", 0.38},
            {"rdl", 9e-5},
            {"rho", 4500}}}};
}
Json curve() {
  return Json::parse(
      R"({"model":"elastomer","parameters":{"curve":[[-0.004,-4000],[-0.002,-800],[0,0],[0.002,800],[0.004,4000]]}})");
}
Json voigt(double stiffness, double damping) {
  return {{"model", "kelvin_voigt"}, {"parameters", {{"stiffness", stiffness}, {"damping", damping}}}};
}
Bushing bushing_of(const Json& axes, const char* coupling = "none", const Json& place = Json::object()) {
  Json model = {{"model", "bushing"}, {"coupling", coupling}, {"axes", axes}};
  model.update(place);
  return bushing_from_json(model, "test");
}
AxisMotion sine(double amplitude, double phase_deg = 0.0, double preload = 0.0) {
  AxisMotion m;
  m.amplitude = amplitude, m.phase_deg = phase_deg, m.preload = preload;
  return m;
}

TEST(BushingRig, UncoupledAxesAreTheirMountsWhateverTheOthersDo) {
  const Bushing bushing = bushing_of({{"fx", rubber(2e5)}, {"fz", rubber(8e5)}, {"ty", voigt(60.0, 0.1)}});
  BushingRigOptions options;
  options.rig.frequencies_hz = {2.0, 20.0};
  options.motion[0] = sine(5e-4), options.motion[2] = sine(1e-3, 0.0, 400.0), options.motion[4] = sine(0.02);
  options.factors = {0.5, 1.0};
  const BushingRigResult result = run_bushing_rig(bushing, options);
  ASSERT_EQ(result.status, "done");
  for (const std::size_t k : {0U, 2U, 4U}) {
    RigOptions alone = options.rig;
    const AxisMotion& m = *options.motion[k];
    alone.amplitudes_m = {0.5 * m.amplitude, m.amplitude}, alone.preloads_n = {m.preload};
    const RigResult expected = run_rig(*bushing.axes[k], alone);
    ASSERT_EQ(result.axes[k].map.size(), 4u);
    for (std::size_t i = 0; i < 4; ++i) {
      // Cycles differ, since all axes wait for the slowest: both have settled to 1e-7.
      EXPECT_NEAR(result.axes[k].map[i].response.k_dyn, expected.map[i].response.k_dyn,
                  1e-6 * expected.map[i].response.k_dyn);
      EXPECT_NEAR(result.axes[k].map[i].response.loss_angle, expected.map[i].response.loss_angle, 1e-6);
    }
  }
  EXPECT_NEAR(result.centre[2], 400.0 / 8e5, 1e-12);
  EXPECT_TRUE(result.shown[4] && !result.shown[1]);
}

// Round a circle the force of a cylindrical bushing points to the centre and has the size of its curve at the radius: a
// spring of its secant.
TEST(BushingRig, CircularMotionOfACoupledBushingSeesTheSecant) {
  const Bushing bushing = bushing_of({{"fx", curve()}, {"fy", curve()}}, "cylindrical");
  BushingRigOptions options;
  options.rig.frequencies_hz = {5.0};
  options.motion[0] = sine(3e-3, 0.0), options.motion[1] = sine(3e-3, 90.0);
  const double secant = bushing.axes[0]->static_force(3e-3) / 3e-3;
  const BushingRigResult coupled = run_bushing_rig(bushing, options);
  for (const std::size_t k : {0U, 1U}) {
    // Static curves alone: nothing is lost in a cycle, the first harmonic is all there is.
    EXPECT_NEAR(coupled.axes[k].map.at(0).response.k_dyn, secant, 1e-9 * secant);
    EXPECT_NEAR(coupled.axes[k].map.at(0).response.loss_angle, 0.0, 1e-9);
  }
  // Along one axis the curve is seen at all its displacements: another stiffness.
  options.motion[1].reset();
  EXPECT_GT(std::abs(run_bushing_rig(bushing, options).axes[0].map.at(0).response.k_dyn / secant - 1.0), 0.01);
}

TEST(BushingRig, PreloadsOfCoupledAxesAreFoundTogether) {
  const Bushing bushing = bushing_of({{"fx", curve()}, {"fy", curve()}, {"fz", rubber(8e5)}}, "spherical");
  const auto u = static_displacement(bushing, std::array<std::optional<double>, 6>{600.0, -900.0, 300.0});
  const auto force = bushing.static_force(u);
  EXPECT_NEAR(force[0], 600.0, 1e-6);
  EXPECT_NEAR(force[1], -900.0, 1e-6);
  EXPECT_NEAR(force[2], 300.0, 1e-6);
  std::array<std::optional<double>, 6> about_x;
  about_x[3] = 5.0;
  EXPECT_THROW(static_displacement(bushing, about_x), Error);  // no law about tx
}

// Turned by 90 degrees about z its x axis is the outer y axis; 0.2 m away a rotation about z moves it sideways.
TEST(BushingRig, APlaceTurnsAxesAndHasLevers) {
  const Json axes = {{"fx", voigt(3e5, 200.0)}, {"fy", voigt(1e5, 50.0)}};
  const double quarter = std::numbers::pi / 2.0;
  const Bushing turned =
      bushing_of(axes, "none", {{"orientation", {0.0, 0.0, quarter}}, {"position", {0.2, 0.0, 0.0}}});
  BushingRigOptions options;
  options.rig.frequencies_hz = {10.0};
  options.motion[1] = sine(1e-4);
  const double w = 2.0 * std::numbers::pi * 10.0;
  const auto expect = [&](const BushingRigResult& result, std::size_t axis, double k, double d) {
    const SteadyResponse& r = result.axes[axis].map.at(0).response;
    EXPECT_NEAR(r.k_dyn, std::hypot(k, w * d), 1e-9 * k);
    EXPECT_NEAR(r.loss_angle, std::atan2(w * d, k), 1e-9);
  };
  expect(run_bushing_rig(turned, options), 1, 3e5, 200.0);
  options.motion = {};
  options.motion[0] = sine(1e-4);
  expect(run_bushing_rig(turned, options), 0, 1e5, 50.0);
  options.motion = {};
  options.motion[5] = sine(1e-3);
  expect(run_bushing_rig(turned, options), 5, 0.04 * 3e5, 0.04 * 200.0);
  // Work is the same seen from both sides  [element E14].
  const Bushing oblique =
      bushing_of(axes, "none", {{"orientation", {0.3, -0.8, 0.5}}, {"position", {0.02, -0.05, 0.04}}});
  const Bushing::Vector u{1e-3, -4e-4, 7e-4, 0.01, -0.02, 0.015}, force = oblique.static_force(u);
  Bushing::Vector own;
  oblique.place.motion_inside(u.data(), own.data());
  double outside = 0.0;
  for (std::size_t i = 0; i < 6; ++i) outside += force[i] * u[i];
  EXPECT_NEAR(outside, 3e5 * own[0] * own[0] + 1e5 * own[1] * own[1], 1e-12);
}

TEST(BushingRig, TransientsOfSeveralFrequenciesAreReducedEachAtItsOwn) {
  const Bushing bushing = bushing_of({{"fx", voigt(3e5, 200.0)}, {"fy", voigt(1e5, 50.0)}});
  BushingRigOptions options;
  options.rig.program = RigProgram::transient;
  options.rig.duration_s = 2.0;
  options.motion[0] = sine(1e-3, 30.0), options.motion[1] = sine(5e-4);
  options.motion[0]->frequency_hz = 7.0, options.motion[1]->frequency_hz = 11.0;
  const BushingRigResult result = run_bushing_rig(bushing, options);
  for (const auto& [axis, k, d, f] : {std::tuple(0U, 3e5, 200.0, 7.0), std::tuple(1U, 1e5, 50.0, 11.0)}) {
    const RigMapRow& row = result.axes[axis].map.at(0);
    const double w = 2.0 * std::numbers::pi * f;
    EXPECT_NEAR(row.response.k_dyn, std::hypot(k, w * d), 1e-9 * k);
    EXPECT_NEAR(row.response.loss_angle, std::atan2(w * d, k), 1e-9);
    EXPECT_EQ(result.axes[axis].series.force.size(), 2001u);
  }
}

TEST(BushingRig, RecordedMotionAndStaticPaths) {
  const Bushing bushing = bushing_of({{"fx", curve()}, {"fy", curve()}}, "cylindrical");
  BushingRigOptions options;
  options.rig.program = RigProgram::transient;
  BushingInput input;
  BenchSeries x, y;
  for (int i = 0; i <= 200; ++i) {
    x.time.push_back(1e-3 * i), y.time.push_back(1e-3 * i);
    x.displacement.push_back(2e-3 * std::sin(0.05 * i)), y.displacement.push_back(-1e-3 * std::sin(0.03 * i));
  }
  input[0] = x, input[1] = y;
  const BushingRigResult recorded = run_bushing_rig(bushing, options, &input);
  for (std::size_t i = 0; i < x.time.size(); i += 17)
    EXPECT_NEAR(recorded.axes[0].series.force[i],
                bushing.static_force({x.displacement[i], y.displacement[i], 0, 0, 0, 0})[0], 1e-9);
  // A line in space: the force is along it.
  options.rig.program = RigProgram::static_loop;
  options.motion[0] = sine(3e-3), options.motion[1] = sine(3e-3);
  const BushingRigResult line = run_bushing_rig(bushing, options);
  const double r = std::sqrt(2.0) * 3e-3, g = bushing.axes[0]->static_force(r) / std::sqrt(2.0);
  EXPECT_NEAR(*std::max_element(line.axes[0].static_loop.force.begin(), line.axes[0].static_loop.force.end()), g,
              1e-9 * g);
  EXPECT_EQ(line.axes[0].static_loop.force, line.axes[1].static_loop.force);
}

TEST(BushingRig, RefusesMotionThatWouldNotBeMade) {
  const Bushing bushing = bushing_of({{"fx", voigt(3e5, 200.0)}});
  const auto where = [&](RigProgram program, const AxisMotion& m) {
    BushingRigOptions options;
    options.rig.program = program;
    options.motion[0] = m;
    try {
      run_bushing_rig(bushing, options);
    } catch (const Error& error) {
      return error.where();
    }
    return std::string();
  };
  AxisMotion m = sine(1e-3);
  m.frequency_hz = 5.0;
  EXPECT_EQ(where(RigProgram::map, m), "motion.fx.frequency_hz");
  EXPECT_EQ(where(RigProgram::transient, sine(1e-3)), "motion.fx.amplitude");
  EXPECT_EQ(where(RigProgram::sweep, sine(1e-3, 90.0)), "motion.fx.phase_deg");
  m.formula = "1e-3*t";
  EXPECT_EQ(where(RigProgram::transient, m), "motion.fx.formula");
  EXPECT_EQ(where(RigProgram::map, sine(0.0)), "motion");
}

TEST(ModelFile, ScaleAndTemperatureStandBesideEveryLaw) {
  Json model = rubber(2e5);
  model["temperature"] = Json::parse("[[0, 1.5, 1.2, 1.4], [40, 0.8, 0.9, 0.7]]");
  const auto plain = mount_from_json(model, "t");
  RigOptions options;
  options.frequencies_hz = {8.0}, options.amplitudes_m = {5e-4};
  options.temperature_c = 10.0;
  const RigResult by_option = run_rig(*plain, options);
  options.temperature_c.reset();
  Json cold = model;
  cold["temperature_c"] = 10.0, cold["scale"] = 2.5;
  const RigResult by_file = run_rig(*mount_from_json(cold, "t"), options);
  // A factor of the force.
  EXPECT_NEAR(by_file.map[0].response.k_dyn, 2.5 * by_option.map[0].response.k_dyn,
              1e-12 * by_file.map[0].response.k_dyn);
  EXPECT_NEAR(by_file.map[0].response.loss_angle, by_option.map[0].response.loss_angle, 1e-12);
  ASSERT_TRUE(by_file.map[0].closed_form);
  EXPECT_NEAR(by_file.map[0].closed_form->k_dyn, 2.5 * by_option.map[0].closed_form->k_dyn,
              1e-9 * by_file.map[0].response.k_dyn);
  Json back;
  mount_from_json(cold, "t")->to_json(back);
  EXPECT_EQ(back["scale"], 2.5);
  EXPECT_NEAR(mount_from_json(back, "t")->static_force(1e-3), mount_from_json(cold, "t")->static_force(1e-3), 1e-9);
  for (const Json& bad : {Json(0.0), Json(-1.0), Json("2"), Json(1e10)}) {
    Json wrong = model;
    wrong["scale"] = bad;
    EXPECT_THROW(mount_from_json(wrong, "t"), Error);
  }
  Json unknown = voigt(1e5, 10.0);
  unknown["temperature_c"] = 20.0;
  EXPECT_THROW(mount_from_json(unknown, "t"), Error);
}

}  // namespace
}  // namespace kdyn::inline rig
