// SPDX-License-Identifier: Apache-2.0
// Models from a few lines of bulk data, and what tests ask of them.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "kdyn/base/error.hpp"
#include "kdyn/fe/modes.hpp"
#include "kdyn/fe/nastran_model.hpp"
#include "kdyn/fe/sparse_factor.hpp"

namespace kdyn::fe::test {

inline Model model_from(const std::string& text) {
  NastranDeck deck = parse_nastran(text, "test.bdf");
  return model_of(deck);
}

// What is said about a deck that cannot be used; empty when it can.
inline std::string refusal(const std::string& text) {
  try {
    assemble(model_from(text));
  } catch (const Error& error) {
    return error.where() + ": " + error.message() + " | " + error.remedy();
  }
  return "";
}

inline Modes modes_of(const Model& model, int count) {
  ModesOptions options;
  options.count = count;
  return find_modes(assemble(model), options);
}

// Static displacement under loads on the unknowns.
inline Eigen::VectorXd statics(const Assembly& a, const Eigen::VectorXd& load) {
  const SparseMatrix k = a.matrices.stiffness_at(), m = a.matrices.mass_at();
  SparseFactor factor(k, m, a.map.node_of);
  EXPECT_EQ(factor.factor(k, m, 1.0, 0.0).negative_pivots, 0);
  return factor.solve(load);
}

inline Eigen::MatrixXd full(const SparseMatrix& lower) {
  const SparseMatrix both = lower.selfadjointView<Eigen::Lower>();
  return Eigen::MatrixXd(both);
}

// Both matrices of two models with the same unknowns, relative to the largest entry.
inline void expect_same(const Assembly& a, const Assembly& b, double tolerance) {
  ASSERT_EQ(a.map.unknowns, b.map.unknowns);
  const Eigen::MatrixXd ka = full(a.matrices.stiffness_at()), kb = full(b.matrices.stiffness_at());
  EXPECT_LT((ka - kb).cwiseAbs().maxCoeff(), tolerance * ka.cwiseAbs().maxCoeff());
  const Eigen::MatrixXd ma = full(a.matrices.mass_at()), mb = full(b.matrices.mass_at());
  EXPECT_LT((ma - mb).cwiseAbs().maxCoeff(), tolerance * std::max(ma.cwiseAbs().maxCoeff(), 1e-300));
}

}  // namespace kdyn::fe::test
