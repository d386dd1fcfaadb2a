// SPDX-License-Identifier: Apache-2.0
// Roads for four-poster runs: random profiles of ISO 8608 and single obstacles under four wheels.
#pragma once

#include <cstdint>

#include "kdyn/numerics/dense.hpp"

namespace kdyn::inline vehicle {

// [vehicle E30] Heights under the wheels A, B, C, D.
struct RoadOptions {
  double roughness = 16e-6;  // G0 at 0.1/m, m^3: class A 16e-6, B 64e-6, C 256e-6, D 1024e-6, E 4096e-6
  double speed = 20.0;       // m/s
  double wheelbase = 2.8, track = 1.5;
  double length_s = 20.0, rate_hz = 1000.0;
  double shortest_wave_m = 0.25;  // the tyre rolls over what is shorter
  double longest_wave_m = 50.0;
  double fade_s = 1.0;  // the profile rises from zero at the start and ends at zero
  std::uint64_t seed = 1;
};

struct Road {
  double interval = 0.0;
  Eigen::MatrixXd height, velocity;  // samples x 4, m and m/s
};

Road random_road(const RoadOptions& options);

// Versed-sine obstacle (height < 0: pothole) met by the front wheels at `at_s`, by the rear ones a wheelbase later.
void add_obstacle(Road& road, const RoadOptions& options, double at_s, double height, double length_m, bool left,
                  bool right);

}  // namespace kdyn::inline vehicle
