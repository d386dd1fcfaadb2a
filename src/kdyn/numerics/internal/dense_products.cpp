// SPDX-License-Identifier: Apache-2.0
// Kernels of products and triangular solves, compiled once (dense.hpp).
#include "kdyn/numerics/dense.hpp"

namespace Eigen::internal {

// clang-format off
template struct gebp_kernel<double, double, Index, ResultMapper<double>, Gebp<double>::mr, Gebp<double>::nr, false, false>;
template struct gemm_pack_lhs<double, Index, ConstMapper<double, ColMajor>, Gebp<double>::mr, Gebp<double>::LhsProgress, Gebp<double>::LhsPacket4Packing, ColMajor>;
template struct gemm_pack_lhs<double, Index, ConstMapper<double, RowMajor>, Gebp<double>::mr, Gebp<double>::LhsProgress, Gebp<double>::LhsPacket4Packing, RowMajor>;
template struct gemm_pack_rhs<double, Index, ConstMapper<double, ColMajor>, Gebp<double>::nr, ColMajor>;
template struct gebp_kernel<Complex, Complex, Index, ResultMapper<Complex>, Gebp<Complex>::mr, Gebp<Complex>::nr, false, false>;
template struct gemm_pack_lhs<Complex, Index, ConstMapper<Complex, ColMajor>, Gebp<Complex>::mr, Gebp<Complex>::LhsProgress, Gebp<Complex>::LhsPacket4Packing, ColMajor>;
template struct gemm_pack_rhs<Complex, Index, ConstMapper<Complex, ColMajor>, Gebp<Complex>::nr, ColMajor>;
template struct general_matrix_vector_product<Index, double, ConstMapper<double, ColMajor>, ColMajor, false, double, ConstMapper<double, RowMajor>, false, 0>;
template struct general_matrix_vector_product<Index, double, ConstMapper<double, ColMajor>, ColMajor, false, double, ConstMapper<double, ColMajor>, false, 0>;
template struct general_matrix_vector_product<Index, double, ConstMapper<double, RowMajor>, RowMajor, false, double, ConstMapper<double, ColMajor>, false, 0>;
template struct general_matrix_vector_product<Index, double, ConstMapper<double, RowMajor>, RowMajor, false, double, ConstMapper<double, RowMajor>, false, 1>;
template struct general_matrix_vector_product<Index, Complex, ConstMapper<Complex, ColMajor>, ColMajor, false, Complex, ConstMapper<Complex, RowMajor>, false, 0>;
template struct general_matrix_vector_product<Index, Complex, ConstMapper<Complex, RowMajor>, RowMajor, false, Complex, ConstMapper<Complex, ColMajor>, false, 0>;
template struct product_triangular_matrix_matrix<double, Index, UnitUpper, true, RowMajor, false, ColMajor, false, ColMajor, 1, 0>;
template struct product_triangular_matrix_matrix<double, Index, Upper, true, RowMajor, false, ColMajor, false, ColMajor, 1, 0>;
template struct product_triangular_matrix_matrix<double, Index, UnitLower, true, ColMajor, false, ColMajor, false, ColMajor, 1, 0>;
template struct product_triangular_matrix_matrix<double, Index, Lower, true, ColMajor, false, ColMajor, false, ColMajor, 1, 0>;
template struct triangular_matrix_vector_product<Index, UnitUpper, double, false, double, false, RowMajor, 0>;
template struct triangular_solve_matrix<double, Index, OnTheLeft, Lower, false, ColMajor, ColMajor, 1>;
template struct triangular_solve_matrix<double, Index, OnTheLeft, UnitLower, false, ColMajor, ColMajor, 1>;
template struct triangular_solve_matrix<double, Index, OnTheLeft, Upper, false, ColMajor, ColMajor, 1>;
template struct triangular_solve_matrix<double, Index, OnTheLeft, Upper, false, RowMajor, ColMajor, 1>;
template struct triangular_solve_matrix<double, Index, OnTheRight, Upper, false, RowMajor, ColMajor, 1>;
// clang-format on

}  // namespace Eigen::internal
