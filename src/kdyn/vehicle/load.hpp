// SPDX-License-Identifier: Apache-2.0
// Added mass as it is put on a vehicle: sandbags on the floor, a plate on a hub [vehicle E32].
#pragma once

#include <array>
#include <string>
#include <vector>

#include "kdyn/base/field.hpp"
#include "kdyn/vehicle/vehicle.hpp"

namespace kdyn::inline vehicle {

struct Load {
  std::string name;
  double mass = 0.0;                                 // kg
  std::string body = "body";                         // or a wheel, "A" to "F"
  std::array<double, 3> position = {0.0, 0.0, 0.0};  // x forward from the first axle line, y left, z not used; m
  double Iyy = 0.0, Ixx = 0.0;                       // kg m^2 about its own centre
  int config = 1;                                    // the test it was on board in
};
const FieldTable& fields_of(const Load*);

// Loads of configuration 1, 2, ...
std::vector<std::vector<PointMass>> points_of(const std::vector<Load>& loads, const VehicleLayout& layout);

}  // namespace kdyn::inline vehicle
