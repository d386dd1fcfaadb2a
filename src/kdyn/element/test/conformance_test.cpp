// SPDX-License-Identifier: Apache-2.0
// The suite passes on a sound law and finds each planted flaw.
#include "kdyn/element/conformance.hpp"

#include "maxwell_ladder.hpp"

namespace kdyn::inline element {
namespace {

template <Flaw flaw>
conformance::Example<MaxwellLadder<double, flaw>> ladder_example() {
  conformance::Example<MaxwellLadder<double, flaw>> example{"ladder", {}, 2e-3};
  example.law.c2 = 312.3456789012345;  // more digits than a float holds
  return example;
}

struct LadderFamily {
  using Law = MaxwellLadder<double>;
  static conformance::Access<Law> access() { return ladder_access<Flaw::none>(); }
  static std::vector<conformance::Example<Law>> examples() { return {ladder_example<Flaw::none>()}; }
};

INSTANTIATE_TYPED_TEST_SUITE_P(MaxwellLadder, ElementConformance, LadderFamily);

TEST(Conformance, FindsADerivativeThatIsLost) {
  EXPECT_FALSE(conformance::check_parameter_derivatives(ladder_example<Flaw::derivative_lost>()).empty());
}

TEST(Conformance, FindsAnEvaluationThatLeavesATrace) {
  EXPECT_FALSE(conformance::check_purity(ladder_example<Flaw::remembers_evaluations>(),
                                         ladder_access<Flaw::remembers_evaluations>())
                   .empty());
}

TEST(Conformance, FindsAForceAtRest) {
  EXPECT_FALSE(
      conformance::check_rest(ladder_example<Flaw::force_at_rest>(), ladder_access<Flaw::force_at_rest>()).empty());
}

TEST(Conformance, FindsAStaticInverseThatIsNone) {
  EXPECT_FALSE(
      conformance::check_rest(ladder_example<Flaw::wrong_static_inverse>(), ladder_access<Flaw::wrong_static_inverse>())
          .empty());
}

TEST(Conformance, FindsEnergyFromNowhere) {
  const auto example = ladder_example<Flaw::creates_energy>();
  EXPECT_FALSE(conformance::check_passivity(example, ladder_access<Flaw::creates_energy>()).empty());
}

TEST(Conformance, FindsAStepOfLowerOrder) {
  const auto complaints = conformance::check_refinement(ladder_example<Flaw::first_order_step>());
  ASSERT_EQ(complaints.size(), 1u);
  EXPECT_NE(complaints[0].find("order 1."), std::string::npos) << complaints[0];
}

TEST(Conformance, FindsAWrongTimeDomainStiffness) {
  // A coarse first-order step is visible in the stiffness of a tiny sine too.
  auto example = ladder_example<Flaw::first_order_step>();
  example.small_tolerance = 1e-6;
  EXPECT_FALSE(conformance::check_small_amplitude(example, ladder_access<Flaw::first_order_step>()).empty());
}

TEST(Conformance, FindsDigitsLostInJson) {
  EXPECT_FALSE(
      conformance::check_json_round_trip(ladder_example<Flaw::rounded_json>(), ladder_access<Flaw::rounded_json>())
          .empty());
}

TEST(Conformance, FindsABoundThatIsNotKept) {
  const auto complaints =
      conformance::check_bounds_by_name(ladder_example<Flaw::bounds_ignored>(), ladder_access<Flaw::bounds_ignored>());
  EXPECT_NE(std::find(complaints.begin(), complaints.end(), "k1 = 0.0 was accepted"), complaints.end());
}

}  // namespace
}  // namespace kdyn::inline element
