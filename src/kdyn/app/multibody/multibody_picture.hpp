// SPDX-License-Identifier: Apache-2.0
// A multibody run as a moving picture: rigid bodies by their shapes or as boxes of equal inertia with arms to their markers, flexible
// bodies by their nodes, mounts and joints as dots.
#pragma once

#include <array>
#include <vector>

#include "kdyn/mbs/linearise.hpp"
#include "kdyn/report/document.hpp"

namespace kdyn::app {

class Picture {
 public:
  // `steps` of the run that is to come tell how often a frame is kept.
  Picture(const mbs::System& system, long steps);
  // Whether a frame is kept of the point that comes now; asked once for each.
  bool is_due() { return seen_++ % every_ == 0; }
  void record(const mbs::RunState& state, const mbs::Evaluation& e);
  // Small motion is magnified to be seen; empty when there are fewer than two frames.
  report::Animation animation() const;
  // Shapes about the operating point; `names` one each.
  report::Animation shapes(const mbs::VectorX& q, const std::vector<mbs::LinearMode>& modes,
                           const std::vector<std::string>& names) const;

 private:
  struct Point {
    int body = -1;
    mbs::Vector3 x = mbs::Vector3::Zero();
    mbs::Matrix3X psi;
  };
  int add(int body, const mbs::Vector3& x, const mbs::Matrix3X& psi = {});
  void add_box(int body);
  void add_surface(int body);
  void add_nodes(int body);
  mbs::Vector3 place(const Point& p, const mbs::VectorX& q) const;
  void record_forces(const mbs::Evaluation& e);

  const mbs::System& system_;
  std::vector<Point> points_;
  std::vector<std::array<int, 2>> lines_;
  std::vector<report::AnimatedSurface> surfaces_;
  std::vector<int> marked_, dashed_;
  std::vector<report::AnimatedForce> forces_;  // of the connections on their second body
  bool has_boxes_ = false;
  long every_ = 1, seen_ = 0;
  std::vector<double> times_;
  std::vector<std::vector<std::array<double, 3>>> frames_;
};

}  // namespace kdyn::app
