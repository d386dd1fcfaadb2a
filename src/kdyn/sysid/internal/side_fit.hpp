// SPDX-License-Identifier: Apache-2.0
// One side of the alternation: poles and the vectors b_r are given, the vectors c_r and D are solved for, and a step of
// the poles can be asked for. Used on the responses and on their transpose, which exchanges the parts of inputs and
// outputs.
//
// Unknowns of one output are real: Re c, Im c of each pair, c of each real pole, one D for each input. With phi_r =
// 1/(s - lambda_r)
//   basis      g = [b phi + conj, i (b phi - conj)] for a pair, b phi for a real pole, 1 for D
//   derivative h = the same with phi^2 in place of phi                                                     [sysid E7], [sysid E8]
#pragma once

#include <vector>

#include "kdyn/numerics/dense.hpp"
#include "kdyn/sysid/frf_matrix.hpp"

namespace kdyn::inline sysid::internal {

// Sums over lines that depend on the poles alone. Columns of F: phi of the m poles, of their conjugates, then the
// squares of both. The conjugate columns of real poles are zero.
struct LineSums {
  Eigen::MatrixXcd F;         // lines x 4 m
  Eigen::MatrixXd stacked;    // real parts of F above imaginary ones
  Eigen::MatrixXcd gram;      // F^H F
  Eigen::RowVectorXcd total;  // sum over lines
};
LineSums line_sums(const Eigen::VectorXd& omega, const Eigen::VectorXcd& poles);

// (Weighted) residuals as the normal equations see them; columns are channels.
struct Projection {
  Eigen::MatrixXcd on_basis;  // F^H (w r), 4 m x channels
  Eigen::RowVectorXd total;   // sum over lines of Re (w r)
};

class SideFit {
 public:
  // b: poles x inputs. The references must outlive the object.
  SideFit(const FrfMatrix& frf, const Eigen::VectorXcd& poles, const LineSums& sums, const Eigen::MatrixXcd& b);

  // Adds to c (outputs x poles) and D (outputs x inputs) what the residual asks for.
  void correct(const Projection& residual, Eigen::MatrixXcd& c, Eigen::MatrixXd& D);

  // Reduced normal equations of the poles at c: information (2 m x 2 m) and right-hand side (2 m) in the order Re, Im
  // of each pole.
  void pole_equations(const Projection& residual, const Eigen::MatrixXcd& c, Eigen::MatrixXd& information,
                      Eigen::VectorXd& right_side);

  // Growth of the sum of squares when a pole is taken out and the rest solved again, poles unmoved; one value for each
  // pole.
  Eigen::VectorXd removal_cost(const Eigen::MatrixXcd& c);

  // sum over samples of variance * J^T J with the projected derivatives J of pole_equations; variance: per real
  // component, lines x channels. Poles that are not `wanted` get zeros.
  Eigen::MatrixXd pole_noise(const Eigen::MatrixXcd& c, const Eigen::MatrixXd& variance,
                             const std::vector<bool>& wanted);

 private:
  struct Gram {
    Eigen::MatrixXd inverse;  // pseudo-inverse of <basis, basis>
    Eigen::MatrixXd cross;    // inverse <basis, h>
    Eigen::MatrixXd reduced;  // <h, h> - <h, basis> inverse <basis, h>; empty until pole steps ask for it
  };
  const Gram& gram_of(Eigen::Index output, bool derivatives);
  Eigen::MatrixXd unweighted_gram(bool derivatives) const;
  Eigen::MatrixXd weighted_gram(Eigen::Index output) const;
  // Basis, D columns and derivatives of one input as real rows (all real parts, then all imaginary parts).
  Eigen::MatrixXd rows_of_input(Eigen::Index input) const;
  Eigen::MatrixXd pole_directions(const Eigen::MatrixXcd& c, Eigen::Index output) const;
  Eigen::VectorXd right_side(Eigen::Index output, const Projection& residual) const;
  bool is_pair(Eigen::Index pole) const { return poles_[pole].imag() > 0.0; }

  const FrfMatrix& frf_;
  const Eigen::VectorXcd& poles_;
  const LineSums& sums_;
  const Eigen::MatrixXcd& b_;
  std::vector<Eigen::Index> first_;  // first real unknown of each pole
  Eigen::Index states_ = 0;
  std::vector<Gram> grams_;  // one, or one for each output when weighted
};

}  // namespace kdyn::inline sysid::internal
