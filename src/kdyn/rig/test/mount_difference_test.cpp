// SPDX-License-Identifier: Apache-2.0
// Differences of mounts whose difference is known, and the axis that a model file says.
#include "kdyn/rig/mount_difference.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "kdyn/base/error.hpp"
#include "kdyn/base/json.hpp"
#include "kdyn/laws/model_file.hpp"
#include "kdyn/rig/model_axis.hpp"

namespace kdyn::inline rig {
namespace {

std::unique_ptr<Mount> kelvin_voigt(double k, double c) {
  return mount_from_json({{"model", "kelvin_voigt"}, {"parameters", {{"stiffness", k}, {"damping", c}}}}, "test");
}

MountDifference between(const Mount& a, const Mount& b, AxisKind axis = AxisKind::translation) {
  const DifferenceGrid grid = difference_grid(a, axis);
  return mount_difference(rig_print(a, grid), rig_print(b, grid), grid);
}

TEST(MountDifference, OfAMountAndItselfIsNothing) {
  const auto mount = mount_from_json(
      {{"model", "elastomer"}, {"parameters", {{"static_stiffness", 3e5}, {"rdl", 1e-4}, {"rho", 4e3}}}}, "test");
  const MountDifference d = between(*mount, *mount);
  EXPECT_TRUE(d.none());
  EXPECT_EQ(d.k_dyn_rel, 0.0);
  EXPECT_EQ(d.path_rel, 0.0);
}

// Oracle: |K| = sqrt(k^2 + (w c)^2), tan = w c/k. The damper shows most at the highest frequency of the grid.
TEST(MountDifference, IsThatOfTheFormula) {
  const double k = 2e5, c = 500.0;
  const MountDifference d = between(*kelvin_voigt(k, c), *kelvin_voigt(1.1 * k, 0.0));
  const double w = 2.0 * M_PI * d.loss_angle_at.frequency_hz;
  EXPECT_EQ(d.loss_angle_at.frequency_hz, 30.0);
  // Reduction of 64 samples of a sine: exact for a linear law.
  EXPECT_NEAR(d.loss_angle, std::atan2(w * c, k), 1e-9);
  EXPECT_NEAR(d.static_rel, 0.05, 1e-12);  // 10 % at one end is 5 % of the range
  const double at = 2.0 * M_PI * d.k_dyn_at.frequency_hz;
  EXPECT_NEAR(d.k_dyn_rel, std::abs(1.1 * k / std::hypot(k, at * c) - 1.0), 1e-9);
}

// Masing and g4 without a limit have the same map and differ on a path that turns back and forth.
TEST(MountDifference, ThePathShowsFrictionMemory) {
  Json model = {{"model", "elastomer"},
                {"law", "masing"},
                {"parameters", {{"static_stiffness", 3e5}, {"rdl", 1e-4}, {"rho", 4e3}}}};
  const auto masing = mount_from_json(model, "test");
  model["law"] = "g4";
  const MountDifference d = between(*masing, *mount_from_json(model, "test"));
  EXPECT_LT(d.k_dyn_rel, 1e-3);  // 64 samples meet the turning points of both
  EXPECT_GT(d.path_rel, 0.01);
}

TEST(MountDifference, ATableOfTemperaturesIsMissed) {
  Json model = {{"model", "elastomer"}, {"parameters", {{"static_stiffness", 3e5}}}};
  const auto plain = mount_from_json(model, "test");
  model["temperature"] = Json::array({{20.0, 1.0, 1.0, 1.0}, {80.0, 0.5, 1.0, 1.0}});
  const MountDifference d = between(*mount_from_json(model, "test"), *plain);
  EXPECT_EQ(d.k_dyn_rel, 0.0);
  EXPECT_NEAR(d.hot_k_dyn_rel, 1.0, 1e-12);  // twice as stiff at 80 C
  EXPECT_EQ(d.hot_at_c, 80.0);
  EXPECT_FALSE(d.none());
}

TEST(ModelAxis, IsWhatTheFileSays) {
  Json model = {{"model", "kelvin_voigt"}, {"parameters", {{"stiffness", 1.0}, {"damping", 0.0}}}};
  EXPECT_EQ(mount_on_axis(model, "m", "").kind, AxisKind::translation);
  EXPECT_EQ(mount_on_axis(model, "m", "ty").kind, AxisKind::rotation);
  model["axis"] = "rotation";
  EXPECT_EQ(mount_on_axis(model, "m", "").kind, AxisKind::rotation);
  EXPECT_EQ(mount_on_axis(model, "m", "tx").axis, "tx");
  EXPECT_THROW(mount_on_axis(model, "m", "fz"), Error);
  const Json result = {{"axis", "rotation"},
                       {"model", {{"model", "kelvin_voigt"}, {"parameters", {{"stiffness", 1.0}, {"damping", 0.0}}}}}};
  EXPECT_EQ(mount_on_axis(result, "m", "").kind, AxisKind::rotation);
  model["axis"] = "up";
  EXPECT_THROW(mount_on_axis(model, "m", ""), Error);
  const Json bushing = {
      {"model", "bushing"},
      {"axes", {{"tz", {{"model", "kelvin_voigt"}, {"parameters", {{"stiffness", 1.0}, {"damping", 0.0}}}}}}}};
  EXPECT_EQ(mount_on_axis(bushing, "m", "tz").kind, AxisKind::rotation);
  EXPECT_THROW(mount_on_axis(bushing, "m", ""), Error);
}

}  // namespace
}  // namespace kdyn::inline rig
