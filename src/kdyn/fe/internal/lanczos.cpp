// SPDX-License-Identifier: Apache-2.0
#include "kdyn/fe/internal/lanczos.hpp"

#include <algorithm>
#include <cmath>

#include <cblas-openblas.h>

#include "kdyn/base/random.hpp"

namespace kdyn::fe::internal {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int block = 8;

// Products with tall matrices: the BLAS uses all cores and wide registers.
MatrixXd transpose_times(const MatrixXd& a, Index columns, const MatrixXd& b) {
  MatrixXd out(columns, b.cols());
  cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, static_cast<int>(columns), static_cast<int>(b.cols()), static_cast<int>(b.rows()), 1.0,
              a.data(), static_cast<int>(a.rows()), b.data(), static_cast<int>(b.rows()), 0.0, out.data(), static_cast<int>(columns));
  return out;
}
void subtract_product(MatrixXd& w, const MatrixXd& a, Index first, Index columns, const MatrixXd& c) {
  cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, static_cast<int>(w.rows()), static_cast<int>(w.cols()), static_cast<int>(columns), -1.0,
              a.data() + first * a.rows(), static_cast<int>(a.rows()), c.data(), static_cast<int>(c.rows()), 1.0, w.data(),
              static_cast<int>(w.rows()));
}

class Lanczos {
 public:
  Lanczos(const LanczosInput& in, Progress& progress) : in_(in), progress_(progress), random_(in.seed) {}

  LanczosResult run() {
    LanczosResult out;
    const int most = std::min(in_.most_vectors, in_.size) / block * block;
    basis_.resize(in_.size, std::max(most, block) + block);
    MatrixXd w = fresh_block(), mw, b;
    mw = in_.mass(w);
    orthonormalise(w, mw, b, std::sqrt(w.cwiseProduct(mw).sum()));
    append(w);
    for (int step = 0;; ++step) {
      const Index last = used_ - block;
      w = in_.solve(mw);
      MatrixXd a = w.transpose() * mw;  // = Q^T M (K + s M)^-1 M Q
      const double size = std::max(a.norm(), theta_.size() ? theta_[0] : 0.0);
      a = (0.5 * (a + a.transpose())).eval();
      subtract_product(w, basis_, last, block, a);
      if (step > 0) subtract_product(w, basis_, last - block, block, b_.back().transpose());
      a_.push_back(a);
      mw = in_.mass(w);
      subtract_product(w, basis_, 0, used_, transpose_times(basis_, used_, mw));
      const bool exhausted = orthonormalise(w, mw, b, size);
      b_.push_back(b);
      const bool full = exhausted || used_ + block > most;
      if (step % 2 == 1 || full) {
        ritz();
        out.converged = wanted_converged() || exhausted;
        const int done = converged_count();
        progress_.report(std::min(1.0, static_cast<double>(done) / in_.wanted), "modes");
        out.stopped = progress_.stop_requested();
        if (out.converged || full || out.stopped) break;
      }
      append(w);
    }
    finish(w, out);
    return out;
  }

 private:
  MatrixXd fresh_block() {
    MatrixXd w(in_.size, block);
    for (Index i = 0; i < w.size(); ++i) w.data()[i] = random_.normal();
    return in_.solve(in_.mass(w));
  }

  void append(const MatrixXd& w) {
    basis_.middleCols(used_, block) = w;
    used_ += block;
  }

