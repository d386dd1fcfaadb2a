// SPDX-License-Identifier: Apache-2.0
#include "kdyn/sysid/subspace.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "kdyn/base/error.hpp"
#include "kdyn/numerics/dense_functions.hpp"
#include "kdyn/numerics/thin_svd.hpp"
#include "kdyn/numerics/thread_team.hpp"

namespace kdyn::inline sysid {
namespace {

// [sysid E4]
double map_angle(double omega, double a) { return 2.0 * std::atan(omega / a); }
std::complex<double> to_continuous(std::complex<double> z, double a) { return a * (z - 1.0) / (z + 1.0); }

// Real orthonormal basis (2 N x q) of the Vandermonde rows [Re z^i, Im z^i].
Eigen::MatrixXd input_basis(const Eigen::VectorXcd& z, int q) {
  const Eigen::Index N = z.size();
  Eigen::MatrixXd V(2 * N, q);
  Eigen::VectorXcd power = Eigen::VectorXcd::Ones(N);
  for (int i = 0; i < q; ++i, power.array() *= z.array()) V.col(i) << power.real(), power.imag();
  return first_columns_of_q(V, q);
}

// Columns (z^i H_yu as real and imaginary part, U projected out) of the inputs first .. last-1, as rows of a tall
// matrix; returns its R.
Eigen::MatrixXd factor_of_inputs(const FrfMatrix& frf, const Eigen::VectorXcd& z, const Eigen::MatrixXd& basis, int q,
                                 Eigen::Index first, Eigen::Index last) {
  const Eigen::Index N = z.size(), p = frf.outputs, rows = 2 * N;
  Eigen::MatrixXd tall(rows * (last - first), q * p), R(0, 0);
  Eigen::MatrixXd block(rows, q * p);
  for (Eigen::Index u = first; u < last; ++u) {
    Eigen::VectorXcd power = Eigen::VectorXcd::Ones(N);
    for (int i = 0; i < q; ++i, power.array() *= z.array())
      for (Eigen::Index y = 0; y < p; ++y) {
        const Eigen::VectorXcd value = power.cwiseProduct(frf.values.col(frf.column(y, u)));
        block.col(i * p + y) << value.real(), value.imag();
      }
    block -= basis * (basis.transpose() * block);
    tall.middleRows(rows * (u - first), rows) = block;
  }
  const Eigen::Index n = std::min<Eigen::Index>(tall.rows(), tall.cols());
  Eigen::HouseholderQR<Eigen::Ref<Eigen::MatrixXd>> qr(tall);
  return tall.topRows(n).triangularView<Eigen::Upper>();
}

}  // namespace

Subspace::Subspace(const FrfMatrix& frf, const SubspaceOptions& options) {
  const Eigen::Index N = frf.lines(), p = frf.outputs;
  map_omega_ = options.map_omega > 0.0 ? options.map_omega : std::sqrt(frf.omega[0] * frf.omega[N - 1]);
  const int wanted = std::max(2, options.max_order);
  // The rows must leave more columns (real numbers measured per input) than they take, else the projection leaves
  // nothing to see.
  const auto most = static_cast<int>((2 * N * frf.inputs) / (2 * p + frf.inputs));
  int q = options.block_rows > 0 ? options.block_rows : std::max<int>(4, static_cast<int>((4 * wanted + p - 1) / p));
  q = std::min<int>({q, most, static_cast<int>(N) - 1});
  const auto reachable = static_cast<int>(std::min<Eigen::Index>((q - 1) * p, q * p));
  if (q < 2 || reachable < 2)
    throw_bad_input(
        "band_hz",
        fmt::format("{} lines of {} x {} channels are too few for subspace identification", N, p, frf.inputs),
        "widen the band or give finer lines");
  block_rows_ = q;

  Eigen::VectorXcd z(N);
  for (Eigen::Index k = 0; k < N; ++k) z[k] = std::polar(1.0, map_angle(frf.omega[k], map_omega_));
  const Eigen::MatrixXd basis = input_basis(z, q);
  const int parts =
      static_cast<int>(std::min<Eigen::Index>(2, frf.inputs));  // fixed: rounding must not depend on the machine
  std::vector<Eigen::MatrixXd> factors(static_cast<std::size_t>(parts));
  for_each_index(parts, 0, [&](int part) {
    const Eigen::Index first = frf.inputs * part / parts, last = frf.inputs * (part + 1) / parts;
    factors[static_cast<std::size_t>(part)] = factor_of_inputs(frf, z, basis, q, first, last);
  });
  Eigen::MatrixXd R = std::move(factors[0]);
  for (int part = 1; part < parts; ++part) {
    Eigen::MatrixXd stacked(R.rows() + factors[static_cast<std::size_t>(part)].rows(), R.cols());
    stacked << R, factors[static_cast<std::size_t>(part)];
    Eigen::HouseholderQR<Eigen::Ref<Eigen::MatrixXd>> qr(stacked);
    R = stacked.topRows(std::min(stacked.rows(), stacked.cols())).triangularView<Eigen::Upper>();
  }
  // Columns of V are the left singular vectors of the data matrix: an orthonormal basis of the observability range.
  // [sysid E5]
  ThinSvd svd = thin_svd(std::move(R));
  singular_values_ = std::move(svd.values);
  const Eigen::Index n = std::min<Eigen::Index>({wanted, reachable, svd.V.cols()});
  const Eigen::MatrixXd O = svd.V.leftCols(n);
  const Eigen::MatrixXd O1 = O.topRows((q - 1) * p), O2 = O.bottomRows((q - 1) * p);
  const Eigen::HouseholderQR<Eigen::MatrixXd> qr(O1);
  triangle_ = qr.matrixQR().topRows(n).triangularView<Eigen::Upper>();
  shifted_ = (qr.householderQ().adjoint() * O2).topRows(n);
  first_rows_ = O.topRows(p);
}

OrderPoles Subspace::poles(int order) const {
  demand(order >= 1 && order <= max_order(), "the order of a subspace model is within what was computed");
  // [sysid E6]: least squares of the leading columns, from the nested factor.
  const Eigen::MatrixXd A =
      triangle_.topLeftCorner(order, order).triangularView<Eigen::Upper>().solve(shifted_.topLeftCorner(order, order));
  const Eigen::EigenSolver<Eigen::MatrixXd> eigen(A);
  OrderPoles out;
  out.order = order;
  std::vector<Eigen::Index> kept;
  for (Eigen::Index i = 0; i < order; ++i)
    if (eigen.eigenvalues()[i].imag() >= 0.0 && std::abs(eigen.eigenvalues()[i] + 1.0) > 1e-12) kept.push_back(i);
  out.poles.resize(static_cast<Eigen::Index>(kept.size()));
  out.shapes.resize(first_rows_.rows(), out.poles.size());
  const Eigen::MatrixXcd vectors = eigen.eigenvectors();
  for (std::size_t j = 0; j < kept.size(); ++j) {
    out.poles[static_cast<Eigen::Index>(j)] = to_continuous(eigen.eigenvalues()[kept[j]], map_omega_);
    out.shapes.col(static_cast<Eigen::Index>(j)) = (first_rows_.leftCols(order) * vectors.col(kept[j])).normalized();
  }
  return out;
}

std::vector<int> Subspace::exact_orders() const {
  // Data of a finite system leave singular values at the rounding level behind its order. States that are hardly seen
  // (poles far outside the band) bring the values down step by step, so that the last step may be a small one, and not
  // the first value below a limit tells the order.
  std::vector<int> out;
  const double largest = singular_values_[0];
  for (Eigen::Index n = 1; n < std::min<Eigen::Index>(singular_values_.size(), max_order() + 1); ++n) {
    const double here = singular_values_[n] / largest, step = singular_values_[n] / singular_values_[n - 1];
    if (here < 1e-9 && (step < 1e-3 || (here < 1e-12 && step < 0.3))) out.push_back(static_cast<int>(n));
  }
  return out;
}

int Subspace::order_by_gap() const {
  int best = 2;
  double ratio = 0.0;
  for (int n = 2; n < std::min<int>(static_cast<int>(singular_values_.size()), max_order()); n += 2)
    if (singular_values_[n - 1] > ratio * singular_values_[n]) {
      ratio = singular_values_[n - 1] / singular_values_[n];
      best = n;
    }
  return best;
}

}  // namespace kdyn::inline sysid
