// SPDX-License-Identifier: Apache-2.0
#include "kdyn/hydromount/steady_state.hpp"

#include <numbers>

#include <gtest/gtest.h>

#include "kdyn/hydromount/first_harmonic.hpp"
#include "kdyn/signal/reduction.hpp"
#include "reference_mounts.hpp"

namespace kdyn::inline hydromount {
namespace {

constexpr double pi = std::numbers::pi, degree = pi / 180.0;

SteadyOptions odd(int count) {
  SteadyOptions options;
  options.odd_harmonics = count;
  return options;
}

double complex_error(double k, double angle, double k_reference, double angle_reference) {
  return std::abs(std::polar(k, angle) - std::polar(k_reference, angle_reference)) / k_reference;
}

struct GridCase {
  const char* name;
  bool coupled;
};
const GridCase grids[] = {{"separate", false}, {"d_times_beta", true}};

// Oracle: 30 odd harmonics of the reference, which a Runge-Kutta run confirmed to 9e-8. One grid point in three keeps
// the test short; every point is met (validation is not needed for what costs 20 ms each).
TEST(HarmonicBalance, ThirtyOddHarmonicsMeetTheReferenceGrid) {
  for (const GridCase& c : grids) {
    HydroMount<double> law = reference::table_1();
    law.coupled_damping = c.coupled;
    const HarmonicBalance balance(law, 0.0, odd(30));
    std::size_t index = 0;
    for (const Json& row : reference::hydro()[c.name]["grid"]) {
      if (index++ % 3 != 0) continue;
      const SteadyState s = balance.solve(row["f"], row["a"]);
      ASSERT_TRUE(s.converged && s.stable);
      EXPECT_NEAR(s.response.k_dyn, row["k_harm"].get<double>(), 1e-6 * s.response.k_dyn);
      EXPECT_NEAR(s.response.loss_angle / degree, row["delta_harm_deg"].get<double>(), 1e-5);
      // The loop's range comes from a parabola through samples: 1e-6.
      EXPECT_NEAR(s.response.k_dyn_loop, row["k_loop"].get<double>(), 3e-6 * s.response.k_dyn);
      EXPECT_NEAR(s.response.loss_angle_loop / degree, row["delta_loop_deg"].get<double>(), 1e-4);
    }
  }
}

TEST(HarmonicBalance, ThreeHarmonicsStayWithinHalfAPercent) {
  for (const GridCase& c : grids) {
    HydroMount<double> law = reference::table_1();
    law.coupled_damping = c.coupled;
    const HarmonicBalance balance(law, 0.0, odd(3)), one(law, 0.0, odd(1));
    for (const Json& row : reference::hydro()[c.name]["grid"]) {
      const SteadyState s = balance.solve(row["f"], row["a"]), first = one.solve(row["f"], row["a"]);
      EXPECT_LT(complex_error(s.response.k_dyn, s.response.loss_angle, row["k_harm"],
                              row["delta_harm_deg"].get<double>() * degree),
                5e-3);
      // The same truncation as the reference's HB1, whose c_2 = 8/(3 pi) is exact; here the projection has 64 samples:
      // 2e-5.
      EXPECT_LT(complex_error(first.response.k_dyn, first.response.loss_angle, row["HB1_k"],
                              row["HB1_delta_deg"].get<double>() * degree),
                5e-5);
    }
  }
}

// Oracle: HB1 and time runs of the reference (rubber law g4 in both springs). Without decoupler the first harmonic is
// the same formula. With one the reference multiplies the gains of decoupler and friction. Far above the clearance that
// is right; at the clearance its own time runs contradict it by 1.7 % and 0.4 deg, and the first harmonic of friction
// behind the decoupler [hydromount E13] is compared with them: 1 % and 0.3 deg for what one harmonic leaves out. The
// time runs last 20-40 cycles from rest and are settled to 1e-3.
TEST(HarmonicBalance, RubberAndDecouplerMeetTheReference) {
  const Json& run = reference::hydro()["transient"]["runs"]["B_rubber_decoupler"];
  for (const Json& row : reference::hydro()["full_HB_vs_time"]) {
    HydroMount<double> law = reference::with_rubber(run["options"], 7.5e5, 1.35e6);
    const bool decoupled = !row["D"].is_null();
    if (decoupled) law.decoupler_clearance = row["D"].get<double>();
    const double f = row["f"], a = row["a"], w = 2.0 * pi * f;
    const FirstHarmonic<double> first(law);
    const std::vector<double> roots = chamber_amplitudes(first, w, a);
    ASSERT_EQ(roots.size(), 1u);
    const Complex<double> K = first.main_stiffness(f, a) + first.at_chamber_amplitude(roots[0], w).stiffness;
    const bool at_clearance = decoupled && a <= row["D"].get<double>();
    const Json& oracle = at_clearance ? row["time"] : row["HB"];
    EXPECT_NEAR(abs(K), oracle[0].get<double>(), (decoupled ? 1e-2 : 1e-10) * abs(K));
    EXPECT_NEAR(arg(K) / degree, oracle[1].get<double>(), decoupled ? 0.3 : 1e-8);
    const SteadyState many = HarmonicBalance(law, 0.0, odd(9)).solve(f, a);
    ASSERT_TRUE(many.converged && many.stable);
    EXPECT_NEAR(many.response.k_dyn, row["time"][0].get<double>(), 1.2e-3 * many.response.k_dyn);
    EXPECT_NEAR(many.response.loss_angle / degree, row["time"][1].get<double>(), 0.02);
    // What the source of the reference states for one harmonic.
    EXPECT_LT(std::abs(abs(K) / row["time"][0].get<double>() - 1.0), 0.027);
  }
}

HydroMount<double> masing_mount() {
  HydroMount<double> law = reference::table_1();
  law.main_rubber = Elastomer<double>{};
  law.chamber_rubber = Elastomer<double>{};
  law.main_rubber.static_stiffness = 7.5e5;
  law.chamber_rubber.static_stiffness = 1.35e6;
  return law;
}

// Last cycle of a simulated sine.
SteadyResponse simulate_sine(const HydroMount<double>& law, double f, double a, int cycles) {
  constexpr std::size_t n = 512;
  const auto mount = make_mount(law);
  const auto motion = [&](std::size_t i) {
    const double phase = 2.0 * pi * static_cast<double>(i % n) / n;
    return Motion<double>{a * std::sin(phase), 2.0 * pi * f * a * std::cos(phase)};
  };
  mount->start(motion(0));
  std::vector<double> u, force;
  for (std::size_t i = 1; i <= n * static_cast<std::size_t>(cycles); ++i) {
    const double value = mount->advance(motion(i), 1.0 / (f * n));
    if (i + n <= n * static_cast<std::size_t>(cycles)) continue;
    u.push_back(motion(i).u);
    force.push_back(value);
  }
  const Reduction r = reduce_sine(u, force, 1);
  return {r.k_dyn, r.loss_angle, r.k_dyn_loop, r.loss_angle_loop};
}

// Oracle: time integration. Asymmetric parts need mean and even harmonics; truncation at 2 x 9 leaves 1e-4 of a kinked
// force.
TEST(HarmonicBalance, AgreesWithTimeIntegrationWhateverActs) {
  HydroMount<double> limited = masing_mount(), bypass = masing_mount(), membrane = masing_mount();
  limited.pressure_limit = 4e4;
  limited.pressure_limit_smoothing = 5e3;
  bypass.bypass_area = 2e-6;
  bypass.bypass_threshold = 3e4;
  membrane.decoupler_clearance = 2e-4;
  membrane.decoupler_residual_slope = 0.3;
  membrane.decoupler_gradient = 0.8;
  const char* names[] = {"pressure limit", "bypass", "membrane"};
  int index = 0;
  for (const HydroMount<double>& law : {limited, bypass, membrane}) {
    for (const double a : {1e-4, 8e-4}) {
      const SteadyState s = HarmonicBalance(law).solve(8.0, a);
      ASSERT_TRUE(s.converged && s.stable) << names[index];
      const SteadyResponse t = simulate_sine(law, 8.0, a, 80);
      EXPECT_LT(complex_error(s.response.k_dyn, s.response.loss_angle, t.k_dyn, t.loss_angle), 3e-4)
          << names[index] << " " << a;
      EXPECT_LT(complex_error(s.response.k_dyn_loop, s.response.loss_angle_loop, t.k_dyn_loop, t.loss_angle_loop), 5e-3)
          << names[index] << " " << a;
    }
    ++index;
  }
}

TEST(HarmonicBalance, JacobianAgreesWithDifferences) {
  HydroMount<double> law = masing_mount();
  law.decoupler_clearance = 1.5e-4;
  law.decoupler_residual_slope = 0.2;
  law.bypass_area = 2e-6;
  law.bypass_threshold = 3e4;
  for (const bool limited : {false, true}) {
    if (limited) law.pressure_limit = 5e4;
    const HarmonicBalance balance(law, 0.0, odd(3));
    const SteadyState s = balance.solve(9.0, 6e-4);
    ASSERT_TRUE(s.converged);
    Eigen::MatrixXd J;
    Eigen::VectorXd at = s.harmonics;
    at[at.size() - 1] += 0.01;  // away from the solution
    balance.residual(9.0, 6e-4, at, &J);
    for (Eigen::Index j = 0; j < at.size(); ++j) {
      constexpr double step = 1e-6;
      Eigen::VectorXd up = at, down = at;
      up[j] += step;
      down[j] -= step;
      const Eigen::VectorXd difference =
          (balance.residual(9.0, 6e-4, up) - balance.residual(9.0, 6e-4, down)) / (2.0 * step);
      // Samples that pass a tip or a knee between the two points: 1e-5 of the largest entry.
      EXPECT_LT((J.col(j) - difference).norm(), 2e-5 * J.norm()) << "column " << j << (limited ? " with limit" : "");
    }
  }
}

// A lightly damped decoupled mount jumps. Folds are found, three states exist between them, the outer two are stable by
// the fold criterion, and time integration started in each of them stays there.
TEST(HarmonicBalance, FindsFoldsAndJudgesStability) {
  HydroMount<double> law = reference::table_1();
  law.fluid_damping_linear = 0.02;
  law.fluid_damping_nonlinear = 0.05;
  law.decoupler_clearance = 4e-4;
  const HarmonicBalance balance(law, 0.0, odd(5));
  const double a = 1e-4;
  const SteadyBranch branch = balance.trace(a, 1.0, 40.0);
  ASSERT_TRUE(branch.complete) << branch.reason;
  ASSERT_EQ(branch.folds.size(), 2u);
  const double low = std::min(branch.folds[0].frequency_hz, branch.folds[1].frequency_hz),
               high = std::max(branch.folds[0].frequency_hz, branch.folds[1].frequency_hz);
  ASSERT_GT(high, 1.02 * low);
  const double f = std::sqrt(low * high);
  const std::vector<SteadyState> states = balance.solve_all(f, a);
  ASSERT_EQ(states.size(), 3u);
  EXPECT_TRUE(states[0].stable);
  EXPECT_FALSE(states[1].stable);
  EXPECT_TRUE(states[2].stable);
  for (const std::size_t which : {0u, 2u}) {
    // Start of the law in the state at phase 0: q = u - u2 and the fluid velocity.
    const SteadyWaveform w = balance.waveform(states[which], 512);
    auto memory = law.start(0.0);
    std::array<double, 4> x = {0.0, 0.0, -w.chamber_displacement[0], w.fluid_velocity[0]};
    std::vector<double> u, force;
    constexpr int n = 512, cycles = 60;
    const auto motion = [&](int i) {
      return Motion<double>{a * std::sin(2.0 * pi * (i % n) / n), 2.0 * pi * f * a * std::cos(2.0 * pi * (i % n) / n)};
    };
    for (int i = 1; i <= n * cycles; ++i) {
      const double value = law.advance(x.data(), memory, motion(i - 1), motion(i), 1.0 / (f * n));
      if (i <= n * (cycles - 1)) continue;
      u.push_back(motion(i).u);
      force.push_back(value);
    }
    const Reduction r = reduce_sine(u, force, 1);
    EXPECT_LT(std::abs(std::polar(r.k_dyn, r.loss_angle) - states[which].stiffness),
              0.02 * std::abs(states[which].stiffness))
        << which;
  }
}

TEST(HarmonicBalance, WaveformsAreThoseOfTheLaw) {
  const HydroMount<double> law = masing_mount();
  const HarmonicBalance balance(law);
  const SteadyState s = balance.solve(10.0, 5e-4);
  const SteadyWaveform w = balance.waveform(s, 256);
  const Reduction r = reduce_sine(w.displacement, w.force, 1);
  EXPECT_NEAR(r.k_dyn, s.response.k_dyn, 1e-5 * r.k_dyn);
  EXPECT_NEAR(r.loss_angle, s.response.loss_angle, 1e-5);
  // Pressure drives the fluid: its momentum changes by the integral of p A_K less damping; over a period the mean power
  // is dissipation.
  double power = 0.0, loss = 0.0;
  for (std::size_t i = 0; i < w.phase.size(); ++i) {
    power += w.pressure[i] * law.channel_area * w.fluid_velocity[i];
    loss += law.fluid_friction(w.fluid_velocity[i]) * w.fluid_velocity[i];
  }
  EXPECT_NEAR(power, loss, 1e-4 * loss);
}

TEST(FirstHarmonicBalance, DerivativesByJetAgreeWithDifferences) {
  HydroMount<double> law = masing_mount();
  law.decoupler_clearance = 1.5e-4;
  law.decoupler_residual_slope = 0.2;
  law.bypass_area = 2e-6;
  law.bypass_threshold = 2e4;
  const double w = 2.0 * pi * 9.0, r = 4e-4;
  std::vector<std::pair<std::string, double>> parameters;
  law.visit_parameters([&](const char* name, double& value) { parameters.emplace_back(name, value); });
  for (const double n : {2.0, 2.5, 3.0}) {
    law.fluid_damping_exponent = n;
    for (const auto& [name, value] : parameters) {
      if (value == 0.0) continue;
      using J = Jet<1>;
      auto dual = law.cast<J>();
      dual.visit_parameters([&, &wanted = name](const char* other, J& member) {
        if (wanted == other) member.v[0] = member.a;
      });
      const auto point = FirstHarmonic<J>(dual).at_chamber_amplitude(J(r), w);
      const auto at = [&, &wanted = name](double relative) {
        HydroMount<double> moved = law;
        moved.visit_parameters(
            [&](const char* other, double& member) { member *= wanted == other ? 1.0 + relative : 1.0; });
        return FirstHarmonic<double>(moved).at_chamber_amplitude(r, w);
      };
      constexpr double step = 1e-5;
      const auto up = at(step), down = at(-step), here = at(0.0);
      // 1e-9 of the value, less exact where quadrature points of the bypass open: 1e-6.
      EXPECT_NEAR(point.amplitude.v[0], (up.amplitude - down.amplitude) / (2.0 * step), 1e-6 * here.amplitude) << name;
      EXPECT_NEAR(point.stiffness.re.v[0], (up.stiffness.re - down.stiffness.re) / (2.0 * step),
                  1e-6 * abs(here.stiffness))
          << name;
      EXPECT_NEAR(point.stiffness.im.v[0], (up.stiffness.im - down.stiffness.im) / (2.0 * step),
                  1e-6 * abs(here.stiffness))
          << name;
    }
  }
}

}  // namespace
}  // namespace kdyn::inline hydromount
