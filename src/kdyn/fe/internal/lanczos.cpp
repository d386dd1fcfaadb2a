// SPDX-License-Identifier: Apache-2.0
#include "kdyn/fe/internal/lanczos.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "kdyn/base/random.hpp"
#include "kdyn/fe/internal/panel_kernels.hpp"
#include "kdyn/fe/internal/row_team.hpp"

namespace kdyn::fe::internal {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Strip = std::unique_ptr<double[]>;
// Row-major, as the kernels read coefficients.
using Coefficients = Eigen::Matrix<double, strip, strip, Eigen::RowMajor>;

constexpr int block = strip;

class Lanczos {
 public:
  Lanczos(const LanczosInput& in, Progress& progress)
      : in_(in),
        progress_(progress),
        random_(in.seed),
        team_(in.size, in.threads) {}

  LanczosResult run() {
    LanczosResult out;
    const int most = std::max(block, std::min(in_.most_vectors, in_.size) / block * block);
    Strip w = fresh_block();
    mw_ = strip_of_size();
    Coefficients b;
    in_.mass(w.get(), mw_.get());
    orthonormalise(w.get(), b, std::sqrt(gram(w.get(), mw_.get()).trace()));
    basis_.push_back(std::move(w));
    for (int step = 0;; ++step) {
      w = strip_of_size();
      std::copy(mw_.get(), mw_.get() + length(), w.get());
      in_.solve(w.get());
      Coefficients a = gram(w.get(), mw_.get());  // = Q^T M (K + s M)^-1 M Q
      const double size = std::max(a.norm(), theta_.size() ? theta_[0] : 0.0);
      a = (0.5 * (a + a.transpose())).eval();
      a_.push_back(a);
      // Three terms of the recurrence first, then all blocks once more against rounding.
      subtract(w.get(), basis_.size() - 1, {a});
      if (step > 0) subtract(w.get(), basis_.size() - 2, {Coefficients(b_.back().transpose())});
      in_.mass(w.get(), mw_.get());
      reorthogonalise(w.get());
      const bool exhausted = orthonormalise(w.get(), b, size);
      b_.push_back(b);
      const int used = block * static_cast<int>(basis_.size());
      const bool full = exhausted || used + block > most;
      // Early on every other block is enough; near the end each block spared is a solve.
      if (((step % 2 == 1 || used >= 3 * in_.wanted) && used >= in_.wanted) || full) {
        ritz();
        out.converged = converged_count() >= in_.wanted || exhausted;
        out.stopped = progress_.stop_requested();
        progress_.report(std::min(1.0, static_cast<double>(converged_count()) / in_.wanted), "modes");
        if (out.converged || full || out.stopped) break;
      }
      basis_.push_back(std::move(w));
    }
    out.vectors = block * static_cast<int>(basis_.size());
    basis_.push_back(std::move(w));  // for the purification
    finish(out);
    return out;
  }

 private:
  std::size_t length() const { return static_cast<std::size_t>(in_.size) * strip; }
  Strip strip_of_size() const { return Strip(new double[length()]); }

  Strip fresh_block() {
    Strip x = strip_of_size(), w = strip_of_size();
    // Numbers go by unknown, not by place: the start does not depend on the order of elimination.
    for (Index j = 0; j < block; ++j)
      for (int i = 0; i < in_.size; ++i)
        x[static_cast<std::size_t>((*in_.new_of)[static_cast<std::size_t>(i)]) * strip + static_cast<std::size_t>(j)] =
            random_.normal();
    in_.mass(x.get(), w.get());
    in_.solve(w.get());
    return w;
  }

