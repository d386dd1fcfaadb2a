// SPDX-License-Identifier: Apache-2.0
#include "kdyn/mbs/internal/plausible.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace kdyn::mbs {
namespace {

// Points of a body lie within some radii of gyration of its centre, unless one of both is in another unit.
constexpr double far = 300.0, small = 100.0;
constexpr double strong_gravity = 50.0, weak_gravity = 0.5;

}  // namespace

void doubt_units(const Model& model, const std::string& where, std::vector<Finding>& findings) {
  const double g = model.gravity.norm();
  if (g > strong_gravity || (g > 0.0 && g < weak_gravity))
    findings.push_back({Severity::warning, "gravity_units", where + ".gravity",
                        fmt::format("gravity is {:.4g} m/s^2", g), "give it in m/s^2: 9.81 on earth"});
  Eigen::AlignedBox3d box;
  for (const Marker& marker : model.markers) {
    if (marker.body < 0) {
      box.extend(marker.x);
      continue;
    }
    const Body& body = model.bodies[static_cast<std::size_t>(marker.body)];
    box.extend(Vector3(body.position + body.rotation * marker.x));
  }
  const double size = box.isEmpty() ? 0.0 : box.diagonal().norm();
  for (std::size_t b = 0; b < model.bodies.size(); ++b) {
    const Body& body = model.bodies[b];
    if (body.modes() > 0 || body.G.rows() != 4 || !(body.G(0, 0) > 0.0)) continue;
    // G = [m, m c; m c, E + m c c^T], and tr E is half the trace of the inertia: m r^2.
    const Vector3 centre = body.G.block<3, 1>(1, 0) / body.G(0, 0);
    const double square = body.G.block<3, 3>(1, 1).trace() / body.G(0, 0) - centre.squaredNorm();
    if (!(square > 0.0)) continue;
    const double radius = std::sqrt(square);
    double farthest = 0.0;
    for (const Marker& marker : model.markers)
      if (marker.body == static_cast<int>(b)) farthest = std::max(farthest, (marker.x - centre).norm());
    const bool points = farthest > far * radius, inertia = size > 0.0 && radius > small * size;
    if (!points && !inertia) continue;
    findings.push_back(
        {Severity::warning, "body_units", where + ", body " + body.name,
         points ? fmt::format(
                      "its points lie up to {:.4g} m from its centre, its radius of gyration is {:.4g} m: are lengths "
                      "given in mm?",
                      farthest, radius)
                : fmt::format(
                      "its radius of gyration is {:.4g} m, the whole model measures {:.4g} m: is the inertia given in "
                      "kg mm^2, or the mass in tonnes?",
                      radius, size),
         "give m, kg and kg m^2"});
  }
}

}  // namespace kdyn::mbs
