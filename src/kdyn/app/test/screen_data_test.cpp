// SPDX-License-Identifier: Apache-2.0
// What the pages of the web application ask for besides results: channels of frequency responses, the kind of mount a
// map looks like, the moving vehicle. Oracles: the truth in data/frame/MANIFEST.json and the rigid-body kinematics of
// [vehicle E2].
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "kdyn/app/operation.hpp"
#include "kdyn/app/present/response_view.hpp"
#include "kdyn/app/vehicle/vehicle_jobs.hpp"
#include "kdyn/base/error.hpp"

namespace kdyn::app {
namespace {

const std::string data_folder = std::string(KDYN_SOURCE_DIR) + "/data/";

TEST(ResponseView, GivesChannelsOfAFileAsTheyWereMeasured) {
  const ResponseView view({data_folder + "frame/frf.csv"});
  const Json all = view.channels();
  ASSERT_EQ(all["channels"].size(), 30u);
  EXPECT_EQ(all["channels"][0], (Json{{"output", "1+Z"}, {"input", "1+Z"}, {"unit", "(m/s^2)/N"}}));
  EXPECT_EQ(all["lines"], 441);
  const Json one = view.values({0.0, 16.0})[0];
  EXPECT_EQ(one["frequency_hz"][0], 20.0);
  // At the first resonance, 38.2 Hz with 1.2 % damping, the response is phi^2/(2 zeta) = 0.35^2/0.024 and leads the
  // force by 90 deg; half a line beside it and with the neighbours' share it is within 10 %.
  std::size_t line = 0;
  while (one["frequency_hz"][line].get<double>() < 38.0) ++line;
  EXPECT_NEAR(one["magnitude"][line].get<double>(), 0.35 * 0.35 / 0.024, 0.1 * 0.35 * 0.35 / 0.024);
  EXPECT_TRUE(one["coherence"].empty());
  EXPECT_THROW(view.values({30.0}), Error);
  EXPECT_THROW(view.values({-1.0}), Error);
  EXPECT_THROW(view.values(std::vector<double>(100, 0.0)), Error);
  EXPECT_THROW(ResponseView({data_folder + "cab_mount/z_map.csv"}), Error);
}

TEST(Inspect, SuggestsTheKindOfMount) {
  const auto suggested = [](const std::string& file) {
    return run_operation(*find_operation("inspect"), {{"files", {data_folder + file}}}, silent_progress())
        .result["files"][0];
  };
  EXPECT_EQ(suggested("hydro_mount/map.csv")["suggests"]["operation"], "fit hydromount");
  for (const char* file : {"cab_mount/x_map.csv", "cab_mount/y_map.csv", "cab_mount/z_map.csv"})
    EXPECT_EQ(suggested(file)["suggests"]["operation"], "fit elastomer") << file;
  EXPECT_FALSE(suggested("cab_mount/z_static.csv").contains("suggests"));
}

// A rigid body moves rigidly: distances between its points change by second order only.
TEST(VehicleAnimation, MovesTheBodyAsAWholeAndWheelsUpAndDown) {
  const Vehicle<double> car;
  const VehicleModes modes = vehicle_modes(car.matrices());
  const report::Animation moving = vehicle_animation(car, modes, std::vector<std::string>(7, "mode"));
  ASSERT_EQ(moving.shapes.size(), 7u);
  const auto& shape = moving.shapes.front();
  for (std::size_t i = 1; i < 14; ++i) {  // corners of the body
    double stretch = 0.0;
    for (std::size_t axis = 0; axis < 3; ++axis)
      stretch += (moving.points[i][axis] - moving.points[0][axis]) * (shape.real[i][axis] - shape.real[0][axis]);
    EXPECT_NEAR(stretch, 0.0, 1e-12) << i;
  }
  ASSERT_EQ(moving.marked.size(), 4u);  // hubs
  for (std::size_t wheel = 0; wheel < 4; ++wheel)
    EXPECT_EQ(shape.real[static_cast<std::size_t>(moving.marked[wheel])][2],
              modes.shapes(static_cast<Eigen::Index>(3 + wheel), 0).real());
}

}  // namespace
}  // namespace kdyn::app
