// SPDX-License-Identifier: Apache-2.0
// Mass and stiffness matrices of a model, kept apart so that they follow its parameters exactly.
//
//   [fe E6]  K(p) = sum_q theta_q(p) K_q, M(p) = sum_q theta_q(p) M_q with theta_q(p) = prod_s (p_s / p_s0)^e_qs
// Exponents are whole numbers: 1 for Young's modulus, density, spring stiffness, point mass; 1 and 3 for the membrane
// and bending parts of a thickness. theta is 1 at the nominal parameters, so the terms are the nominal shares. Matrices
// are real, symmetric and hold the lower triangle only. A parameter of Young's modulus takes the shear modulus along;
// one of a point mass takes its inertia along.
#pragma once

#include <string>
#include <vector>

#include <Eigen/Sparse>

#include "kdyn/fe/dof_map.hpp"
#include "kdyn/fe/model.hpp"

namespace kdyn::fe {

using SparseMatrix = Eigen::SparseMatrix<double, Eigen::ColMajor, int>;

enum class ParameterKind { thickness, young, density, spring, scalar_spring, point_mass };
const char* to_string(ParameterKind kind);

struct Parameter {
  std::string name;
  ParameterKind kind = ParameterKind::spring;
  std::vector<std::int64_t> labels;  // thickness: properties; young, density: materials; others: elements
  int component = 0;                 // of springs: 0..5; -1: all six
  // The loss factor of that stiffness instead of the stiffness. K and M do not hold it: its ratio in them is 1, and the
  // derivative by it there is the stiffness that loses energy [fe E45]. `loss_factor`: where the model gives none.
  bool loss = false;
  double loss_factor = 0.1;
};

struct AffineTerm {
  std::vector<int> exponents;  // one per parameter
  SparseMatrix matrix;         // lower triangle

  double factor(const Eigen::VectorXd& ratio) const;                 // theta_q
  double derivative(const Eigen::VectorXd& ratio, int index) const;  // by ratio[index]
};

struct AffineMatrices {
  std::vector<std::string> parameters;
  Eigen::VectorXd nominal;  // value of each parameter at theta = 1, in its unit
  std::vector<AffineTerm> stiffness, mass;

  int size() const;
  // At p / p0 (empty: nominal). Both have the union of the patterns of their terms.
  SparseMatrix stiffness_at(const Eigen::VectorXd& ratio = {}) const;
  SparseMatrix mass_at(const Eigen::VectorXd& ratio = {}) const;
};

struct Assembly {
  DofMap map;
  AffineMatrices matrices;
  int held_without_stiffness = 0;  // motions that nothing gives stiffness or mass to (Nastran: AUTOSPC)
  int held_with_mass = 0;          // of a deck: motions with mass, but without stiffness
  // The whole as a rigid body about the origin of the global axes, supports disregarded. [fe E33]
  Eigen::Matrix<double, 6, 6> rigid_mass = Eigen::Matrix<double, 6, 6>::Zero();
};

// Throws Error(bad_input) with the label of the element, property or parameter that cannot be used.
Assembly assemble(const Model& model, const std::vector<Parameter>& parameters = {});

// Symmetric product of a lower triangle with a block of vectors.
Eigen::MatrixXd multiply(const SparseMatrix& lower, const Eigen::MatrixXd& block);

}  // namespace kdyn::fe
