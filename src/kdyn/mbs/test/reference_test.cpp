// SPDX-License-Identifier: Apache-2.0
// Oracle: an independent implementation in full natural coordinates with all multipliers (reference/multibody.json,
// keys under "cases").
#include <gtest/gtest.h>

#include "cases.hpp"

namespace kdyn::mbs {
namespace {

void expect_outputs(const std::string& name, const char* parameters, const char* outputs) {
  const Json& c = cases::reference()[name];
  if (!c.contains(outputs)) return;
  const auto built = cases::build(name, parameters);
  const System system(built.model);
  std::vector<std::vector<double>> y;
  const RunResult run = simulate(
      system, built.options,
      [&](const RunState&, const Evaluation& e) {
        y.emplace_back();
        for (const auto& [marker, k] : built.outputs)
          y.back().push_back(e.frame[static_cast<std::size_t>(marker)].u[k]);
      },
      silent_progress());
  ASSERT_EQ(run.status, RunStatus::done) << run.reason;
  for (std::size_t j = 0; j < built.outputs.size(); ++j) {
    double worst = 0.0, largest = 0.0;
    for (std::size_t i = 0; i < c["idx"].size(); ++i) {
      const double expected = c[outputs][i][j].get<double>();
      worst = std::max(worst, std::abs(y[c["idx"][i].get<std::size_t>()][j] - expected));
      largest = std::max(largest, std::abs(expected));
    }
    // Both sides iterate to rounding; what is left grows by c_v and c_m over the run.
    EXPECT_LT(worst, 1e-8 * largest) << name << " output " << j;
  }
}

TEST(MultibodyReference, OutputsAtTheExactParameters) {
  for (const char* name :
       {"pendulum", "double_mass_kv", "double_mass_hyst", "beam_two_bushings_kv", "beam_two_bushings_hyst"})
    expect_outputs(name, "rho_exact", "y");
}

TEST(MultibodyReference, OutputsAtTheEvaluationPoint) {
  for (const char* name : {"double_mass_kv", "double_mass_hyst", "beam_two_bushings_kv", "beam_two_bushings_hyst"})
    expect_outputs(name, "rho_eval", "eval_y");
}

}  // namespace
}  // namespace kdyn::mbs
