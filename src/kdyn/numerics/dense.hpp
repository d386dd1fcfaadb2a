// SPDX-License-Identifier: Apache-2.0
// Eigen's dense matrices with its solvers compiled once. Include this instead of <Eigen/Dense>: code stays plain Eigen,
// but the decompositions and product kernels of MatrixXd and MatrixXcd named here are taken from the library
// (internal/dense_*.cpp) instead of being compiled again in each file that uses one. A singular value decomposition
// alone costs a compiler half a minute.
//
// What counts is the exact type. `MatrixXd(a + b)` given to a solver meets an instance of the list, the bare expression
// `a + b` compiles one of its own: correct, and slow to build. Matrices of fixed size are compiled where they are used.
#pragma once

#include <Eigen/Dense>

// The instances are named by signatures of Eigen 3.4; with another version everything is compiled where it is used.
#if EIGEN_VERSION_AT_LEAST(3, 4, 0) && !EIGEN_VERSION_AT_LEAST(3, 4, 90)
#define KDYN_DENSE_ONCE
#endif

#ifdef KDYN_DENSE_ONCE
namespace Eigen {

// Decompositions.
extern template SelfAdjointEigenSolver<MatrixXd>& SelfAdjointEigenSolver<MatrixXd>::compute(const EigenBase<MatrixXd>&,
                                                                                            int);
extern template SelfAdjointEigenSolver<MatrixXcd>& SelfAdjointEigenSolver<MatrixXcd>::compute(
    const EigenBase<MatrixXcd>&, int);
extern template GeneralizedSelfAdjointEigenSolver<MatrixXd>& GeneralizedSelfAdjointEigenSolver<MatrixXd>::compute(
    const MatrixXd&, const MatrixXd&, int);

extern template EigenSolver<MatrixXd>& EigenSolver<MatrixXd>::compute(const EigenBase<MatrixXd>&, bool);
extern template MatrixXcd EigenSolver<MatrixXd>::eigenvectors() const;
extern template ComplexEigenSolver<MatrixXcd>& ComplexEigenSolver<MatrixXcd>::compute(const EigenBase<MatrixXcd>&,
                                                                                      bool);

extern template JacobiSVD<MatrixXd>& JacobiSVD<MatrixXd>::compute(const MatrixXd&, unsigned int);
extern template JacobiSVD<MatrixXcd>& JacobiSVD<MatrixXcd>::compute(const MatrixXcd&, unsigned int);
extern template void JacobiSVD<MatrixXd>::allocate(Index, Index, unsigned int);
extern template void JacobiSVD<MatrixXcd>::allocate(Index, Index, unsigned int);

extern template void PartialPivLU<MatrixXd>::compute();
extern template void PartialPivLU<MatrixXcd>::compute();
extern template void FullPivLU<MatrixXd>::computeInPlace();
extern template void FullPivLU<MatrixXcd>::computeInPlace();
extern template void FullPivLU<MatrixXd>::_solve_impl(const MatrixXd&, MatrixXd&) const;
extern template void FullPivLU<MatrixXcd>::_solve_impl(const MatrixXcd&, MatrixXcd&) const;
extern template void HouseholderQR<MatrixXd>::computeInPlace();
extern template void HouseholderQR<MatrixXcd>::computeInPlace();
extern template void ColPivHouseholderQR<MatrixXd>::computeInPlace();
extern template void ColPivHouseholderQR<MatrixXd>::_solve_impl(const VectorXd&, VectorXd&) const;
extern template LLT<MatrixXd>& LLT<MatrixXd>::compute(const EigenBase<MatrixXd>&);
extern template LDLT<MatrixXd>& LDLT<MatrixXd>::compute(const EigenBase<MatrixXd>&);
extern template void LDLT<MatrixXd>::_solve_impl_transposed<true>(const VectorXd&, VectorXd&) const;
extern template void LDLT<MatrixXd>::_solve_impl_transposed<true>(const MatrixXd&, MatrixXd&) const;

// Kernels of products and triangular solves (internal/dense_products.cpp), which most expressions end in.
namespace internal {
template <class T, int order>
using ConstMapper = const_blas_data_mapper<T, Index, order>;
template <class T>
using ResultMapper = blas_data_mapper<T, Index, ColMajor, Unaligned, 1>;
template <class T>
using Gebp = gebp_traits<T, T>;
using Complex = std::complex<double>;

// Inner parts of the symmetric eigenproblem and of Q of a QR: with them a solver given a bare expression is quick to
// build, too.
using Columns = Block<MatrixXd>;
using Coefficients = VectorBlock<const VectorXd>;
extern template void tridiagonalization_inplace(MatrixXd&, VectorXd&);
extern template void tridiagonalization_inplace(MatrixXd&, VectorXd&, VectorXd&, VectorXd&, bool);
extern template ComputationInfo computeFromTridiagonal_impl(VectorXd&, VectorXd&, Index, bool, MatrixXd&);
extern template void apply_block_householder_on_the_left(Columns&, const Columns&, const Coefficients&, bool);

// clang-format off
extern template struct gebp_kernel<double, double, Index, ResultMapper<double>, Gebp<double>::mr, Gebp<double>::nr, false, false>;
extern template struct gemm_pack_lhs<double, Index, ConstMapper<double, ColMajor>, Gebp<double>::mr, Gebp<double>::LhsProgress, Gebp<double>::LhsPacket4Packing, ColMajor>;
extern template struct gemm_pack_lhs<double, Index, ConstMapper<double, RowMajor>, Gebp<double>::mr, Gebp<double>::LhsProgress, Gebp<double>::LhsPacket4Packing, RowMajor>;
extern template struct gemm_pack_rhs<double, Index, ConstMapper<double, ColMajor>, Gebp<double>::nr, ColMajor>;
extern template struct gebp_kernel<Complex, Complex, Index, ResultMapper<Complex>, Gebp<Complex>::mr, Gebp<Complex>::nr, false, false>;
extern template struct gemm_pack_lhs<Complex, Index, ConstMapper<Complex, ColMajor>, Gebp<Complex>::mr, Gebp<Complex>::LhsProgress, Gebp<Complex>::LhsPacket4Packing, ColMajor>;
extern template struct gemm_pack_rhs<Complex, Index, ConstMapper<Complex, ColMajor>, Gebp<Complex>::nr, ColMajor>;

extern template struct general_matrix_vector_product<Index, double, ConstMapper<double, ColMajor>, ColMajor, false, double, ConstMapper<double, RowMajor>, false, 0>;
extern template struct general_matrix_vector_product<Index, double, ConstMapper<double, ColMajor>, ColMajor, false, double, ConstMapper<double, ColMajor>, false, 0>;
extern template struct general_matrix_vector_product<Index, double, ConstMapper<double, RowMajor>, RowMajor, false, double, ConstMapper<double, ColMajor>, false, 0>;
extern template struct general_matrix_vector_product<Index, double, ConstMapper<double, RowMajor>, RowMajor, false, double, ConstMapper<double, RowMajor>, false, 1>;
extern template struct general_matrix_vector_product<Index, Complex, ConstMapper<Complex, ColMajor>, ColMajor, false, Complex, ConstMapper<Complex, RowMajor>, false, 0>;
extern template struct general_matrix_vector_product<Index, Complex, ConstMapper<Complex, RowMajor>, RowMajor, false, Complex, ConstMapper<Complex, ColMajor>, false, 0>;

extern template struct product_triangular_matrix_matrix<double, Index, UnitUpper, true, RowMajor, false, ColMajor, false, ColMajor, 1, 0>;
extern template struct product_triangular_matrix_matrix<double, Index, Upper, true, RowMajor, false, ColMajor, false, ColMajor, 1, 0>;
extern template struct product_triangular_matrix_matrix<double, Index, UnitLower, true, ColMajor, false, ColMajor, false, ColMajor, 1, 0>;
extern template struct product_triangular_matrix_matrix<double, Index, Lower, true, ColMajor, false, ColMajor, false, ColMajor, 1, 0>;
extern template struct triangular_matrix_vector_product<Index, UnitUpper, double, false, double, false, RowMajor, 0>;

extern template struct triangular_solve_matrix<double, Index, OnTheLeft, Lower, false, ColMajor, ColMajor, 1>;
extern template struct triangular_solve_matrix<double, Index, OnTheLeft, UnitLower, false, ColMajor, ColMajor, 1>;
extern template struct triangular_solve_matrix<double, Index, OnTheLeft, Upper, false, ColMajor, ColMajor, 1>;
extern template struct triangular_solve_matrix<double, Index, OnTheLeft, Upper, false, RowMajor, ColMajor, 1>;
extern template struct triangular_solve_matrix<double, Index, OnTheRight, Upper, false, RowMajor, ColMajor, 1>;
// clang-format on
}  // namespace internal

}  // namespace Eigen
#endif