  // a^T b for one strip; for all blocks of the basis at once.
  Coefficients gram(const double* a, const double* b) const { return grams({a}, b).front(); }
  std::vector<Coefficients> grams(const std::vector<const double*>& blocks, const double* b) const {
    const std::size_t count = blocks.size();
    std::vector<Coefficients> parts(static_cast<std::size_t>(team_.pieces()) * count, Coefficients::Zero()),
        out(count, Coefficients::Zero());
    team_.run([&](Index begin, Index end, Index piece) {
      for (std::size_t q = 0; q < count; ++q)
        add_gram(blocks[q], b, begin, end, parts[static_cast<std::size_t>(piece) * count + q].data());
    });
    for (Index piece = 0; piece < team_.pieces(); ++piece)
      for (std::size_t q = 0; q < count; ++q) out[q] += parts[static_cast<std::size_t>(piece) * count + q];
    return out;
  }

  // w -= sum of blocks first, first + 1, .. times their coefficients.
  void subtract(double* w, std::size_t first, const std::vector<Coefficients>& c) const {
    team_.run([&](Index begin, Index end, Index) {
      for (std::size_t q = 0; q < c.size(); ++q) subtract_product(w, basis_[first + q].get(), c[q].data(), begin, end);
    });
  }
  void reorthogonalise(double* w) const {
    std::vector<const double*> blocks;
    for (const Strip& q : basis_) blocks.push_back(q.get());
    subtract(w, 0, grams(blocks, mw_.get()));
  }
  void multiply(double* w, const Coefficients& c) const {
    team_.run([&](Index begin, Index end, Index) { multiply_in_place(w, c.data(), begin, end); });
  }

