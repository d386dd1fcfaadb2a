// SPDX-License-Identifier: Apache-2.0
// A structure on 24 bushing stiffnesses, measured with noise and identified with default settings. Oracle: its own
// modes.
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "kdyn/base/random.hpp"
#include "kdyn/modes/space_frame.hpp"
#include "kdyn/modes/virtual_test.hpp"
#include "kdyn/sysid/identify.hpp"
#include "kdyn/sysid/test/synthetic.hpp"

namespace kdyn::inline modes {
namespace {

// 601 lines, 32 accelerations, 8 forces, noise of 1 % of the mean of each channel; 28 modes in band, the next ones 28
// Hz above it, and 100 more beyond. The Cramer-Rao deviations are below 0.006 % in frequency and 0.4 % in damping; the
// limits are those one asks of a test.
TEST(IdentifyFrame, FrequenciesAndDampingOfTheBushingFrame) {
  const BushingFrame b = make_bushing_frame(8);
  const RealModes modes = real_modes(b.frame.mass(), b.frame.stiffness(), 134);
  RandomStream random(1);
  Eigen::VectorXd damping(modes.omega.size());
  for (double& value : damping) value = random.uniform(0.004, 0.02);
  std::vector<int> outputs, inputs;
  // Two arms of each mass in three directions and the middle of each side in two; hits at an arm and a side of each
  // corner.
  for (std::size_t corner = 0; corner < 4; ++corner) {
    for (std::size_t arm = 0; arm < 2; ++arm)
      for (int direction = 0; direction < 3; ++direction)
        outputs.push_back(6 * b.arm_nodes[3 * corner + arm] + direction);
    const int side = b.ring_nodes[8 * corner + 4], across = corner % 2 == 0 ? 1 : 0;
    outputs.push_back(6 * side + across);
    outputs.push_back(6 * side + 2);
    inputs.push_back(6 * b.arm_nodes[3 * corner] + static_cast<int>(corner) % 3);
    inputs.push_back(6 * side + (corner == 0 || corner == 3 ? 2 : across));
  }
  const Eigen::VectorXd omega = synthetic::lines(30.0, 330.0, 601);
  Eigen::MatrixXcd H = accelerance(modes, damping, outputs, inputs, omega);
  const Eigen::MatrixXcd clean = H;
  synthetic::add_noise(H, 0.01, 101);
  const ModalResult result = identify_modes(synthetic::response(H, omega, 32, 8), {});
  double worst_frequency = 0.0, worst_damping = 0.0;
  std::size_t in_band = 0;
  for (Eigen::Index r = 0; r < modes.omega.size(); ++r) {
    const double f = modes.omega[r] / (2.0 * std::numbers::pi);
    if (modes.omega[r] < omega[0] || modes.omega[r] > omega[600]) continue;
    ++in_band;
    const auto nearest = std::min_element(result.modes.begin(), result.modes.end(), [f](const auto& x, const auto& y) {
      return std::abs(x.frequency_hz - f) < std::abs(y.frequency_hz - f);
    });
    ASSERT_NE(nearest, result.modes.end());
    worst_frequency = std::max(worst_frequency, std::abs(nearest->frequency_hz / f - 1.0));
    worst_damping = std::max(worst_damping, std::abs(nearest->damping / damping[r] - 1.0));
  }
  EXPECT_EQ(result.modes.size(), in_band);
  EXPECT_LT(worst_frequency, 1e-4);
  EXPECT_LT(worst_damping, 0.02);
  EXPECT_LT(misfit(synthesise(result.model, omega), clean), 0.2 * misfit(H, clean));
  RecordProperty("worst_frequency_percent", std::to_string(100.0 * worst_frequency));
  RecordProperty("worst_damping_percent", std::to_string(100.0 * worst_damping));
}

}  // namespace
}  // namespace kdyn::inline modes
