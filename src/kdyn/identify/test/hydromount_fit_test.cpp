// SPDX-License-Identifier: Apache-2.0
// Oracle everywhere: the mount that made the data. The statistics over many random mounts are in
// validation/hydromount_classes.
#include "kdyn/identify/hydromount_fit.hpp"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/json.hpp"
#include "kdyn/base/random.hpp"
#include "kdyn/element/conformance.hpp"
#include "kdyn/element/linearise.hpp"
#include "kdyn/hydromount/hydromount_model.hpp"
#include "kdyn/rig/rig.hpp"

namespace kdyn::inline identify {
namespace {

constexpr double degree = std::numbers::pi / 180.0;

void make_spring(Elastomer<double>& rubber, double stiffness) {
  rubber.static_stiffness = stiffness;
  rubber.lambda = rubber.rdl = rubber.rho = 0.0;
}

// Scheiblegger 2018, paper B, Table 1: the default of the law with constant springs.
HydroMount<double> plain_mount() {
  HydroMount<double> law;
  make_spring(law.main_rubber, 1e6);
  make_spring(law.chamber_rubber, 1643e3);
  return law;
}

HydroMount<double> rich_mount() {
  HydroMount<double> law;
  law.main_rubber = law.chamber_rubber = Elastomer<double>{};
  law.main_rubber.static_stiffness = 3.2e5;
  law.chamber_rubber.static_stiffness = 5.6e5;
  law.chamber_area = 4.8e-3, law.channel_area = 6.2e-5, law.channel_length = 0.21, law.fluid_density = 1050.0;
  law.fluid_damping_linear = 0.12, law.fluid_damping_nonlinear = 0.34;
  law.decoupler_clearance = 1.2e-4;
  law.decoupler_residual_slope = 0.25;
  return law;
}

ElastomerData measure(const HydroMount<double>& law, const std::vector<double>& amplitudes, int frequencies,
                      std::uint64_t seed, double noise = 1.0) {
  ElastomerData data;
  RandomStream random(seed);
  const HarmonicBalance balance(law);
  for (const double a : amplitudes)
    for (int i = 0; i < frequencies; ++i) {
      const double f = std::pow(60.0, i / (frequencies - 1.0));
      const SteadyState s = balance.solve(f, a);
      data.map.rows.push_back({f, a, 0.0, s.response.k_dyn * (1.0 + 0.01 * noise * random.normal()),
                               s.response.loss_angle + 0.5 * noise * degree * random.normal(), 0.0, 0});
    }
  return data;
}

const ParameterEstimate& find(const HydroMountFitResult& fit, const std::string& name) {
  for (const ParameterEstimate& p : fit.parameters)
    if (p.name == name) return p;
  throw_bad_input("test", "no parameter " + name, "");
}

void expect_inside(const HydroMountFitResult& fit, const std::string& name, double truth) {
  const ParameterEstimate& p = find(fit, name);
  // Four standard deviations: one in 16 000 by chance.
  EXPECT_LT(std::abs(std::log(p.value / truth)), 4.0 * p.std / p.value)
      << name << " " << p.value << " instead of " << truth;
}

bool has_finding(const HydroMountFitResult& fit, const std::string& code) {
  return std::any_of(fit.findings.begin(), fit.findings.end(), [&](const Finding& f) { return f.code == code; });
}

const std::vector<double> amplitudes = {5e-5, 2e-4, 5e-4, 1e-3, 2e-3};

TEST(HydroMountFit, ConstantSpringsAreRecognisedAndMappedToTheDrawing) {
  const HydroMount<double> truth = plain_mount();
  HydroMountFitOptions options;
  options.chamber_area = truth.chamber_area;
  options.channel_area = truth.channel_area;
  options.fluid_density = truth.fluid_density;
  const HydroMountFitResult fit = fit_hydromount(measure(truth, amplitudes, 30, 1), options);
  ASSERT_EQ(fit.status, "converged") << fit.reason;
  for (const HydroLevel& level : fit.levels)
    EXPECT_EQ(level.chosen, level.detail == HydroDetail::springs) << to_string(level.detail);
  EXPECT_EQ(fit.law.fluid_damping_exponent, 2.0);
  expect_inside(fit, "main_stiffness", 1e6);
  expect_inside(fit, "chamber_stiffness", 1643e3);
  expect_inside(fit, "channel_length", truth.channel_length);
  expect_inside(fit, "fluid_damping_linear", truth.fluid_damping_linear);
  expect_inside(fit, "fluid_damping_nonlinear", truth.fluid_damping_nonlinear);
  expect_inside(fit, "resonance_frequency", 13.997);
  EXPECT_FALSE(has_finding(fit, "geometry_not_seen"));
  EXPECT_NEAR(fit.rms_k_dyn_rel, 0.01, 0.0015);
  EXPECT_NEAR(fit.rms_loss_angle, 0.5 * degree, 0.08 * degree);
}

TEST(HydroMountFit, UnknownDrawingIsSaidAndDoesNotChangeTheForce) {
  const ElastomerData data = measure(plain_mount(), amplitudes, 20, 2);
  HydroMountFitOptions options;
  options.detail = HydroDetail::springs;
  options.fluid_damping_exponent = 2.0;
  const HydroMountFitResult assumed = fit_hydromount(data, options);
  options.chamber_area = 2e-2, options.channel_area = 3e-4, options.fluid_density = 900.0;
  const HydroMountFitResult given = fit_hydromount(data, options);
  EXPECT_TRUE(has_finding(assumed, "geometry_not_seen"));
  EXPECT_FALSE(has_finding(given, "geometry_not_seen"));
  // The same complex stiffness by two models of very different size, to rounding of the harmonic balance.
  for (const double f : {5.0, 12.0, 30.0}) {
    const auto a = HarmonicBalance(assumed.law).solve(f, 5e-4).stiffness,
               b = HarmonicBalance(given.law).solve(f, 5e-4).stiffness;
    EXPECT_LT(std::abs(a - b), 1e-7 * std::abs(a));
  }
  // Length instead of cross-section: the cross-section follows from the mass.
  options.channel_area.reset();
  options.channel_length = given.law.channel_length;
  EXPECT_NEAR(fit_hydromount(data, options).law.channel_area, 3e-4, 1e-9);
}

TEST(HydroMountFit, FindsTheMembraneAndShowsWhatEachLevelGains) {
  const HydroMount<double> truth = rich_mount();
  const ElastomerData data = measure(truth, amplitudes, 30, 3);
  const HydroMountFitResult fit = fit_hydromount(data, {});
  ASSERT_EQ(fit.status, "converged") << fit.reason;
  ASSERT_GE(fit.levels.size(), 3u);
  for (const HydroLevel& level : fit.levels) EXPECT_EQ(level.chosen, level.detail == HydroDetail::decoupler);
  expect_inside(fit, "decoupler_clearance", 1.2e-4);
  expect_inside(fit, "decoupler_residual_slope", 0.25);
  expect_inside(fit, "chamber_stiffness", 5.6e5);
  const double R = truth.area_ratio();
  expect_inside(fit, "effective_mass", truth.fluid_mass() / (R * R));
  // A level of detail that is asked for is kept even though it describes less.
  HydroMountFitOptions rubber;
  rubber.detail = HydroDetail::rubber;
  const HydroMountFitResult less = fit_hydromount(data, rubber);
  EXPECT_FALSE(less.law.decoupler_clearance.has_value());
  EXPECT_GT(less.rms_k_dyn_rel, 5.0 * fit.rms_k_dyn_rel);
}

TEST(HydroMountFit, FindsABypassThatOpensAtLargeAmplitudes) {
  HydroMount<double> truth = plain_mount();
  truth.bypass_area = 6e-6;
  truth.bypass_threshold = 1e5;
  HydroMountFitOptions options;
  options.detail = HydroDetail::bypass;
  options.chamber_area = truth.chamber_area;
  options.channel_area = truth.channel_area;
  options.fluid_density = truth.fluid_density;
  options.fluid_damping_exponent = 2.0;
  const HydroMountFitResult fit = fit_hydromount(measure(truth, amplitudes, 30, 4), options);
  ASSERT_TRUE(fit.law.has_bypass());
  EXPECT_NEAR(*fit.law.bypass_threshold, 1e5, 1.5e4);
  EXPECT_LT(fit.rms_k_dyn_rel, 0.013);
}

TEST(HydroMountFit, HeldParametersStayAndUnseenOnesAreNamed) {
  HydroMountFitOptions options;
  options.fix = {{"chamber_stiffness", 1.643e6}};
  options.detail = HydroDetail::rubber;
  const HydroMountFitResult fit = fit_hydromount(measure(plain_mount(), amplitudes, 20, 5), options);
  EXPECT_EQ(find(fit, "chamber_stiffness").status, ParameterStatus::fixed);
  EXPECT_EQ(find(fit, "chamber_stiffness").value, 1.643e6);
  // Springs have no friction: what the rubber level adds is not in the data.
  EXPECT_TRUE(has_finding(fit, "not_present") || has_finding(fit, "not_seen") || has_finding(fit, "weakly_seen"));
}

TEST(HydroMountFit, RefusesWhatItCannotFit) {
  ElastomerData none;
  EXPECT_THROW(fit_hydromount(none, {}), Error);
  ElastomerData few = measure(plain_mount(), {1e-4}, 5, 6);
  EXPECT_THROW(fit_hydromount(few, {}), Error);
  HydroMountFitOptions options;
  options.fix = {{"chamber_stifness", 1.0}};
  EXPECT_THROW(fit_hydromount(measure(plain_mount(), {1e-4}, 20, 7), options), Error);
}

const HydroMountFitResult& fitted_rich_mount() {
  static const HydroMountFitResult fit = fit_hydromount(measure(rich_mount(), amplitudes, 24, 8), {});
  return fit;
}

// The file, the run on the rig, the steady state and the linearisation of a fitted model are one mount.
TEST(HydroMountFit, FileRigAndLinearisationOfAFittedModelAgree) {
  const HydroMountFitResult& fit = fitted_rich_mount();
  ASSERT_EQ(fit.status, "converged");
  Json json;
  model_json(fit.law, json);
  const HydroMount<double> read = hydromount_from_json(parse_json(dump_json(json), "model"), "model");
  RigOptions rig;
  rig.frequencies_hz = {6.0, 14.0, 40.0};
  rig.amplitudes_m = {1e-4, 1e-3};
  for (const RigMapRow& row : run_rig(*make_mount(read), rig).map) {
    EXPECT_TRUE(row.settled);
    const SteadyState s = HarmonicBalance(fit.law).solve(row.frequency_hz, row.amplitude);
    // The rig stops when cycles repeat to its tolerance and samples the kinks; 9 harmonics leave 1e-4: 2e-3 in all.
    EXPECT_LT(std::abs(std::polar(row.response.k_dyn, row.response.loss_angle) - s.stiffness),
              2e-3 * std::abs(s.stiffness))
        << row.frequency_hz << " Hz, " << row.amplitude;
  }
  // At vanishing amplitude the steady state tends to the linear response: friction is elastic, the power damping gone.
  HydroMount<double> smooth = read;
  smooth.fluid_damping_nonlinear = 0.0;
  const auto linear = linearise(smooth, 0.0);
  for (const double f : {3.0, 10.0, 40.0}) {
    const auto K = HarmonicBalance(smooth).solve(f, 1e-10).stiffness;
    EXPECT_LT(std::abs(linear.stiffness(f) - K), 1e-4 * std::abs(K)) << f;
  }
}

// A fitted model passes the suite that every law must pass.
struct FittedHydroMountFamily {
  using Law = HydroMount<double>;
  static conformance::Access<Law> access() {
    return {field_table<Law>(), [](const Json& model) { return hydromount_from_json(model, "model"); },
            [](const Law& law) { return make_mount(law); }};
  }
  static std::vector<conformance::Example<Law>> examples() {
    conformance::Example<Law> example{"fitted membrane mount", fitted_rich_mount().law};
    example.small_amplitude = 1e-11;  // the reasons are those of hydromount/test/conformance_test.cpp
    example.small_tolerance = 2e-4;
    example.step_noise = 2e-7;
    example.commit_tolerance = 0.05;
    example.sharpness = 1e4;  // the decoupler bends within a tenth of its clearance
    return {example};
  }
};
INSTANTIATE_TYPED_TEST_SUITE_P(FittedHydroMount, ElementConformance, FittedHydroMountFamily);

}  // namespace
}  // namespace kdyn::inline identify
