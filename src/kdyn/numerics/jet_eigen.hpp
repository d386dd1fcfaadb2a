// SPDX-License-Identifier: Apache-2.0
// Jets beside Eigen: matrices whose entries are Jets, and the derivatives of a Jet as a vector.
#pragma once

#include <Eigen/Core>

#include "kdyn/numerics/jet.hpp"

namespace kdyn::inline numerics {

template <int N>
Eigen::Map<const Eigen::Matrix<double, N, 1>> derivatives(const Jet<N>& x) {
  return Eigen::Map<const Eigen::Matrix<double, N, 1>>(x.v.data());
}

}  // namespace kdyn::inline numerics

namespace Eigen {

template <int N>
struct NumTraits<kdyn::Jet<N>> : NumTraits<double> {
  using Real = kdyn::Jet<N>;
  using NonInteger = kdyn::Jet<N>;
  using Nested = kdyn::Jet<N>;
  using Literal = kdyn::Jet<N>;
  enum {
    IsComplex = 0,
    IsInteger = 0,
    IsSigned = 1,
    RequireInitialization = 1,
    ReadCost = 1,
    AddCost = 1,
    MulCost = 3
  };
};
template <class Op, int N>
struct ScalarBinaryOpTraits<kdyn::Jet<N>, double, Op> {
  using ReturnType = kdyn::Jet<N>;
};
template <class Op, int N>
struct ScalarBinaryOpTraits<double, kdyn::Jet<N>, Op> {
  using ReturnType = kdyn::Jet<N>;
};

}  // namespace Eigen
