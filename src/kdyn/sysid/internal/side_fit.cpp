// SPDX-License-Identifier: Apache-2.0
#include "kdyn/sysid/internal/side_fit.hpp"

#include <complex>

#include "kdyn/numerics/thread_team.hpp"
#include "kdyn/sysid/internal/complex_product.hpp"

namespace kdyn::inline sysid::internal {
namespace {

using Complex = std::complex<double>;
constexpr Complex i_unit(0.0, 1.0);

// Residual poles far from the band are nearly collinear with D; directions below this part of the largest eigenvalue
// are left alone.
constexpr double rank_tolerance = 1e-14;

Eigen::MatrixXd pseudo_inverse(const Eigen::MatrixXd& gram) {
  Eigen::VectorXd scale = gram.diagonal().cwiseSqrt();
  for (double& s : scale) s = s > 0.0 ? 1.0 / s : 0.0;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(scale.asDiagonal() * gram * scale.asDiagonal());
  Eigen::VectorXd inverse = eigen.eigenvalues();
  const double limit = rank_tolerance * inverse.maxCoeff();
  for (double& value : inverse) value = value > limit ? 1.0 / value : 0.0;
  return scale.asDiagonal() * eigen.eigenvectors() * inverse.asDiagonal() * eigen.eigenvectors().transpose() *
         scale.asDiagonal();
}

}  // namespace

LineSums line_sums(const Eigen::VectorXd& omega, const Eigen::VectorXcd& poles) {
  const Eigen::Index N = omega.size(), m = poles.size();
  LineSums out;
  out.F.resize(N, 4 * m);
  for (Eigen::Index r = 0; r < m; ++r) {
    const bool pair = poles[r].imag() > 0.0;
    for (Eigen::Index k = 0; k < N; ++k) {
      const Complex s(0.0, omega[k]), phi = 1.0 / (s - poles[r]),
                                      mirrored = pair ? 1.0 / (s - std::conj(poles[r])) : 0.0;
      out.F(k, r) = phi;
      out.F(k, m + r) = mirrored;
      out.F(k, 2 * m + r) = phi * phi;
      out.F(k, 3 * m + r) = mirrored * mirrored;
    }
  }
  out.stacked = stacked_rows(out.F);
  out.gram = adjoint_product(out.stacked, paired_columns(out.F));
  out.total = out.F.colwise().sum();
  return out;
}

SideFit::SideFit(const FrfMatrix& frf, const Eigen::VectorXcd& poles, const LineSums& sums, const Eigen::MatrixXcd& b)
    : frf_(frf),
      poles_(poles),
      sums_(sums),
      b_(b) {
  for (Eigen::Index r = 0; r < poles.size(); ++r) {
    first_.push_back(states_);
    states_ += is_pair(r) ? 2 : 1;
  }
  grams_.resize(frf.weight.size() > 0 ? static_cast<std::size_t>(frf.outputs) : 1);
}

Eigen::MatrixXd SideFit::unweighted_gram(bool derivatives) const {
  const Eigen::Index m = poles_.size(), n = states_, q = b_.cols(), kinds = derivatives ? 2 : 1, size = kinds * n + q;
  // Inner products of b_r phi_r and its relatives: sums over lines times products of the vectors.
  Eigen::MatrixXcd beta(4 * m, q);
  beta << b_, b_.conjugate(), b_, b_.conjugate();
  const Eigen::MatrixXcd half = beta.topRows(2 * m).conjugate() * beta.topRows(2 * m).transpose();
  Eigen::MatrixXd all = Eigen::MatrixXd::Zero(size, size);
  const auto place = [&](Eigen::Index kind, Eigen::Index pole) {
    return kind * (n + q) + first_[static_cast<std::size_t>(pole)];
  };
  for (Eigen::Index ks = 0; ks < kinds; ++ks)
    for (Eigen::Index s = 0; s < m; ++s)
      for (Eigen::Index kr = 0; kr < kinds; ++kr)
        for (Eigen::Index r = 0; r < m; ++r) {
          const auto product = [&](Eigen::Index i, Eigen::Index j) {
            return half(i, j) * sums_.gram(2 * m * kr + i, 2 * m * ks + j);
          };
          const Complex pp = product(r, s), pc = product(r, m + s), cp = product(m + r, s), cc = product(m + r, m + s);
          const Eigen::Index i = place(kr, r), j = place(ks, s);
          // Unknowns Re c and Im c multiply e + conj and i (e - conj).
          all(i, j) = (pp + pc + cp + cc).real();
          if (is_pair(s)) all(i, j + 1) = -(pp - pc + cp - cc).imag();
          if (is_pair(r)) all(i + 1, j) = (pp + pc - cp - cc).imag();
          if (is_pair(r) && is_pair(s)) all(i + 1, j + 1) = (pp - pc - cp + cc).real();
        }
  for (Eigen::Index u = 0; u < q; ++u) {
    all(n + u, n + u) = static_cast<double>(frf_.lines());
    for (Eigen::Index kind = 0; kind < kinds; ++kind)
      for (Eigen::Index r = 0; r < m; ++r) {
        const Complex direct = beta(r, u) * sums_.total[2 * m * kind + r],
                      mirrored = beta(m + r, u) * sums_.total[2 * m * kind + m + r];
        const Eigen::Index i = place(kind, r);
        all(i, n + u) = all(n + u, i) = (direct + mirrored).real();
        if (is_pair(r)) all(i + 1, n + u) = all(n + u, i + 1) = -(direct - mirrored).imag();
      }
  }
  return all;
}

Eigen::MatrixXd SideFit::rows_of_input(Eigen::Index input) const {
  const Eigen::Index m = poles_.size(), n = states_, q = b_.cols(), N = frf_.lines();
  Eigen::MatrixXd Z(2 * N, 2 * n + q);
  Z.middleCols(n, q).setZero();
  Z.col(n + input).head(N).setOnes();
  for (Eigen::Index r = 0; r < m; ++r)
    for (Eigen::Index square = 0; square < 2; ++square) {
      const Eigen::Index column = square * (n + q) + first_[static_cast<std::size_t>(r)];
      const Eigen::VectorXcd direct = b_(r, input) * sums_.F.col(2 * m * square + r),
                             mirrored = std::conj(b_(r, input)) * sums_.F.col(2 * m * square + m + r);
      const Eigen::VectorXcd sum = direct + mirrored, difference = i_unit * (direct - mirrored);
      Z.col(column) << sum.real(), sum.imag();
      if (is_pair(r)) Z.col(column + 1) << difference.real(), difference.imag();
    }
  return Z;
}

Eigen::MatrixXd SideFit::weighted_gram(Eigen::Index output) const {
  const Eigen::Index size = 2 * states_ + b_.cols();
  Eigen::MatrixXd all = Eigen::MatrixXd::Zero(size, size);
  for (Eigen::Index u = 0; u < b_.cols(); ++u) {
    const Eigen::VectorXd root = frf_.weight.col(frf_.column(output, u)).cwiseSqrt();
    const Eigen::MatrixXd Z = root.replicate(2, 1).asDiagonal() * rows_of_input(u);
    all.selfadjointView<Eigen::Lower>().rankUpdate(Z.transpose());
  }
  return all.selfadjointView<Eigen::Lower>();
}

const SideFit::Gram& SideFit::gram_of(Eigen::Index output, bool derivatives) {
  const bool weighted = frf_.weight.size() > 0;
  Gram& gram = grams_[weighted ? static_cast<std::size_t>(output) : 0];
  if (gram.inverse.size() > 0 && (!derivatives || gram.reduced.size() > 0)) return gram;
  const Eigen::MatrixXd all = weighted ? weighted_gram(output) : unweighted_gram(derivatives);
  const Eigen::Index base = states_ + b_.cols();
  if (gram.inverse.size() == 0) gram.inverse = pseudo_inverse(all.topLeftCorner(base, base));
  if (all.rows() == base) return gram;
  gram.cross = gram.inverse * all.topRightCorner(base, states_);
  gram.reduced = all.bottomRightCorner(states_, states_) - all.bottomLeftCorner(states_, base) * gram.cross;
  return gram;
}

Eigen::VectorXd SideFit::right_side(Eigen::Index output, const Projection& residual) const {
  const Eigen::Index m = poles_.size(), n = states_, q = b_.cols();
  Eigen::VectorXd out = Eigen::VectorXd::Zero(2 * n + q);
  for (Eigen::Index u = 0; u < q; ++u) {
    const Eigen::Index channel = frf_.column(output, u);
    for (Eigen::Index r = 0; r < m; ++r)
      for (Eigen::Index square = 0; square < 2; ++square) {
        const Eigen::Index at = square * (n + q) + first_[static_cast<std::size_t>(r)], row = 2 * m * square + r;
        const Complex direct = std::conj(b_(r, u)) * residual.on_basis(row, channel),
                      mirrored = b_(r, u) * residual.on_basis(row + m, channel);
        out[at] += (direct + mirrored).real();
        if (is_pair(r)) out[at + 1] += (-i_unit * (direct - mirrored)).real();
      }
    out[n + u] = residual.total[channel];
  }
  return out;
}

void SideFit::correct(const Projection& residual, Eigen::MatrixXcd& c, Eigen::MatrixXd& D) {
  const Eigen::Index base = states_ + b_.cols();
  for (Eigen::Index y = 0; y < frf_.outputs; ++y) {
    const Eigen::VectorXd x = gram_of(y, false).inverse * right_side(y, residual).head(base);
    for (Eigen::Index r = 0; r < poles_.size(); ++r) {
      const Eigen::Index at = first_[static_cast<std::size_t>(r)];
      c(y, r) += is_pair(r) ? Complex(x[at], x[at + 1]) : Complex(x[at], 0.0);
    }
    D.row(y) += x.tail(b_.cols()).transpose();
  }
}

Eigen::MatrixXd SideFit::pole_directions(const Eigen::MatrixXcd& c, Eigen::Index output) const {
  // [sysid E8]: the derivative of output y along Re and Im lambda_r is (Re c h1 + Im c h2) and (Re c h2 - Im c h1).
  Eigen::MatrixXd T = Eigen::MatrixXd::Zero(states_, 2 * poles_.size());
  for (Eigen::Index r = 0; r < poles_.size(); ++r) {
    const Eigen::Index at = first_[static_cast<std::size_t>(r)];
    T(at, 2 * r) = c(output, r).real();
    if (!is_pair(r)) continue;
    T(at + 1, 2 * r) = c(output, r).imag();
    T(at, 2 * r + 1) = -c(output, r).imag();
    T(at + 1, 2 * r + 1) = c(output, r).real();
  }
  return T;
}

void SideFit::pole_equations(const Projection& residual, const Eigen::MatrixXcd& c, Eigen::MatrixXd& information,
                             Eigen::VectorXd& equation) {
  const Eigen::Index m = poles_.size(), base = states_ + b_.cols();
  information = Eigen::MatrixXd::Zero(2 * m, 2 * m);
  equation = Eigen::VectorXd::Zero(2 * m);
  for (Eigen::Index y = 0; y < frf_.outputs; ++y) {
    const Eigen::MatrixXd T = pole_directions(c, y);
    const Gram& gram = gram_of(y, true);
    const Eigen::VectorXd right = right_side(y, residual);
    information += T.transpose() * gram.reduced * T;
    equation += T.transpose() * (right.tail(states_) - gram.cross.transpose() * right.head(base));
  }
}

Eigen::VectorXd SideFit::removal_cost(const Eigen::MatrixXcd& c) {
  Eigen::VectorXd cost = Eigen::VectorXd::Zero(poles_.size());
  for (Eigen::Index y = 0; y < frf_.outputs; ++y) {
    const Eigen::MatrixXd& inverse = gram_of(y, false).inverse;
    for (Eigen::Index r = 0; r < poles_.size(); ++r) {
      const Eigen::Index at = first_[static_cast<std::size_t>(r)];
      if (is_pair(r)) {
        const Eigen::Vector2d x(c(y, r).real(), c(y, r).imag());
        const Eigen::Matrix2d block = inverse.block<2, 2>(at, at);
        if (block.determinant() > 0.0) cost[r] += x.dot(block.inverse() * x);
      } else if (inverse(at, at) > 0.0) {
        cost[r] += std::norm(c(y, r)) / inverse(at, at);
      }
    }
  }
  return cost;
}

Eigen::MatrixXd SideFit::pole_noise(const Eigen::MatrixXcd& c, const Eigen::MatrixXd& variance,
                                    const std::vector<bool>& wanted) {
  const Eigen::Index m = poles_.size(), base = states_ + b_.cols();
  std::vector<Eigen::Index> columns;  // derivatives of the wanted poles
  for (Eigen::Index r = 0; r < m; ++r)
    for (Eigen::Index part = 0; wanted[static_cast<std::size_t>(r)] && part < (is_pair(r) ? 2 : 1); ++part)
      columns.push_back(first_[static_cast<std::size_t>(r)] + part);
  const auto count = static_cast<Eigen::Index>(columns.size());
  std::vector<Eigen::MatrixXd> part(static_cast<std::size_t>(frf_.outputs)), rows(static_cast<std::size_t>(b_.cols()));
  for (Eigen::Index y = 0; y < frf_.outputs; ++y) gram_of(y, true);
  const bool weighted = frf_.weight.size() > 0;
  const auto projected = [&](const Eigen::MatrixXd& Z, const Gram& gram) -> Eigen::MatrixXd {
    return Z.rightCols(states_)(Eigen::all, columns) - Z.leftCols(base) * gram.cross(Eigen::all, columns);
  };
  // Without weights all outputs share one projection.
  for_each_index(static_cast<int>(b_.cols()), 0, [&](int u) {
    Eigen::MatrixXd Z = rows_of_input(u);
    rows[static_cast<std::size_t>(u)] = weighted ? std::move(Z) : projected(Z, grams_[0]);
  });
  for_each_index(static_cast<int>(frf_.outputs), 0, [&](int y) {
    Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(count, count);
    for (Eigen::Index u = 0; u < b_.cols(); ++u) {
      const Eigen::Index column = frf_.column(y, u);
      Eigen::VectorXd root = variance.col(column).cwiseSqrt();
      if (weighted) root = root.cwiseProduct(frf_.weight.col(column));
      const Eigen::MatrixXd& Z = rows[static_cast<std::size_t>(u)];
      const Eigen::MatrixXd J =
          root.replicate(2, 1).asDiagonal() * (weighted ? projected(Z, grams_[static_cast<std::size_t>(y)]) : Z);
      sum.selfadjointView<Eigen::Lower>().rankUpdate(J.transpose());
    }
    const Eigen::MatrixXd full = sum.selfadjointView<Eigen::Lower>(), T = pole_directions(c, y)(columns, Eigen::all);
    part[static_cast<std::size_t>(y)] = T.transpose() * full * T;
  });
  Eigen::MatrixXd total = Eigen::MatrixXd::Zero(2 * m, 2 * m);
  for (const Eigen::MatrixXd& p : part) total += p;
  return total;
}

}  // namespace kdyn::inline sysid::internal
