// SPDX-License-Identifier: Apache-2.0
// What a body looks like: boxes, cylinders, spheres and surfaces from files, for pictures alone.
//   [{"box": [0.5, 0.3, 0.2], "position": [0, 0, 0.1], "rotation": [0, 0, 0.3]}, {"cylinder": {"radius": 0.03, "length": 0.4}},
//    {"sphere": 0.05}, {"file": "engine.stl", "length_m": 0.001}]
#pragma once

#include <string>
#include <vector>

#include "kdyn/base/json.hpp"
#include "kdyn/io/surface_file.hpp"

namespace kdyn::mbs {

// In the frame of the body, thinned to what a picture needs. Files count from `folder` and are added to `files`.
SurfaceMesh body_surface(const Json& in, const std::string& where, const std::string& folder,
                         std::vector<std::string>& files);

}  // namespace kdyn::mbs
