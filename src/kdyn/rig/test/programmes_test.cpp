// SPDX-License-Identifier: Apache-2.0
// Sweep, temperature, trust tests, linear model and six-axis bushing, each against what is known otherwise.
#include <cmath>
#include <complex>
#include <numbers>

#include <gtest/gtest.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/json.hpp"
#include "kdyn/base/random.hpp"
#include "kdyn/elastomer/elastomer_model.hpp"
#include "kdyn/hydromount/hydromount_model.hpp"
#include "kdyn/laws/model_file.hpp"
#include "kdyn/rig/linear_model.hpp"
#include "kdyn/rig/rig.hpp"
#include "kdyn/rig/trust.hpp"

namespace kdyn::inline rig {
namespace {

TEST(Sweep, FollowsTheClosedForm) {
  RigOptions options;
  options.program = RigProgram::sweep;
  options.duration_s = 60.0;
  options.sample_rate_hz = 5000.0;
  const RigResult result = run_rig(*make_mount(Elastomer<double>{}), options);
  ASSERT_GT(result.map.size(), 40u);
  // A slow sweep is nearly steady: frequency changes by about 1 % within a window, stiffness by far less.
  for (const RigMapRow& row : result.map) {
    EXPECT_NEAR(row.response.k_dyn / row.closed_form->k_dyn, 1.0, 1e-3);
    EXPECT_NEAR(row.response.loss_angle, row.closed_form->loss_angle, 1e-3);
  }
}

TEST(Temperature, FactorsActOnTheirParts) {
  Elastomer<double> law;
  law.temperature = {{-20.0, 2.0, 3.0, 1.5}, {20.0, 1.0, 1.0, 1.0}};
  const auto mount = make_mount(law);
  // Half way between the rows: linear interpolation of the factors.
  Elastomer<double> expected = law;
  expected.static_stiffness *= 1.5;
  expected.scale_freq = 2.0;
  expected.scale_ampl = 1.25;
  const auto a = mount->at_temperature(0.0)->closed_form(10.0, 2e-4, 0.0),
             b = make_mount(expected)->closed_form(10.0, 2e-4, 0.0);
  EXPECT_NEAR(a->k_dyn / b->k_dyn, 1.0, 1e-14);
  EXPECT_NEAR(a->loss_angle, b->loss_angle, 1e-14);
  EXPECT_EQ(mount->at_temperature(-50.0)->static_force(1e-3), 2.0 * mount->static_force(1e-3));
  EXPECT_THROW(make_mount(Elastomer<double>{})->at_temperature(0.0), Error);
}

TEST(Trust, TellsThePublishedLawFromOurs) {
  Elastomer<double> law;  // no limit
  TrustOptions options;
  options.amplitude = 1e-3;
  const TrustResult ours = examine_trust(*make_mount(law), options);
  EXPECT_FALSE(ours.drifts) << ours.drift;
  EXPECT_FALSE(ours.generates_energy) << ours.lowest_work;
  law.law = FrictionLaw::g4;
  const TrustResult published = examine_trust(*make_mount(law), options);
  EXPECT_TRUE(published.drifts) << published.drift;
  EXPECT_GT(published.drift, 5.0 * ours.drift);
}

TEST(LinearModel, IsExactForALinearMount) {
  // Without friction the mount is one Maxwell-like branch with a feed-through damper; over a band far below it the
  // damper is small.
  Elastomer<double> law;
  law.rdl = law.rho = 0.0;
  law.beta = 1e-6;
  LinearModelOptions options;
  options.from_hz = 0.5;
  options.to_hz = 20.0;
  const LinearModel m = linear_model(*make_mount(law), options);
  EXPECT_LT(m.misfit, 2e-3);
  EXPECT_NEAR(m.static_stiffness, law.static_stiffness, 1e-9 * law.static_stiffness);
  for (const double k : m.stiffness) EXPECT_GT(k, 0.0);
}

TEST(LinearModel, FollowsFrictionAtItsAmplitude) {
  const LinearModel m = linear_model(*make_mount(Elastomer<double>{}), {});
  EXPECT_LT(m.misfit, 0.02);
  for (std::size_t i = 0; i < m.model.size(); ++i) EXPECT_GT(m.model[i].imag(), 0.0);  // passive
}

// Oracle: a hydro mount of constant springs and linear damping is the fluid term itself; 13.997 Hz and 0.0979 are those
// of its Table 1.
TEST(LinearModel, FindsTheFluidOfAHydroMount) {
  HydroMount<double> law;
  for (Elastomer<double>* rubber : {&law.main_rubber, &law.chamber_rubber})
    rubber->lambda = rubber->rdl = rubber->rho = 0.0;
  law.main_rubber.static_stiffness = 1e6;
  law.chamber_rubber.static_stiffness = 1643e3;
  law.fluid_damping_nonlinear = 0.0;
  const LinearModel m = linear_model(*make_mount(law), {});
  // The search ends at steps of 0.01 %, twice that of the damping; a light resonance answers with ten times as much.
  EXPECT_LT(m.misfit, 2e-3);
  EXPECT_NEAR(m.fluid.frequency_hz, 13.997, 0.03);
  EXPECT_NEAR(m.fluid.damping, 0.09793, 5e-4);
  EXPECT_NEAR(m.fluid.stiffness, 1643e3, 5e3);
}

// Oracle: the curve's own slope at the preload, and the closed forms of the law that the file names.
TEST(LinearModel, IsAModelFileWithTheStaticStiffnessOfThePreload) {
  Elastomer<double> law;
  for (int i = -20; i <= 20; ++i) {
    const double u = 2.5e-4 * i;
    law.curve_points.emplace_back(u, 3e5 * u + 1.5e10 * u * u * u);
  }
  prepare(law, "law");
  LinearModelOptions options;
  for (const double preload : {-900.0, 0.0, 700.0, 1500.0})
    for (const double amplitude : {5e-5, 2e-4, 1e-3}) {
      options.preload_n = preload, options.amplitude_m = amplitude;
      const auto mount = make_mount(law);
      const LinearModel m = linear_model(*mount, options);
      // Differences over a millionth of the displacement against the derivative of the cubic pieces: rounding of the
      // force, and first order where two pieces meet.
      EXPECT_NEAR(m.static_stiffness, law.curve->slope(m.displacement), 1e-6 * m.static_stiffness);
      EXPECT_NEAR(law.static_force(m.displacement), preload, 1e-6);
      EXPECT_LT(m.misfit, 0.03);
      Json file;
      linear_model_json(m, *mount, file);
      const auto linear = mount_from_json(file, "linear");
      EXPECT_EQ(linear->model(), "maxwell");
      EXPECT_NEAR(linear->static_force(1e-3), 1e-3 * m.static_stiffness, 1e-9);
      for (std::size_t i = 0; i < m.frequency_hz.size(); i += 7)
        EXPECT_LT(std::abs(linear->linear_stiffness(m.frequency_hz[i], 0.0) / m.model[i] - 1.0), 1e-12);
    }
}

// Oracle: the time-domain law of the file against the formula of the linear model.
TEST(LinearModel, OfAHydroMountIsALinearHydroMount) {
  HydroMount<double> law;
  law.main_rubber.static_stiffness = 3e5;
  law.chamber_rubber.static_stiffness = 6e5;
  const auto mount = make_mount(law);
  const LinearModel m = linear_model(*mount, {});
  ASSERT_GT(m.fluid.stiffness, 0.0);
  EXPECT_NEAR(m.static_stiffness, 3e5, 1e-3);
  Json file;
  linear_model_json(m, *mount, file);
  const auto linear = mount_from_json(file, "linear");
  EXPECT_EQ(linear->model(), "hydromount");
  for (std::size_t i = 0; i < m.frequency_hz.size(); i += 7)
    EXPECT_LT(std::abs(linear->linear_stiffness(m.frequency_hz[i], 0.0) / m.model[i] - 1.0), 1e-9);
}

Json bushing_text(const char* coupling) {
  return Json::parse(R"({"model":"bushing","coupling":")" + std::string(coupling) +
                     R"(","axes":{"fx":{"model":"elastomer","parameters":{"static_stiffness":2e5}},
                         "fy":{"model":"elastomer","parameters":{"static_stiffness":2e5}},
                         "fz":{"model":"elastomer","parameters":{"static_stiffness":8e5,"alpha":0.1,"beta":0.1,"gamma":0.0035,"lambda":0.38,"rdl":9e-5,"rho":4500}}}})");
}

