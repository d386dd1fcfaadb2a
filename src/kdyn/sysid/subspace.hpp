// SPDX-License-Identifier: Apache-2.0
// Frequency-domain subspace identification (McKelvey, Akcay, Ljung 1996, algorithm 2): poles and output shapes from
// frequency responses at lines of any spacing, without iteration and without start values.
//
//   [sysid E4] bilinear map s = a (z - 1)/(z + 1): the line omega becomes the angle 2 atan(omega/a) on the unit circle
//   [sysid E5] Y = O X + Gamma U with block rows z^i H and z^i I, i = 0 .. q-1; O is the range of Y with U projected out
//   [sysid E6] shift invariance O(2..q) = O(1..q-1) A_d, and back: lambda = a (z - 1)/(z + 1)
//
// Changed from the paper: since every input of FRF data is an impulse, the rows of U are the same q Vandermonde rows
// for each input. The projection is done once with their 2 N x q orthonormal basis, instead of with the (q nu) x (2 N
// nu) matrix, and only the output part needs a QR factorisation. The QR factor of the observability matrix nests, so
// that the models of all orders up to the largest come from it.
//
// It estimates neither B nor D (refine.hpp does). Valid for proper rational responses: accelerance, mobility and
// receptance alike.
#pragma once

#include <vector>

#include "kdyn/numerics/dense.hpp"
#include "kdyn/sysid/frf_matrix.hpp"

namespace kdyn::inline sysid {

struct SubspaceOptions {
  int max_order = 60;      // states of the largest model
  int block_rows = 0;      // q; 0: so that q * outputs is about four times the largest order
  double map_omega = 0.0;  // a, rad/s; 0: geometric centre of the band
};

// Poles of one order: those with Im > 0 and real ones (Im = 0), with their output shapes, in no order.
struct OrderPoles {
  int order = 0;
  Eigen::VectorXcd poles;   // rad/s; may be unstable
  Eigen::MatrixXcd shapes;  // outputs x poles, direction of the columns of C
};

class Subspace {
 public:
  Subspace(const FrfMatrix& frf, const SubspaceOptions& options);

  const Eigen::VectorXd& singular_values() const { return singular_values_; }
  int max_order() const { return static_cast<int>(triangle_.cols()); }
  int block_rows() const { return block_rows_; }
  double map_omega() const { return map_omega_; }

  OrderPoles poles(int order) const;

  // Orders, ascending, at which the singular values drop towards the noise of the arithmetic, as exact data of a finite
  // system make them. Whether one is the order shows a fit. None for measured data.
  std::vector<int> exact_orders() const;
  // Order at the largest ratio of neighbouring singular values, among even orders of at least 2.
  int order_by_gap() const;

 private:
  Eigen::VectorXd singular_values_;
  Eigen::MatrixXd triangle_, shifted_, first_rows_;  // R and Q^T O2 of the nested least-squares problem, O(1)
  int block_rows_ = 0;
  double map_omega_ = 0.0;
};

}  // namespace kdyn::inline sysid
