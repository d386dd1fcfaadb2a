// SPDX-License-Identifier: Apache-2.0
#include "kdyn/vehicle/decays.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "kdyn/base/error.hpp"
#include "kdyn/vehicle/plan.hpp"
#include "reference_case.hpp"

namespace kdyn::inline vehicle {
namespace {

TEST(Decays, AveragingKeepsAFreeDecayFree) {
  // Block means of a decay are a decay from the averaged state: compared with the response from that state.
  const Vehicle<double> car;
  DecayTest test;
  test.length_s = 1.0;
  DecaySet set = simulate_decays(car, {published_mass}, test);
  DecayOptions options;
  options.cut_bump = false;
  const PreparedDecays prepared = prepare_decays(set, options);
  EXPECT_EQ(prepared.average, 5);
  EXPECT_DOUBLE_EQ(prepared.set.records[0].interval, 0.005);
  const auto m = car.matrices();
  const auto [x, v] = state_after(m, car.kt, bounce_bump());
  const VehicleResponse fine = free_response(m, x, v, 0.001, 5);
  const VehicleResponse expected =
      free_response(m, fine.displacement.colwise().mean(), fine.velocity.colwise().mean(), 0.005, 200);
  EXPECT_LT((prepared.set.records[0].samples - expected.acceleration).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(Decays, EndOfTheBumpIsFoundWithoutAModel) {
  DecayTest test;
  test.with_bump = true;
  for (const MotionKind kind : {MotionKind::displacement, MotionKind::velocity, MotionKind::acceleration}) {
    test.kind = kind;
    for (const DecayRecord& r : simulate_decays(Vehicle<double>{}, {published_mass}, test).records) {
      EXPECT_GE(static_cast<double>(find_decay_start(r)) * r.interval, 0.299);
      EXPECT_LE(static_cast<double>(find_decay_start(r)) * r.interval, 0.321);
    }
  }
  test.with_bump = false;
  for (const DecayRecord& r : simulate_decays(Vehicle<double>{}, {published_mass}, test).records)
    EXPECT_EQ(find_decay_start(r), 0u);
}

TEST(Decays, NoiseIsEstimatedFromTheEnd) {
  DecaySet set = simulate_decays(Vehicle<double>{}, {published_mass}, {});
  const auto sigma = noise_for(set, 30.0);
  add_noise(set, sigma, 4);
  const auto found = estimate_noise(set);
  for (std::size_t c = 0; c < 7; ++c)
    EXPECT_NEAR(found[c] / sigma[c], 1.0, 0.05);  // 6000 correlated fourth differences: 1.5 %
}

TEST(Plan, CramerRaoBoundMatchesTheReference) {
  const Vehicle<double> car;
  const DecaySet set = simulate_decays(car, {published_mass}, {});
  const auto names = parameter_names(true);
  for (const bool all : {false, true})
    for (const int snr : {30, 20}) {
      const Eigen::VectorXd bound =
          cramer_rao(car, set, noise_for(set, snr), true,
                     all ? std::vector<std::string>{} : std::vector<std::string>{"a", "b", "tf", "tr"});
      for (Eigen::Index i = 0; i < bound.size(); ++i)
        // 2 %: the reference averages noise over records of a slightly different cut.
        EXPECT_NEAR(100.0 * bound[i] /
                        reference()["crb_percent_" + std::to_string(snr) + (all ? "dB_all15" : "dB_struct_known")]
                                   [names[static_cast<std::size_t>(i)]]
                                       .get<double>(),
                    1.0, 0.02)
            << names[static_cast<std::size_t>(i)];
    }
}

TEST(Plan, MoreMassLongerRecordsAndRollHelp) {
  PlanOptions options;
  options.mass_factors = {0.5, 1.0, 2.0};
  options.lengths_s = {1.0, 2.0};
  options.target_percent = 1.0;
  const PlanResult plan = plan_test(Vehicle<double>{}, published_mass, {}, options);
  const auto worst = [&](const std::vector<std::string>& cases, double factor, double length) {
    for (const PlannedTest& t : plan.tests)
      if (t.cases == cases && t.mass_factor == factor && t.length_s == length) return t.worst_percent;
    return -1.0;
  };
  const std::vector<std::string> all = {"bounce", "pitch", "roll"};
  EXPECT_EQ(plan.tests.size(), 7u * 3u * 2u);
  // Twice the added mass nearly halves the error of the masses; lengths such as tf depend less on it. Our independent
  // program has these bounds of ms for known lengths, printed to two digits; its noise differs by 0.6 % (see above).
  PlanOptions known;
  known.mass_factors = {0.2, 0.5, 2.0};
  known.lengths_s = {2.0};
  known.known = {"a", "b", "tf", "tr"};
  const PlanResult masses = plan_test(Vehicle<double>{}, published_mass, {}, known);
  ASSERT_EQ(masses.names[0], "ms");
  for (const PlannedTest& t : masses.tests)
    if (t.cases == all) {
      const double printed = t.mass_factor == 0.2 ? 1.05 : t.mass_factor == 0.5 ? 0.43 : 0.12;
      EXPECT_NEAR(t.half_interval_percent[0] / 1.96, printed, 0.005 + 0.01 * printed) << t.mass_factor;
    }
  EXPECT_GT(worst(all, 0.5, 2.0), worst(all, 1.0, 2.0));
  EXPECT_GT(worst(all, 1.0, 2.0), worst(all, 2.0, 2.0));
  EXPECT_GT(worst(all, 1.0, 1.0), worst(all, 1.0, 2.0));
  EXPECT_GT(worst({"roll"}, 1.0, 2.0), worst(all, 1.0, 2.0));
  EXPECT_FALSE(std::isfinite(worst({"bounce"}, 1.0, 2.0)));  // roll is not excited at all
  EXPECT_FALSE(std::isfinite(worst({"bounce", "pitch"}, 1.0, 2.0)));
  ASSERT_GE(plan.recommended, 0);
  const PlannedTest& chosen = plan.tests[static_cast<std::size_t>(plan.recommended)];
  EXPECT_TRUE(chosen.meets);
  for (const PlannedTest& t : plan.tests) {
    if (t.meets) {
      EXPECT_GE(t.cases.size(), chosen.cases.size());
    }
  }
  PlanOptions none;
  none.cases = {};
  EXPECT_THROW(plan_test(Vehicle<double>{}, published_mass, {}, none), Error);
  EXPECT_THROW(plan_test(Vehicle<double>{}, AddedMass{}, {}, {}), Error);
}

}  // namespace
}  // namespace kdyn::inline vehicle
