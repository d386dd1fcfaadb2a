// SPDX-License-Identifier: Apache-2.0
// kdyn road: heights of a road under the wheels over time, for models on posts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kdyn/app/operation.hpp"

namespace kdyn::app {

struct RoadObstacle {
  double at_s = 0.0, height_m = 0.0, length_m = 0.0;
  bool left = true, right = true;
};

struct RoadJob {
  double roughness = 16e-6;
  double speed_m_s = 20.0, wheelbase_m = 2.8, track_m = 1.5;
  double duration_s = 20.0, rate_hz = 1000.0;
  double shortest_wave_m = 0.25, longest_wave_m = 50.0, fade_s = 1.0;
  std::int64_t seed = 1;
  std::vector<RoadObstacle> obstacles;
  std::string title;
};
Outcome road_job(const RoadJob& job, Progress& progress);

const FieldTable& fields_of(const RoadObstacle*);
const FieldTable& fields_of(const RoadJob*);
struct RoadOutput;
const FieldTable& fields_of(const RoadOutput*);

}  // namespace kdyn::app