  // W = Q B with Q^T M Q = 1, by eigenvectors of the Gram matrix; Q replaces w, M Q goes to mw_. Directions that
  // vanished (measured by `size`, the M-norm of W before it was reduced) become fresh ones, on which B has no weight.
  // Returns true when all vanished: nothing is left to find.
  bool orthonormalise(double* w, Coefficients& b, double size) {
    in_.mass(w, mw_.get());
    const MatrixXd first = gram(w, mw_.get());
    const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(0.5 * (first + first.transpose()));
    const double least = 1e-24 * size * size;
    const VectorXd root = eigen.eigenvalues().unaryExpr([&](double v) { return v > least ? std::sqrt(v) : 0.0; });
    if (!(root[block - 1] > 0.0)) {
      b.setZero();
      return true;
    }
    b = root.asDiagonal() * eigen.eigenvectors().transpose();
    const VectorXd scale = root.unaryExpr([](double v) { return v > 0.0 ? 1.0 / v : 0.0; });
    const Coefficients turn = eigen.eigenvectors() * scale.asDiagonal();
    multiply(w, turn);
    multiply(mw_.get(), turn);
    const bool lost = !(root[0] > 0.0);
    if (lost) {
      const Strip fresh = fresh_block();
      for (Index j = 0; j < block; ++j) {
        if (root[j] > 0.0) continue;
        double norm = 0.0;
        for (std::size_t i = 0; i < static_cast<std::size_t>(in_.size); ++i)
          norm += std::pow(fresh[i * strip + static_cast<std::size_t>(j)], 2);
        for (std::size_t i = 0; i < static_cast<std::size_t>(in_.size); ++i)
          w[i * strip + static_cast<std::size_t>(j)] = fresh[i * strip + static_cast<std::size_t>(j)] / std::sqrt(norm);
      }
    }
    for (int round = 0; round < 4; ++round) {
      if (lost) {
        in_.mass(w, mw_.get());
        reorthogonalise(w);
        in_.mass(w, mw_.get());
      }
      const MatrixXd again = gram(w, mw_.get());
      const Eigen::LLT<MatrixXd> llt(MatrixXd(0.5 * (again + again.transpose())));
      if (llt.info() != Eigen::Success) return true;
      const double gap = (again - MatrixXd::Identity(block, block)).cwiseAbs().maxCoeff();
      if (gap < 1e-14) break;
      const Coefficients inverse = llt.matrixU().solve(MatrixXd::Identity(block, block));
      multiply(w, inverse);
      // After a large correction M Q is made afresh: what is multiplied along keeps the rounding of the vectors it came
      // from.
      if (gap > 1e-10 || lost)
        in_.mass(w, mw_.get());
      else
        multiply(mw_.get(), inverse);
      b = (MatrixXd(llt.matrixU()) * b).eval();
      for (Index i = 0; i < block; ++i)
        if (root[i] == 0.0) b.row(i).setZero();
      if (gap < 1e-6) break;
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
    for (Index i = 0; i < size; ++i)
      bound_[i] = (b_.back() * vectors_.col(i).tail(block)).norm() / std::max(std::abs(theta_[i]), 1e-300);
  }

  int converged_count() const {
    int count = 0;
    while (count < in_.wanted && count < theta_.size() && bound_[count] <= in_.tolerance && theta_[count] > 0.0)
      ++count;
    return count;
  }

  // Ritz vectors take the place of the basis piece by piece: the large matrices are never there twice.
  void finish(LanczosResult& out) {
    Index count = std::min<Index>(in_.wanted, theta_.size());
    while (count > 0 && theta_[count - 1] <= 1e-14 * theta_[0]) --count;  // what is left has no mass
    out.theta = theta_.head(count);
    out.bound = bound_.head(count);
    const std::size_t blocks = basis_.size(), results = static_cast<std::size_t>((count + block - 1) / block);
    MatrixXd s = MatrixXd::Zero(static_cast<Index>(blocks) * block, static_cast<Index>(results) * block);
    s.topLeftCorner(vectors_.rows(), count) = vectors_.leftCols(count);
    s.bottomLeftCorner(block, count) =
        b_.back() * vectors_.leftCols(count).bottomRows(block) * out.theta.cwiseInverse().asDiagonal();  // [fe E26]
    std::vector<Coefficients> c;  // by result, then by block
    for (std::size_t r = 0; r < results; ++r)
      for (std::size_t q = 0; q < blocks; ++q)
        c.push_back(-s.block(static_cast<Index>(q) * block, static_cast<Index>(r) * block, block, block));
    team_.run([&](Index begin, Index end, Index) {
      const Index rows = end - begin;
      std::vector<double> made(results * static_cast<std::size_t>(rows) * strip, 0.0);
      for (std::size_t r = 0; r < results; ++r)
        for (std::size_t q = 0; q < blocks; ++q)
          subtract_product(made.data() + r * static_cast<std::size_t>(rows) * strip, basis_[q].get() + begin * strip,
                           c[r * blocks + q].data(), 0, rows);
      for (std::size_t r = 0; r < results; ++r)
        std::copy_n(made.data() + r * static_cast<std::size_t>(rows) * strip, rows * strip,
                    basis_[r].get() + begin * strip);
    });
    basis_.resize(results);
    out.shapes.resize(in_.size, count);
    for (std::size_t r = 0; r < results; ++r) {
      const Strip x = std::move(basis_[r]);
      in_.mass(x.get(), mw_.get());
      const VectorXd norm = gram(x.get(), mw_.get()).diagonal().cwiseSqrt();
      for (Index j = 0; j < block && static_cast<Index>(r) * block + j < count; ++j) {
        double* shape = out.shapes.data() + (static_cast<Index>(r) * block + j) * in_.size;
        for (std::size_t i = 0; i < static_cast<std::size_t>(in_.size); ++i)
          shape[i] = x[static_cast<std::size_t>((*in_.new_of)[i]) * strip + static_cast<std::size_t>(j)] / norm[j];
      }
    }
  }

  const LanczosInput& in_;
  Progress& progress_;
  RandomStream random_;
  RowTeam team_;
  std::vector<Strip> basis_;
  Strip mw_;  // M times the newest block
  std::vector<Coefficients> a_, b_;
  VectorXd theta_, bound_;
  MatrixXd vectors_;
};

}  // namespace

LanczosResult block_lanczos(const LanczosInput& input, Progress& progress) { return Lanczos(input, progress).run(); }

}  // namespace kdyn::fe::internal