  // W = Q B with Q^T M Q = 1, by eigenvectors of the Gram matrix; Q replaces w, M Q goes to mw. Directions that vanished (measured by `size`,
  // the M-norm of W before it was reduced) become fresh ones, on which B has no weight. Returns true when all vanished: nothing is left to find.
  bool orthonormalise(MatrixXd& w, MatrixXd& mw, MatrixXd& b, double size) {
    mw = in_.mass(w);
    const MatrixXd gram = w.transpose() * mw;
    const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(0.5 * (gram + gram.transpose()));
    const double least = 1e-24 * size * size;
    const VectorXd root = eigen.eigenvalues().unaryExpr([&](double v) { return v > least ? std::sqrt(v) : 0.0; });
    if (!(root[block - 1] > 0.0)) {
      b = MatrixXd::Zero(block, block);
      return true;
    }
    b = root.asDiagonal() * eigen.eigenvectors().transpose();
    w = (w * eigen.eigenvectors()).eval();
    const MatrixXd fresh = root[0] > 0.0 ? MatrixXd() : fresh_block();
    for (Index i = 0; i < block; ++i) {
      if (root[i] > 0.0)
        w.col(i) /= root[i];
      else
        w.col(i) = fresh.col(i) / std::sqrt(fresh.col(i).squaredNorm());
    }
    for (int round = 0; round < 3; ++round) {
      mw = in_.mass(w);
      if (root[0] == 0.0) {
        subtract_product(w, basis_, 0, used_, transpose_times(basis_, used_, mw));
        mw = in_.mass(w);
      }
      const MatrixXd again = w.transpose() * mw;
      const Eigen::LLT<MatrixXd> llt(again);
      if (llt.info() != Eigen::Success) return true;
      const MatrixXd inverse = llt.matrixU().solve(MatrixXd::Identity(block, block));
      w = (w * inverse).eval();
      mw = (mw * inverse).eval();
      b = (llt.matrixU() * b).eval();
      for (Index i = 0; i < block; ++i)
        if (root[i] == 0.0) b.row(i).setZero();
      if ((again - MatrixXd::Identity(block, block)).cwiseAbs().maxCoeff() < 1e-6) break;
    }
    return false;
  }

  void ritz() {
    const Index steps = static_cast<Index>(a_.size()), size = steps * block;
    MatrixXd t = MatrixXd::Zero(size, size);
    for (Index j = 0; j < steps; ++j) {
      t.block(j * block, j * block, block, block) = a_[static_cast<std::size_t>(j)];
      if (j + 1 < steps) {
        t.block((j + 1) * block, j * block, block, block) = b_[static_cast<std::size_t>(j)];
        t.block(j * block, (j + 1) * block, block, block) = b_[static_cast<std::size_t>(j)].transpose();
      }
    }
    const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(t);
    theta_ = eigen.eigenvalues().reverse();
    vectors_ = eigen.eigenvectors().rowwise().reverse();
    bound_.resize(size);
    for (Index i = 0; i < size; ++i) bound_[i] = (b_.back() * vectors_.col(i).tail(block)).norm() / std::max(std::abs(theta_[i]), 1e-300);
  }

  int converged_count() const {
    int count = 0;
    while (count < in_.wanted && count < theta_.size() && bound_[count] <= in_.tolerance && theta_[count] > 0.0) ++count;
    return count;
  }
  bool wanted_converged() const { return converged_count() >= in_.wanted; }

  void finish(const MatrixXd& next, LanczosResult& out) {
    out.vectors = static_cast<int>(used_);
    Index count = std::min<Index>(in_.wanted, theta_.size());
    while (count > 0 && theta_[count - 1] <= 1e-14 * theta_[0]) --count;  // what is left has no mass
    out.theta = theta_.head(count);
    out.bound = bound_.head(count);
    if (count < theta_.size() && theta_[count] > 1e-14 * theta_[0]) out.next_theta = theta_[count];
    const MatrixXd s = vectors_.leftCols(count);
    out.shapes = MatrixXd::Zero(in_.size, count);
    subtract_product(out.shapes, basis_, 0, used_, -s);
    // [fe E26]
    const MatrixXd tail = b_.back() * s.bottomRows(block) * out.theta.cwiseInverse().asDiagonal();
    out.shapes += next * tail;
    basis_.resize(0, 0);
    for (Index first = 0; first < count; first += block) {
      const Index width = std::min<Index>(block, count - first);
      const MatrixXd part = out.shapes.middleCols(first, width), m = in_.mass(part);
      for (Index i = 0; i < width; ++i) out.shapes.col(first + i) /= std::sqrt(part.col(i).dot(m.col(i)));
    }
  }

  const LanczosInput& in_;
  Progress& progress_;
  RandomStream random_;
  MatrixXd basis_;
  Index used_ = 0;
  std::vector<MatrixXd> a_, b_;
  VectorXd theta_, bound_;
  MatrixXd vectors_;
};

}  // namespace

LanczosResult block_lanczos(const LanczosInput& input, Progress& progress) { return Lanczos(input, progress).run(); }

}  // namespace kdyn::fe::internal
