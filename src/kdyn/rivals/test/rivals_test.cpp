// SPDX-License-Identifier: Apache-2.0
#include "kdyn/rivals/rivals_model.hpp"

#include <gtest/gtest.h>

#include <complex>

#include "kdyn/base/error.hpp"
#include "kdyn/base/json.hpp"
#include "kdyn/element/element.hpp"
#include "kdyn/element/linearise.hpp"
#include "kdyn/element/mount_of.hpp"
#include "kdyn/rivals/berg.hpp"
#include "kdyn/rivals/bouc_wen.hpp"
#include "kdyn/rivals/kelvin_voigt_mount.hpp"
#include "kdyn/rivals/payne.hpp"

namespace kdyn::inline rivals {
namespace {

using C = std::complex<double>;

static_assert(Element<KelvinVoigtMount<double>> && Element<Maxwell<double>> && Element<Berg<double>> &&
              Element<BoucWen<double>> && Element<FractionalZener<double>> && Element<Payne<double>>);

Maxwell<double> three_branches() {
  Maxwell<double> law;
  law.bank.branches = 3;
  law.bank.stiffness = {4e4, 3e4, 2e4};
  law.bank.relaxation_time = {3e-4, 4e-3, 6e-2};
  return law;
}

FractionalZener<double> zener() {
  FractionalZener<double> law;
  law.complete();
  return law;
}

// First harmonic of force over displacement from a time run to the steady cycle: independent of every closed form.
template <class Law>
C simulated(const Law& law, double frequency_hz, double amplitude, int cycles, int n = 512) {
  const double omega = 2.0 * std::numbers::pi * frequency_hz;
  auto memory = law.start(0.0);
  std::array<double, std::max(1, Law::state_count)> x{};
  const auto step = law.prepare_step(1.0 / (frequency_hz * n));
  const auto motion = [&](int i) {
    const double phase = 2.0 * std::numbers::pi * i / n;
    return Motion<double>{amplitude * std::sin(phase), amplitude * omega * std::cos(phase)};
  };
  C sum = 0.0;
  for (int i = 0; i < cycles * n; ++i) {
    const double force = law.advance(x.data(), memory, motion(i), motion(i + 1), step);
    if (i >= (cycles - 1) * n) sum += force * std::polar(2.0 / n, -2.0 * std::numbers::pi * (i + 1) / n);
  }
  return sum / C(0.0, -amplitude);
}

C plain(const Complex<double>& z) { return {z.re, z.im}; }

TEST(Rivals, LinearLawsFollowTheirComplexStiffnessInTime) {
  for (const double f : {0.5, 7.0, 60.0}) {
    const double omega = 2.0 * std::numbers::pi * f;
    const C kv = plain(KelvinVoigtMount<double>{}.harmonic(omega, 0.0));
    EXPECT_LT(std::abs(simulated(KelvinVoigtMount<double>{}, f, 1e-3, 1) - kv), 1e-12 * std::abs(kv));
    const C maxwell = plain(three_branches().harmonic(omega, 0.0));
    // 512 points of cubic interpolation: (2 pi/512)^4/720 = 3e-11; transients of the slowest branch have decayed to
    // e^-30.
    EXPECT_LT(std::abs(simulated(three_branches(), f, 1e-3, static_cast<int>(2.0 * f) + 4) - maxwell),
              1e-9 * std::abs(maxwell))
        << f;
  }
}

TEST(Rivals, LinearisingGivesTheComplexStiffness) {
  for (const double f : {0.5, 7.0, 60.0}) {
    const double omega = 2.0 * std::numbers::pi * f;
    EXPECT_LT(std::abs(linearise(KelvinVoigtMount<double>{}, 0.0).stiffness(f) -
                       plain(KelvinVoigtMount<double>{}.harmonic(omega, 0.0))),
              1e-9);
    EXPECT_LT(std::abs(linearise(three_branches(), 1e-3).stiffness(f) - plain(three_branches().harmonic(omega, 0.0))),
              1e-6);
    // Friction laws: slope of a fresh branch, the limit of small amplitude.
    const Berg<double> berg;
    EXPECT_LT(std::abs(linearise(berg, 0.0).stiffness(f) - plain(berg.harmonic(omega, 1e-12))),
              1e-5 * std::abs(plain(berg.harmonic(omega, 1e-12))));
    const BoucWen<double> bw;
    EXPECT_LT(std::abs(linearise(bw, 0.0).stiffness(f) - plain(bw.harmonic(omega, 1e-9))),
              1e-5 * std::abs(plain(bw.harmonic(omega, 1e-9))));
  }
}

TEST(Rivals, BergClosedFormsAgreeWithTheTimeRun) {
  Berg<double> law;
  for (const double a : {2e-5, 2e-4, 3e-3}) {
    const double f = 5.0;
    const C closed = plain(law.harmonic(2.0 * std::numbers::pi * f, a));
    // The kink at the turning points limits the sum over 512 samples to second order: (2 pi/512)^2/12 = 1.3e-5.
    EXPECT_LT(std::abs(simulated(law, f, a, 60) - closed), 3e-5 * std::abs(closed)) << a;
  }
}

TEST(Rivals, BergSeriesJoinsItsClosedForm) {
  const Berg<double> law;
  const double x2 = law.friction_displacement;
  // The loop area switches to a series at 2a/B = 0.01, about a = 0.005 x2: both sides must meet.
  const double a = 0.0050 * x2, b = 0.0052 * x2;
  const double left = law.harmonic(1e-9, a).im / a, right = law.harmonic(1e-9, b).im / b;
  EXPECT_NEAR(left, right, 0.02 * left);
}

TEST(Rivals, BergVirginCurveReachesHalfTheLimitAtX2) {
  const Berg<double> law;
  EXPECT_DOUBLE_EQ(law.friction_branch(0.0, 0.0, law.friction_displacement), 0.5 * law.friction_max);
  EXPECT_DOUBLE_EQ(law.friction_branch(0.0, 0.0, -law.friction_displacement), -0.5 * law.friction_max);
}

TEST(Rivals, BoucWenHarmonicAgreesWithTheTimeRun) {
  for (const double shape : {0.5, 0.8, 1.0})
    for (const double n : {1.0, 2.5}) {
      BoucWen<double> law;
      law.shape = shape;
      law.sharpness = n;
      for (const double a : {5e-5, 3e-4, 2e-3}) {
        const C closed = plain(law.harmonic(2.0 * std::numbers::pi * 5.0, a));
        EXPECT_LT(std::abs(simulated(law, 5.0, a, 40) - closed), 2e-4 * std::abs(closed))
            << shape << " " << n << " " << a;
      }
    }
}

// d = 1/2, n = 1: dz/du = 1 - z/z_y on loading, 1 on unloading, so the branch is solved by hand.
TEST(Rivals, BoucWenOfOrderOneHasItsExactBranch) {
  BoucWen<double> law;
  law.sharpness = 1.0;
  law.shape = 0.5;
  const double zy = law.yield_displacement, a = 3e-4, z0 = -1e-4;
  const auto b = law.branch(a, z0);
  // Straight to z = 0 over |z0|, then exponential towards z_y over the rest of 2a.
  EXPECT_NEAR(b.end, zy * (1.0 - std::exp(-(2.0 * a + z0) / zy)),
              2e-5 * zy);  // kink at z = 0 crossed within one of 48 steps
  EXPECT_NEAR(b.sensitivity, std::exp(-(2.0 * a + z0) / zy), 2e-2);
}

TEST(Rivals, JetsAgreeWithDifferences) {
  const auto check = [](auto law, double omega, double a) {
    using Law = decltype(law);
    using J = Jet<8>;
    for (std::size_t i = 0; i < Law::members.size(); ++i) {
      auto dual = law.template cast<J>();
      const double value = law.*Law::members[i];
      dual.*decltype(dual)::members[i] = J(value, 0);
      const Complex<J> K = dual.harmonic(omega, J(a));
      const double step = 1e-5 * value;
      Law up = law, down = law;
      up.*Law::members[i] += step;
      down.*Law::members[i] -= step;
      const Complex<double> high = up.harmonic(omega, a), low = down.harmonic(omega, a);
      const double size = abs(Complex<double>{K.re.a, K.im.a}) / value;
      // Central differences: truncation 1e-10, rounding 1e-11, and the step count of a branch may change by one (1e-5).
      EXPECT_NEAR(K.re.v[0], (high.re - low.re) / (2.0 * step), 2e-5 * size) << Law::parameters[i].name;
      EXPECT_NEAR(K.im.v[0], (high.im - low.im) / (2.0 * step), 2e-5 * size) << Law::parameters[i].name;
    }
  };
  check(KelvinVoigtMount<double>{}, 30.0, 1e-3);
  check(Berg<double>{}, 30.0, 3e-4);
  BoucWen<double> bw;
  bw.shape = 0.7;
  check(bw, 30.0, 3e-4);
  check(zener(), 30.0, 1e-3);
  check(Payne<double>{}, 30.0, 3e-4);
}

TEST(Rivals, LadderFollowsTheFractionalStiffness) {
  for (const double order : {0.15, 0.4, 0.7, 0.9, 1.0})
    for (const double tau : {1e-5, 1e-3, 1e-1}) {
      FractionalZener<double> law;
      law.order = order;
      law.relaxation_time = tau;
      law.hardening = 3.0;
      law.complete();
      for (double f = 0.02; f < 600.0; f *= 1.7) {
        const C exact = plain(law.harmonic(2.0 * std::numbers::pi * f, 0.0)), ladder = linearise(law, 0.0).stiffness(f);
        // What 16 branches reach by least squares: 1.3e-3 near order 0.9, 1.3e-4 up to 0.4.
        EXPECT_LT(std::abs(ladder - exact), (order > 0.5 ? 2e-3 : 2e-4) * std::abs(exact))
            << order << " " << tau << " " << f;
      }
      for (int i = 0; i < law.ladder.branches; ++i) EXPECT_GE(law.ladder.stiffness[static_cast<std::size_t>(i)], 0.0);
    }
}

TEST(Rivals, OrderOneIsTheZenerSolid) {
  FractionalZener<double> fractional;
  fractional.order = 1.0;
  fractional.hardening = 0.5;
  fractional.relaxation_time = 2e-3;
  Maxwell<double> zener_solid;
  zener_solid.bank.branches = 1;
  zener_solid.bank.stiffness[0] = 0.5 * fractional.static_stiffness;
  zener_solid.bank.relaxation_time[0] = 2e-3;
  for (const double omega : {1.0, 300.0, 1e4})
    EXPECT_LT(std::abs(plain(fractional.harmonic(omega, 0.0)) - plain(zener_solid.harmonic(omega, 0.0))), 1e-8);
}

// Energy over steady cycles never comes out of a mount, and linear laws balance it with what they store.
TEST(Rivals, SteadyCyclesDissipate) {
  for (const double f : {0.3, 10.0, 90.0})
    for (const double a : {1e-5, 1e-3}) {
      const double omega = 2.0 * std::numbers::pi * f;
      EXPECT_GT(three_branches().harmonic(omega, a).im, 0.0);
      EXPECT_GT(Berg<double>{}.harmonic(omega, a).im, 0.0);
      EXPECT_GT(BoucWen<double>{}.harmonic(omega, a).im, 0.0);
      EXPECT_GT(zener().harmonic(omega, a).im, 0.0);
      EXPECT_GT(Payne<double>{}.harmonic(omega, a).im, 0.0);
    }
}

TEST(RivalModels, JsonReturnsWhatWasWritten) {
  const auto round_trip = [](const auto& law, auto&& from_json) {
    Json json;
    make_mount(law)->to_json(json);
    const auto mount = make_mount(from_json(json, "m.json"));
    Json again;
    mount->to_json(again);
    EXPECT_EQ(json.dump(), again.dump());
    EXPECT_EQ(mount->model(), law.model);
    const SteadyResponse direct = plain_steady_response(law, 7.0, 5e-4), back = *mount->closed_form(7.0, 5e-4, 0.0);
    EXPECT_EQ(direct.k_dyn, back.k_dyn);
    EXPECT_EQ(direct.loss_angle_loop, back.loss_angle_loop);
    EXPECT_NEAR(mount->static_displacement(mount->static_force(1e-3)), 1e-3, 1e-15);
  };
  round_trip(KelvinVoigtMount<double>{}, plain_law_from_json<KelvinVoigtMount<double>>);
  round_trip(three_branches(), maxwell_from_json);
  round_trip(Berg<double>{}, plain_law_from_json<Berg<double>>);
  round_trip(BoucWen<double>{}, plain_law_from_json<BoucWen<double>>);
  round_trip(zener(), fractional_zener_from_json);
  round_trip(Payne<double>{}, plain_law_from_json<Payne<double>>);
}

TEST(RivalModels, BadInputNamesThePlace) {
  const auto where_of = [](auto&& from_json, const char* text) {
    try {
      from_json(parse_json(text, "m.json"), "m.json");
    } catch (const Error& e) {
      return e.where();
    }
    return std::string("no error");
  };
  EXPECT_EQ(where_of(plain_law_from_json<KelvinVoigtMount<double>>,
                     R"({"model": "kelvin_voigt", "parameters": {"stiffness": 1e5}})"),
            "m.json.parameters.damping");
  EXPECT_EQ(where_of(plain_law_from_json<KelvinVoigtMount<double>>,
                     R"({"model": "kelvin_voigt", "parameters": {"stiffness": 0, "damping": 1}})"),
            "m.json.parameters.stiffness");
  EXPECT_EQ(
      where_of(
          maxwell_from_json,
          R"({"model": "maxwell", "parameters": {"static_stiffness": 1, "stiffness": [1, 2], "relaxation_time": [1]}})"),
      "m.json.parameters.relaxation_time");
  EXPECT_EQ(
      where_of(
          maxwell_from_json,
          R"({"model": "maxwell", "parameters": {"static_stiffness": 1, "stiffness": [1,1,1,1,1,1,1,1,1], "relaxation_time": [1,1,1,1,1,1,1,1,1]}})"),
      "m.json.parameters.stiffness");
  EXPECT_EQ(where_of(plain_law_from_json<Berg<double>>, R"({"model": "berg"})"), "m.json.parameters");
  EXPECT_EQ(where_of(plain_law_from_json<Berg<double>>, R"({"model": "berg", "parameter": {}})"), "m.json.parameter");
  EXPECT_EQ(
      where_of(
          plain_law_from_json<BoucWen<double>>,
          R"({"model": "bouc_wen", "parameters": {"stiffness": 1, "hysteretic_stiffness": 1, "yield_displacement": 1, "sharpness": 1, "shape": 0.2, "damping": 0}})"),
      "m.json.parameters.shape");
}

}  // namespace
}  // namespace kdyn::inline rivals