TEST(Bushing, CylindricalCouplingOfEqualSpringsIsTheRadialSpring) {
  const Bushing bushing = bushing_from_json(bushing_text("cylindrical"), "test");
  RandomStream random(11);
  for (int i = 0; i < 100; ++i) {
    const double x = random.uniform(-1e-3, 1e-3), y = random.uniform(-1e-3, 1e-3);
    const auto force = bushing.static_force({x, y, 3e-4, 0, 0, 0});
    // Radially symmetric: F = k r along the displacement, whose components are k x and k y.
    EXPECT_NEAR(force[0], 2e5 * x, 1e-9);
    EXPECT_NEAR(force[1], 2e5 * y, 1e-9);
    EXPECT_NEAR(force[2], 8e5 * 3e-4, 1e-9);
    EXPECT_EQ(force[3], 0.0);
  }
}

TEST(Bushing, SphericalCouplingOfProgressiveSpringsComesFromAPotential) {
  Json text = bushing_text("spherical");
  for (const char* axis : {"fx", "fy", "fz"})
    text["axes"][axis] = Json::parse(
        R"({"model":"elastomer","parameters":{"curve":[[-0.004,-4000],[-0.002,-800],[0,0],[0.002,800],[0.004,4000]]}})");
  const Bushing bushing = bushing_from_json(text, "test");
  // Work around a closed path off the origin vanishes; trapezoidal rule with 4000 steps, relative error about 1e-6.
  double work = 0.0, size = 0.0;
  Bushing::Vector before{};
  Bushing::Vector force_before{};
  for (int i = 0; i <= 4000; ++i) {
    const double s = 2.0 * std::numbers::pi * i / 4000.0;
    const Bushing::Vector u{1e-3 + 1e-3 * std::cos(s), 8e-4 * std::sin(s), -1e-3 * std::sin(2 * s), 0, 0, 0};
    const Bushing::Vector force = bushing.static_force(u);
    if (i > 0)
      for (std::size_t k = 0; k < 3; ++k) {
        const double part = 0.5 * (force[k] + force_before[k]) * (u[k] - before[k]);
        work += part;
        size += std::abs(part);
      }
    before = u;
    force_before = force;
  }
  EXPECT_LT(std::abs(work), 1e-5 * size);
}

