// SPDX-License-Identifier: Apache-2.0
// Where a bushing sits against the axes in which motion and force are given: a position and a rotation vector. Motion
// goes in, force comes back.
//
//   [element E14]  u' = R^T (u + theta x p),  theta' = R^T theta;   F = R F',  M = R M' + p x F;   R = exp(skew(orientation))
//
// u and F act at the origin of the outer axes, u' and F' at the bushing's centre p, along its own axes. Linear in the
// angles, as the three angles of a bushing are; F' u' + M' theta' = F u + M theta, so that no work is lost on the way.
// Plain C++17: exported models carry it.
#pragma once

#include <cmath>

namespace kdyn::inline element {

class BushingPlace {
 public:
  BushingPlace() = default;
  BushingPlace(const double* position, const double* orientation) {
    double square = 0.0;
    for (int i = 0; i < 3; ++i) p_[i] = position[i], o_[i] = orientation[i], square += o_[i] * o_[i];
    const double angle = std::sqrt(square);
    given_ = angle > 0.0 || p_[0] != 0.0 || p_[1] != 0.0 || p_[2] != 0.0;
    if (!(angle > 0.0)) return;
    // Rodrigues: R = cos I + sin skew(n) + (1 - cos) n n^T
    const double n[3] = {o_[0] / angle, o_[1] / angle, o_[2] / angle}, c = std::cos(angle), s = std::sin(angle);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) R_[i][j] = (1.0 - c) * n[i] * n[j] + (i == j ? c : 0.0);
    for (int i = 0; i < 3; ++i) {
      const int j = (i + 1) % 3, k = (i + 2) % 3;
      R_[j][k] -= s * n[i], R_[k][j] += s * n[i];
    }
  }

  bool given() const { return given_; }
  const double* position() const { return p_; }             // m
  const double* orientation() const { return o_; }          // rotation vector, rad
  double rotation(int i, int j) const { return R_[i][j]; }  // column j: axis j of the bushing in the outer axes

  // Displacements and angles, or their rates, from the outer axes to the bushing's own.
  void motion_inside(const double* u, double* own) const {
    double at[3], turn[3];
    cross(u + 3, p_, at);
    for (int i = 0; i < 3; ++i) at[i] += u[i], turn[i] = u[3 + i];
    for (int j = 0; j < 3; ++j) {
      own[j] = own[3 + j] = 0.0;
      for (int i = 0; i < 3; ++i) own[j] += R_[i][j] * at[i], own[3 + j] += R_[i][j] * turn[i];
    }
  }
  // Forces and moments back.
  void force_outside(const double* own, double* force) const {
    double F[3] = {}, M[3] = {}, arm[3];
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) F[i] += R_[i][j] * own[j], M[i] += R_[i][j] * own[3 + j];
    cross(p_, F, arm);
    for (int i = 0; i < 3; ++i) force[i] = F[i], force[3 + i] = M[i] + arm[i];
  }

 private:
  static void cross(const double* a, const double* b, double* out) {
    for (int i = 0; i < 3; ++i) {
      const int j = (i + 1) % 3, k = (i + 2) % 3;
      out[i] = a[j] * b[k] - a[k] * b[j];
    }
  }

  bool given_ = false;
  double p_[3] = {}, o_[3] = {};
  double R_[3][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
};

}  // namespace kdyn::inline element
