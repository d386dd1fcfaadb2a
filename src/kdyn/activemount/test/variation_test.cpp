// SPDX-License-Identifier: Apache-2.0
#include "kdyn/activemount/variation.hpp"

#include <gtest/gtest.h>

#include "kdyn/activemount/test/reference.hpp"

namespace kdyn::inline activemount {
namespace {

constexpr double tolerance_deg = 0.1;  // the acceptance limit; both sides are computed to 1e-9

std::vector<double> grid(double from, double to) {
  std::vector<double> f;
  for (double x = from; x <= to + 1e-9; x += 0.5) f.push_back(x);
  return f;
}

struct Case {
  const char* key;
  CombinationRule rule;
  std::size_t variants;
};
const Case cases[] = {
    {"temperature", CombinationRule::temperature, 3},
    {"preload", CombinationRule::preload, 3},
    {"T_x_P_product", CombinationRule::temperature_x_preload, 9},
    {"T_x_P_x_V(cA 0.8, dA 1.3 assumed)", CombinationRule::temperature_x_preload_x_amplitude, 27},
    {"groups_B_F_A_independent_x_P", CombinationRule::groups_x_preload, 81},
    {"every_parameter_independent_x_P", CombinationRule::parameters_x_preload, 768},
    {"every_parameter_independent_x_P_x_V", CombinationRule::parameters_x_preload_x_amplitude, 2304},
};

TEST(PhaseEnvelope, EveryRuleMeetsTheReference) {
  const ActiveMount<double> law = nominal_mount();
  for (const Case& c : cases) {
    const auto envelopes = phase_envelopes(law, published_variations(), c.rule, grid(25.0, 400.0));
    for (const PhaseEnvelope& e : envelopes) {
      const Json& expected = reference()["phase_envelope"][c.key][to_string(e.path)];
      EXPECT_EQ(e.variants, c.variants) << c.key;
      EXPECT_NEAR(e.max_deg, expected["max_deg"].get<double>(), tolerance_deg) << c.key << " " << to_string(e.path);
      EXPECT_NEAR(e.at_hz, expected["at_Hz"].get<double>(), 0.5) << c.key << " " << to_string(e.path);
      EXPECT_NEAR(e.max_deviation_deg, expected["max_dev_from_nominal"].get<double>(), tolerance_deg)
          << c.key << " " << to_string(e.path);
      double below_200 = 0.0;
      for (std::size_t i = 0; i < e.frequency_hz.size() && e.frequency_hz[i] <= 200.0; ++i)
        below_200 = std::max(below_200, e.width(i));
      EXPECT_NEAR(below_200, expected["max_25_200Hz"].get<double>(), tolerance_deg)
          << c.key << " " << to_string(e.path);
    }
  }
}

TEST(PhaseEnvelope, NominalAloneHasNoWidth) {
  const VariationSets none{{{"nominal", {}}}, {{"nominal", {}}}};
  for (const PhaseEnvelope& e :
       phase_envelopes(nominal_mount(), none, CombinationRule::temperature_x_preload, grid(25.0, 100.0))) {
    EXPECT_EQ(e.variants, 1u);
    EXPECT_EQ(e.max_deg, 0.0);
  }
}

// A pure change of size must not appear as a phase error, whatever the wrapping: kM scales both paths but for the
// back-EMF, which is off.
TEST(PhaseEnvelope, GainAloneIsNoPhaseError) {
  ActiveMount<double> law = nominal_mount();
  law.back_emf = false;
  const VariationSets gain{{{"nominal", {}}, {"strong coil", {{"kM", 3.0}}}}, {{"nominal", {}}}};
  for (const PhaseEnvelope& e : phase_envelopes(law, gain, CombinationRule::temperature, grid(25.0, 400.0)))
    EXPECT_LT(e.max_deg, 1e-9);
}

}  // namespace
}  // namespace kdyn::inline activemount
