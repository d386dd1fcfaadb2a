// SPDX-License-Identifier: Apache-2.0
// Bushings whose laws are all equal in kind, a spring and a damper on each axis, evaluated four at a time.
//
//   [mbs E61]  with the frames R1, R2 of both markers, P = R1^T R2, x_t, v = vect P, g, g' of [mbs E5, E6], t and r the
//              force and the moment load of the axes: on body 2, in the axes of its marker,
//                f2 = P^T t,   m2 = g/2 (tr P - P) r - g' (r . v) v,
//              on body 1  f1 = -t,   m1 = t x x_t - g/2 (tr P - P^T) r + g' (r . v) v;
//              about the origin of a body in its own axes  f = R0 f,  m = R0 m + x x f.
// These are N^T x_q^T load of [mbs E4, E9] written out: 2 vect(B skew(r)) = (tr B - B^T) r. Both paths agree to rounding.
#pragma once

#include <vector>

#include "kdyn/mbs/system.hpp"

namespace kdyn::mbs {

class BushingBatch {
 public:
  // Takes every bushing between rigid bodies whose laws are springs with dampers and which measures by log. Parameters
  // and places are those of now.
  explicit BushingBatch(const System& system);

  bool empty() const { return groups_.empty(); }
  // Which connections it looks after.
  const std::vector<char>& taken() const { return taken_; }
  // Markers that nothing else needs.
  const std::vector<char>& own_markers() const { return own_markers_; }
  // reduced += N^T x_q^T load of its bushings; q on the manifold.
  void add(const VectorX& q, const VectorX& v, VectorX& reduced) const;

  static constexpr int lanes = 4;
  // Numbers of four bushings; the last group repeats one whose loads go nowhere.
  struct Group {
    // Where each body stands among coordinates and unknowns; -1: ground.
    int q1[lanes], q2[lanes], t1[lanes], t2[lanes];
    alignas(32) double x1[3][lanes], x2[3][lanes];  // markers in their bodies
    alignas(32) double R1[9][lanes], R2[9][lanes];  // column by column
    alignas(32) double stiffness[6][lanes], damping[6][lanes], preload[6][lanes];
    bool plain = true;  // no marker is turned against its body
  };

 private:
  std::vector<char> taken_, own_markers_;
  std::vector<Group> groups_;
};

}  // namespace kdyn::mbs