TEST(Bushing, UncoupledAxesAreTheirMounts) {
  Bushing bushing = bushing_from_json(bushing_text("none"), "test");
  const auto z = mount_from_json(bushing_text("none"), "test", "fz");
  bushing.start({});
  z->start({});
  for (int i = 1; i < 50; ++i) {
    const double u = 5e-4 * std::sin(0.3 * i), v = 5e-4 * 0.3 / 1e-3 * std::cos(0.3 * i);
    EXPECT_EQ(bushing.advance({0, 0, u, 0, 0, 0}, {0, 0, v, 0, 0, 0}, 1e-3)[2], z->advance({u, v}, 1e-3));
  }
  Json back;
  bushing_json(bushing, back);
  EXPECT_EQ(back["axes"].size(), 3u);
}

TEST(Bushing, RefusesWhatItIsNot) {
  EXPECT_THROW(bushing_from_json(Json::parse(R"({"model":"bushing"})"), "t"), Error);
  EXPECT_THROW(bushing_from_json(Json::parse(R"({"model":"bushing","axes":{"fq":{}}})"), "t"), Error);
  EXPECT_THROW(bushing_from_json(Json::parse(R"({"model":"bushing","coupling":3,"axes":{}})"), "t"), Error);
  EXPECT_THROW(mount_from_json(bushing_text("none"), "t"), Error);
  EXPECT_THROW(mount_from_json(bushing_text("none"), "t", "tx"), Error);
}

}  // namespace
}  // namespace kdyn::inline rig
