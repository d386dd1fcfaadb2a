// SPDX-License-Identifier: Apache-2.0
// The conformance suite of mount laws (googletest). A law joins with one line in its test folder:
//
//   INSTANTIATE_TYPED_TEST_SUITE_P(Elastomer, ElementConformance, ElastomerFamily);
//
// where the family says which laws to try and how to reach them:
//
//   struct ElastomerFamily {
//     using Law = Elastomer<double>;                            // fulfils Element
//     static conformance::Access<Law> access();                 // field table of the parameters, from_json and make_mount
//     static std::vector<conformance::Example<Law>> examples(); // one for each behaviour the law has; see Example for their settings
//   };
//
// What is checked, and against which oracle, stands in element/conformance_checks.hpp and
// element/conformance_cycles.hpp. Checks of things a law does not have (stored energy, closed forms) pass silently. The
// law's own equations need their own tests: reference values, limits, exact solutions.
#pragma once

#include <gtest/gtest.h>

#include "kdyn/element/conformance_checks.hpp"
#include "kdyn/element/conformance_cycles.hpp"

namespace kdyn::inline element {

template <class Family>
class ElementConformance : public testing::Test {
 protected:
  // Runs a check on every example of the family and reports what it complains about.
  template <class Check>
  void on_examples(Check&& check) {
    const auto examples = Family::examples();
    ASSERT_FALSE(examples.empty());
    for (const auto& example : examples)
      for (const std::string& complaint : check(example, Family::access()))
        ADD_FAILURE() << example.name << ": " << complaint;
  }
};

TYPED_TEST_SUITE_P(ElementConformance);

TYPED_TEST_P(ElementConformance, RefusesBrokenBoundsByName) {
  this->on_examples(
      [](const auto& example, const auto& access) { return conformance::check_bounds_by_name(example, access); });
}
TYPED_TEST_P(ElementConformance, ReadsItsOwnModelBack) {
  this->on_examples(
      [](const auto& example, const auto& access) { return conformance::check_json_round_trip(example, access); });
}
TYPED_TEST_P(ElementConformance, RestsOnItsStaticForce) {
  this->on_examples([](const auto& example, const auto& access) { return conformance::check_rest(example, access); });
}
TYPED_TEST_P(ElementConformance, EvaluatesWithoutTrace) {
  this->on_examples([](const auto& example, const auto& access) { return conformance::check_purity(example, access); });
}
TYPED_TEST_P(ElementConformance, DifferentiatesByParameters) {
  this->on_examples([](const auto& example, const auto&) { return conformance::check_parameter_derivatives(example); });
}
TYPED_TEST_P(ElementConformance, DifferentiatesByMotionAndStates) {
  this->on_examples([](const auto& example, const auto&) { return conformance::check_motion_derivatives(example); });
}
TYPED_TEST_P(ElementConformance, LinearisesAsItMoves) {
  this->on_examples(
      [](const auto& example, const auto& access) { return conformance::check_small_amplitude(example, access); });
}
TYPED_TEST_P(ElementConformance, BalancesEnergyOfASteadyCycle) {
  this->on_examples(
      [](const auto& example, const auto& access) { return conformance::check_steady_cycle(example, access); });
}
TYPED_TEST_P(ElementConformance, NeverCreatesEnergyItKnowsOf) {
  this->on_examples(
      [](const auto& example, const auto& access) { return conformance::check_passivity(example, access); });
}
TYPED_TEST_P(ElementConformance, ConvergesWithItsOrder) {
  this->on_examples([](const auto& example, const auto&) { return conformance::check_refinement(example); });
}

REGISTER_TYPED_TEST_SUITE_P(ElementConformance, RefusesBrokenBoundsByName, ReadsItsOwnModelBack, RestsOnItsStaticForce,
                            EvaluatesWithoutTrace, DifferentiatesByParameters, DifferentiatesByMotionAndStates,
                            LinearisesAsItMoves, BalancesEnergyOfASteadyCycle, NeverCreatesEnergyItKnowsOf,
                            ConvergesWithItsOrder);

}  // namespace kdyn::inline element
