// SPDX-License-Identifier: Apache-2.0
#include "kdyn/hydromount/hydromount.hpp"

#include <algorithm>
#include <complex>
#include <numbers>

#include <gtest/gtest.h>

#include "kdyn/element/linearise.hpp"
#include "reference_mounts.hpp"

namespace kdyn::inline hydromount {
namespace {

constexpr double pi = std::numbers::pi;

TEST(HydroMount, Table1IsConsistent) {
  const HydroMount<double> law = reference::table_1();
  EXPECT_NEAR(law.fluid_mass(), 0.019333, 1e-9);  // [hydromount E3]; the density of the default follows from this mass
  EXPECT_NEAR(0.019333 / (8.191e-5 * 0.248428), 950.0835, 1e-4);
  const double R = law.area_ratio(), f0 = R / (2.0 * pi) * std::sqrt(1643e3 / law.fluid_mass());
  EXPECT_NEAR(f0, 13.997, 5e-4);
  EXPECT_NEAR(f0, reference::hydro()["derived"]["f0_hz"].get<double>(), 1e-9);
}

// Oracle: closed formula of the reference in double precision.
TEST(HydroMount, LinearResponseMeetsTheReference) {
  HydroMount<double> law = reference::table_1();
  law.fluid_damping_nonlinear = 0.0;
  const auto linear = linearise(law, 0.0);
  for (const Json& row : reference::hydro()["linear_beta0"]) {
    const std::complex<double> expected(row["K_re"], row["K_im"]);
    EXPECT_LT(std::abs(linear.stiffness(row["f"]) - expected), 1e-12 * std::abs(expected));
  }
  // Slow: the fluid flows, the main rubber is left. Fast: the fluid stands, both springs carry. Corrections fall with
  // w^2 and w^-2.
  EXPECT_NEAR(std::abs(linear.stiffness(1e-3)), 1e6, 10.0);
  EXPECT_NEAR(std::abs(linear.stiffness(1e5)), 2.643e6, 10.0);
}

// Oracle: event-driven integration of the reference, which states its own consistency (self_consistency, at most 1.7e-6
// of the force).
TEST(HydroMount, TransientsMeetTheReference) {
  for (const auto& [name, run] : reference::hydro()["transient"]["runs"].items()) {
    // 10 kHz as the reference; at 1 kHz the cubic of a 31 Hz tone errs by (0.19)^4/384 of its share.
    for (const auto& [rate, tolerance] : {std::pair{10000, 2e-7}, std::pair{1000, 2e-6}}) {
      const auto mount = make_mount(reference::mount_of_run(run));
      mount->start(reference::three_tones(0.0));
      std::size_t next = 0;
      double force_size = 0.0, pressure_size = 0.0;
      for (const Json& f : run["F"]) force_size = std::max(force_size, std::abs(f.get<double>()));
      for (const Json& p : run["p"]) pressure_size = std::max(pressure_size, std::abs(p.get<double>()));
      for (int i = 1; i <= rate && next < run["t"].size(); ++i) {
        const double t = static_cast<double>(i) / rate, force = mount->advance(reference::three_tones(t), 1.0 / rate);
        if (std::abs(t - run["t"][next].get<double>()) > 1e-9) continue;
        EXPECT_NEAR(force, run["F"][next].get<double>(), tolerance * force_size)
            << name << " at " << t << " s, " << rate << " Hz";
        const std::vector<double> inside = mount->output_values();
        EXPECT_NEAR(inside[0], run["p"][next].get<double>(), tolerance * pressure_size) << name;
        // Flow and fluid velocity of the run with bypass: the reference resolves its knee to 5e-6.
        EXPECT_NEAR(inside[1], run["vK"][next].get<double>(), 1e-5 * 3.0) << name;
        EXPECT_NEAR(inside[2], run["u2"][next].get<double>(), 1e-5 * 5e-4) << name;
        ++next;
      }
      EXPECT_EQ(next, run["t"].size()) << name;
    }
  }
}

// Fluid and chamber never give out more than they took: with constant springs, work less stored energy rises at every
// step.
TEST(HydroMount, FluidIsPassive) {
  for (const bool coupled : {false, true})
    for (const double n : {1.0, 2.0, 3.0}) {
      HydroMount<double> law = reference::table_1();
      law.coupled_damping = coupled;
      law.fluid_damping_exponent = n;
      law.bypass_area = 2e-6;
      law.bypass_threshold = 3e4;
      law.decoupler_clearance = 1e-4;
      ASSERT_TRUE(law.has_stored_energy());
      const auto mount = make_mount(law);
      mount->start(reference::three_tones(0.0));
      double work = 0.0, dissipated = 0.0, force = mount->peek(reference::three_tones(0.0));
      const double begin = *mount->stored_energy();
      constexpr double h = 1e-4;
      for (int i = 1; i <= 5000; ++i) {
        const Motion<double> from = reference::three_tones((i - 1) * h), to = reference::three_tones(i * h);
        const double next = mount->advance(to, h);
        work += 0.5 * h * (force * from.v + next * to.v);
        force = next;
        const double now = work - (*mount->stored_energy() - begin);
        EXPECT_GE(now, dissipated - 1e-6) << "the trapezoid rule errs by 1e-7 J in a step";
        dissipated = std::max(dissipated, now);
      }
      EXPECT_GT(dissipated, 0.01);
    }
}

TEST(HydroMount, SwitchVentsAndStartsWithoutPressure) {
  const auto mount = make_mount(reference::table_1());
  ASSERT_EQ(mount->inputs().size(), 1u);
  EXPECT_EQ(mount->inputs()[0].name, "coupling");
  mount->start(reference::three_tones(0.0));
  constexpr double h = 1e-3;
  int i = 1;
  const auto run = [&](int steps) {
    double force = 0.0;
    for (const int end = i + steps; i < end; ++i) force = mount->advance(reference::three_tones(i * h), h);
    return force;
  };
  run(100);
  EXPECT_GT(std::abs(mount->output_values()[0]), 1e3);
  mount->set_input(0, 0.0);
  const double vented = run(50);
  EXPECT_EQ(mount->output_values()[0], 0.0);
  EXPECT_NEAR(vented, 1e6 * reference::three_tones((i - 1) * h).u, 1e-9);  // the main spring alone
  mount->set_input(0, 1.0);
  EXPECT_EQ(mount->output_values()[0], 0.0);
  double peak = 0.0;
  for (int step = 0; step < 20; ++step) {
    run(1);
    peak = std::max(peak, std::abs(mount->output_values()[0]));
  }
  EXPECT_GT(peak, 1e3);  // an oscillation: its largest value, not one instant of it
}

TEST(HydroMount, SwitchSignalOfTheFileActsByItself) {
  HydroMount<double> law = reference::table_1();
  law.switch_signal = {{0.0, 1.0}, {0.1, 1.0}, {0.1, 0.0}};
  const auto scheduled = make_mount(law), by_hand = make_mount(reference::table_1());
  scheduled->start(reference::three_tones(0.0));
  by_hand->start(reference::three_tones(0.0));
  constexpr double h = 1e-3;
  for (int i = 1; i <= 200; ++i) {
    if (i == 101) by_hand->set_input(0, 0.0);  // at 0.1 s the signal has jumped, the hand comes right after it
    const Motion<double> to = reference::three_tones(i * h);
    const double a = scheduled->advance(to, h), b = by_hand->advance(to, h);
    if (i != 100) {
      EXPECT_NEAR(a, b, 1e-9) << i;
    }
  }
}

// A switch signal with corners and jumps between the steps, in every variant of the hydraulics.
TEST(HydroMount, SwitchedRunsAreOfSecondOrderAtLeast) {
  HydroMount<double> plain = reference::table_1(), rubber = plain, decoupled = plain;
  rubber.chamber_rubber = Elastomer<double>{};
  rubber.chamber_rubber.static_stiffness = plain.chamber_rubber.static_stiffness;
  decoupled.chamber_rubber = rubber.chamber_rubber;
  decoupled.decoupler_clearance = 2e-4;
  decoupled.decoupler_residual_slope = 0.1;
  const std::vector<Curve> signals = {
      {{0.0, 1.0}, {0.1234, 1.0}, {0.1234, 0.0}, {0.2171, 0.0}, {0.2171, 1.0}},  // off and on at once
      {{0.0, 1.0}, {0.0517, 1.0}, {0.1517, 0.2}, {0.2517, 0.9}},                 // corners
      {{0.0, 1.0}, {0.0517, 1.0}, {0.1317, 0.0}, {0.1817, 0.0}, {0.2417, 0.7}}};
  for (const HydroMount<double>& hydraulics : {plain, rubber, decoupled})
    for (const Curve& signal : signals) {
      HydroMount<double> law = hydraulics;
      law.switch_signal = signal;
      // Forces at the end of every 4 ms; none of the jumps lies there.
      constexpr double grid = 4e-3;
      constexpr int points = 80;
      const auto forces = [&](int refine) {
        const auto mount = make_mount(law);
        mount->start(reference::three_tones(0.0));
        std::vector<double> out;
        for (int i = 1; i <= points * refine; ++i) {
          const double h = grid / refine, force = mount->advance(reference::three_tones(i * h), h);
          if (i % refine == 0) out.push_back(force);
        }
        return out;
      };
      const std::vector<double> coarse = forces(2), middle = forces(8), fine = forces(64);
      double first = 0.0, last = 0.0, size = 0.0;
      for (std::size_t i = 0; i < fine.size(); ++i) {
        first = std::max(first, std::abs(coarse[i] - fine[i]));
        last = std::max(last, std::abs(middle[i] - fine[i]));
        size = std::max(size, std::abs(fine[i]));
      }
      // Over two halvings: sixteen for second order. The motion's cubic gives 256, inner tolerance ends it at 1e-7.
      EXPECT_TRUE(last < first / 14.0 || last < 1e-6 * size) << first << " N, then " << last << " N of " << size;
      EXPECT_LT(first, 2e-3 * size);
    }
}

TEST(HydroMount, ChamberFactorFollowsThePreload) {
  HydroMount<double> law = reference::table_1();
  law.fluid_damping_nonlinear = 0.0;
  law.chamber_preload_curve = {{0.0, 1.0}, {1000.0, 1.5}};
  HydroMount<double> stiffer = reference::table_1();
  stiffer.fluid_damping_nonlinear = 0.0;
  stiffer.chamber_rubber.static_stiffness *= 1.25;
  const auto K = linearise(law, 500.0 / 1e6).stiffness(20.0), expected = linearise(stiffer, 0.0).stiffness(20.0);
  EXPECT_LT(std::abs(K - expected), 1e-9 * std::abs(expected));
}

// Parameters far from any mount, sampled far too coarsely: the force stays finite and below what the springs can carry.
TEST(HydroMount, StaysBoundedWhereItIsStiff) {
  for (int kind = 0; kind < 4; ++kind) {
    HydroMount<double> law = reference::table_1();
    if (kind == 0) law.fluid_damping_nonlinear = 1e5;
    if (kind == 1) law.fluid_damping_linear = 1e4;
    if (kind == 2) law.bypass_area = 1e-3, law.bypass_threshold = 1e4;
    if (kind == 3) law.decoupler_clearance = 1e-8, law.pressure_limit = 1e4, law.pressure_limit_smoothing = 1.0;
    const auto mount = make_mount(law);
    mount->start(reference::three_tones(0.0));
    for (int i = 1; i <= 100; ++i) {
      const double force = mount->advance(reference::three_tones(0.01 * i), 0.01);
      EXPECT_LT(std::abs(force), 2.643e6 * 3.0 * 8e-4) << kind << " at step " << i;
    }
  }
}

TEST(HydroMount, CommitOutsideFollowsTheOwnStep) {
  // An integrator of its own (here: the law's advance in tiny steps) with commit at the ends leaves the memory the law
  // would have.
  const HydroMount<double> law = reference::mount_of_run(reference::hydro()["transient"]["runs"]["B_rubber_decoupler"]);
  using Law = HydroMount<double>;
  std::array<double, Law::state_count> x{}, x_before{}, rate{};
  auto memory = law.start(reference::three_tones(0.0).u), outside = memory;
  constexpr double h = 2e-4;
  for (int i = 1; i <= 2000; ++i) {
    const Motion<double> from = reference::three_tones((i - 1) * h), to = reference::three_tones(i * h);
    x_before = x;
    const double force = law.advance(x.data(), memory, from, to, h);
    law.commit(outside, from, x_before.data(), to, x.data(), h);
    // The cubic of u2 finds the turning points of a smooth path to fourth order: 1e-5 of the force at this step.
    EXPECT_NEAR(law.evaluate(to, x.data(), outside, rate.data()), force, 2e-2);
  }
}

}  // namespace
}  // namespace kdyn::inline hydromount
